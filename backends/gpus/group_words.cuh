// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How kernels of several members tell each other something: a word of 64 bits
// in the memory of whoever is to know it, a flag above and a value below, which
// arrive together. The flag carries the number of the call, so nothing is
// cleared between calls. Words lie with those who read them: a store crosses
// the link once, and polling stays at home.
//
// Nobody waits for ever: a member that gives up leaves a note, sets values that
// mean nothing, and its kernel comes to its end.

#ifndef CONCORD_BACKENDS_GPUS_GROUP_WORDS_CUH_
#define CONCORD_BACKENDS_GPUS_GROUP_WORDS_CUH_

#include <cstdint>
#include <cstring>

#include "concord/backends/cuda/warp.cuh"
#include "concord/backends/gpus/gpus_backend.h"

namespace concord {

// The lowest bit tells the flag from that of memory just zeroed. Calls before
// flags repeat; the owner of the words zeroes them at least that often.
__host__ __device__ constexpr uint32_t FlagOfCall(uint32_t call) {
  return call << 1 | 1;
}
inline constexpr uint32_t kCallsBetweenZeroes = uint32_t{1} << 30;

// Words of the largest value.
inline constexpr int kMostWords = 4;

// Words that hold a value, 4 bytes in each.
template <typename T>
inline constexpr int kWordsOf = (static_cast<int>(sizeof(T)) + 3) / 4;

// A value and whether all its words have the flag.
template <typename T>
struct ToldValue {
  T value;
  bool is_there;
};

// One store for each word: the parts may arrive one by one, and each says for
// itself that it is there.
template <typename T>
__device__ __forceinline__ void TellValue(uint64_t* words, uint32_t flag,
                                          T value) {
  static_assert(kWordsOf<T> <= kMostWords);
  uint32_t parts[kWordsOf<T>] = {};
  memcpy(parts, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < kWordsOf<T>; ++i) {
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(words + i),
                 "l"(uint64_t{flag} << 32 | parts[i])
                 : "memory");
  }
}

template <typename T>
__device__ __forceinline__ ToldValue<T> LookForValue(const uint64_t* words,
                                                     uint32_t flag) {
  uint32_t parts[kWordsOf<T>];
  ToldValue<T> told;
  told.is_there = true;
#pragma unroll
  for (int i = 0; i < kWordsOf<T>; ++i) {
    uint64_t word;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];"
                 : "=l"(word)
                 : "l"(words + i)
                 : "memory");
    parts[i] = static_cast<uint32_t>(word);
    told.is_there = told.is_there && static_cast<uint32_t>(word >> 32) == flag;
  }
  memcpy(&told.value, parts, sizeof(T));
  return told;
}

// One wait of a warp. It looks at the clock, and for the notes of others, once
// in a while: both are far away.
class PatientWait {
 public:
  __device__ PatientWait(const Patience& patience, uint32_t own)
      : patience_(patience), own_(own) {}

  // Called by the whole warp after a look in vain; `missing` says whether this
  // lane waits, and `awaited` for which member. True when it is time to end.
  __device__ __forceinline__ bool IsOver(bool missing, uint32_t awaited) {
    if (++looks_ % kLooks != 0) return false;
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (since_ == 0) since_ = now;
    const bool late = missing && now - since_ >= patience_.nanoseconds;
    return __any_sync(kWholeWarp, GivesUp(patience_.gave_up, late,
                                          (own_ + 1) | (awaited + 1) << 8));
  }

 private:
  // Some tenths of a millisecond.
  static constexpr uint32_t kLooks = 256;

  __device__ __noinline__ static bool GivesUp(volatile uint32_t* note,
                                              bool late, uint32_t words) {
    if (*note != 0) return true;
    if (!late) return false;
    *note = words;
    __threadfence_system();
    return true;
  }

  const Patience& patience_;
  const uint32_t own_;
  uint32_t looks_ = 0;
  uint64_t since_ = 0;
};

// A value that one member tells this one. A whole warp calls it, and every lane
// gets the value.
template <typename T>
__device__ __forceinline__ T AwaitValue(const uint64_t* words, uint32_t flag,
                                        const Patience& patience, uint32_t own,
                                        uint32_t awaited) {
  PatientWait wait(patience, own);
  for (;;) {
    const ToldValue<T> told = LookForValue<T>(words, flag);
    if (__all_sync(kWholeWarp, told.is_there)) return told.value;
    if (wait.IsOver(!told.is_there, awaited)) return told.value;
  }
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_GROUP_WORDS_CUH_
