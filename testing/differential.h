// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_DIFFERENTIAL_H_
#define CONCORD_TESTING_DIFFERENTIAL_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace concord {

struct DifferentialOptions {
  std::uint64_t seed = 1;
  // Planted faults that mean nothing to this algorithm -> why. They must then
  // really pass unnoticed.
  std::map<std::string, std::string> meaningless_faults;
};

// Adds the differential suite of an algorithm to the program: for each of its
// implementations the tests
//
//   ScanDifferential.EdgeCatalogue/tbb_one_pass
//   ScanDifferential.RandomCases/tbb_one_pass
//   ScanDifferential.Laws/tbb_one_pass
//   ScanDifferential.Repetition/tbb_one_pass
//   ScanDifferential.PlantedFaults/tbb_one_pass
//
// An implementation whose backend cannot run here is skipped with the stage and
// the reason. Stands in the algorithm's own test:
//
//   const bool kDifferential = AddDifferentialSuite("scan");
bool AddDifferentialSuite(absl::string_view algorithm,
                          DifferentialOptions options = {});

}  // namespace concord

#endif  // CONCORD_TESTING_DIFFERENTIAL_H_
