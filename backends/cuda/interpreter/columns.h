// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Elements of columns and tables, to and from words.

#ifndef CONCORD_BACKENDS_CUDA_INTERPRETER_COLUMNS_H_
#define CONCORD_BACKENDS_CUDA_INTERPRETER_COLUMNS_H_

#include <cstdint>
#include <type_traits>

#include "concord/backends/cuda/interpreter/arrays.h"
#include "concord/backends/cuda/interpreter/words.h"
#include "concord/core/element_type.h"
#include "concord/core/expression/value_type.h"

namespace concord::machine {

// Calls f(TypeTag<T>()) for a type whose elements make the same words as those
// of `type`. Bools are read as what is not 0.
template <typename W, typename F>
CONCORD_INLINE void DispatchLoaded(expression::Type type, F f) {
  using expression::Type;
  switch (type) {
    case Type::kBool:
      return f(TypeTag<bool>());
    case Type::kInt8:
      return f(TypeTag<std::int8_t>());
    case Type::kUInt8:
      return f(TypeTag<std::uint8_t>());
    default:
      break;
  }
  if constexpr (sizeof(W) == 8) {
    if (type == Type::kInt32) return f(TypeTag<std::int32_t>());
    if (type != Type::kUInt32 && type != Type::kFloat32) {
      return f(TypeTag<std::uint64_t>());
    }
  }
  f(TypeTag<std::uint32_t>());
}

// The same for one that is as large.
template <typename W, typename F>
CONCORD_INLINE void DispatchStored(expression::Type type, F f) {
  using expression::Type;
  if (type <= Type::kUInt8) return f(TypeTag<std::uint8_t>());
  if constexpr (sizeof(W) == 8) {
    if (type != Type::kInt32 && type != Type::kUInt32 &&
        type != Type::kFloat32) {
      return f(TypeTag<std::uint64_t>());
    }
  }
  f(TypeTag<std::uint32_t>());
}

// How T lies in memory.
template <typename T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <typename T, int kCount>
struct alignas(sizeof(T) * kCount < 16 ? sizeof(T) * kCount : 16) Pack {
  T value[kCount];
};

template <typename T, typename W>
CONCORD_INLINE W WordOf(Stored<T> stored) {
  return ToWord<W>(static_cast<T>(stored));
}

// Of whole lanes.
template <typename T, typename W, int kGroupBits>
CONCORD_INLINE void LoadGroups(const Column& column,
                               const Lanes<kGroupBits>& lanes, Register<W>& r) {
  constexpr int kGroup = Lanes<kGroupBits>::kGroup;
  using Group = Pack<Stored<T>, kGroup>;
  const auto* const data =
      static_cast<const Stored<T>*>(column.data) + column.first + lanes.first;
  Group groups[kLanes<W> / kGroup];
  Unrolled<kLanes<W> / kGroup>([&](int g) {
    groups[g] = *reinterpret_cast<const Group*>(data + g * lanes.stride);
  });
  Unrolled<kLanes<W>>([&](int e) {
    r[e] = WordOf<T, W>(groups[e / kGroup].value[e % kGroup]);
  });
}

// 0 in lanes without an element.
template <typename T, typename W, int kGroupBits>
CONCORD_INLINE void LoadColumn(const Arrays& arrays, const Column& column,
                               const Lanes<kGroupBits>& lanes, Register<W>& r) {
  if (lanes.whole) return LoadGroups<T, W>(column, lanes, r);
  const auto* const data =
      static_cast<const Stored<T>*>(column.data) + column.first;
  Unrolled<kLanes<W>>([&](int e) {
    const std::int64_t i = lanes.Anew().element(e);
    r[e] = 0;
    if (arrays.Have(i)) r[e] = WordOf<T, W>(data[i * column.stride]);
  });
}

template <typename T, typename W, int kGroupBits>
CONCORD_INLINE void StoreColumn(const Arrays& arrays, const Column& column,
                                const Lanes<kGroupBits>& lanes,
                                const Register<W>& a) {
  constexpr int kGroup = Lanes<kGroupBits>::kGroup;
  auto* const data =
      static_cast<T*>(const_cast<void*>(column.data)) + column.first;
  if (lanes.whole) {
    Unrolled<kLanes<W> / kGroup>([&](int g) {
      using Group = Pack<T, kGroup>;
      Group group;
      Unrolled<kGroup>([&](int k) {
        group.value[k] = static_cast<T>(Anew(a[kGroup * g + k]));
      });
      *reinterpret_cast<Group*>(data + lanes.first + g * lanes.stride) = group;
    });
    return;
  }
  Unrolled<kLanes<W>>([&](int e) {
    const std::int64_t i = lanes.Anew().element(e);
    if (arrays.Have(i)) data[i * column.stride] = static_cast<T>(a[e]);
  });
}

template <typename T, typename W>
CONCORD_INLINE void StoreKept(const Column& column, const Kept& kept,
                              const Register<W>& a) {
  auto* const data =
      static_cast<T*>(const_cast<void*>(column.data)) + column.first;
  Unrolled<kLanes<W>>([&](int e) {
    if (kept.Has(e)) data[kept.place(e)] = static_cast<T>(a[e]);
  });
}

// The element read outside of the table; of several the first is to stay.
CONCORD_INLINE void ReportOutside(const Arrays& arrays, int table,
                                  std::uint64_t element) {
  std::uint64_t* const first = arrays.outside + table;
#ifdef __CUDA_ARCH__
  // Most of many are not the first: those only look.
  if (element < *static_cast<volatile std::uint64_t*>(first)) {
    atomicMin(reinterpret_cast<unsigned long long*>(first),
              static_cast<unsigned long long>(element));
  }
#else
  if (element < *first) *first = element;
#endif
}

template <typename T, typename W, int kGroupBits>
CONCORD_INLINE void GatherFrom(const Arrays& arrays, int number,
                               const Lanes<kGroupBits>& lanes, Register<W>& a) {
  const auto* const data =
      static_cast<const Stored<T>*>(arrays.tables[number].data);
  const auto size = static_cast<std::uint64_t>(arrays.tables[number].size);
  Unrolled<kLanes<W>>([&](int e) {
    const std::uint64_t index = a[e];
    a[e] = 0;
    // An index below 0 is a large one without sign.
    if (index < size) {
      a[e] = WordOf<T, W>(data[index]);
    } else {
      const std::int64_t element = lanes.Anew().element(e);
      if (arrays.Have(element)) {
        ReportOutside(arrays, number, static_cast<std::uint64_t>(element));
      }
    }
  });
}

}  // namespace concord::machine

#endif  // CONCORD_BACKENDS_CUDA_INTERPRETER_COLUMNS_H_
