// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The same as sums.c.

#include <cstdint>
#include <iostream>
#include <vector>

#include "concord/algorithms/scan/scan.h"
#include "concord/core/algorithm.h"
#include "concord/core/backend.h"

int main(int argc, char** argv) {
  std::vector<std::int64_t> values;
  for (int i = 1; i < argc; ++i) values.push_back(std::atol(argv[i]));
  const auto backend = concord::OpenBackend("serial");
  if (!backend.ok()) return 1;
  concord::Scan::Options options;
  options.kind = concord::Scan::Kind::kInclusive;
  const auto sums =
      concord::ComputeScan<std::int64_t>(*backend, values, options);
  if (!sums.ok()) return 1;
  for (const std::int64_t sum : *sums) std::cout << sum << "\n";
  for (const concord::Algorithm* algorithm : concord::AllAlgorithms()) {
    for (const concord::ImplementationInfo& info :
         algorithm->implementations()) {
      std::cout << info.name() << "\n";
    }
  }
}
