// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's selection, the peer that every other CUDA implementation is measured
// against: one pass for each output that is asked for. (Its partition would
// write both kinds of elements in one pass, but the rejected ones in reverse.)

#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstdint>
#include <cub/device/device_select.cuh>
#include <limits>
#include <type_traits>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/cuda/run.cuh"
#include "concord/backends/cuda/cub_peer.cuh"

namespace concord::compact {
namespace {

// What a caller who needs no more would write: a comparison with a constant,
// signed or not, or two. With Keeps<Word>, which also orders floats, CUB is up
// to a fifth slower.
template <typename T>
struct IsAtMost {
  T last;
  template <typename Word>
  __device__ bool operator()(Word x) const {
    return static_cast<T>(x) <= last;
  }
};
template <typename Word>
struct IsWithin {
  Word low, span;
  __device__ bool operator()(Word x) const {
    return static_cast<Word>(x - low) <= span;
  }
};
template <typename Word>
struct IsBeyond {
  IsWithin<Word> range;
  __device__ bool operator()(Word x) const { return !range(x); }
};

template <typename Word>
struct KeepsAt {
  KeptRange<Word> range;
  const Word* in;
  __device__ bool operator()(int64_t i) const { return range.Keeps(in[i]); }
};

class CompactCub : public CompactOnCuda<CompactCub> {
 public:
  using CompactOnCuda::CompactOnCuda;

  template <typename Word>
  absl::Status Select(const KeptRange<Word>& keep,
                      const CompactArrays<Word>& arrays) {
    const int64_t n = arrays.size;
    absl::Status status =
        PassByValue(arrays.in, arrays.kept, arrays.count, n, keep);
    if (status.ok() && arrays.rejected != nullptr) {
      KeptRange<Word> others = keep;
      others.inverted = !others.inverted;
      status = PassByValue(arrays.in, arrays.rejected, arrays.rejected_count, n,
                           others);
    }
    if (status.ok() && arrays.indices != nullptr) {
      status = Pass(thrust::counting_iterator<int64_t>(0), arrays.indices,
                    arrays.count, n, KeepsAt<Word>{keep, arrays.in});
    }
    return status;
  }

 private:
  template <typename Word>
  absl::Status PassByValue(const Word* in, Word* out, int64_t* count, int64_t n,
                           const KeptRange<Word>& keep) {
    if (keep.flip != 0) return Pass(in, out, count, n, Keeps<Word>{keep});
    using Signed = std::make_signed_t<Word>;
    const auto last = static_cast<Word>(keep.low + keep.span);
    const auto least = static_cast<Word>(std::numeric_limits<Signed>::min());
    if (!keep.inverted && keep.low == 0) {
      return Pass(in, out, count, n, IsAtMost<Word>{last});
    }
    if (!keep.inverted && keep.low == least) {
      return Pass(in, out, count, n,
                  IsAtMost<Signed>{static_cast<Signed>(last)});
    }
    const IsWithin<Word> range{keep.low, keep.span};
    return keep.inverted ? Pass(in, out, count, n, IsBeyond<Word>{range})
                         : Pass(in, out, count, n, range);
  }

  template <typename In, typename T, typename Predicate>
  absl::Status Pass(In in, T* out, int64_t* count, int64_t n,
                    Predicate predicate) {
    return memory_.Run(name(), [&](void* memory, std::size_t& bytes) {
      return cub::DeviceSelect::If(memory, bytes, in, out, count, n, predicate,
                                   stream());
    });
  }

  CubMemory memory_{backend()};
};

const bool kRegistered = RegisterOnCuda<CompactCub>(
    "cub", /*rank=*/5, "DeviceSelect of CUB",
    CompactContract().Notes("one pass for each output that is asked for"));

}  // namespace
}  // namespace concord::compact
