// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// 16-byte vectors: the widest access of a thread, and the only one with which
// few enough instructions keep the memory system busy. A kernel divides its
// array into vectors; those that lie wholly inside and are aligned travel in
// one access, all others element by element.

#ifndef CONCORD_BACKENDS_CUDA_VECTOR_CUH_
#define CONCORD_BACKENDS_CUDA_VECTOR_CUH_

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace concord {

inline constexpr int kVectorBytes = 16;

// Kept as four registers: narrow lanes of their own would take one register
// each. All lane numbers must be known at compile time (unrolled loops).
template <typename T>
struct alignas(kVectorBytes) Vector {
  static constexpr int kLanes = kVectorBytes / sizeof(T);
  static constexpr int kWords = 4;

  uint32_t word[kWords];

  __device__ __forceinline__ T lane(int k) const {
    T value;
    if constexpr (sizeof(T) == 8) {
      const uint64_t bits = uint64_t{word[2 * k + 1]} << 32 | word[2 * k];
      memcpy(&value, &bits, sizeof(T));
    } else if constexpr (sizeof(T) == 4) {
      memcpy(&value, &word[k], sizeof(T));
    } else {
      static_assert(sizeof(T) == 1 && std::is_integral_v<T>);
      value = static_cast<T>(word[k / 4] >> (k % 4 * 8));
    }
    return value;
  }

  __device__ __forceinline__ void set_lane(int k, T value) {
    if constexpr (sizeof(T) == 1) {
      const uint32_t shift = k % 4 * 8;
      word[k / 4] = (word[k / 4] & ~(0xffu << shift)) |
                    uint32_t{static_cast<uint8_t>(value)} << shift;
    } else {
      memcpy(&word[k * sizeof(T) / 4], &value, sizeof(T));
    }
  }
};

// A vector of equal lanes.
template <typename T>
__device__ __forceinline__ Vector<T> Filled(T value) {
  Vector<T> vector{};
#pragma unroll
  for (int k = 0; k < Vector<T>::kLanes; ++k) vector.set_lane(k, value);
  return vector;
}

// `count` elements, completed to whole vectors.
template <typename T>
__host__ __device__ constexpr int64_t RoundUpToVector(int64_t count) {
  constexpr int64_t kLanes = Vector<T>::kLanes;
  return (count + kLanes - 1) / kLanes * kLanes;
}

// An array as a kernel sees it: element i stands at base[i] for
// begin <= i < end, and nothing else may be touched.
//
// A kernel that is free to choose where its tiles start moves them back to the
// alignment of the data (`AlignedSpan`), so that all vectors but the first and
// the last are whole. One whose tiles are fixed by the index cannot.
template <typename T>
struct Span {
  T* base;
  int64_t begin;
  int64_t end;

  __host__ __device__ bool aligned() const {
    return reinterpret_cast<uintptr_t>(base) % kVectorBytes == 0;
  }
  // Whether elements [first, first + count) are all there, in whole vectors.
  __device__ bool HoldsVectors(int64_t first, int64_t count) const {
    return aligned() && first >= begin && first + count <= end;
  }
};

// Elements between the last vector boundary and `data`.
template <typename T>
int64_t ElementsPastBoundary(const T* data) {
  return reinterpret_cast<uintptr_t>(data) % kVectorBytes / sizeof(T);
}

// The span of data[0, size) whose element 0 lies `shift` elements before it.
template <typename T>
Span<T> ShiftedSpan(T* data, int64_t size, int64_t shift) {
  return {data - shift, shift, size + shift};
}

template <typename T>
Span<T> AlignedSpan(T* data, int64_t size) {
  return ShiftedSpan(data, size, ElementsPastBoundary(data));
}

// The vector that starts at element `first`, which `HoldsVectors`.
template <typename T>
__device__ __forceinline__ Vector<T> LoadVector(Span<const T> span,
                                                int64_t first) {
  const uint4 words = *reinterpret_cast<const uint4*>(span.base + first);
  return {{words.x, words.y, words.z, words.w}};
}

template <typename T>
__device__ __forceinline__ void StoreVector(Span<T> span, int64_t first,
                                            const Vector<T>& vector) {
  *reinterpret_cast<uint4*>(span.base + first) = make_uint4(
      vector.word[0], vector.word[1], vector.word[2], vector.word[3]);
}

// The same for any `first`: elements outside of the span read as `absent`, and
// are not written.
template <typename T>
__device__ __forceinline__ Vector<T> LoadElements(Span<const T> span,
                                                  int64_t first, T absent) {
  Vector<T> vector{};
#pragma unroll
  for (int k = 0; k < Vector<T>::kLanes; ++k) {
    const int64_t i = first + k;
    const bool present = i >= span.begin && i < span.end;
    vector.set_lane(k, present ? span.base[i] : absent);
  }
  return vector;
}

template <typename T>
__device__ __forceinline__ void StoreElements(Span<T> span, int64_t first,
                                              const Vector<T>& vector) {
#pragma unroll
  for (int k = 0; k < Vector<T>::kLanes; ++k) {
    const int64_t i = first + k;
    if (i >= span.begin && i < span.end) span.base[i] = vector.lane(k);
  }
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_VECTOR_CUH_
