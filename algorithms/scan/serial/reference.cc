// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

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

const bool kRegistered = Registry<Scan>::Get().Add<ScanSerial>(
    "serial", "reference", /*rank=*/10, "one element after the other",
    Contract()
        .InPlace()
        .Determined(Determinism::kRunToRun)
        .SpecialValues("add, mul: IEEE 754 arithmetic, from left to right; "
                       "min, max: NaN from the first NaN on, -0.0 < +0.0")
        .Notes("float sums and products from left to right: the same bits "
               "everywhere, but not those of the variants fixed_order"));

}  // namespace
}  // namespace concord::scan
