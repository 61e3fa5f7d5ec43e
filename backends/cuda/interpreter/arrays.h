// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the machine works on: arrays, the elements that the lanes of a thread
// are for, and slots.

#ifndef CONCORD_BACKENDS_CUDA_INTERPRETER_ARRAYS_H_
#define CONCORD_BACKENDS_CUDA_INTERPRETER_ARRAYS_H_

#include <cstdint>

#include "concord/backends/cuda/interpreter/words.h"
#include "concord/backends/cuda/spliced/arguments.h"

namespace concord::machine {

// Element i of a column is the array's element i * stride + first.
struct Column {
  const void* data;
  std::int64_t first;
  std::int64_t stride;
};

struct Arrays {
  Column in[spliced::kMostColumns];
  Column out[spliced::kMostColumns];
  spliced::TableArgument tables[spliced::kMostTables];
  // As of spliced::Arguments.
  std::uint64_t* outside;
  // The elements that there are.
  std::int64_t begin;
  std::int64_t end;
  // Whether columns begin at multiples of 16 bytes and have stride 1.
  std::int32_t aligned;

  CONCORD_INLINE bool Have(std::int64_t element) const {
    return element >= begin && element < end;
  }
};

// Which elements the lanes are for: 2^kGroupBits neighbours from `first` on, as
// many `stride` behind the first, and so on.
template <int kGroupBits>
struct Lanes {
  static constexpr int kGroup = 1 << kGroupBits;

  std::int64_t first;
  std::int64_t stride;
  // Whether all are there, and columns are aligned; `stride` and `first` are
  // multiples of a group then.
  bool whole;

  // The same lanes, but the compiler does not know that: without this it
  // computes the elements of all lanes once before all steps, and keeps them in
  // registers that steps need.
  CONCORD_INLINE Lanes Anew() const {
    Lanes lanes = *this;
    lanes.first = machine::Anew(first);
    return lanes;
  }

  CONCORD_INLINE std::int64_t element(int lane) const {
    return first + (lane >> kGroupBits) * stride + (lane & (kGroup - 1));
  }
};

// The lanes whose elements a filter keeps, a bit for each, and where those go.
struct Kept {
  static constexpr int kGroup = 4;

  std::uint32_t bits;
  // How many of the tile are before each group, and before the tile.
  int before[kLanes<std::uint32_t> / kGroup];
  std::int64_t base;

  CONCORD_INLINE bool Has(int lane) const { return (bits >> lane & 1) != 0; }
  CONCORD_INLINE std::int64_t place(int lane) const {
    const std::uint32_t group = bits >> lane / kGroup * kGroup;
    int place = before[lane / kGroup];
    for (int k = 0; k < lane % kGroup; ++k) {
      place += static_cast<int>(group >> k & 1);
    }
    return base + place;
  }
};

inline constexpr int kWarpThreads = 32;
// Words that a thread reads of a slot at once.
template <typename W>
inline constexpr int kPack = 16 / sizeof(W);
// Of a slot, of all threads of a warp.
template <typename W>
inline constexpr int kSlotPacks = kLanes<W> / kPack<W>* kWarpThreads;

template <typename W>
struct alignas(16) WordPack {
  W word[kPack<W>];
};

#ifdef __CUDACC__
extern __shared__ ulonglong2 shared_slots[];
#endif

// The slots of a thread. Those of a warp lie together, and the packs of one
// slot of neighbouring threads side by side.
template <typename W>
struct Slots {
  // Null if they are in shared memory.
  W* words;
  // Which pack, from there or from where shared memory begins, is the thread's
  // first.
  int first;

  // Calls f(pack, where it is) for each pack of a slot.
  template <typename F>
  CONCORD_INLINE void ForEachPack(int slot, F f) const {
#ifdef __CUDA_ARCH__
    if (words == nullptr) {
      auto* const packs = reinterpret_cast<WordPack<W>*>(shared_slots) +
                          slot * kSlotPacks<W> + first;
      Unrolled<kLanes<W> / kPack<W>>(
          [&](int p) { f(p, packs[p * kWarpThreads]); });
      return;
    }
#endif
    auto* const packs =
        reinterpret_cast<WordPack<W>*>(words) + slot * kSlotPacks<W> + first;
    Unrolled<kLanes<W> / kPack<W>>(
        [&](int p) { f(p, packs[p * kWarpThreads]); });
  }

  CONCORD_INLINE void Get(int slot, Register<W>& r) const {
    ForEachPack(slot, [&](int p, const WordPack<W>& at) {
      const WordPack<W> pack = at;
      Unrolled<kPack<W>>([&](int k) { r[p * kPack<W> + k] = pack.word[k]; });
    });
  }
  // Of the lanes for which f(lane) is true.
  template <typename F>
  CONCORD_INLINE void PutIf(int slot, const Register<W>& a, F f) const {
    ForEachPack(slot, [&](int p, WordPack<W>& at) {
      Unrolled<kPack<W>>([&](int k) {
        if (f(p * kPack<W> + k)) at.word[k] = a[p * kPack<W> + k];
      });
    });
  }
  CONCORD_INLINE void Put(int slot, const Register<W>& a) const {
    ForEachPack(slot, [&](int p, WordPack<W>& at) {
      WordPack<W> pack;
      Unrolled<kPack<W>>(
          [&](int k) { pack.word[k] = machine::Anew(a[p * kPack<W> + k]); });
      at = pack;
    });
  }
};

}  // namespace concord::machine

#endif  // CONCORD_BACKENDS_CUDA_INTERPRETER_ARRAYS_H_
