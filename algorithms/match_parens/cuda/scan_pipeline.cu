// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One kind, as R. Yadav and B. Houghton do it, "StandardML-GPU: adding fast
// CUDA bindings to Standard ML" (2017), on our own scan and reductions:
//
//   depths = inclusive scan (+) of 1, -1 and 0
//   balanced if the last depth is 0 and reduce (min) of the depths is not
//   negative
//
// and a map and a reduction more for each of the two places where the first
// fault can be. Several kinds: as the default does.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/algorithms/match_parens/cuda/kinds.cuh"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/grid_map.cuh"
#include "concord/core/registry.h"

namespace concord::match_parens {
namespace {

constexpr char kWhere[] = "match_parens/cuda/scan_pipeline";

// What the reductions find.
enum Found { kLeast, kFirstBelowZero, kLastFromZero, kFounds };

class MatchParensScanPipeline : public MatchParens {
 public:
  explicit MatchParensScanPipeline(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))),
        kinds_(backend_),
        scan_(Registry<Scan>::Get().Create(backend_)),
        reduce_(Registry<Reduce>::Get().Create(backend_)) {}

  absl::Status Run(ConstArrayView in, ArrayView fault,
                   const Options& options) override {
    absl::Status status = CheckMatchParensArguments(in, fault, options,
                                                    backend_->memory(), kWhere);
    if (status.ok()) status = scan_.status();
    if (status.ok()) status = reduce_.status();
    if (status.ok()) status = backend_->Activate();
    if (!status.ok()) return status;
    const Brackets brackets = *BracketsOf(options, in.type());
    if (in.empty()) return kinds_.StoreBalanced(fault.data<int64_t>());
    const auto* const bytes = static_cast<const uint8_t*>(in.data());
    if (brackets.kinds > 1) {
      return kinds_.FindFault(AlignedSpan(bytes, in.size()), brackets,
                              fault.data<int64_t>());
    }
    return RunOnOneKind(bytes, in.size(), brackets, fault.data<int64_t>());
  }

  // Not private, because it makes lambdas for the device.
  absl::Status RunOnOneKind(const uint8_t* in, int64_t n,
                            const Brackets& brackets, int64_t* fault) {
    absl::StatusOr<Array> depths_array =
        backend_->Allocate(ElementType::kInt64, n);
    if (!depths_array.ok()) return depths_array.status();
    absl::StatusOr<Array> places_array =
        backend_->Allocate(ElementType::kInt64, n);
    if (!places_array.ok()) return places_array.status();
    absl::StatusOr<Array> found_array =
        backend_->Allocate(ElementType::kInt64, kFounds);
    if (!found_array.ok()) return found_array.status();
    int64_t* const depths = depths_array->data<int64_t>();
    int64_t* const places = places_array->data<int64_t>();
    const int64_t* const found = found_array->data<int64_t>();
    const auto reduce = [&](const Array& from, Reduce::Op op, Found to) {
      return (*reduce_)->Run(from.view(), found_array->view().Slice(to, 1),
                             {op});
    };

    const uint8_t open = brackets.open;
    const uint8_t close = brackets.close;
    absl::Status status = Map(n, [=] __device__(int64_t i) {
      depths[i] = (in[i] == open) - (in[i] == close);
    });
    if (status.ok()) {
      status = (*scan_)->Run(depths_array->view(), depths_array->view(),
                             {Scan::Kind::kInclusive, Scan::Op::kAdd});
    }
    if (status.ok()) status = reduce(*depths_array, Reduce::Op::kMin, kLeast);

    if (status.ok()) {
      status = Map(
          n, [=] __device__(int64_t i) { places[i] = depths[i] < 0 ? i : n; });
    }
    if (status.ok()) {
      status = reduce(*places_array, Reduce::Op::kMin, kFirstBelowZero);
    }
    if (status.ok()) {
      status = Map(n, [=] __device__(int64_t i) {
        places[i] = depths[i] == 0 ? i + 1 : 0;
      });
    }
    if (status.ok()) {
      status = reduce(*places_array, Reduce::Op::kMax, kLastFromZero);
    }
    if (!status.ok()) return status;
    return Map(1, [=] __device__(int64_t) {
      const bool balanced = depths[n - 1] == 0 && found[kLeast] >= 0;
      *fault = balanced            ? -1
               : found[kLeast] < 0 ? found[kFirstBelowZero]
                                   : found[kLastFromZero];
    });
  }

 private:
  template <typename F>
  absl::Status Map(int64_t n, F f) {
    LaunchMap(n, backend_->stream(), f);
    return LaunchStatus(kWhere);
  }

  std::shared_ptr<CudaBackend> backend_;
  KindMatcher kinds_;
  absl::StatusOr<std::unique_ptr<Scan>> scan_;
  absl::StatusOr<std::unique_ptr<Reduce>> reduce_;
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kInt8, ElementType::kUInt8};
  contract.notes = "needs 16 bytes of memory for each element";
  return contract;
}

const bool kRegistered = Registry<MatchParens>::Get().Add(
    "cuda", "scan_pipeline", /*rank=*/2,
    "a scan to depths and reductions of these; several kinds: a sort by depth",
    MakeContract(), [](std::shared_ptr<Backend> backend) {
      return std::make_unique<MatchParensScanPipeline>(std::move(backend));
    });

}  // namespace
}  // namespace concord::match_parens
