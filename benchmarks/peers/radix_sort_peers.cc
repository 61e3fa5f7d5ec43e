// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Sorts of keys alone, by comparison: std::sort, also with the parallel policy
// of libstdc++, oneTBB's parallel_sort, and vqsort of Highway (M. Blacher, J.
// Giesen, P. Sanders, J. Wassenberg, "Vectorized and performance-portable
// quicksort", arXiv 2205.05982, 2022), also on all threads.
// They sort in place, so the keys are copied to the output first; for 2^25 keys
// of 4 bytes that is a few milliseconds of the time.

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <cstdint>
#include <execution>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/benchmarks/peers/parallel_merge.h"
#include "concord/benchmarks/peers/peer.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"
#include "hwy/contrib/sort/vqsort.h"

namespace concord {
namespace {

// Calls sort(first, last, less) for what the two orders have for `less`.
template <typename T, typename Sort>
void InOrder(RadixSort::Order order, T* keys, std::int64_t n,
             const Sort& sort) {
  if (order == RadixSort::Order::kAscending) {
    sort(keys, keys + n, std::less<T>());
  } else {
    sort(keys, keys + n, std::greater<T>());
  }
}

struct StdSort {
  template <typename T>
  void operator()(T* keys, std::int64_t n, RadixSort::Order order) const {
    InOrder(order, keys, n, [](auto first, auto last, auto less) {
      std::sort(first, last, less);
    });
  }
};

struct Vqsort {
  template <typename T>
  void operator()(T* keys, std::int64_t n, RadixSort::Order order) const {
    const hwy::Sorter sorter;
    const auto size = static_cast<std::size_t>(n);
    if (order == RadixSort::Order::kAscending) {
      sorter(keys, size, hwy::SortAscending());
    } else {
      sorter(keys, size, hwy::SortDescending());
    }
  }
};

struct ParallelSort {
  std::shared_ptr<TbbBackend> backend;

  template <typename T>
  void operator()(T* keys, std::int64_t n, RadixSort::Order order) const {
    backend->Execute([&] {
      InOrder(order, keys, n, [](auto first, auto last, auto less) {
        oneapi::tbb::parallel_sort(first, last, less);
      });
    });
  }
};

struct StdParallelSort {
  std::shared_ptr<TbbBackend> backend;

  template <typename T>
  void operator()(T* keys, std::int64_t n, RadixSort::Order order) const {
    backend->Execute([&] {
      InOrder(order, keys, n, [](auto first, auto last, auto less) {
        std::sort(std::execution::par, first, last, less);
      });
    });
  }
};

// A segment for each thread, and then merges.
struct ParallelVqsort {
  std::shared_ptr<TbbBackend> backend;

  template <typename T>
  void operator()(T* keys, std::int64_t n, RadixSort::Order order) const {
    const std::int64_t segments = backend->threads();
    std::vector<std::int64_t> bounds;
    for (std::int64_t s = 0; s <= segments; ++s) {
      bounds.push_back(n * s / segments);
    }
    backend->ForEach(segments, [&](std::int64_t s) {
      Vqsort()(keys + bounds[s], bounds[s + 1] - bounds[s], order);
    });
    InOrder(order, keys, n, [&](T* first, T*, auto less) {
      MergeSorted(*backend, first, bounds, less);
    });
  }
};

template <typename Sort, typename Copy>
class SortInPlace : public RadixSort {
 public:
  SortInPlace(Sort sort, Copy copy)
      : sort_(std::move(sort)), copy_(std::move(copy)) {}

  absl::Status Compute(ConstArrayView keys_in, ConstArrayView,
                       ArrayView keys_out, ArrayView values_out,
                       const Options& options) override {
    if (!values_out.empty() || options.first_bit != 0 || options.end_bit >= 0) {
      return UnimplementedError(name(),
                                " sorts keys alone, by all of their bits");
    }
    copy_(keys_out.data(), keys_in.data(), keys_in.bytes());
    switch (keys_in.type()) {
      case ElementType::kInt32:
        sort_(keys_out.data<std::int32_t>(), keys_in.size(), options.order);
        break;
      case ElementType::kUInt32:
        sort_(keys_out.data<std::uint32_t>(), keys_in.size(), options.order);
        break;
      case ElementType::kInt64:
        sort_(keys_out.data<std::int64_t>(), keys_in.size(), options.order);
        break;
      default:
        sort_(keys_out.data<std::uint64_t>(), keys_in.size(), options.order);
    }
    return absl::OkStatus();
  }

 private:
  const Sort sort_;
  const Copy copy_;
};

template <typename MakePeer>
bool AddSort(const char* backend, const char* variant, const char* summary,
             const MakePeer& make) {
  return AddPeer<RadixSort>(
      backend, variant, summary,
      Contract().Types({ElementType::kInt32, ElementType::kUInt32,
                        ElementType::kInt64, ElementType::kUInt64}),
      make);
}

template <typename Sort>
std::unique_ptr<RadixSort> MakeSerial(const std::shared_ptr<Backend>&) {
  const auto copy = [](void* to, const void* from, std::int64_t bytes) {
    std::copy_n(static_cast<const char*>(from), bytes, static_cast<char*>(to));
  };
  return std::make_unique<SortInPlace<Sort, decltype(copy)>>(Sort(), copy);
}

template <typename Sort>
std::unique_ptr<RadixSort> MakeParallel(std::shared_ptr<Backend> opened) {
  auto backend = AsTbb(std::move(opened));
  const auto copy = [backend](void* to, const void* from, std::int64_t bytes) {
    ParallelCopy(*backend, to, from, bytes);
  };
  return std::make_unique<SortInPlace<Sort, decltype(copy)>>(Sort{backend},
                                                             copy);
}

const bool kRegistered =
    AddSort("serial", "std_sort", "std::sort", MakeSerial<StdSort>) &&
    AddSort("serial", "vqsort", "vqsort of Highway, on one thread",
            MakeSerial<Vqsort>) &&
    AddSort("tbb", "parallel_sort", "parallel_sort of oneTBB",
            MakeParallel<ParallelSort>) &&
    AddSort("tbb", "std_sort", "std::sort(std::execution::par)",
            MakeParallel<StdParallelSort>) &&
    AddSort("tbb", "vqsort",
            "vqsort of Highway, a segment for each thread, then merges",
            MakeParallel<ParallelVqsort>);

}  // namespace
}  // namespace concord
