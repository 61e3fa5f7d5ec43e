// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Which part of an array each member of a group works on: what lies with it.
// Plain arithmetic, for the host and for kernels.

#ifndef CONCORD_BACKENDS_GPUS_SHARE_H_
#define CONCORD_BACKENDS_GPUS_SHARE_H_

#include <algorithm>
#include <cstdint>

namespace concord {

// The members hold stretches of `stripe` bytes in turn, the first of them from
// byte 0 of a range of addresses on. A blocked range has one stretch for each.
struct Stripes {
  std::int64_t stripe;
  int members;
};

// Where an array lies: its first byte is byte `offset` of a range.
struct GroupPlace {
  Stripes stripes;
  std::int64_t offset;
};

// A member's part of an array that is cut into equal units (tiles, chunks): the
// units whose first byte is the member's. One that ends in another member's
// stretch is read across the link, which is right, and rare.
//
// Units are counted on from the start of the range, in whole units before the
// array, so that each stretch has equally many.
struct Share {
  std::uint32_t first;       // the member's first unit of the range
  std::uint32_t per_stripe;  // that follow each other
  std::uint32_t round;       // of all members in turn
  std::uint32_t skipped;     // of the member's, before the array
  std::uint32_t before;      // of all members', before the array
  std::uint32_t count;       // of the member's, in the array

  // The member's i-th unit, as a number in the array.
  constexpr std::uint32_t operator()(std::uint32_t i) const {
    const std::uint32_t own = i + skipped;
    return first + own / per_stripe * round + own % per_stripe - before;
  }

  // The member that has this unit of the array.
  constexpr std::uint32_t MemberOf(std::uint32_t unit) const {
    return (unit + before) % round / per_stripe;
  }

  // The units of the array that lie in one stripe are a run. Which run a unit
  // is in, and where a run starts; the first run may be a stripe's end.
  constexpr std::uint32_t RunOf(std::uint32_t unit) const {
    return (unit + before) / per_stripe - before / per_stripe;
  }
  constexpr std::uint32_t StartOf(std::uint32_t run) const {
    return run == 0 ? 0 : run * per_stripe - before % per_stripe;
  }
};

// Units of `unit_bytes`, which divide a stripe.
constexpr Share ShareOf(const GroupPlace& place, std::int64_t unit_bytes,
                        std::int64_t units, int member) {
  const std::int64_t per_stripe = place.stripes.stripe / unit_bytes;
  const std::int64_t round = per_stripe * place.stripes.members;
  const std::int64_t first = member * per_stripe;
  // How many of the first `n` units of the range are the member's.
  const auto own = [=](std::int64_t n) {
    const std::int64_t rest = n % round - first;
    return n / round * per_stripe +
           std::min(std::max(rest, std::int64_t{0}), per_stripe);
  };
  const std::int64_t before = place.offset / unit_bytes;
  const std::int64_t skipped = own(before);
  return {static_cast<std::uint32_t>(first),
          static_cast<std::uint32_t>(per_stripe),
          static_cast<std::uint32_t>(round),
          static_cast<std::uint32_t>(skipped),
          static_cast<std::uint32_t>(before),
          static_cast<std::uint32_t>(own(before + units) - skipped)};
}

// Elements [begin, end) of an array.
struct Stretch {
  std::int64_t begin;
  std::int64_t end;

  constexpr bool empty() const { return begin == end; }
};

// A member's one stretch of an array of `size` elements in a blocked range.
constexpr Stretch StretchOf(const GroupPlace& place, std::int64_t element_bytes,
                            std::int64_t size, int member) {
  const auto edge = [=](std::int64_t stripes) {
    const std::int64_t bytes = stripes * place.stripes.stripe - place.offset;
    return std::min(std::max(bytes, std::int64_t{0}) / element_bytes, size);
  };
  const bool last = member + 1 == place.stripes.members;
  return {edge(member), last ? size : edge(member + 1)};
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_SHARE_H_
