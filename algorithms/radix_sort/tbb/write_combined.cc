// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// All threads distribute the array by the upper bits of its keys, gathering
// whole cache lines on the way; what remains are parts that fit into a core's
// cache, which the threads sort one by one, digit by digit from the lowest. So
// memory is passed over three times, where a sort from the lowest digit alone
// passes twice for each digit. Parts that are too large, because the keys crowd
// there, are distributed again by the bits that follow. Both kinds of steps are
// stable. Keys that are spread go another way, which does without the counts
// (chunk_sort.h).

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/algorithms/radix_sort/tbb/chunk_sort.h"
#include "concord/algorithms/radix_sort/tbb/elements.h"
#include "concord/algorithms/radix_sort/tbb/local.h"
#include "concord/algorithms/radix_sort/tbb/partition.h"
#include "concord/algorithms/radix_sort/tbb/sink.h"
#include "concord/algorithms/radix_sort/tbb/workspace.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/element_width.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

#define CONCORD_SIMD_FILE "concord/algorithms/radix_sort/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::radix_sort {
namespace {

// Parts that a distribution aims at. Smaller ones would need more places to
// distribute to.
constexpr std::int64_t kPartBytes = std::int64_t{64} << 10;

// What is gathered for 2^11 digits takes 256 KiB of the second-level cache.
constexpr int kMostPartitionBits = 11;

constexpr std::int64_t kMostPositions32 = std::int64_t{1} << 32;

template <typename Element>
class PartitionSort {
 public:
  PartitionSort(Workspace& workspace, const ElementSink<Element>& sink)
      : workspace_(workspace),
        sink_(sink),
        threads_(workspace.backend().threads()) {}

  // Sorts the source's elements [0, n) by their bits [from, to).
  template <typename Source>
  absl::Status Run(const Source& source, std::int64_t n, int from, int to) {
    // A range of no bits may lie anywhere, but no shift by all bits is defined.
    if (from == to) from = to = 0;
    total_ = n;
    whole_ = from == 0 && to == 8 * kSize;
    RETURN_IF_ERROR(workspace_.Reserve<Memory>(Workspace::kThreads,
                                               n <= kLocal ? 1 : threads_));
    if (n > kLocal) return Distribute(source, 0, n, from, to, 0);
    Element* const a = MemoryOf(0).a;
    for (std::int64_t i = 0; i < n; ++i) a[i] = source[i];
    const Element* sorted = SortPart(a, MemoryOf(0).b, a, n, from, to);
    sink_.Store(0, sorted, n);
    sink_.Finish();
    return absl::OkStatus();
  }

 private:
  static constexpr auto kSize = static_cast<std::int64_t>(sizeof(Element));
  static constexpr std::int64_t kLocal = kLocalBytes / kSize;
  static constexpr std::int64_t kPart = kPartBytes / kSize;

  // What a thread needs: to distribute, or to sort in the cache.
  struct alignas(64) Memory {
    GatheredLine<Element> lines[1 << kMostPartitionBits];
    std::int64_t counts[1 << kMostPartitionBits];
    std::int64_t begin[1 << kMostPartitionBits];
    std::uint64_t varying;
    // A sort by registers stores up to one more than there is.
    alignas(64) Element a[kLocal + 16];
    alignas(64) Element b[kLocal + 16];
  };
  Memory& MemoryOf(int thread) {
    return workspace_.At<Memory>(Workspace::kThreads)[thread];
  }

  // Elements that one thread writes to the output.
  struct Task {
    std::int64_t first;
    std::int64_t last;
    bool sorted;
  };

  template <typename F>
  void OnEachThread(const F& f) {
    workspace_.backend().ForEach(threads_, f);
  }

  // Sorts the elements [first, last) of the source into the output, by way of
  // the same places of array `side`.
  template <typename Source>
  absl::Status Distribute(const Source& source, std::int64_t first,
                          std::int64_t last, int from, int to, int side) {
    // With all bits that vary known, the first of them starts the digit.
    DigitExtractor digit = DigitFor(last - first, from, to);
    const std::uint64_t varying =
        Count(source, first, last, digit) & BitRange(from, to);
    const int varying_to = varying == 0 ? from : 64 - __builtin_clzll(varying);
    if (varying_to <= digit.shift) {
      to = varying_to;
      digit = DigitFor(last - first, from, to);
      Count(source, first, last, digit);
    }

    RETURN_IF_ERROR(workspace_.Reserve<Element>(side, total_));
    Element* const out = workspace_.At<Element>(side);
    std::vector<std::int64_t> bounds = MakePlaces(first, digit);
    OnEachThread([&](int thread) {
      Memory& memory = MemoryOf(thread);
      const auto distribute =
          (last - first) * kSize >= kStreamingBytes
              ? CONCORD_SIMD_CHOOSE(Distribute<true, Source>)
              : CONCORD_SIMD_CHOOSE(Distribute<false, Source>);
      distribute(source, Begin(first, last, thread),
                 Begin(first, last, thread + 1), digit, memory.counts,
                 memory.begin, memory.lines, out);
    });
    return SortParts(bounds, from, digit.shift, side);
  }

  DigitExtractor DigitFor(std::int64_t n, int from, int to) const {
    int bits = 1;
    while (bits < kMostPartitionBits && n >> bits > kPart) ++bits;
    // One distribution that leaves nothing to sort is better than two steps.
    if (to - from <= kMostPartitionBits) bits = to - from;
    return {to - bits, bits};
  }

  std::int64_t Begin(std::int64_t first, std::int64_t last, int thread) const {
    return PartBegin(first, last, threads_, thread);
  }

  template <typename Source>
  std::uint64_t Count(const Source& source, std::int64_t first,
                      std::int64_t last, DigitExtractor digit) {
    OnEachThread([&](int thread) {
      Memory& memory = MemoryOf(thread);
      std::fill_n(memory.counts, digit.count(), 0);
      memory.varying = CountDigits(source, Begin(first, last, thread),
                                   Begin(first, last, thread + 1), digit,
                                   source[first], memory.counts);
    });
    std::uint64_t varying = 0;
    for (int thread = 0; thread < threads_; ++thread) {
      varying |= MemoryOf(thread).varying;
    }
    return varying;
  }

  // Turns the threads' counts into the places where they put their elements,
  // those of equal digits by thread, and returns where each digit begins.
  std::vector<std::int64_t> MakePlaces(std::int64_t first,
                                       DigitExtractor digit) {
    std::vector<std::int64_t> bounds;
    std::int64_t sum = first;
    for (std::uint64_t d = 0; d < digit.count(); ++d) {
      bounds.push_back(sum);
      for (int thread = 0; thread < threads_; ++thread) {
        sum += std::exchange(MemoryOf(thread).counts[d], sum);
      }
    }
    bounds.push_back(sum);
    return bounds;
  }

  // Sorts the parts between neighbouring bounds, by the bits [from, to).
  absl::Status SortParts(const std::vector<std::int64_t>& bounds, int from,
                         int to, int side) {
    std::vector<Task> tasks;
    for (std::size_t part = 0; part + 1 < bounds.size(); ++part) {
      const std::int64_t last = bounds[part + 1];
      std::int64_t first = bounds[part];
      const bool sorted = from == to || last - first <= 1;
      if (!sorted && last - first > kLocal) continue;
      while (first < last) {
        // Sorted neighbours become one task, and large ones many.
        if (sorted && !tasks.empty() && tasks.back().sorted &&
            tasks.back().last == first &&
            tasks.back().last - tasks.back().first < kPart) {
          const std::int64_t end = std::min(last, tasks.back().first + kPart);
          first = tasks.back().last = end;
          continue;
        }
        const std::int64_t end = sorted ? std::min(last, first + kPart) : last;
        tasks.push_back({first, end, sorted});
        first = end;
      }
    }
    RunTasks(tasks, from, to, side);

    const ElementSource<Element> source = {workspace_.At<Element>(side)};
    for (std::size_t part = 0; part + 1 < bounds.size(); ++part) {
      if (from == to || bounds[part + 1] - bounds[part] <= kLocal) continue;
      RETURN_IF_ERROR(Distribute(source, bounds[part], bounds[part + 1], from,
                                 to, 1 - side));
    }
    return absl::OkStatus();
  }

  // As SortInCache; `b` may be where the elements stand.
  const Element* SortPart(const Element* elements, Element* a, Element* b,
                          std::int64_t n, int from, int to) const {
    if constexpr (std::is_same_v<Element, std::uint32_t>) {
      if (whole_ && n > 1 &&
          CONCORD_SIMD_CHOOSE(SortByRegisters)(elements, a, b, n, to)) {
        return b;
      }
    }
    return SortInCache(elements, a, b, n, from, to);
  }

  void RunTasks(const std::vector<Task>& tasks, int from, int to, int side) {
    const Element* const elements = workspace_.At<Element>(side);
    std::atomic<std::size_t> next{0};
    OnEachThread([&](int thread) {
      Memory& memory = MemoryOf(thread);
      for (std::size_t i = next++; i < tasks.size(); i = next++) {
        const Task& task = tasks[i];
        const std::int64_t n = task.last - task.first;
        const Element* sorted = elements + task.first;
        if (!task.sorted) {
          sorted = SortPart(sorted, memory.a, memory.b, n, from, to);
        }
        sink_.Store(task.first, sorted, n);
      }
      sink_.Finish();
    });
  }

  Workspace& workspace_;
  const ElementSink<Element>& sink_;
  const int threads_;
  std::int64_t total_ = 0;
  // Elements are their keys, and all bits of them count.
  bool whole_ = false;
};

template <typename Source>
absl::Status SortFrom(const Source& source, const ConstArrayView& keys_in,
                      ArrayView keys_out, ArrayView values_out,
                      const RadixSort::Options& options, Workspace& workspace) {
  using Element = typename Source::Element;
  const ElementSink<Element> sink(
      keys_out, values_out, options.order == RadixSort::Order::kDescending);
  const RadixSortBits bits = RadixSortBitsOf(options, keys_in.type());
  if constexpr (kInChunks<Source>) {
    if (bits.end - bits.first == 8 * SizeOf(keys_in.type())) {
      ASSIGN_OR_RETURN(const bool done,
                       SortByChunks(workspace, source, keys_in.size(), sink));
      if (done) return absl::OkStatus();
    }
  }
  const int shift = KeyShift<Element>(!values_out.empty());
  return PartitionSort<Element>(workspace, sink)
      .Run(source, keys_in.size(), bits.first + shift, bits.end + shift);
}

class RadixSortTbb : public RadixSort {
 public:
  explicit RadixSortTbb(std::shared_ptr<Backend> backend)
      : workspace_(std::move(backend)) {}

  absl::Status Compute(ConstArrayView keys_in, ConstArrayView values_in,
                       ArrayView keys_out, ArrayView values_out,
                       const Options& options) override {
    if (keys_in.empty()) return absl::OkStatus();
    return DispatchWidth(keys_in.type(), [&](auto bits) -> absl::Status {
      using Bits = decltype(bits);
      const auto* keys = keys_in.data<Bits>();
      const KeyMap<Bits> map =
          KeyMapOf<Bits>(keys_in.type(), options.order == Order::kDescending);
      const auto with_values = [&](auto values) {
        return SortFrom(PairSource<Bits, decltype(values)>{keys, map, values},
                        keys_in, keys_out, values_out, options, workspace_);
      };
      if (options.argsort) {
        // Whatever they are written as, most fit into 32 bits on their way.
        if (keys_in.size() <= kMostPositions32) {
          return with_values(Positions<std::uint32_t>());
        }
        return with_values(Positions<std::uint64_t>());
      }
      if (values_in.empty()) {
        return SortFrom(KeySource<Bits>{keys, map}, keys_in, keys_out,
                        values_out, options, workspace_);
      }
      if (SizeOf(values_in.type()) == 4) {
        return with_values(
            GivenValues<std::uint32_t>{values_in.data<std::uint32_t>()});
      }
      return with_values(
          GivenValues<std::uint64_t>{values_in.data<std::uint64_t>()});
    });
  }

 private:
  Workspace workspace_;
};

const bool kRegistered = Registry<RadixSort>::Get().Add<RadixSortTbb>(
    "tbb", "write_combined", /*rank=*/10,
    "distribution by cache lines, then digit by digit in the cache",
    RadixSortContract()
        .Boundaries({kLocalBytes}, {1, 4, 8, 16})
        .Boundaries({kMostInserted, kStreamingBytes / 8})
        .Notes("keeps memory of the size of the input between calls, twice "
               "that where keys crowd, and up to 5 MiB for each thread"));

}  // namespace
}  // namespace concord::radix_sort
