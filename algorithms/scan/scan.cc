// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/scan/scan.h"

#include "concord/core/call.h"

namespace concord {

const Signature<Scan>& Scan::GetSignature() {
  static const auto* const signature = new Signature<Scan>(
      Signature<Scan>("prefix sums, or products, minima, maxima")
          .Choice("kind", "whether a result takes in its own element",
                  &Options::kind,
                  {{"exclusive", Kind::kExclusive},
                   {"inclusive", Kind::kInclusive}})
          .Choice("op", "how elements are combined", &Options::op,
                  {{"add", Op::kAdd},
                   {"mul", Op::kMul},
                   {"min", Op::kMin},
                   {"max", Op::kMax}})
          .OrFunction(
              {"op",
               "or an operator of your own, such as 'a > b ? a : b'; "
               "exclusive, its identity has to be known",
               {{"inclusive", "sequence --program=scan FUNCTION"},
                {"exclusive", "sequence --program=scan_before FUNCTION"}},
               "kind"})
          .Input({"in", "the elements"})
          .Output({"out",
                   "what the elements up to each amount to",
                   SameTypeAs{0},
                   {"n"},
                   "in"})
          .Calls([](Scan& scan, Views in, MutableViews out,
                    const Options& options) {
            return scan.Compute(in[0], out[0], options);
          }));
  return *signature;
}

absl::Status Scan::Run(ConstArrayView in, ArrayView out,
                       const Options& options) {
  return GetSignature().Run(*this, {in}, {out}, options);
}

absl::Status ComputeScan(const std::shared_ptr<Backend>& backend,
                         ConstArrayView in, ArrayView out,
                         const Scan::Options& options,
                         absl::string_view variant) {
  return RunOnHost<Scan>(backend, variant, options, {in}, {out});
}

const bool kRegistered = RegisterAlgorithm<Scan>();

}  // namespace concord
