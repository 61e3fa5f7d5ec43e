// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// 16-byte vectors: the widest access of a thread, and the only one with which
// few enough instructions keep the memory system busy. A kernel divides its
// array into vectors; those that lie wholly inside and are aligned travel in
// one access, all others element by element.

#ifndef CONCORD_BACKENDS_CUDA_VECTOR_CUH_
#define CONCORD_BACKENDS_CUDA_VECTOR_CUH_

#include <cstdint>

namespace concord {

inline constexpr int kVectorBytes = 16;

template <typename T>
struct alignas(kVectorBytes) Vector {
  static constexpr int kLanes = kVectorBytes / sizeof(T);
  T lane[kLanes];
};

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
  Vector<T> vector;
  *reinterpret_cast<uint4*>(&vector) =
      *reinterpret_cast<const uint4*>(span.base + first);
  return vector;
}

template <typename T>
__device__ __forceinline__ void StoreVector(Span<T> span, int64_t first,
                                            const Vector<T>& vector) {
  *reinterpret_cast<uint4*>(span.base + first) =
      *reinterpret_cast<const uint4*>(&vector);
}

// The same for any `first`: elements outside of the span read as `absent`, and
// are not written.
template <typename T>
__device__ __forceinline__ Vector<T> LoadElements(Span<const T> span,
                                                  int64_t first, T absent) {
  Vector<T> vector;
#pragma unroll
  for (int k = 0; k < Vector<T>::kLanes; ++k) {
    const int64_t i = first + k;
    vector.lane[k] = i >= span.begin && i < span.end ? span.base[i] : absent;
  }
  return vector;
}

template <typename T>
__device__ __forceinline__ void StoreElements(Span<T> span, int64_t first,
                                              const Vector<T>& vector) {
#pragma unroll
  for (int k = 0; k < Vector<T>::kLanes; ++k) {
    const int64_t i = first + k;
    if (i >= span.begin && i < span.end) span.base[i] = vector.lane[k];
  }
}

// The four words of a vector, for arithmetic on packed bytes.
template <typename T>
__device__ __forceinline__ uint4& Words(Vector<T>& vector) {
  return *reinterpret_cast<uint4*>(&vector);
}
template <typename T>
__device__ __forceinline__ const uint4& Words(const Vector<T>& vector) {
  return *reinterpret_cast<const uint4*>(&vector);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_VECTOR_CUH_
