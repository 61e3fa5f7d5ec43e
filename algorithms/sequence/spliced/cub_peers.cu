// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB over iterators that apply the function. Its reduction asks for operators
// that commute; those of brackets and runs do not, and their results are wrong.

#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <memory>
#include <utility>

#include "concord/algorithms/sequence/spliced/compiled_functions.cuh"
#include "concord/algorithms/sequence/spliced/compiled_peers.h"
#include "concord/backends/cuda/cub_calls.cuh"

namespace concord::sequence {
namespace {

class CubPeer : public CompiledPeer {
 public:
  explicit CubPeer(std::shared_ptr<CudaBackend> backend)
      : stream_(backend->stream()), scratch_(std::move(backend)) {}

 protected:
  template <typename Call>
  absl::Status WithMemory(const Call& call) {
    return RunCub(scratch_, "CUB", call);
  }
  cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_;
  Scratch scratch_;
};

template <typename F>
auto Mapped(const PeerArrays& arrays, F f) {
  return thrust::make_transform_iterator(arrays.x, f);
}

class Sum : public CubPeer {
 public:
  using CubPeer::CubPeer;
  absl::Status Run(const PeerArrays& arrays) override {
    return WithMemory([&](void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::Sum(memory, bytes, Mapped(arrays, SixMaps()),
                                    static_cast<std::int32_t*>(arrays.result),
                                    arrays.n, stream());
    });
  }
};

class Scan : public CubPeer {
 public:
  using CubPeer::CubPeer;
  absl::Status Run(const PeerArrays& arrays) override {
    return WithMemory([&](void* memory, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(
          memory, bytes, Mapped(arrays, SixMaps()), arrays.out,
          static_cast<int>(arrays.n), stream());
    });
  }
};

class Filter : public CubPeer {
 public:
  using CubPeer::CubPeer;
  absl::Status Run(const PeerArrays& arrays) override {
    return WithMemory([&](void* memory, std::size_t& bytes) {
      return cub::DeviceSelect::If(
          memory, bytes, Mapped(arrays, SixMaps()), arrays.out,
          static_cast<std::int64_t*>(arrays.result), static_cast<int>(arrays.n),
          KeepsThreeQuarters(), stream());
    });
  }
};

class FoldBrackets : public CubPeer {
 public:
  using CubPeer::CubPeer;
  absl::Status Run(const PeerArrays& arrays) override {
    return WithMemory([&](void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::Reduce(
          memory, bytes, Mapped(arrays, MakeBrackets()),
          static_cast<Brackets*>(arrays.result), arrays.n, CombineBrackets(),
          Brackets{0, 0}, stream());
    });
  }
};

class FoldRuns : public CubPeer {
 public:
  using CubPeer::CubPeer;
  absl::Status Run(const PeerArrays& arrays) override {
    constexpr std::int64_t kLow = -(std::int64_t{1} << 60);
    return WithMemory([&](void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::Reduce(
          memory, bytes, Mapped(arrays, MakeRun()),
          static_cast<RangeSums*>(arrays.result), arrays.n, CombineRuns(),
          RangeSums{0, kLow, kLow, kLow}, stream());
    });
  }
};

const bool kRegistered =
    RegisterPeer<Sum>("sum of six operations", "CUB") &&
    RegisterPeer<Scan>("scan of six operations", "CUB") &&
    RegisterPeer<Filter>("filter of six operations, one result", "CUB") &&
    RegisterPeer<FoldBrackets>("parentheses, two int32", "CUB") &&
    RegisterPeer<FoldRuns>("maximum subarray, four int64", "CUB");

}  // namespace
}  // namespace concord::sequence
