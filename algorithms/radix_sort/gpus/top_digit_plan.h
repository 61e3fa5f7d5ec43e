// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Where keys go that members partition by their highest bits: which member
// sorts the keys of a digit, and where every member's part of them stands in
// its memory before and after it crosses. Plain arithmetic on counts.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_GPUS_TOP_DIGIT_PLAN_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_GPUS_TOP_DIGIT_PLAN_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "concord/backends/gpus/group_spec.h"
#include "concord/backends/gpus/share.h"

namespace concord::radix_sort {

inline constexpr int kMostTopBits = 8;
inline constexpr int kMostTopDigits = 1 << kMostTopBits;

// Keys of a digit that `cuda/msd` sorts fastest for each.
inline constexpr std::int64_t kWantedOfDigit = std::int64_t{1} << 27;

// How many bits make up the digit: few, so that a digit has about as many keys
// as are wanted, but two digits to a member at least, of which one crosses
// while the other is sorted. Where digits cannot be shared out evenly, more of
// them are more even.
constexpr int TopBitsFor(std::int64_t n, int members) {
  const bool even = (members & (members - 1)) == 0;
  const int least = members * (even ? 2 : 8);
  int bits = 1;
  while (bits < kMostTopBits &&
         (1 << bits < least || n >> bits > kWantedOfDigit)) {
    ++bits;
  }
  return bits;
}

// counts[i * kMostTopDigits + d]: keys of digit d in member i's stretch.
// Whether some digit has more than chance gives to keys that are spread: its
// member would be busy when all others are done.
inline bool DigitsCrowd(const std::uint32_t* counts, int members, int bits) {
  std::int64_t n = 0;
  std::int64_t most = 0;
  for (int digit = 0; digit < 1 << bits; ++digit) {
    std::int64_t of_digit = 0;
    for (int i = 0; i < members; ++i) {
      of_digit += counts[i * kMostTopDigits + digit];
    }
    n += of_digit;
    most = std::max(most, of_digit);
  }
  const std::int64_t mean = n >> bits;
  constexpr std::int64_t kByChance = 64;
  return most > mean + mean / 8 + kByChance;
}

// All numbers are of elements.
struct TopDigitPlan {
  struct Digit {
    // Its keys in the output.
    std::int64_t first;
    std::int64_t size;
    // Who sorts them, and where they come together in its memory.
    int owner;
    std::int64_t arrived;
    // Of each member: where its part of them begins among these keys, and its
    // size; where it waits in the member's memory, unless it is the owner's
    // and stands in its place from the beginning.
    std::int64_t before[kMostMembers];
    std::int64_t part[kMostMembers];
    std::int64_t waits[kMostMembers];
  };
  std::vector<Digit> digits;
  // Room that each member needs for keys that wait, and that come together.
  std::int64_t waiting[kMostMembers] = {};
  std::int64_t arriving[kMostMembers] = {};
};

// A copy is fastest between places that lie alike in lines of so many.
inline constexpr std::int64_t kLineElements = 32;

// `out` are the members' stretches of the output. The owner of a digit is the
// one with the key in its middle, so keys of two digits at most are written
// across each border.
inline TopDigitPlan PlanTopDigits(const std::uint32_t* counts,
                                  const std::vector<Stretch>& out, int bits) {
  const auto in_lines = [](std::int64_t elements) {
    return (elements + kLineElements - 1) / kLineElements * kLineElements;
  };
  const int members = static_cast<int>(out.size());
  TopDigitPlan plan;
  std::int64_t first = 0;
  for (int d = 0; d < 1 << bits; ++d) {
    TopDigitPlan::Digit digit = {};
    digit.first = first;
    for (int i = 0; i < members; ++i) {
      digit.before[i] = digit.size;
      digit.part[i] = counts[i * kMostTopDigits + d];
      digit.size += digit.part[i];
    }
    first += digit.size;
    const std::int64_t middle = digit.first + digit.size / 2;
    for (int i = 0; i < members; ++i) {
      if (middle >= out[i].begin && middle < out[i].end) digit.owner = i;
    }
    digit.arrived = plan.arriving[digit.owner];
    plan.arriving[digit.owner] += in_lines(digit.size);
    for (int i = 0; i < members; ++i) {
      if (i == digit.owner) continue;
      digit.waits[i] = plan.waiting[i] + digit.before[i] % kLineElements;
      plan.waiting[i] = in_lines(digit.waits[i] + digit.part[i]);
    }
    plan.digits.push_back(digit);
  }
  return plan;
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_GPUS_TOP_DIGIT_PLAN_H_
