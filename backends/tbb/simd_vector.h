// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Vectors of one register for files of kernels (simd.h), which include this
// file at their top. Compiled once for each target, hence no include guard of
// the usual kind. The operators mean what core/operators.h says.

namespace concord {
namespace CONCORD_SIMD {

template <typename T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(CONCORD_SIMD_BYTES)));
};
template <typename T>
using Vector = typename VectorOf<T>::Type;

// The unsigned integer of the same size, in which integers wrap and bits are
// handled.
template <typename T>
using Unsigned = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

template <typename T>
inline constexpr int kLanes = CONCORD_SIMD_BYTES / sizeof(T);

// Memory needs no alignment.
template <typename T>
inline Vector<T> Load(const T* from) {
  Vector<T> v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}

template <typename T>
inline void Store(Vector<T> v, T* to) {
  std::memcpy(to, &v, sizeof(v));
}

// Subtracting +0.0 changes no number; adding it would lose the sign of -0.0.
template <typename T>
inline Vector<T> Broadcast(T value) {
  return value - Vector<T>{};
}

template <typename T>
inline Vector<T> Apply(Add<T>, Vector<T> a, Vector<T> b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    using U = Vector<Unsigned<T>>;
    return (Vector<T>)((U)a + (U)b);
  }
}

template <typename T>
inline Vector<T> Apply(Multiply<T>, Vector<T> a, Vector<T> b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else if constexpr (sizeof(T) == 1) {
    // No CPU multiplies bytes: even and odd ones apart, in 16-bit lanes.
    using Pairs = Vector<std::uint16_t>;
    const Pairs even = (Pairs)a * (Pairs)b;
    const Pairs odd = ((Pairs)a >> 8) * ((Pairs)b & 0xff00);
    return (Vector<T>)((even & 0xff) | odd);
  } else {
    using U = Vector<Unsigned<T>>;
    return (Vector<T>)((U)a * (U)b);
  }
}

template <typename T>
inline Vector<T> Apply(Minimum<T>, Vector<T> a, Vector<T> b) {
  if constexpr (std::is_floating_point_v<T>) {
    using U = Vector<Unsigned<T>>;
    return (Vector<T>)((U)(a < b ? a : b) | (U)(b < a ? b : a));
  } else {
    return a < b ? a : b;
  }
}

template <typename T>
inline Vector<T> Apply(Maximum<T>, Vector<T> a, Vector<T> b) {
  if constexpr (std::is_floating_point_v<T>) {
    using U = Vector<Unsigned<T>>;
    const U sign = (U)Broadcast(T{-0.0});
    const U first = (U)(a > b ? a : b);
    const U second = (U)(b > a ? b : a);
    return (Vector<T>)((first & second & sign) | ((first | second) & ~sign));
  } else {
    return a > b ? a : b;
  }
}

// CanonicalNan for every lane.
template <typename T>
inline Vector<T> Canonical(Vector<T> v) {
  if constexpr (std::is_floating_point_v<T>) {
    return v == v ? v : Broadcast(operators_internal::kQuietNan<T>);
  } else {
    return v;
  }
}

// Lane i of the result is lane i - kDistance of `v`; the first kDistance lanes
// are the last ones of `fill`.
template <int kDistance, typename T, std::size_t... kLane>
inline Vector<T> ShiftLanes(Vector<T> v, Vector<T> fill,
                            std::index_sequence<kLane...>) {
  return __builtin_shufflevector(fill, v, (kLanes<T> - kDistance + kLane)...);
}
template <int kDistance, typename T>
inline Vector<T> ShiftLanes(Vector<T> v, Vector<T> fill) {
  return ShiftLanes<kDistance, T>(v, fill,
                                  std::make_index_sequence<kLanes<T>>());
}

// In each group of kGroup lanes, every lane becomes the group's last.
template <int kGroup, typename T, std::size_t... kLane>
inline Vector<T> SplatLast(Vector<T> v, std::index_sequence<kLane...>) {
  return __builtin_shufflevector(v, v,
                                 (kLane / kGroup * kGroup + kGroup - 1)...);
}
template <int kGroup, typename T>
inline Vector<T> SplatLast(Vector<T> v) {
  return SplatLast<kGroup, T>(v, std::make_index_sequence<kLanes<T>>());
}

}  // namespace CONCORD_SIMD
}  // namespace concord
