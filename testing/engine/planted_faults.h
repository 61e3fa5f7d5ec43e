// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_PLANTED_FAULTS_H_
#define CONCORD_TESTING_ENGINE_PLANTED_FAULTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "concord/core/backend.h"
#include "concord/core/spec.h"

namespace concord {

// One run of an implementation into which a fault is planted.
struct FaultyRun {
  const AlgorithmSpec& spec;
  Backend& backend;
  // Already configured.
  Runner& runner;
  const Case& test_case;
  const Inputs& inputs;
  const Outputs& outputs;
  // Counts the runs of this implementation.
  std::int64_t number = 0;
};

// A mistake that implementations make. The engine is worth what it finds of
// these: each must be caught, in each implementation, by the ordinary suite.
struct Fault {
  std::string name;
  // Completes "an implementation that ...".
  std::string what;
  // Counterexamples need not be larger than this.
  std::int64_t smallest_size = 0;
  // Stands in for Runner::Run.
  std::function<absl::Status(const FaultyRun&)> run;
};

// The faults that the standard suite must catch.
const std::vector<Fault>& PlantedFaults();

// Flips the sign of every NaN that it gives: for specs whose NaNs have bits.
const Fault& FaultOfNans();

// Keeps only the low 32 bits of indexes: for the suite of large cases.
const Fault& FaultOf32BitIndexes();

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_PLANTED_FAULTS_H_
