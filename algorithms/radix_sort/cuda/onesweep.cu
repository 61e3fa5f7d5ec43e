// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Onesweep (A. Adinets, D. Merrill, 2022). One launch reads the keys and counts
// all digits; then each launch sorts by one digit, from the lowest to the
// highest, reading and writing the elements once. Few elements are sorted by
// one block in one launch.

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/onesweep.cuh"
#include "concord/algorithms/radix_sort/radix_sort.h"

namespace concord::radix_sort {
namespace {

class RadixSortOnesweep : public RadixSortOnCuda {
 public:
  using RadixSortOnCuda::RadixSortOnCuda;

 private:
  absl::Status Sort(const RadixSortCall& call) override {
    return DispatchValues(call, [&](auto value, auto out) {
      return RunOnesweep<decltype(value), decltype(out)>(call, *backend(),
                                                         memory_);
    });
  }

  OnesweepScratch memory_{backend()};
};

const bool kRegistered = RegisterOnCuda<RadixSortOnesweep>(
    "onesweep", /*rank=*/10,
    "8 bits a pass, which reads and writes each element once",
    RadixSortContract()
        .AtMost(kMostOnesweepElements)
        .Boundaries(OnesweepBoundaries())
        .Keeps(kKeepsOfOnesweep));

}  // namespace
}  // namespace concord::radix_sort
