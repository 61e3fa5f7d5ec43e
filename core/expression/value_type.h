// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_VALUE_TYPE_H_
#define CONCORD_CORE_EXPRESSION_VALUE_TYPE_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "concord/core/element_type.h"

namespace concord::expression {

// The types of values in functions: bool and the element types.
#define CONCORD_FOR_EACH_VALUE_TYPE(X) \
  X(kBool, bool, "bool")               \
  CONCORD_FOR_EACH_ELEMENT_TYPE(X)

enum class Type : std::uint8_t {
#define CONCORD_ENUMERATOR(enumerator, type, name) enumerator,
  CONCORD_FOR_EACH_VALUE_TYPE(CONCORD_ENUMERATOR)
#undef CONCORD_ENUMERATOR
};

// Calls `f(TypeTag<T>())` for the C++ type T of `type`, like that of
// core/element_type.h.
template <typename F>
decltype(auto) Dispatch(Type type, F&& f) {
  switch (type) {
#define CONCORD_CASE(enumerator, cpp_type, name) \
  case Type::enumerator:                         \
    return std::forward<F>(f)(TypeTag<cpp_type>());
    CONCORD_FOR_EACH_VALUE_TYPE(CONCORD_CASE)
#undef CONCORD_CASE
  }
  __builtin_unreachable();
}

template <typename T>
constexpr Type ValueTypeOf() {
#define CONCORD_IF_SAME(enumerator, cpp_type, name) \
  if (std::is_same_v<T, cpp_type>) return Type::enumerator;
  CONCORD_FOR_EACH_VALUE_TYPE(CONCORD_IF_SAME)
#undef CONCORD_IF_SAME
}

// Every type, in the order of the list.
const std::vector<Type>& AllTypes();

// "bool", "int32" and so on.
absl::string_view Name(Type type);

// "an int32", "a bool".
std::string WithArticle(Type type);

// The type with that name, if there is one.
std::optional<Type> TypeNamed(absl::string_view name);

Type ValueTypeOf(ElementType type);

// How a column of values is kept: bools are uint8, 0 or 1.
ElementType StoredAs(Type type);

// Bytes of an element of such a column.
inline int BytesOf(Type type) {
  return static_cast<int>(SizeOf(StoredAs(type)));
}

constexpr bool IsFloat(Type type) {
  return type == Type::kFloat32 || type == Type::kFloat64;
}
constexpr bool IsInteger(Type type) {
  return type != Type::kBool && !IsFloat(type);
}
constexpr bool IsSigned(Type type) {
  return type == Type::kInt8 || type == Type::kInt32 || type == Type::kInt64;
}

// A value of any type, as 64 bits: a bool is 0 or 1, an integer is extended by
// its sign, if it has one, and a float is its bits, extended by zeros.
using Word = std::uint64_t;

template <typename T>
Word ToWord(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t> bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  } else {
    return static_cast<Word>(value);
  }
}

template <typename T>
T FromWord(Word word) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto bits = static_cast<
        std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(word);
    T value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  } else {
    return static_cast<T>(word);
  }
}

// Any NaN as the quiet NaN; everything else as it is.
Word Canonical(Type type, Word word);

// The element at `index` of an array, and into one.
Word Load(ElementType type, const void* elements, std::int64_t index);
void Store(ElementType type, void* elements, std::int64_t index, Word word);

// "-3", "0.1", "inf", "nan", "true": as short as text can be that is read as
// the same value.
std::string ToString(Type type, Word word);

// "(3, 0.5)", or "3" for a tuple of one.
std::string ToString(const std::vector<Type>& types,
                     const std::vector<Word>& words);

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_VALUE_TYPE_H_
