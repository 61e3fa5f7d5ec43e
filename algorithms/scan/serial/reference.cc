// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <memory>

#include "concord/algorithms/scan/scan.h"
#include "concord/core/registry.h"

namespace concord::scan {
namespace {

template <typename T, typename Op>
void ScanLoop(const T* in, T* out, std::int64_t n, Scan::Kind kind) {
  T sum = Op::Empty();
  for (std::int64_t i = 0; i < n; ++i) {
    const T next = Op()(sum, in[i]);
    out[i] = CanonicalNan(kind == Scan::Kind::kInclusive ? next : sum);
    sum = next;
  }
}

class ScanSerial : public Scan {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    DispatchScan(options.op, in.type(), [&](auto op) {
      using Op = decltype(op);
      using T = typename Op::Element;
      ScanLoop<T, Op>(in.data<T>(), out.data<T>(), in.size(), options.kind);
    });
    return absl::OkStatus();
  }
};

Contract MakeContract() {
  Contract contract;
  contract.in_place = true;
  contract.determinism = Determinism::kRunToRun;
  contract.special_values =
      "add, mul: IEEE 754 arithmetic, from left to right; min, max: NaN from "
      "the first NaN on, -0.0 < +0.0";
  contract.notes =
      "float sums and products from left to right: the same bits everywhere, "
      "but not those of the variants fixed_order";
  return contract;
}

const bool kRegistered = Registry<Scan>::Get().Add(
    "serial", "reference", /*rank=*/10, "one element after the other",
    MakeContract(), [](const std::shared_ptr<Backend>&) {
      return std::make_unique<ScanSerial>();
    });

}  // namespace
}  // namespace concord::scan
