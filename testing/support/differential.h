// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_DIFFERENTIAL_H_
#define CONCORD_TESTING_SUPPORT_DIFFERENTIAL_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "concord/testing/engine/planted_faults.h"

namespace concord {

struct DifferentialOptions {
  std::uint64_t seed = 1;
  // Planted faults that mean nothing to this algorithm ("swaps_operands"), to
  // its implementations on one backend ("serial/swaps_operands") or to one of
  // them ("cuda/cub/swaps_operands") -> why. They must then really pass
  // unnoticed.
  std::map<std::string, std::string> meaningless_faults;
  // Planted faults that this algorithm can show only in larger cases than
  // others -> how large the smallest is.
  std::map<std::string, std::int64_t> smallest_sizes;
};

// Adds the differential suite of an algorithm to the program: for each of its
// implementations the tests
//
//   ScanDifferential.EdgeCatalogue/tbb_one_pass
//   ScanDifferential.RandomCases/tbb_one_pass
//   ScanDifferential.Laws/tbb_one_pass
//   ScanDifferential.Repetition/tbb_one_pass
//   ScanDifferential.Remainders/tbb_one_pass
//   ScanDifferential.PlantedFaults/tbb_one_pass
//   ScanDifferential.LargeCase/tbb_one_pass
//
// An implementation whose backend cannot run here is skipped with the stage and
// the reason. The large case, of more than 2^32 elements, is skipped where the
// memory does not suffice, and on the CPU, where it takes minutes, unless
// CONCORD_LARGE=1 asks for it. Stands in the algorithm's own test:
//
//   const bool kDifferential = AddDifferentialSuite("scan");
bool AddDifferentialSuite(absl::string_view algorithm,
                          DifferentialOptions options = {});

// Fails the current test unless the standard suite of the algorithm notices the
// fault in this implementation, and makes a small case of it: one as small as
// the fault says, and along each of these axes of the spec no longer than that.
// For faults that mean something to one implementation only.
void ExpectCaught(absl::string_view algorithm, absl::string_view implementation,
                  const Fault& fault,
                  const std::map<std::string, std::int64_t>& longest = {});

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_DIFFERENTIAL_H_
