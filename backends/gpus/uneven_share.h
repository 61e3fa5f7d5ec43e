// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// share.h for units whose length divides no stripe. Plain arithmetic, for the
// host and for kernels.

#ifndef CONCORD_BACKENDS_GPUS_UNEVEN_SHARE_H_
#define CONCORD_BACKENDS_GPUS_UNEVEN_SHARE_H_

#include <algorithm>
#include <cstdint>

#include "concord/backends/gpus/share.h"

namespace concord {

// A member's part of an array that is cut into units of kUnitBytes: those whose
// first byte lies in one of its stretches. As stretches have sometimes one unit
// more and sometimes one less, each has as many places as the longest needs;
// the last of them may be for no unit.
template <std::int64_t kUnitBytes>
struct UnevenShare {
  GroupPlace place;
  std::int64_t units;    // of all members', in the array
  std::uint32_t first;   // the member's first stretch that the array reaches
  std::uint32_t slots;   // places of a stretch
  std::uint32_t count;   // of the member's places

  // The unit at the member's i-th place, as a number in the array; `units`
  // where there is none.
  constexpr std::int64_t operator()(std::uint32_t i) const {
    const auto members = static_cast<std::uint32_t>(place.stripes.members);
    const std::int64_t stretch = first + i / slots * members;
    const std::int64_t unit = FirstFrom(stretch) + i % slots;
    return unit < FirstFrom(stretch + 1) ? unit : units;
  }

 private:
  // The first unit that begins in this stretch of the range or a later one.
  constexpr std::int64_t FirstFrom(std::int64_t stretch) const {
    const std::int64_t byte = stretch * place.stripes.stripe - place.offset;
    if (byte <= 0) return 0;
    const auto unit = static_cast<std::int64_t>(
        (static_cast<std::uint64_t>(byte) + kUnitBytes - 1) / kUnitBytes);
    return unit < units ? unit : units;
  }
};

template <std::int64_t kUnitBytes>
constexpr UnevenShare<kUnitBytes> UnevenShareOf(const GroupPlace& place,
                                                std::int64_t units,
                                                int member) {
  const std::int64_t stripe = place.stripes.stripe;
  const std::int64_t members = place.stripes.members;
  const auto divide_up = [](std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
  };
  // The stretches [reached, end) of the range hold the array's bytes.
  const std::int64_t reached = place.offset / stripe;
  const std::int64_t end = divide_up(place.offset + units * kUnitBytes, stripe);
  const std::int64_t first =
      reached + (member + members - reached % members) % members;
  const std::int64_t stretches =
      first < end ? divide_up(end - first, members) : std::int64_t{0};
  const std::int64_t slots = std::min(divide_up(stripe, kUnitBytes), units);
  return {place, units, static_cast<std::uint32_t>(first),
          static_cast<std::uint32_t>(slots),
          static_cast<std::uint32_t>(stretches * slots)};
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_UNEVEN_SHARE_H_
