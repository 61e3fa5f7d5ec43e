// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/nvrtc/cpp_prelude.h"

namespace concord::nvrtc {

// Types, and how values come and go. A place is inline assembly that is only a
// comment, as in the kernels that functions are put into (spliced/splicer.h):
//
//   argument r, k      parameter k; bools as 0 or 1, bytes extended
//   index r            where the element stands
//   gather r, i, k     element i of table k, extended like an argument
//   result r, k        result k, like an argument
//
// On the host they are arrays of the program that the text is part of.
absl::string_view CppValues() {
  return R"text(
using int8 = signed char;
using uint8 = unsigned char;
using int32 = int;
using uint32 = unsigned int;
using int64 = long long;
using uint64 = unsigned long long;
using float32 = float;
using float64 = double;

template <typename T>
constexpr bool kIsFloat = false;
template <>
constexpr bool kIsFloat<float32> = true;
template <>
constexpr bool kIsFloat<float64> = true;
template <typename T>
constexpr bool kIsBool = false;
template <>
constexpr bool kIsBool<bool> = true;
template <typename T>
constexpr bool kIsSigned = T(-1) < T(0);
template <typename T>
constexpr int kWidth = 8 * int(sizeof(T));

// Unsigned, of at least 32 bits: there, nothing is promoted to signed.
template <int kBytes>
struct WordOf {
  using Type = uint32;
};
template <>
struct WordOf<8> {
  using Type = uint64;
};
template <typename T>
using Word = typename WordOf<sizeof(T)>::Type;

#ifdef __CUDACC_RTC__
#define CONCORD_FUNCTION(name) extern "C" __global__ void name()
#define CONCORD_INLINE __device__ __forceinline__
#define CONCORD_ON_DEVICE(device, host) device
CONCORD_INLINE float32 FromBits(uint32 bits) { return __uint_as_float(bits); }
CONCORD_INLINE float64 FromBits(uint64 bits) {
  return __longlong_as_double(int64(bits));
}
CONCORD_INLINE uint32 BitsOf(float32 a) { return __float_as_uint(a); }
CONCORD_INLINE uint64 BitsOf(float64 a) {
  return uint64(__double_as_longlong(a));
}
template <int kNumber>
CONCORD_INLINE void Read(uint32& word) {
  asm("//CONCORD argument %0, %1" : "=r"(word) : "n"(kNumber));
}
template <int kNumber>
CONCORD_INLINE void Read(uint64& word) {
  asm("//CONCORD argument %0, %1" : "=l"(word) : "n"(kNumber));
}
template <int kTable>
CONCORD_INLINE void ReadTable(int64 at, uint32& word) {
  asm volatile("//CONCORD gather %0, %1, %2"
               : "=r"(word)
               : "l"(at), "n"(kTable));
}
template <int kTable>
CONCORD_INLINE void ReadTable(int64 at, uint64& word) {
  asm volatile("//CONCORD gather %0, %1, %2"
               : "=l"(word)
               : "l"(at), "n"(kTable));
}
template <int kNumber>
CONCORD_INLINE void Write(uint32 word) {
  asm volatile("//CONCORD result %0, %1" : : "r"(word), "n"(kNumber));
}
template <int kNumber>
CONCORD_INLINE void Write(uint64 word) {
  asm volatile("//CONCORD result %0, %1" : : "l"(word), "n"(kNumber));
}
CONCORD_INLINE int64 Index() {
  int64 index;
  asm("//CONCORD index %0" : "=l"(index));
  return index;
}
#else
#define CONCORD_FUNCTION(name) extern "C" void name()
#define CONCORD_INLINE inline
#define CONCORD_ON_DEVICE(device, host) host
extern "C" {
uint64 concord_arguments[16], concord_results[16];
int64 concord_index;
uint64 (*concord_gather)(int table, int64 at);
}
CONCORD_INLINE float32 FromBits(uint32 bits) {
  float32 a;
  __builtin_memcpy(&a, &bits, sizeof(a));
  return a;
}
CONCORD_INLINE float64 FromBits(uint64 bits) {
  float64 a;
  __builtin_memcpy(&a, &bits, sizeof(a));
  return a;
}
CONCORD_INLINE uint32 BitsOf(float32 a) {
  uint32 bits;
  __builtin_memcpy(&bits, &a, sizeof(a));
  return bits;
}
CONCORD_INLINE uint64 BitsOf(float64 a) {
  uint64 bits;
  __builtin_memcpy(&bits, &a, sizeof(a));
  return bits;
}
template <int kNumber, typename W>
CONCORD_INLINE void Read(W& word) {
  word = W(concord_arguments[kNumber]);
}
template <int kTable, typename W>
CONCORD_INLINE void ReadTable(int64 at, W& word) {
  word = W(concord_gather(kTable, at));
}
template <int kNumber, typename W>
CONCORD_INLINE void Write(W word) {
  concord_results[kNumber] = word;
}
CONCORD_INLINE int64 Index() { return concord_index; }
#endif

template <typename T>
CONCORD_INLINE T FromWord(Word<T> word) {
  if constexpr (kIsFloat<T>) {
    return FromBits(word);
  } else if constexpr (kIsBool<T>) {
    return word != 0;
  } else {
    return T(word);
  }
}
// Integers of 8 bits are extended.
template <typename T>
CONCORD_INLINE Word<T> ToWord(T a) {
  if constexpr (kIsFloat<T>) {
    return BitsOf(a);
  } else {
    return Word<T>(a);
  }
}
template <typename T>
CONCORD_INLINE T Constant(uint64 word) {
  return FromWord<T>(Word<T>(word));
}
template <typename T, int kNumber>
CONCORD_INLINE T Parameter() {
  Word<T> word;
  Read<kNumber>(word);
  return FromWord<T>(word);
}
template <typename T, int kTable>
CONCORD_INLINE T Gather(int64 at) {
  Word<T> word;
  ReadTable<kTable>(at, word);
  return FromWord<T>(word);
}
template <typename T, int kNumber>
CONCORD_INLINE void Result(T a) {
  Write<kNumber>(ToWord<T>(a));
}
)text";
}

}  // namespace concord::nvrtc
