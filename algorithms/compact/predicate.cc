// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/compact/predicate.h"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/number.h"

namespace concord {
namespace {

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

template <typename T>
absl::StatusOr<T> ValueOf(const Number& constant) {
  const ElementType type = ElementTypeOf<T>();
  if (constant.Fits(type) && !constant.IsNan()) return constant.As<T>();
  return InvalidArgumentError("elements of type ", Name(type), " cannot hold ",
                              constant.ToString());
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
      Number* places[] = {&predicate.first, &predicate.second};
      for (std::size_t i = 0; i < constants.size(); ++i) {
        const absl::StatusOr<Number> constant = Number::Parse(constants[i]);
        if (!constant.ok()) {
          return absl::Status(constant.status().code(),
                              absl::StrCat("predicate '", text,
                                           "': ", constant.status().message()));
        }
        if (constant->IsNan()) {
          return InvalidArgumentError("predicate '", text, "': '", constants[i],
                                      "' is not a number");
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
