// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_COMPACT_PREDICATE_H_
#define CONCORD_ALGORITHMS_COMPACT_PREDICATE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/element_type.h"
#include "concord/core/number.h"

namespace concord {

// Which elements to keep. Numbers compare as usual; of floats, -0.0 equals 0,
// and a NaN is not less than, greater than, equal to or between anything, so
// that it is among the nonzero ones.
struct Predicate {
  enum class Kind { kNonzero, kLess, kGreater, kEqual, kBetween };

  Kind kind = Kind::kNonzero;
  // Not NaN.
  Number first = 0;   // of less, greater, equal, between
  Number second = 0;  // of between

  static Predicate Nonzero() { return {}; }
  static Predicate Less(Number c) { return {Kind::kLess, c}; }
  static Predicate Greater(Number c) { return {Kind::kGreater, c}; }
  static Predicate Equal(Number c) { return {Kind::kEqual, c}; }
  // Both ends included. Nothing is between 2 and 1.
  static Predicate Between(Number a, Number b) {
    return {Kind::kBetween, a, b};
  }
};

// Reads "nonzero", "less:C", "greater:C", "equal:C" or "between:A,B", where C
// is a decimal number or "inf" with or without a sign. InvalidArgument says
// what is wrong.
absl::StatusOr<Predicate> ParsePredicate(absl::string_view text);

}  // namespace concord

namespace concord::compact {

// The one form that every predicate takes for a given element type, so that
// kernels need to know neither predicates nor, of the type, more than its
// width. An element's bits, as an unsigned integer `x`, are kept when
//
//   ((x ^ (x >> (bits - 1) != 0 ? flip : 0)) - low <= span) != inverted
//
// modulo 2^bits. For integers `flip` is 0, and a range of signed or unsigned
// integers is a range modulo 2^bits. For floats `flip` is all bits but the
// sign, which makes their order that of signed integers; there -0.0 is the
// integer before +0.0, and NaNs lie beyond the infinities.
//
// `Word` is std::uint8_t, std::uint32_t or std::uint64_t.
template <typename Word>
struct KeptRange {
  Word low;
  Word span;
  Word flip;
  bool inverted;

  // The integer whose order is that of the elements.
  constexpr Word Ordered(Word x) const {
    constexpr int kSign = 8 * sizeof(Word) - 1;
    return x ^ (static_cast<Word>(0 - (x >> kSign)) & flip);
  }
  constexpr bool Keeps(Word x) const {
    return (static_cast<Word>(Ordered(x) - low) <= span) != inverted;
  }
};

// InvalidArgument names a constant that elements of type T cannot hold: a
// number outside of their range, for integers also one that is not whole. A
// float constant is rounded to the nearest value of T.
template <typename Word>
absl::StatusOr<KeptRange<Word>> RangeOf(const Predicate& predicate,
                                        ElementType type);

}  // namespace concord::compact

#endif  // CONCORD_ALGORITHMS_COMPACT_PREDICATE_H_
