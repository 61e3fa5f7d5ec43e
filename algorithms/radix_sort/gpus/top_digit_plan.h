// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Where keys go that members partition by their highest bits: which member
// sorts the keys of a digit, and where every member's part of them stands in
// its memory before and after it crosses. Plain arithmetic: room is made by a
// sample, before the partition, and used by what it has counted.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_GPUS_TOP_DIGIT_PLAN_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_GPUS_TOP_DIGIT_PLAN_H_

#include <algorithm>
#include <cmath>
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

// A member looks at one vector of keys of each `step`, of a stretch of so many
// keys: at 2^18 keys and more, as far as there are so many.
constexpr std::int64_t SampleStepFor(std::int64_t keys) {
  return std::clamp<std::int64_t>(keys >> 18, 1, 1024);
}

// Room for a part of which a sample tells that it has about so many keys. The
// keys of a vector may be all alike, so that chance counts twice.
inline std::int64_t RoomFor(std::int64_t estimate, std::int64_t step) {
  if (step == 1) return estimate;
  const double sampled =
      static_cast<double>(estimate) / static_cast<double>(step);
  return estimate +
         step * (static_cast<std::int64_t>(12 * std::sqrt(sampled)) + 32);
}

// keys[i * kMostTopDigits + d]: keys of digit d in member i's stretch, about.
// Whether some digit has more than chance gives to keys that are spread: its
// member would be busy when all others are done.
inline bool DigitsCrowd(const std::uint32_t* keys, int members, int bits) {
  std::int64_t n = 0;
  std::int64_t most = 0;
  for (int digit = 0; digit < 1 << bits; ++digit) {
    std::int64_t of_digit = 0;
    for (int i = 0; i < members; ++i) {
      of_digit += keys[i * kMostTopDigits + digit];
    }
    n += of_digit;
    most = std::max(most, of_digit);
  }
  const std::int64_t mean = n >> bits;
  constexpr std::int64_t kByChance = 64;
  return most > mean + mean / 8 + kByChance;
}

// Copies are fastest between places that lie alike in lines of so many.
inline constexpr std::int64_t kLineElements = 32;

constexpr std::int64_t InLines(std::int64_t elements) {
  return (elements + kLineElements - 1) / kLineElements * kLineElements;
}

// The keys of a digit where they come together: parts one behind the other,
// each from the start of a line on, so that places between them are empty. Keys
// of a digit may come in any order, so the last ones fill those places.
struct ArrivedParts {
  int count = 0;
  std::int64_t begin[kMostMembers] = {};
  std::int64_t end[kMostMembers] = {};

  constexpr std::int64_t keys() const {
    std::int64_t keys = 0;
    for (int k = 0; k < count; ++k) keys += end[k] - begin[k];
    return keys;
  }

  // How many of the first keys() places are empty.
  constexpr int empty() const {
    const std::int64_t all = keys();
    std::int64_t there = 0;
    for (int k = 0; k < count; ++k) {
      there += std::max<std::int64_t>(0, std::min(end[k], all) - begin[k]);
    }
    return static_cast<int>(all - there);
  }

  // The i-th of those.
  constexpr std::int64_t EmptyPlace(int i) const {
    std::int64_t from = 0;
    for (int k = 0; k < count; ++k) {
      if (i < begin[k] - from) break;
      i -= static_cast<int>(begin[k] - from);
      from = end[k];
    }
    return from + i;
  }

  // The i-th key in a place that is not among the first keys().
  constexpr std::int64_t KeyBeyond(int i) const {
    const std::int64_t all = keys();
    for (int k = 0; k < count; ++k) {
      const std::int64_t first = std::max(begin[k], all);
      if (i < end[k] - first) return first + i;
      if (end[k] > first) i -= static_cast<int>(end[k] - first);
    }
    return -1;
  }
};
inline constexpr int kMostEmpty = (kMostMembers - 1) * (kLineElements - 1);

// All numbers are of elements.
struct TopDigitPlan {
  struct Digit {
    // Who sorts the keys, and where they come together in its memory.
    int owner;
    std::int64_t arrived;
    // Of each member's part: room for it, and where it waits in the member's
    // memory, unless the member is the owner, with whom it stands in front of
    // all others from the beginning.
    std::int64_t room[kMostMembers];
    std::int64_t waits[kMostMembers];

    // What is known after the partition: the keys of the digit in the output,
    // each member's part of them, and where it begins among those that come
    // together.
    std::int64_t first;
    std::int64_t size;
    std::int64_t part[kMostMembers];
    std::int64_t begin[kMostMembers];
  };
  std::vector<Digit> digits;
  int members;
  // Room that each member needs for keys that wait, and that come together.
  std::int64_t waiting[kMostMembers] = {};
  std::int64_t arriving[kMostMembers] = {};

  // Takes over how many keys of each digit there are, as `keys` above. False if
  // there was not room for all.
  bool Complete(const std::uint32_t* counts) {
    std::int64_t first = 0;
    bool fits = true;
    for (std::size_t d = 0; d < digits.size(); ++d) {
      Digit& digit = digits[d];
      digit.first = first;
      std::int64_t next = 0;
      for (int round = 0; round < members; ++round) {
        const int i = (digit.owner + round) % members;
        digit.begin[i] = next;
        digit.part[i] = counts[i * kMostTopDigits + static_cast<int>(d)];
        digit.size += digit.part[i];
        fits = fits && digit.part[i] <= digit.room[i];
        next = InLines(next + digit.part[i]);
      }
      first += digit.size;
    }
    return fits;
  }

  // The digits that are a member's to sort.
  std::vector<const Digit*> DigitsOf(int member) const {
    std::vector<const Digit*> of_member;
    for (const Digit& digit : digits) {
      if (digit.owner == member && digit.size > 0) of_member.push_back(&digit);
    }
    return of_member;
  }

  ArrivedParts PartsOf(const Digit& digit) const {
    ArrivedParts parts;
    for (int round = 0; round < members; ++round) {
      const int i = (digit.owner + round) % members;
      parts.begin[parts.count] = digit.begin[i];
      parts.end[parts.count++] = digit.begin[i] + digit.part[i];
    }
    return parts;
  }
};

// `out` are the members' stretches of the output, and steps[i] how member i's
// keys were sampled. The owner of a digit is the one with the key in its
// middle, about, so keys of few digits are written across each border.
inline TopDigitPlan PlanTopDigits(const std::uint32_t* keys,
                                  const std::int64_t* steps,
                                  const std::vector<Stretch>& out, int bits) {
  TopDigitPlan plan;
  plan.members = static_cast<int>(out.size());
  std::int64_t first = 0;
  for (int d = 0; d < 1 << bits; ++d) {
    TopDigitPlan::Digit digit = {};
    std::int64_t size = 0;
    std::int64_t room = 0;
    for (int i = 0; i < plan.members; ++i) {
      const std::int64_t part = keys[i * kMostTopDigits + d];
      digit.room[i] = RoomFor(part, steps[i]);
      size += part;
      room += InLines(digit.room[i]);
    }
    const std::int64_t middle = first + size / 2;
    first += size;
    for (int i = 0; i < plan.members; ++i) {
      if (out[i].end > out[i].begin && middle >= out[i].begin) digit.owner = i;
    }
    digit.arrived = plan.arriving[digit.owner];
    plan.arriving[digit.owner] += room;
    for (int i = 0; i < plan.members; ++i) {
      if (i == digit.owner) continue;
      digit.waits[i] = plan.waiting[i];
      plan.waiting[i] += InLines(digit.room[i]);
    }
    plan.digits.push_back(digit);
  }
  return plan;
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_GPUS_TOP_DIGIT_PLAN_H_
