// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's calls that fuse a function, one each. They allocate what they need.

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/sequence/spliced/compiled_functions.cuh"
#include "concord/algorithms/sequence/spliced/compiled_peers.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/thrust_calls.cuh"

namespace concord::sequence {
namespace {

class ThrustPeer : public CompiledPeer {
 public:
  explicit ThrustPeer(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}

 protected:
  auto policy() const { return thrust::cuda::par.on(backend_->stream()); }

  // What Thrust returns to the host goes where the others have it.
  template <typename T>
  absl::Status Store(T value, void* result) const {
    return CudaStatus(
        cudaMemcpyAsync(result, &value, sizeof(T), cudaMemcpyHostToDevice,
                        backend_->stream()),
        "storing a result");
  }

 private:
  std::shared_ptr<CudaBackend> backend_;
};

class Sum : public ThrustPeer {
 public:
  using ThrustPeer::ThrustPeer;
  absl::Status Run(const PeerArrays& arrays) override {
    std::int32_t sum = 0;
    absl::Status status = ThrustStatus("Thrust", [&] {
      sum = thrust::transform_reduce(policy(), arrays.x, arrays.x + arrays.n,
                                     SixMaps(), 0, thrust::plus<>());
    });
    return status.ok() ? Store(sum, arrays.result) : status;
  }
};

class Scan : public ThrustPeer {
 public:
  using ThrustPeer::ThrustPeer;
  absl::Status Run(const PeerArrays& arrays) override {
    return ThrustStatus("Thrust", [&] {
      thrust::transform_inclusive_scan(policy(), arrays.x, arrays.x + arrays.n,
                                       arrays.out, SixMaps(), thrust::plus<>());
    });
  }
};

class Filter : public ThrustPeer {
 public:
  using ThrustPeer::ThrustPeer;
  absl::Status Run(const PeerArrays& arrays) override {
    std::int64_t count = 0;
    absl::Status status = ThrustStatus("Thrust", [&] {
      const auto first = thrust::make_transform_iterator(arrays.x, SixMaps());
      count = thrust::copy_if(policy(), first, first + arrays.n, arrays.out,
                              KeepsThreeQuarters()) -
              arrays.out;
    });
    return status.ok() ? Store(count, arrays.result) : status;
  }
};

const bool kRegistered =
    RegisterPeer<Sum>("sum of six operations", "Thrust") &&
    RegisterPeer<Scan>("scan of six operations", "Thrust") &&
    RegisterPeer<Filter>("filter of six operations, one result", "Thrust");

}  // namespace
}  // namespace concord::sequence
