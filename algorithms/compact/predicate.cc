// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/compact/predicate.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/host_array.h"

namespace concord {
namespace {

using compact::Constant;
using compact::KeptRange;

struct Form {
  const char* name;
  Predicate::Kind kind;
  std::size_t constants;
};

constexpr Form kForms[] = {
    {"nonzero", Predicate::Kind::kNonzero, 0},
    {"less", Predicate::Kind::kLess, 1},
    {"greater", Predicate::Kind::kGreater, 1},
    {"equal", Predicate::Kind::kEqual, 1},
    {"between", Predicate::Kind::kBetween, 2},
};

absl::StatusOr<Constant> ParseConstant(absl::string_view text) {
  std::int64_t whole;
  if (absl::SimpleAtoi(text, &whole)) return Constant(whole);
  std::uint64_t large;
  if (absl::SimpleAtoi(text, &large)) return Constant(large);
  double number;
  if (!absl::SimpleAtod(text, &number) || std::isnan(number)) {
    return InvalidArgumentError("'", text, "' is not a number");
  }
  if (std::isinf(number) &&
      !absl::StrContains(absl::AsciiStrToLower(text), "inf")) {
    return InvalidArgumentError("no element type can hold ", text);
  }
  return Constant(number);
}

// Short where that is the same number: 1e+300, not 1.0000000000000001e+300.
std::string ToString(const Constant& constant) {
  return std::visit(
      [](auto value) {
        const std::string brief = absl::StrCat(value);
        double read;
        return absl::SimpleAtod(brief, &read) && read == value
                   ? brief
                   : ElementToString(value);
      },
      constant);
}

// Whether T can hold the number, in the case of floats after rounding.
template <typename T, typename Number>
bool Holds(Number number) {
  if constexpr (std::is_floating_point_v<T>) {
    if constexpr (std::is_floating_point_v<Number>) {
      return std::isinf(number) || std::isfinite(static_cast<T>(number));
    }
    return true;
  } else if constexpr (std::is_floating_point_v<Number>) {
    // Both ends are exact: powers of two.
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const double begin = std::is_signed_v<T> ? -end : 0.0;
    return std::trunc(number) == number && begin <= number && number < end;
  } else {
    const bool negative = number < Number{0};
    const T converted = static_cast<T>(number);
    return static_cast<Number>(converted) == number &&
           (converted < T{0}) == negative;
  }
}

template <typename T>
absl::StatusOr<T> ValueOf(const Constant& constant) {
  return std::visit(
      [&](auto number) -> absl::StatusOr<T> {
        if (Holds<T>(number)) return static_cast<T>(number);
        return InvalidArgumentError("elements of type ",
                                    Name(ElementTypeOf<T>()), " cannot hold ",
                                    ToString(constant));
      },
      constant);
}

// Integers whose order is that of the values of T: T's own for an integer type,
// signed ones for floats.
template <typename T>
struct Ordered {
  using Key = T;

  static constexpr Key kFlip = 0;
  static Key Smallest() { return std::numeric_limits<T>::min(); }
  static Key Largest() { return std::numeric_limits<T>::max(); }
  // The keys of all values that are equal to `value`.
  static Key First(T value) { return value; }
  static Key Last(T value) { return value; }
};

template <typename T, typename SignedInteger>
struct OrderedFloat {
  using Key = SignedInteger;
  using Limits = std::numeric_limits<T>;

  static constexpr Key kFlip = std::numeric_limits<Key>::max();
  static Key Smallest() { return Of(-Limits::infinity()); }
  static Key Largest() { return Of(Limits::infinity()); }
  static Key First(T value) { return Of(value == T{0} ? T{-0.0} : value); }
  static Key Last(T value) { return Of(value == T{0} ? T{0.0} : value); }

 private:
  static Key Of(T value) {
    Key bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits < 0 ? bits ^ kFlip : bits;
  }
};
template <>
struct Ordered<float> : OrderedFloat<float, std::int32_t> {};
template <>
struct Ordered<double> : OrderedFloat<double, std::int64_t> {};

// Nothing: everything, inverted.
template <typename T, typename Word>
KeptRange<Word> NoRange() {
  return {0, std::numeric_limits<Word>::max(),
          static_cast<Word>(Ordered<T>::kFlip), true};
}

template <typename T, typename Word, typename Key>
KeptRange<Word> RangeOfKeys(Key first, Key last) {
  if (first > last) return NoRange<T, Word>();
  const Word low = static_cast<Word>(first);
  return {low, static_cast<Word>(static_cast<Word>(last) - low),
          static_cast<Word>(Ordered<T>::kFlip), false};
}

template <typename T, typename Word>
KeptRange<Word> RangeOfValues(Predicate::Kind kind, T first, T second) {
  using Order = Ordered<T>;
  using Key = typename Order::Key;
  const auto range = [](Key a, Key b) { return RangeOfKeys<T, Word>(a, b); };
  switch (kind) {
    case Predicate::Kind::kNonzero: {
      KeptRange<Word> nonzero = range(Order::First(T{0}), Order::Last(T{0}));
      nonzero.inverted = true;
      return nonzero;
    }
    case Predicate::Kind::kLess:
      if (Order::First(first) == Order::Smallest()) return NoRange<T, Word>();
      return range(Order::Smallest(), Order::First(first) - 1);
    case Predicate::Kind::kGreater:
      if (Order::Last(first) == Order::Largest()) return NoRange<T, Word>();
      return range(Order::Last(first) + 1, Order::Largest());
    case Predicate::Kind::kEqual:
      return range(Order::First(first), Order::Last(first));
    case Predicate::Kind::kBetween:
      return range(Order::First(first), Order::Last(second));
  }
  __builtin_unreachable();
}

}  // namespace

absl::StatusOr<Predicate> ParsePredicate(absl::string_view text) {
  return Guarded([&]() -> absl::StatusOr<Predicate> {
    const std::vector<absl::string_view> parts =
        absl::StrSplit(text, absl::MaxSplits(':', 1));
    std::vector<absl::string_view> constants;
    if (parts.size() == 2) constants = absl::StrSplit(parts[1], ',');
    for (const Form& form : kForms) {
      if (parts[0] != form.name || constants.size() != form.constants) continue;
      Predicate predicate;
      predicate.kind = form.kind;
      Constant* places[] = {&predicate.first, &predicate.second};
      for (std::size_t i = 0; i < constants.size(); ++i) {
        absl::StatusOr<Constant> constant = ParseConstant(constants[i]);
        if (!constant.ok()) {
          return InvalidArgumentError("predicate '", text,
                                      "': ", constant.status().message());
        }
        *places[i] = *constant;
      }
      return predicate;
    }
    return InvalidArgumentError("'", text,
                                "' is not a predicate; those are nonzero, ",
                                "less:C, greater:C, equal:C and between:A,B");
  });
}

template <typename Word>
absl::StatusOr<KeptRange<Word>> compact::RangeOf(const Predicate& predicate,
                                                 ElementType type) {
  return Dispatch(type, [&](auto tag) -> absl::StatusOr<KeptRange<Word>> {
    using T = typename decltype(tag)::type;
    if constexpr (sizeof(T) == sizeof(Word)) {
      ASSIGN_OR_RETURN(T first, ValueOf<T>(predicate.first));
      ASSIGN_OR_RETURN(T second, ValueOf<T>(predicate.second));
      return RangeOfValues<T, Word>(predicate.kind, first, second);
    }
    return InternalError("a range of words of another width");
  });
}

template absl::StatusOr<KeptRange<std::uint8_t>> compact::RangeOf(
    const Predicate&, ElementType);
template absl::StatusOr<KeptRange<std::uint32_t>> compact::RangeOf(
    const Predicate&, ElementType);
template absl::StatusOr<KeptRange<std::uint64_t>> compact::RangeOf(
    const Predicate&, ElementType);

}  // namespace concord
