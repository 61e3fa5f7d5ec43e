// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The frames of maps and sums (map.cu, reduce.cu) with functions that nvcc has
// compiled: what splicing a function costs is all that differs.

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "concord/algorithms/reduce/cuda/tree.cuh"
#include "concord/algorithms/sequence/spliced/compiled_functions.cuh"
#include "concord/algorithms/sequence/spliced/compiled_peers.h"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/operator_traits.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"

namespace concord {
namespace sequence {
namespace {

template <typename T>
struct FramePlus {
  using Element = T;

  __device__ __forceinline__ static T Identity() { return T{0}; }
  __device__ __forceinline__ T operator()(T a, T b) const { return a + b; }
};

}  // namespace
}  // namespace sequence

// As in reduce.cu.
template <typename T>
inline constexpr bool kOrderMatters<sequence::FramePlus<T>> = true;

namespace sequence {
namespace {

// As in reduce.cu.
struct FewCopies {
  static constexpr int kBatches = 1;
  static constexpr int kLoadsAtEnd = 4;
  static constexpr int kRowsOfElements = 1;
};

template <typename F>
using ResultOf = std::invoke_result_t<F, std::int32_t>;

// Results of F as elements.
template <typename F, typename T = ResultOf<F>>
struct MappedSource {
  using Unrolling = FewCopies;

  const std::int32_t* in;
  int64_t elements;

  __device__ static constexpr int64_t begin() { return INT64_MIN; }
  __device__ int64_t end() const { return elements; }
  __device__ static constexpr bool aligned() { return true; }

  __device__ __forceinline__ Vector<T> Load(int64_t first) const {
    const Span<const std::int32_t> span{in, 0, elements};
    const Vector<std::int32_t> loaded = LoadVector(span, first);
    Vector<T> vector{};
#pragma unroll
    for (int k = 0; k < Vector<T>::kLanes; ++k) {
      vector.set_lane(k, F()(loaded.lane(k)));
    }
    return vector;
  }
  __device__ __forceinline__ Vector<T> LoadElements(int64_t first,
                                                    T absent) const {
    Vector<T> vector{};
#pragma unroll
    for (int k = 0; k < Vector<T>::kLanes; ++k) {
      vector.set_lane(k, first + k < elements ? F()(in[first + k]) : absent);
    }
    return vector;
  }
};

template <typename F, typename T = ResultOf<F>>
__global__ void __launch_bounds__(reduce::kTreeThreads,
                                  reduce::kTreeBlocksPerMultiprocessor)
    SumInFrame(const __grid_constant__ MappedSource<F> source,
               reduce::TreeCut<T> cut, char* memory, T* out) {
  T result;
  if (reduce::ReduceTree<FramePlus<T>>(source, cut, memory, result) &&
      threadIdx.x == 0) {
    *out = result;
  }
}

template <typename F>
class Sum : public CompiledPeer {
 public:
  explicit Sum(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)), scratch_(backend_) {}

  absl::Status Run(const PeerArrays& arrays) override {
    using T = ResultOf<F>;
    const reduce::TreeCut<T> cut{Reduce::kRowsPerSegment};
    absl::Status status = scratch_.Reserve(cut.MemoryBytes(arrays.n));
    if (!status.ok()) return status;
    return QueueKernel(*backend_, "a sum", SumInFrame<F>,
                       {cut.Chunks(arrays.n), reduce::kTreeThreads},
                       MappedSource<F>{arrays.x, arrays.n}, cut,
                       scratch_.data<char>(), static_cast<T*>(arrays.result));
  }

 private:
  std::shared_ptr<CudaBackend> backend_;
  Scratch scratch_;
};

// Arrays are aligned, and end with a whole tile or before it.
template <typename F>
__global__ void __launch_bounds__(kMapThreads)
    MapInFrame(Span<const std::int32_t> in, Span<ResultOf<F>> out) {
  constexpr int64_t kTile = MapTile(kMapGroups);
  static_assert(kMapGroups == 1 && spliced::kMapGroup == 4);
  const int64_t tile = int64_t{blockIdx.x} * kTile;
  if (tile + kTile <= in.end) {
    const int64_t first = tile + threadIdx.x * spliced::kMapGroup;
    const Vector<std::int32_t> loaded = LoadVector(in, first);
    Vector<ResultOf<F>> vector{};
#pragma unroll
    for (int k = 0; k < 4; ++k) vector.set_lane(k, F()(loaded.lane(k)));
    StoreVector(out, first, vector);
    return;
  }
#pragma unroll 1
  for (int64_t i = tile + threadIdx.x; i < in.end; i += kMapThreads) {
    out.base[i] = F()(in.base[i]);
  }
}

template <typename F>
class Map : public CompiledPeer {
 public:
  explicit Map(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}

  absl::Status Run(const PeerArrays& arrays) override {
    return QueueKernel(*backend_, "a map", MapInFrame<F>,
                       {DivideUp(arrays.n, MapTile(kMapGroups)), kMapThreads},
                       Span<const std::int32_t>{arrays.x, 0, arrays.n},
                       Span<std::int32_t>{arrays.out, 0, arrays.n});
  }

 private:
  std::shared_ptr<CudaBackend> backend_;
};

const bool kRegistered =
    RegisterPeer<Sum<SixMaps>>("sum of six operations", kSameFrame) &&
    RegisterPeer<Sum<FortyEightMaps>>("sum of 48 operations", kSameFrame) &&
    RegisterPeer<Sum<FortyEightFloatMaps>>("float32 sum of 48 operations",
                                           kSameFrame) &&
    RegisterPeer<Map<FortyEightMaps>>("map of 48 operations", kSameFrame);

}  // namespace
}  // namespace sequence
}  // namespace concord
