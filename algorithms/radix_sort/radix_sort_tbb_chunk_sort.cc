// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "algorithms/radix_sort/radix_sort_tbb_chunk_sort.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/radix_sort/radix_sort_tbb_buckets.h"
#include "algorithms/radix_sort/radix_sort_tbb_chunks.h"
#include "algorithms/radix_sort/radix_sort_tbb_local.h"
#include "algorithms/radix_sort/radix_sort_tbb_partition.h"
#include "backends/tbb/simd.h"
#include "backends/tbb/streaming.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// GCC 12 takes the deliberately undefined operand of its own intrinsics for a
// mistake.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#define CONCORD_SIMD_FILE \
  "algorithms/radix_sort/radix_sort_tbb_chunk_sort_kernel.h"
#include "backends/tbb/simd_for_each.h"
#define CONCORD_SIMD_FILE \
  "algorithms/radix_sort/radix_sort_tbb_buckets_kernel.h"
#include "backends/tbb/simd_for_each.h"
#pragma GCC diagnostic pop

namespace concord {
namespace {

using Source = KeySource<std::uint32_t>;

constexpr std::int64_t kLocal = kLocalBytes / sizeof(std::uint32_t);

// Parts that the distribution aims at. Twice as large ones are sorted as fast,
// and half as many chunks being filled are faster.
constexpr std::int64_t kPart = std::int64_t{32} << 10;

// Keys that are looked at to choose the digit, one of kSampled at the most.
constexpr std::int64_t kMostSamples = 8192;
constexpr std::int64_t kSampled = 64;

// What one thread needs.
struct alignas(64) ThreadMemory {
  DistributedKeys distributed;
  KeyBuckets buckets;
  std::uint32_t a[kLocal + KeyBuckets::kRows];
  std::uint32_t b[kLocal];
};

// The digit that starts at the highest bit that varies, as a sample of the keys
// has it; no bits when they crowd, or agree in too many bits.
Digit SampleDigit(const Source& source, std::int64_t n) {
  const std::int64_t samples = std::min(kMostSamples, n / kSampled);
  std::uint32_t sample[kMostSamples];
  std::uint32_t varying = 0;
  for (std::int64_t i = 0; i < samples; ++i) {
    sample[i] = source[n / samples * i];
    varying |= sample[i] ^ sample[0];
  }
  const Digit none = {0, 0};
  if (varying == 0) return none;
  int bits = 1;
  while (bits < DistributedKeys::kMostBits && n >> bits > kPart) ++bits;
  const int to = 32 - __builtin_clz(varying);
  if (to <= bits) return none;
  const Digit digit = {to - bits, bits};
  // Twice as many as are in the largest part that is allowed, and some more, so
  // that chance does not matter: to be wrong costs time only.
  const std::int64_t most = 2 * samples * kLocal / n + 4;
  std::uint16_t counts[DistributedKeys::kMostDigits] = {};
  for (std::int64_t i = 0; i < samples; ++i) {
    if (++counts[digit(sample[i])] > most) return none;
  }
  return digit;
}

class ChunkSort {
 public:
  ChunkSort(Workspace& workspace, const Source& source, std::int64_t n,
            std::uint32_t* out)
      : workspace_(workspace),
        source_(source),
        n_(n),
        out_(out),
        threads_(workspace.backend().threads()),
        stream_(n * static_cast<std::int64_t>(sizeof(std::uint32_t)) >=
                kStreamingBytes) {}

  absl::StatusOr<bool> Run() {
    digit_ = SampleDigit(source_, n_);
    if (digit_.bits == 0) return false;
    absl::Status status = Distribute();
    if (!status.ok()) return status;
    if (!FindBounds()) return false;
    SortParts();
    return true;
  }

 private:
  std::int64_t digits() const {
    return static_cast<std::int64_t>(digit_.count());
  }
  std::int64_t Begin(int thread) const {
    return PartBegin(0, n_, threads_, thread);
  }
  ThreadMemory& MemoryOf(int thread) const {
    return workspace_.At<ThreadMemory>(Workspace::kChunkThreads)[thread];
  }

  absl::Status Distribute() {
    absl::Status status =
        workspace_.Reserve<ThreadMemory>(Workspace::kChunkThreads, threads_);
    if (!status.ok()) return status;
    const std::int64_t chunks =
        DistributedKeys::MostFull(n_ / threads_ + 1, digits());
    status = workspace_.Reserve<KeyChunk>(0, chunks * threads_);
    if (!status.ok()) return status;
    status = workspace_.Reserve<std::uint32_t>(1, 2 * chunks * threads_);
    if (!status.ok()) return status;
    const auto distribute =
        stream_ ? CONCORD_SIMD_CHOOSE(DistributeToChunks<true>)
                : CONCORD_SIMD_CHOOSE(DistributeToChunks<false>);
    workspace_.backend().ForEach(threads_, [&](int thread) {
      DistributedKeys& to = MemoryOf(thread).distributed;
      to.full = workspace_.At<KeyChunk>(0) + chunks * thread;
      to.digits = workspace_.At<std::uint32_t>(1) + 2 * chunks * thread;
      to.order = to.digits + chunks;
      distribute(source_, Begin(thread), Begin(thread + 1), digit_.shift,
                 digits(), to);
    });
    return absl::OkStatus();
  }

  // Where each digit's keys go. False when the sample was misleading.
  bool FindBounds() {
    std::uint32_t varying = 0;
    for (int thread = 0; thread < threads_; ++thread) {
      varying |= MemoryOf(thread).distributed.varying |
                 (source_[Begin(thread)] ^ source_[0]);
    }
    if (std::uint64_t{varying} >> (digit_.shift + digit_.bits) != 0) {
      return false;
    }
    bounds_ = {0};
    for (std::int64_t d = 0; d < digits(); ++d) {
      std::int64_t count = 0;
      for (int thread = 0; thread < threads_; ++thread) {
        count += MemoryOf(thread).distributed.Count(d);
      }
      if (count > kLocal) return false;
      bounds_.push_back(bounds_.back() + count);
    }
    return true;
  }

  void SortParts() const {
    const auto store = stream_ ? CONCORD_SIMD_CHOOSE(StoreKeys<true>)
                               : CONCORD_SIMD_CHOOSE(StoreKeys<false>);
    std::atomic<std::int64_t> next{0};
    workspace_.backend().ForEach(threads_, [&](int thread) {
      std::vector<KeyPiece> pieces;
      for (std::int64_t d = next++; d < digits(); d = next++) {
        pieces.clear();
        for (int from = 0; from < threads_; ++from) {
          MemoryOf(from).distributed.AddPieces(d, pieces);
        }
        if (pieces.empty()) continue;
        const std::int64_t count = bounds_[d + 1] - bounds_[d];
        store(SortPart(pieces, count, MemoryOf(thread)), count, source_.map,
              out_ + bounds_[d]);
      }
      if (stream_) FinishStreaming();
    });
  }

  // Returns where the sorted ones are.
  const std::uint32_t* SortPart(const std::vector<KeyPiece>& pieces,
                                std::int64_t n, ThreadMemory& memory) const {
    if (CONCORD_SIMD_CHOOSE(SortInBuckets)(
            pieces.data(), static_cast<std::int64_t>(pieces.size()), n,
            digit_.shift, memory.buckets, memory.a)) {
      return memory.a;
    }
    std::uint32_t* end = memory.a;
    for (const KeyPiece& piece : pieces) {
      end = std::copy_n(piece.keys, piece.count, end);
    }
    return SortInCache(memory.a, memory.b, memory.a, n, 0, digit_.shift);
  }

  Workspace& workspace_;
  const Source source_;
  const std::int64_t n_;
  std::uint32_t* const out_;
  const int threads_;
  const bool stream_;
  Digit digit_ = {0, 0};
  std::vector<std::int64_t> bounds_;
};

}  // namespace

absl::StatusOr<bool> SortByChunks(Workspace& workspace, const Source& source,
                                  std::int64_t n, std::uint32_t* out) {
  if (n <= kLocal) return false;
  return ChunkSort(workspace, source, n, out).Run();
}

}  // namespace concord
