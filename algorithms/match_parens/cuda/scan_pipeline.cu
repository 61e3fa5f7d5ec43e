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

#include <cstdint>
#include <memory>

#include "concord/algorithms/match_parens/cuda/run.cuh"
#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/backends/cuda/grid_map.cuh"
#include "concord/core/registry.h"

namespace concord::match_parens {
namespace {

// What the reductions find.
enum Found { kLeast, kFirstBelowZero, kLastFromZero, kFounds };

class MatchParensScanPipeline : public MatchParensOnCuda {
 public:
  using MatchParensOnCuda::MatchParensOnCuda;

  // Not private, because it makes lambdas for the device.
  absl::Status MatchOneKind(Span<const uint8_t> span, const Brackets& brackets,
                            int64_t* fault) override {
    const uint8_t* const in = span.base + span.begin;
    const int64_t n = span.end - span.begin;
    absl::StatusOr<Array> depths_array =
        backend()->Allocate(ElementType::kInt64, n);
    absl::StatusOr<Array> places_array =
        backend()->Allocate(ElementType::kInt64, n);
    absl::StatusOr<Array> found_array =
        backend()->Allocate(ElementType::kInt64, kFounds);
    absl::Status status = scan_.status();
    status.Update(reduce_.status());
    status.Update(depths_array.status());
    status.Update(places_array.status());
    status.Update(found_array.status());
    if (!status.ok()) return status;
    int64_t* const depths = depths_array->data<int64_t>();
    int64_t* const places = places_array->data<int64_t>();
    const int64_t* const found = found_array->data<int64_t>();
    const auto reduce = [&](const Array& from, Reduce::Op op, Found to) {
      return (*reduce_)->Run(from.view(), found_array->view().Slice(to, 1),
                             {op});
    };

    const uint8_t open = brackets.open;
    const uint8_t close = brackets.close;
    status = Map(n, [=] __device__(int64_t i) {
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
    return QueueMap(*backend(), name(), n, f);
  }

  absl::StatusOr<std::unique_ptr<Scan>> scan_ =
      Registry<Scan>::Get().Create(backend());
  absl::StatusOr<std::unique_ptr<Reduce>> reduce_ =
      Registry<Reduce>::Get().Create(backend());
};

const bool kRegistered = RegisterOnCuda<MatchParensScanPipeline>(
    "scan_pipeline", /*rank=*/2,
    "a scan to depths and reductions of these; several kinds: a sort by depth",
    Contract()
        .Types({ElementType::kInt8, ElementType::kUInt8})
        .Notes("needs 16 bytes of memory for each element"));

}  // namespace
}  // namespace concord::match_parens
