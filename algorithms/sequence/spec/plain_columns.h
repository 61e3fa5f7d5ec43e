// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How the entries of the catalogue are written: loops over columns, for each of
// the element types.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPEC_PLAIN_COLUMNS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPEC_PLAIN_COLUMNS_H_

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/sequence/spec/catalogue.h"
#include "concord/core/element_type.h"
#include "concord/core/host_array.h"

namespace concord::sequence::plain {

inline bool AllTypes(ElementType) { return true; }
inline bool Floats(ElementType type) { return IsFloat(type); }
inline bool Integers(ElementType type) { return !IsFloat(type); }
inline bool NarrowIntegers(ElementType type) {
  return Integers(type) && SizeOf(type) < 8;
}

// What the loops below take: n elements of one type.
template <typename T>
struct Input {
  using Element = T;
  absl::Span<const T> x;
  absl::Span<const T> y;
  std::int64_t n;
};

// `plain`, which takes an Input, for types of which `kOnly` is true.
enum class Only { kAll, kIntegers, kFloats };
template <Only kOnly, typename F>
auto ForTypes(F plain) {
  return [plain](const HostArray& x,
                 const HostArray& y) -> std::optional<Columns> {
    return Dispatch(x.type(), [&](auto tag) -> std::optional<Columns> {
      using T = typename decltype(tag)::type;
      constexpr bool kFloat = std::is_floating_point_v<T>;
      if constexpr (kOnly == Only::kAll || (kOnly == Only::kFloats) == kFloat) {
        return plain(Input<T>{x.span<T>(), y.span<T>(), x.size()});
      }
      return std::nullopt;
    });
  };
}
template <typename F>
auto OfAll(F plain) {
  return ForTypes<Only::kAll>(std::move(plain));
}
template <typename F>
auto OfIntegers(F plain) {
  return ForTypes<Only::kIntegers>(std::move(plain));
}
template <typename F>
auto OfFloats(F plain) {
  return ForTypes<Only::kFloats>(std::move(plain));
}

// f(0), ..., f(n - 1); bools as bytes.
template <typename F>
HostArray Column(std::int64_t n, F f) {
  using Result = decltype(f(n));
  using T =
      std::conditional_t<std::is_same_v<Result, bool>, std::uint8_t, Result>;
  HostArray column(ElementTypeOf<T>(), {n});
  for (std::int64_t i = 0; i < n; ++i) column.data<T>()[i] = f(i);
  return column;
}
template <typename T>
HostArray ArrayOf(const std::vector<T>& values) {
  return HostArray::Of<T>(absl::Span<const T>(values));
}
template <typename... T>
Columns Row(T... values) {
  return {HostArray::Of<T>({values})...};
}

// A column for each of the functions of an index.
template <typename... F>
Columns ColumnsOf(std::int64_t n, F... f) {
  return {Column(n, f)...};
}

}  // namespace concord::sequence::plain

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPEC_PLAIN_COLUMNS_H_
