// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_DISTRIBUTIONS_H_
#define CONCORD_CORE_DISTRIBUTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/element_type.h"
#include "concord/core/host_array.h"

namespace concord {

// The vocabulary of input values that tests and benchmarks share. The values
// depend on the seed and nothing else: they are the same on every machine.
//
//   uniform      every bit pattern of an integer; floats in [-1, 1)
//   small        integers in [0, 4); floats that are whole numbers in [0, 4)
//   near_one     floats in [0.5, 2), so that long products stay finite;
//                integers are 1, or their type's -1 now and then
//   equal        one random value everywhere
//   zero         0 everywhere
//   ascending    the uniform values, sorted
//   descending   the same, the other way round
//   alternating  two random values in turn
//   extremes     smallest, largest, 0, 1 and -1 of the type; for floats the
//                finite extremes, the smallest normal and subnormal numbers
//   special      floats only: NaNs, quiet and signalling ones, of both signs,
//                some with a payload; infinities, -0.0 and 0.0; small values
//   negative_zero
//                floats only: -0.0 everywhere, so that an implementation which
//                pads with +0.0 gives +0.0 and is caught
const std::vector<std::string>& DistributionNames();

// Those of DistributionNames() that make sense for the type.
std::vector<std::string> DistributionsFor(ElementType type);

// InvalidArgument when there is no such distribution for that type.
absl::StatusOr<HostArray> Draw(absl::string_view distribution, ElementType type,
                               std::int64_t size, std::uint64_t seed);

}  // namespace concord

#endif  // CONCORD_CORE_DISTRIBUTIONS_H_
