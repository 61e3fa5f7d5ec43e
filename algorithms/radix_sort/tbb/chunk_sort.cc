// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/radix_sort/tbb/chunk_sort.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <type_traits>
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

// Parts that the distribution aims at. Twice as large ones are sorted as fast,
// and half as many chunks being filled are faster.
constexpr std::int64_t kPartBytes = kLocalBytes / 4;

// Keys that are looked at to choose the digit, one of kSampled at the most.
constexpr std::int64_t kMostSamples = 8192;
constexpr std::int64_t kSampled = 64;

// As many of the sample in a part are not there by chance.
constexpr std::int64_t kLeastInPart = 8;

// What one thread needs.
template <typename Element>
struct alignas(64) ThreadMemory {
  static constexpr std::int64_t kLocal = kLocalBytes / sizeof(Element);
  DistributedElements<Element> distributed;
  Buckets<Element> buckets;
  Element a[kLocal + Buckets<Element>::kRows];
  Element b[kLocal];
};

template <typename Source>
class ChunkSort {
  using Element = typename Source::Element;
  using Key = decltype(KeyBits(Element()));
  using Distributed = DistributedElements<Element>;
  using Memory = ThreadMemory<Element>;

 public:
  ChunkSort(Workspace& workspace, const Source& source, std::int64_t n,
            const ElementSink<Element>& sink)
      : workspace_(workspace),
        source_(source),
        n_(n),
        sink_(sink),
        threads_(workspace.backend().threads()),
        stream_(n * static_cast<std::int64_t>(sizeof(Element)) >=
                kStreamingBytes) {}

  absl::StatusOr<bool> Run() {
    if (n_ <= kLocal || !ChooseDigit()) return false;
    RETURN_IF_ERROR(Distribute());
    if (!FindBounds()) return false;
    SortParts();
    return true;
  }

 private:
  // What elements are sorted by starts at this bit.
  static constexpr int kFrom = Source::kKeyShift;
  static constexpr std::int64_t kPart = kPartBytes / sizeof(Element);
  static constexpr std::int64_t kLocal = Memory::kLocal;

  // By a sample of the keys: the digit that starts at the highest bit that
  // varies or, where most keys would have few values of it, a table. False when
  // that is of no use either, or few bits vary.
  bool ChooseDigit() {
    const std::int64_t samples = std::min(kMostSamples, n_ / kSampled);
    Key sample[kMostSamples];
    std::uint64_t varying = 0;
    for (std::int64_t i = 0; i < samples; ++i) {
      sample[i] = KeyBits(source_[n_ / samples * i]);
      varying |= sample[i] ^ sample[0];
    }
    if (varying >> kFrom == 0) return false;
    end_bit_ = 64 - __builtin_clzll(varying);
    int bits = 1;
    while (bits < Distributed::kMostBits && n_ >> bits > kPart) ++bits;
    // Parts that are too large for the buckets are better cut again.
    if (end_bit_ - kFrom <= bits || n_ >> bits > 2 * kPart) return false;
    digits_ = std::int64_t{1} << bits;
    digit_ = {end_bit_ - bits, static_cast<std::uint32_t>(digits_ - 1)};
    by_table_ = false;

    // More than in parts twice as large as they should be, and by four standard
    // deviations, is not there by chance. To be wrong costs time only.
    const std::int64_t fair = samples * 2 * kPart / n_;
    const std::int64_t most =
        fair + static_cast<std::int64_t>(4 * std::sqrt(fair + 1)) + 4;
    std::uint16_t counts[Distributed::kMostDigits] = {};
    for (std::int64_t i = 0; i < samples; ++i) {
      by_table_ |= ++counts[digit_(sample[i])] > most;
    }
    if (!by_table_) return true;
    const int table_bits = PrefixParts<Key>::BitsFor(n_);
    if (end_bit_ - kFrom < table_bits) return false;
    // With fewer in the sample, some part has too many keys for a cache.
    if (samples * kLocal / n_ < 4 * kLeastInPart) return false;
    if (!prefixes_.Choose(sample, samples, end_bit_, table_bits,
                          std::max(kLeastInPart, samples * kPart / n_),
                          samples * kLocal / n_, Distributed::kMostDigits)) {
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
  Memory& MemoryOf(int thread) const {
    return workspace_.At<Memory>(Workspace::kChunkThreads)[thread];
  }

  absl::Status Distribute() {
    RETURN_IF_ERROR(
        workspace_.Reserve<Memory>(Workspace::kChunkThreads, threads_));
    const std::int64_t chunks =
        Distributed::MostFull(n_ / threads_ + 1, digits_);
    RETURN_IF_ERROR(workspace_.Reserve<Chunk<Element>>(0, chunks * threads_));
    RETURN_IF_ERROR(
        workspace_.Reserve<std::uint32_t>(1, 2 * chunks * threads_));
    if (by_table_) {
      DistributeBy(TableDigit{prefixes_.bits(), prefixes_.table()}, chunks);
    } else {
      DistributeBy(digit_, chunks);
    }
    return absl::OkStatus();
  }

  Feed<Element> MakeFeed() const {
    Feed<Element> feed;
    feed.source = &source_;
    feed.make = CONCORD_SIMD_CHOOSE(MakeBlock<Source>);
    int lines = 0;
    source_.ForArrays([&](const auto* array) {
      constexpr std::int64_t kBytes = sizeof(*array);
      for (std::int64_t line = 0; line < feed.kTurn * kBytes; line += 64) {
        feed.lines[lines] = reinterpret_cast<const char*>(array) + line;
        feed.bytes[lines++] = kBytes;
      }
    });
    // Positions need none.
    for (; lines < feed.kLines; ++lines) {
      feed.lines[lines] = feed.lines[0];
      feed.bytes[lines] = feed.bytes[0];
    }
    return feed;
  }

  template <typename DigitOf>
  void DistributeBy(const DigitOf& digit, std::int64_t chunks) {
    const auto distribute =
        CONCORD_SIMD_CHOOSE(DistributeToChunks<DigitOf, Element>);
    const Feed<Element> feed = MakeFeed();
    workspace_.backend().ForEach(threads_, [&](int thread) {
      Distributed& to = MemoryOf(thread).distributed;
      to.full = workspace_.At<Chunk<Element>>(0) + chunks * thread;
      to.digits = workspace_.At<std::uint32_t>(1) + 2 * chunks * thread;
      to.order = to.digits + chunks;
      distribute(feed, Begin(thread), Begin(thread + 1), digit, digits_,
                 stream_, to);
    });
  }

  // Where each digit's keys go. False when the sample was misleading.
  bool FindBounds() {
    std::uint64_t varying = 0;
    for (int thread = 0; thread < threads_; ++thread) {
      varying |= MemoryOf(thread).distributed.varying |
                 (KeyBits(source_[Begin(thread)]) ^ KeyBits(source_[0]));
    }
    if (end_bit_ < 64 && varying >> end_bit_ != 0) return false;
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
    std::atomic<std::int64_t> next{0};
    workspace_.backend().ForEach(threads_, [&](int thread) {
      std::vector<Piece<Element>> pieces;
      for (std::int64_t d = next++; d < digits_; d = next++) {
        pieces.clear();
        for (int from = 0; from < threads_; ++from) {
          MemoryOf(from).distributed.AddPieces(d, pieces);
        }
        if (pieces.empty()) continue;
        const std::int64_t count = bounds_[d + 1] - bounds_[d];
        sink_.Store(bounds_[d],
                    SortPart(pieces, count, To(d), MemoryOf(thread)), count);
      }
      sink_.Finish();
    });
  }

  // Returns where the sorted ones are.
  const Element* SortPart(const std::vector<Piece<Element>>& pieces,
                          std::int64_t n, int to, Memory& memory) const {
    if (CONCORD_SIMD_CHOOSE(SortInBuckets<Element, Source::kOrdered>)(
            pieces.data(), static_cast<std::int64_t>(pieces.size()), n, kFrom,
            to, memory.buckets, memory.a)) {
      return memory.a;
    }
    Element* end = memory.a;
    for (const Piece<Element>& piece : pieces) {
      end = std::copy_n(piece.elements, piece.count, end);
    }
    return SortInCache(memory.a, memory.b, memory.a, n, kFrom, to);
  }

  Workspace& workspace_;
  const Source source_;
  const std::int64_t n_;
  const ElementSink<Element>& sink_;
  const int threads_;
  const bool stream_;
  // From here on, all bits of the keys are the same.
  int end_bit_ = 64;
  std::int64_t digits_ = 0;
  BitsDigit digit_ = {0, 0};
  bool by_table_ = false;
  PrefixParts<Key> prefixes_;
  std::vector<std::int64_t> bounds_;
};

}  // namespace

template <typename Source>
absl::StatusOr<bool> SortByChunks(
    Workspace& workspace, const Source& source, std::int64_t n,
    const ElementSink<typename Source::Element>& sink) {
  return ChunkSort<Source>(workspace, source, n, sink).Run();
}

#define CONCORD_SORT_BY_CHUNKS(...)                                     \
  template absl::StatusOr<bool> SortByChunks<__VA_ARGS__>(              \
      Workspace & workspace, const __VA_ARGS__& source, std::int64_t n, \
      const ElementSink<__VA_ARGS__::Element>& sink)
CONCORD_SORT_BY_CHUNKS(KeySource<std::uint32_t>);
CONCORD_SORT_BY_CHUNKS(KeySource<std::uint64_t>);
CONCORD_SORT_BY_CHUNKS(PairSource<std::uint32_t, GivenValues<std::uint32_t>>);
CONCORD_SORT_BY_CHUNKS(PairSource<std::uint32_t, GivenValues<std::uint64_t>>);
CONCORD_SORT_BY_CHUNKS(PairSource<std::uint32_t, Positions<std::uint32_t>>);
CONCORD_SORT_BY_CHUNKS(PairSource<std::uint64_t, GivenValues<std::uint32_t>>);
CONCORD_SORT_BY_CHUNKS(PairSource<std::uint64_t, GivenValues<std::uint64_t>>);
CONCORD_SORT_BY_CHUNKS(PairSource<std::uint64_t, Positions<std::uint32_t>>);
#undef CONCORD_SORT_BY_CHUNKS

}  // namespace concord::radix_sort
