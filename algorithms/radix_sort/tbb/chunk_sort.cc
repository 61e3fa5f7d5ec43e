// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/radix_sort/tbb/chunk_sort.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "concord/algorithms/radix_sort/tbb/buckets.h"
#include "concord/algorithms/radix_sort/tbb/chunks.h"
#include "concord/algorithms/radix_sort/tbb/local.h"
#include "concord/algorithms/radix_sort/tbb/prefixes.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/core/errors.h"

#define CONCORD_SIMD_FILE \
  "concord/algorithms/radix_sort/tbb/chunk_sort_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"
#define CONCORD_SIMD_FILE "concord/algorithms/radix_sort/tbb/buckets_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::radix_sort {
namespace {

using Source = KeySource<std::uint32_t>;

constexpr std::int64_t kLocal = kLocalBytes / sizeof(std::uint32_t);

// Parts that the distribution aims at. Twice as large ones are sorted as fast,
// and half as many chunks being filled are faster.
constexpr std::int64_t kPart = std::int64_t{32} << 10;

// Keys that are looked at to choose the digit, one of kSampled at the most.
constexpr std::int64_t kMostSamples = 8192;
constexpr std::int64_t kSampled = 64;

// As many of the sample in a part are not there by chance.
constexpr std::int64_t kLeastInPart = 8;

// What one thread needs.
struct alignas(64) ThreadMemory {
  DistributedKeys distributed;
  KeyBuckets buckets;
  std::uint32_t a[kLocal + KeyBuckets::kRows];
  std::uint32_t b[kLocal];
};

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
    if (!ChooseDigit()) return false;
    RETURN_IF_ERROR(Distribute());
    if (!FindBounds()) return false;
    SortParts();
    return true;
  }

 private:
  // By a sample of the keys: the digit that starts at the highest bit that
  // varies or, where most keys would have few values of it, a table. False when
  // that is of no use either, or few bits vary.
  bool ChooseDigit() {
    const std::int64_t samples = std::min(kMostSamples, n_ / kSampled);
    std::uint32_t sample[kMostSamples];
    std::uint32_t varying = 0;
    for (std::int64_t i = 0; i < samples; ++i) {
      sample[i] = source_[n_ / samples * i];
      varying |= sample[i] ^ sample[0];
    }
    if (varying == 0) return false;
    end_bit_ = 32 - __builtin_clz(varying);
    int bits = 1;
    while (bits < DistributedKeys::kMostBits && n_ >> bits > kPart) ++bits;
    // Parts that are too large for the buckets are better cut again.
    if (end_bit_ <= bits || n_ >> bits > 2 * kPart) return false;
    digits_ = std::int64_t{1} << bits;
    digit_ = {end_bit_ - bits, static_cast<std::uint32_t>(digits_ - 1)};
    by_table_ = false;

    // More than in parts twice as large as they should be, and by four standard
    // deviations, is not there by chance. To be wrong costs time only.
    const std::int64_t fair = samples * 2 * kPart / n_;
    const std::int64_t most =
        fair + static_cast<std::int64_t>(4 * std::sqrt(fair + 1)) + 4;
    std::uint16_t counts[DistributedKeys::kMostDigits] = {};
    for (std::int64_t i = 0; i < samples; ++i) {
      by_table_ |= ++counts[digit_(sample[i])] > most;
    }
    if (!by_table_) return true;
    if (end_bit_ < PrefixParts::kBits) return false;
    if (!prefixes_.Choose(sample, samples, end_bit_,
                          std::max(kLeastInPart, samples * kPart / n_),
                          samples * kLocal / n_,
                          DistributedKeys::kMostDigits)) {
      return false;
    }
    digits_ = prefixes_.parts();
    return true;
  }

  // From here on, all bits of the keys with this digit are the same.
  int To(std::int64_t digit) const {
    return by_table_ ? prefixes_.To(digit) : digit_.shift;
  }

  std::int64_t Begin(int thread) const {
    return PartBegin(0, n_, threads_, thread);
  }
  ThreadMemory& MemoryOf(int thread) const {
    return workspace_.At<ThreadMemory>(Workspace::kChunkThreads)[thread];
  }

  absl::Status Distribute() {
    RETURN_IF_ERROR(
        workspace_.Reserve<ThreadMemory>(Workspace::kChunkThreads, threads_));
    const std::int64_t chunks =
        DistributedKeys::MostFull(n_ / threads_ + 1, digits_);
    RETURN_IF_ERROR(workspace_.Reserve<KeyChunk>(0, chunks * threads_));
    RETURN_IF_ERROR(
        workspace_.Reserve<std::uint32_t>(1, 2 * chunks * threads_));
    if (by_table_) {
      DistributeBy(TableDigit{prefixes_.bits(), prefixes_.table()}, chunks);
    } else {
      DistributeBy(digit_, chunks);
    }
    return absl::OkStatus();
  }

  template <typename DigitOf>
  void DistributeBy(const DigitOf& digit, std::int64_t chunks) {
    const auto distribute =
        stream_ ? CONCORD_SIMD_CHOOSE(DistributeToChunks<true, DigitOf>)
                : CONCORD_SIMD_CHOOSE(DistributeToChunks<false, DigitOf>);
    workspace_.backend().ForEach(threads_, [&](int thread) {
      DistributedKeys& to = MemoryOf(thread).distributed;
      to.full = workspace_.At<KeyChunk>(0) + chunks * thread;
      to.digits = workspace_.At<std::uint32_t>(1) + 2 * chunks * thread;
      to.order = to.digits + chunks;
      distribute(source_, Begin(thread), Begin(thread + 1), digit, digits_, to);
    });
  }

  // Where each digit's keys go. False when the sample was misleading.
  bool FindBounds() {
    std::uint32_t varying = 0;
    for (int thread = 0; thread < threads_; ++thread) {
      varying |= MemoryOf(thread).distributed.varying |
                 (source_[Begin(thread)] ^ source_[0]);
    }
    if (std::uint64_t{varying} >> end_bit_ != 0) return false;
    bounds_ = {0};
    for (std::int64_t d = 0; d < digits_; ++d) {
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
      for (std::int64_t d = next++; d < digits_; d = next++) {
        pieces.clear();
        for (int from = 0; from < threads_; ++from) {
          MemoryOf(from).distributed.AddPieces(d, pieces);
        }
        if (pieces.empty()) continue;
        const std::int64_t count = bounds_[d + 1] - bounds_[d];
        store(SortPart(pieces, count, To(d), MemoryOf(thread)), count,
              source_.map, out_ + bounds_[d]);
      }
      if (stream_) FinishStreaming();
    });
  }

  // Returns where the sorted ones are.
  const std::uint32_t* SortPart(const std::vector<KeyPiece>& pieces,
                                std::int64_t n, int to,
                                ThreadMemory& memory) const {
    if (CONCORD_SIMD_CHOOSE(SortInBuckets)(
            pieces.data(), static_cast<std::int64_t>(pieces.size()), n, to,
            memory.buckets, memory.a)) {
      return memory.a;
    }
    std::uint32_t* end = memory.a;
    for (const KeyPiece& piece : pieces) {
      end = std::copy_n(piece.keys, piece.count, end);
    }
    return SortInCache(memory.a, memory.b, memory.a, n, 0, to);
  }

  Workspace& workspace_;
  const Source source_;
  const std::int64_t n_;
  std::uint32_t* const out_;
  const int threads_;
  const bool stream_;
  // From here on, all bits of the keys are the same.
  int end_bit_ = 32;
  std::int64_t digits_ = 0;
  BitsDigit digit_ = {0, 0};
  bool by_table_ = false;
  PrefixParts prefixes_;
  std::vector<std::int64_t> bounds_;
};

}  // namespace

absl::StatusOr<bool> SortByChunks(Workspace& workspace, const Source& source,
                                  std::int64_t n, std::uint32_t* out) {
  if (n <= kLocal) return false;
  return ChunkSort(workspace, source, n, out).Run();
}

}  // namespace concord::radix_sort
