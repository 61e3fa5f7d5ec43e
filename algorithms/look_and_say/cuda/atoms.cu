// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// By atoms (J. H. Conway, "The weird and wonderful chemistry of audioactive
// decay", 1986): no step is made, and every digit is written once. Each block
// of threads has in shared memory the digits of every atom after 20 steps. Its
// warps take stretches of the result by turns: a warp goes down the tree of
// atoms to the one whose digits its stretch starts with, lists the atoms from
// there on, and writes the stretch vector by vector, most of them from one
// place of the table, and some from two.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "concord/algorithms/look_and_say/cuda/atoms.cuh"
#include "concord/algorithms/look_and_say/cuda/run.cuh"
#include "concord/algorithms/look_and_say/cuda/steps.h"
#include "concord/algorithms/look_and_say/cuda/tree.cuh"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/errors.h"

namespace concord::look_and_say {
namespace {

using Bytes = Vector<uint8_t>;

// One block of so many threads on each multiprocessor, whose shared memory it
// takes.
constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / kWarpSize;

// What a warp writes at a time: long stretches, as it takes a microsecond or
// two to find out what a stretch starts with, but some for each warp, so that
// all end at about the same time.
constexpr int64_t kLeastStretch = int64_t{2} << 10;
constexpr int64_t kMostStretch = int64_t{16} << 10;
constexpr int64_t kStretchesOfWarp = 2;

// Shared memory, and behind it the table.
struct alignas(kVectorBytes) SharedMemory {
  BlockList lists[kWarps];
  // How many stretches the warps of this block have taken.
  uint32_t taken;
};
constexpr int64_t kTableAt = sizeof(SharedMemory) + DeviceAtoms::kPadding;
static_assert(kTableAt % kVectorBytes == 0);

// The 16 bytes at any address, of which nothing outside the aligned vectors
// that hold the first one and the one behind the last is read.
__device__ __forceinline__ Bytes LoadUnaligned(const uint8_t* from) {
  const auto shift =
      static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from) % kVectorBytes);
  const auto* const aligned = reinterpret_cast<const uint4*>(from - shift);
  const uint4 low = aligned[0];
  const uint4 high = aligned[1];
  uint32_t words[8] = {low.x,  low.y,  low.z,  low.w,
                       high.x, high.y, high.z, high.w};
  // Moves words down by as many places as the shift has whole words.
  if (shift & 8) {
#pragma unroll
    for (int i = 0; i < 6; ++i) words[i] = words[i + 2];
  }
  if (shift & 4) {
#pragma unroll
    for (int i = 0; i < 5; ++i) words[i] = words[i + 1];
  }
  const uint32_t bits = shift % 4 * 8;
  Bytes result;
#pragma unroll
  for (int i = 0; i < Bytes::kWords; ++i) {
    result.word[i] = __funnelshift_r(words[i], words[i + 1], bits);
  }
  return result;
}

// The first `count` bytes of `left` (0 to 16), then those of `right`.
__device__ __forceinline__ Bytes Joined(const Bytes& left, const Bytes& right,
                                        int32_t count) {
  Bytes result;
#pragma unroll
  for (int i = 0; i < Bytes::kWords; ++i) {
    const int32_t bits = min(max(count * 8 - i * 32, 0), 32);
    const auto from_right = static_cast<uint32_t>(uint64_t{0xffffffff} << bits);
    result.word[i] =
        (right.word[i] & from_right) | (left.word[i] & ~from_right);
  }
  return result;
}

// Writes out[first, end), by a warp. Both are multiples of 16 or where the span
// ends. Element 0 of the wanted part is the span's first.
__device__ __forceinline__ void WriteStretch(const AtomTree& tree,
                                             const uint8_t* table,
                                             BlockList& list, Span<uint8_t> out,
                                             int64_t first, int64_t end) {
  while (first < end) {
    const int64_t position = max(first, out.begin) - out.begin;
    const int64_t listed =
        ListBlocks(tree, position, end - out.begin, first - out.begin, list) +
        out.begin;
    __syncwarp();
    // A list that is full has at least as many digits, and so goes on for at
    // least a vector.
    const auto count = static_cast<int32_t>(
        listed >= end ? end - first
                      : (listed - first) / kVectorBytes * kVectorBytes);
    const ListedBlock* block = list.blocks;
    int32_t source = block->source;
    int32_t border = block[1].start;
    for (int32_t i = LaneId() * kVectorBytes; i < count;
         i += kWarpSize * kVectorBytes) {
      if (border <= i) {
        do {
          border = (++block)[1].start;
        } while (border <= i);
        source = block->source;
      }
      Bytes digits = LoadUnaligned(table + (source + i));
      int32_t end_of_block = border;
      for (const ListedBlock* next = block; end_of_block < i + kVectorBytes;) {
        const int32_t left = end_of_block - i;
        end_of_block = (++next)[1].start;
        digits =
            Joined(digits, LoadUnaligned(table + (next->source + i)), left);
      }
      if (out.HoldsVectors(first + i, kVectorBytes)) {
        StoreVector(out, first + i, digits);
      } else {
        StoreElements(out, first + i, digits);
      }
    }
    __syncwarp();
    first += count;
  }
}

// Blocks take stretches by turns, one each; the warps of a block whenever they
// are ready for one. Stretches start at multiples of their length in memory
// that is aligned.
template <bool kTableInShared>
__global__ void __launch_bounds__(kThreads, 1)
    WriteStretches(AtomTree tree, Span<uint8_t> out, int64_t stretch) {
  extern __shared__ __align__(kVectorBytes) uint8_t bytes[];
  auto& shared = *reinterpret_cast<SharedMemory*>(bytes);
  if (threadIdx.x == 0) shared.taken = 0;
  const uint8_t* table = tree.table;
  if constexpr (kTableInShared) {
    auto* const to = reinterpret_cast<Bytes*>(bytes + kTableAt);
    const Span<const uint8_t> from = {tree.table, 0, tree.table_size};
    for (int32_t i = threadIdx.x; i < tree.table_size / kVectorBytes;
         i += kThreads) {
      CopyVectorAsync(to + i, from, int64_t{i} * kVectorBytes);
    }
    WaitForCopies();
    table = bytes + kTableAt;
  }
  __syncthreads();
  BlockList& list = shared.lists[WarpId()];
  for (;;) {
    const uint32_t turn = LaneId() == 0 ? atomicAdd(&shared.taken, 1) : 0;
    const int64_t first =
        (int64_t{ShuffleFrom(turn, 0)} * gridDim.x + blockIdx.x) * stretch;
    if (first >= out.end) break;
    WriteStretch(tree, table, list, out, first, min(first + stretch, out.end));
  }
}

class LookAndSayCuda : public LookAndSayOnCuda {
 public:
  using LookAndSayOnCuda::LookAndSayOnCuda;

 private:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    if (options.steps < LookAndSayPlan::kLeastSteps) {
      return steps_.Write(in, out, options, name());
    }
    std::vector<uint8_t> seed(static_cast<std::size_t>(in.size()));
    RETURN_IF_ERROR(backend()->Copy(in, ArrayView(absl::MakeSpan(seed))));
    DeviceAtoms& atoms =
        options.counts == Counts::kDecimal ? decimal_ : symbol_;
    const std::optional<LookAndSayPlan> plan =
        LookAndSayPlan::Make(seed, options.steps, atoms.table());
    if (!plan.has_value()) return steps_.Write(in, out, options, name());
    if (options.length_only) {
      return WriteLengthOnDevice(*backend(), plan->ExactLength(), out);
    }
    absl::Status status = CheckPart(plan->length(), options);
    status.Update(CheckSize("out", out, PartOf(plan->length(), options)));
    if (!status.ok() || out.empty()) return status;
    ASSIGN_OR_RETURN(AtomTree tree,
                     atoms.TreeFor(*plan, options.from, out.size()));
    return tree.table_size <= room_ + DeviceAtoms::kPadding
               ? Launch<true>(tree, out)
               : Launch<false>(tree, out);
  }

  template <bool kTableInShared>
  absl::Status Launch(const AtomTree& tree, ArrayView out) {
    const int64_t shared_bytes =
        kTableInShared ? kTableAt + tree.table_size
                       : static_cast<int64_t>(sizeof(SharedMemory));
    const Span<uint8_t> span = AlignedSpan(out.data<uint8_t>(), out.size());
    const int64_t most_blocks = backend()->multiprocessors();
    int64_t stretch = kMostStretch;
    while (stretch > kLeastStretch &&
           stretch * kStretchesOfWarp * kWarps * most_blocks > span.end) {
      stretch /= 2;
    }
    const int64_t blocks = std::min(most_blocks, DivideUp(span.end, stretch));
    return Queue(WriteStretches<kTableInShared>,
                 {blocks, kThreads, shared_bytes}, tree, span, stretch);
  }

  DeviceSteps steps_{backend(), NewLookbackStepper(backend())};
  // For the table of blocks in shared memory.
  const int64_t room_ = backend()->max_shared_memory_per_block() - kTableAt -
                        DeviceAtoms::kPadding;
  DeviceAtoms decimal_{backend(), Counts::kDecimal, room_};
  DeviceAtoms symbol_{backend(), Counts::kSymbol, room_};
};

const bool kRegistered = RegisterOnCuda<LookAndSayCuda>(
    "atoms", /*rank=*/10,
    "Conway's decomposition: blocks from tables, every digit written once",
    Contract()
        .Types({ElementType::kUInt8})
        .Boundaries({kLeastStretch, (kWarps * kLeastStretch)})
        .Keeps("tables of atoms for the last steps: the first call, and one "
               "with other options or atoms, computes and sends what it lacks")
        .Notes(absl::StrCat(
            "step by step, as cuda/lookback, below ",
            LookAndSayPlan::kLeastSteps,
            " steps and for inputs of very many different atoms")));

}  // namespace
}  // namespace concord::look_and_say
