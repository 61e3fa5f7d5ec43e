// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the CUDA implementations of transform have in common: elements that
// travel together. They fill 16 bytes of the larger of input and output; on the
// other side they fill 2, 4, 8 or 16 bytes. The array is cut where the larger
// side is aligned, the output if both are the same.

#ifndef CONCORD_ALGORITHMS_TRANSFORM_CUDA_PACKS_CUH_
#define CONCORD_ALGORITHMS_TRANSFORM_CUDA_PACKS_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "concord/backends/cuda/vector.cuh"

namespace concord::transform {
namespace transform_internal {

// The unsigned type, or vector of them, that loads and stores so many bytes in
// one access.
template <int kBytes>
struct AccessOf;
template <>
struct AccessOf<2> {
  using Type = uint16_t;
};
template <>
struct AccessOf<4> {
  using Type = uint32_t;
};
template <>
struct AccessOf<8> {
  using Type = uint2;
};
template <>
struct AccessOf<16> {
  using Type = uint4;
};

// Elements that travel together, kept in registers of 4 bytes: arrays of
// narrower elements are moved one by one. (So int8 took 12 times as long.)
template <typename T, int kCount>
struct Pack {
  static constexpr int kBytes = kCount * sizeof(T);
  static constexpr int kWords = (kBytes + 3) / 4;
  using Access = typename AccessOf<kBytes>::Type;

  uint32_t word[kWords];

  __device__ __forceinline__ static Pack Load(const void* from) {
    const Access access = *static_cast<const Access*>(from);
    Pack pack;
    if constexpr (kBytes == 16) {
      pack.word[0] = access.x;
      pack.word[1] = access.y;
      pack.word[2] = access.z;
      pack.word[3] = access.w;
    } else if constexpr (kBytes == 8) {
      pack.word[0] = access.x;
      pack.word[1] = access.y;
    } else {
      pack.word[0] = access;
    }
    return pack;
  }
  __device__ __forceinline__ void Store(void* to) const {
    Access access;
    if constexpr (kBytes == 16) {
      access = make_uint4(word[0], word[1], word[2], word[3]);
    } else if constexpr (kBytes == 8) {
      access = make_uint2(word[0], word[1]);
    } else {
      access = static_cast<Access>(word[0]);
    }
    *static_cast<Access*>(to) = access;
  }

  __device__ __forceinline__ T element(int k) const {
    T value;
    if constexpr (sizeof(T) == 1) {
      value = static_cast<T>(word[k / 4] >> (k % 4 * 8));
    } else {
      memcpy(&value, &word[k * sizeof(T) / 4], sizeof(T));
    }
    return value;
  }
  // Element by element from the first on.
  __device__ __forceinline__ void set_element(int k, T value) {
    if constexpr (sizeof(T) == 1) {
      const uint32_t bits = uint32_t{static_cast<uint8_t>(value)}
                            << (k % 4 * 8);
      word[k / 4] = k % 4 == 0 ? bits : word[k / 4] | bits;
    } else {
      memcpy(&word[k * sizeof(T) / 4], &value, sizeof(T));
    }
  }
};

// What the kernel of an operation works on: element i, for begin <= i < end,
// stands at in[i] and out[i]; packs start at multiples of kElements.
template <typename Op>
struct Arrays {
  using In = typename Op::In;
  using Out = typename Op::Out;
  static constexpr int kElements =
      kVectorBytes / std::max(sizeof(In), sizeof(Out));
  using InPack = Pack<In, kElements>;
  using OutPack = Pack<Out, kElements>;

  const In* in;
  Out* out;
  int64_t begin;
  int64_t end;

  static Arrays Of(const In* in, Out* out, int64_t n) {
    const auto past_boundary = [](const auto* data) {
      return static_cast<int64_t>(reinterpret_cast<uintptr_t>(data) %
                                  kVectorBytes / sizeof(*data));
    };
    const int64_t shift =
        sizeof(In) > sizeof(Out) ? past_boundary(in) : past_boundary(out);
    return {in - shift, out - shift, shift, n + shift};
  }

  // Whether the packs of the other side are aligned as well.
  __host__ __device__ bool together() const {
    return reinterpret_cast<uintptr_t>(in) % InPack::kBytes == 0 &&
           reinterpret_cast<uintptr_t>(out) % OutPack::kBytes == 0;
  }
  // Whether all of both are such packs.
  bool whole() const {
    return begin == 0 && end % kElements == 0 && together();
  }
};

// The 16 bytes at `from`, which may have any address: out of the two aligned
// vectors that they are part of. Both must lie in the array.
template <typename Pack>
__device__ __forceinline__ Pack LoadAcross(const void* from) {
  const auto address = reinterpret_cast<uintptr_t>(from);
  const auto* aligned =
      reinterpret_cast<const uint4*>(address / kVectorBytes * kVectorBytes);
  const uint4 low = aligned[0];
  const uint4 high = aligned[1];
  uint32_t word[8] = {low.x,  low.y,  low.z,  low.w,
                      high.x, high.y, high.z, high.w};
  // Shifted down by 8, then 4, then up to 3 bytes.
#pragma unroll
  for (int i = 0; i < 6; ++i) word[i] = address & 8 ? word[i + 2] : word[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) word[i] = address & 4 ? word[i + 1] : word[i];
  const uint32_t bits = address % 4 * 8;
  Pack pack;
  static_assert(Pack::kWords == 4);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    pack.word[i] = __funnelshift_r(word[i], word[i + 1], bits);
  }
  return pack;
}

// When the two sides are not aligned together, one of equal size is loaded
// across vectors, and a narrower one is accessed element by element.
template <typename Op, typename A = Arrays<Op>>
__device__ __forceinline__ typename A::InPack LoadPack(const A& arrays,
                                                       int64_t first,
                                                       bool together) {
  constexpr std::size_t kIn = sizeof(typename Op::In);
  constexpr std::size_t kOut = sizeof(typename Op::Out);
  using InPack = typename A::InPack;
  const typename Op::In* from = arrays.in + first;
  if (kIn > kOut || together) return InPack::Load(from);
  if constexpr (kIn == kOut) {
    return LoadAcross<InPack>(from);
  } else {
    InPack pack;
#pragma unroll
    for (int k = 0; k < A::kElements; ++k) pack.set_element(k, from[k]);
    return pack;
  }
}

template <typename Op, typename A = Arrays<Op>>
__device__ __forceinline__ void StorePack(const A& arrays, int64_t first,
                                          bool together,
                                          const typename A::OutPack& pack) {
  constexpr bool kMayBeApart =
      sizeof(typename Op::In) > sizeof(typename Op::Out);
  typename Op::Out* to = arrays.out + first;
  if (!kMayBeApart || together) {
    pack.Store(to);
  } else {
#pragma unroll
    for (int k = 0; k < A::kElements; ++k) to[k] = pack.element(k);
  }
}

// The operation on a pack.
template <typename Op, typename A = Arrays<Op>>
__device__ __forceinline__ typename A::OutPack Apply(
    const Op& op, const typename A::InPack& in) {
  typename A::OutPack out;
#pragma unroll
  for (int k = 0; k < A::kElements; ++k) {
    out.set_element(k, op(in.element(k)));
  }
  return out;
}

}  // namespace transform_internal
}  // namespace concord::transform

#endif  // CONCORD_ALGORITHMS_TRANSFORM_CUDA_PACKS_CUH_
