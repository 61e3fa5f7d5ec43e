// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_ELEMENT_TYPE_H_
#define CONCORD_CORE_ELEMENT_TYPE_H_

#if __cplusplus < 201703L
#error "Concord needs C++17: compile with -std=c++17 or later."
#endif

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace concord {

// The element types of arrays: X(enumerator, C++ type, name). Everything that
// depends on the list of types is generated from this one.
#define CONCORD_FOR_EACH_ELEMENT_TYPE(X) \
  X(kInt8, std::int8_t, "int8")          \
  X(kUInt8, std::uint8_t, "uint8")       \
  X(kInt32, std::int32_t, "int32")       \
  X(kUInt32, std::uint32_t, "uint32")    \
  X(kInt64, std::int64_t, "int64")       \
  X(kUInt64, std::uint64_t, "uint64")    \
  X(kFloat32, float, "float32")          \
  X(kFloat64, double, "float64")

enum class ElementType : std::uint8_t {
#define CONCORD_ENUMERATOR(enumerator, type, name) enumerator,
  CONCORD_FOR_EACH_ELEMENT_TYPE(CONCORD_ENUMERATOR)
#undef CONCORD_ENUMERATOR
};

// A type as a value, for Dispatch: `using T = typename decltype(tag)::type`.
template <typename T>
struct TypeTag {
  using type = T;
};

// Calls `f(TypeTag<T>())` for the C++ type T of `type` and returns its result.
//
// Example:
//   Dispatch(view.type(), [&](auto tag) {
//     using T = typename decltype(tag)::type;
//     std::fill_n(view.data<T>(), view.size(), T{1});
//   });
template <typename F>
decltype(auto) Dispatch(ElementType type, F&& f) {
  switch (type) {
#define CONCORD_CASE(enumerator, cpp_type, name) \
  case ElementType::enumerator:                  \
    return std::forward<F>(f)(TypeTag<cpp_type>());
    CONCORD_FOR_EACH_ELEMENT_TYPE(CONCORD_CASE)
#undef CONCORD_CASE
  }
  __builtin_unreachable();
}

template <typename T>
struct ElementTypeOfImpl;
#define CONCORD_ELEMENT_TYPE_OF(enumerator, cpp_type, name)       \
  template <>                                                     \
  struct ElementTypeOfImpl<cpp_type> {                            \
    static constexpr ElementType value = ElementType::enumerator; \
  };
CONCORD_FOR_EACH_ELEMENT_TYPE(CONCORD_ELEMENT_TYPE_OF)
#undef CONCORD_ELEMENT_TYPE_OF

template <typename T>
constexpr ElementType ElementTypeOf() {
  return ElementTypeOfImpl<T>::value;
}

// Every element type, in the order of the list.
const std::vector<ElementType>& AllElementTypes();

// "int32" and so on.
absl::string_view Name(ElementType type);

// The type with that name; InvalidArgument lists the names there are.
absl::StatusOr<ElementType> ParseElementType(absl::string_view name);

// Bytes of one element.
std::int64_t SizeOf(ElementType type);

constexpr bool IsFloat(ElementType type) {
  return type == ElementType::kFloat32 || type == ElementType::kFloat64;
}

}  // namespace concord

#endif  // CONCORD_CORE_ELEMENT_TYPE_H_
