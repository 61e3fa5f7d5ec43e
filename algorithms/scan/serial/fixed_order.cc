// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The order that scan.h defines, one element after the other: that of the up-
// and downsweep of G. E. Blelloch, "Prefix sums and their applications" (1990).

#include <cstdint>

#include "concord/algorithms/scan/scan.h"
#include "concord/algorithms/scan/scan_fixed_order.h"
#include "concord/core/registry.h"

namespace concord::scan {
namespace {

template <typename Op, typename T = typename Op::Element>
void ScanInFixedOrder(const T* in, T* out, std::int64_t n, Scan::Kind kind) {
  NodeCounter<Op> counter(Op::Empty());
  for (std::int64_t i = 0; i < n; ++i) {
    const T x = in[i];
    const T before = counter.prefix();
    out[i] =
        CanonicalNan(kind == Scan::Kind::kInclusive ? Op()(before, x) : before);
    counter.Append(x);
  }
}

class ScanSerialFixedOrder : public Scan {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    DispatchScan(options.op, in.type(), [&](auto op) {
      using Op = decltype(op);
      using T = typename Op::Element;
      ScanInFixedOrder<Op>(in.data<T>(), out.data<T>(), in.size(),
                           options.kind);
    });
    return absl::OkStatus();
  }
};

const bool kRegistered = Registry<Scan>::Get().Add<ScanSerialFixedOrder>(
    "serial", "fixed_order", /*rank=*/5,
    "floats in the order of the definition, one element after the other",
    Contract().InPlace().SpecialValues(
        "add, mul: IEEE 754 arithmetic in the order of the definition; min, "
        "max: NaN from the first NaN on, -0.0 < +0.0"));

}  // namespace
}  // namespace concord::scan
