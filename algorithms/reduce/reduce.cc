// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/reduce/reduce.h"

#include "concord/core/call.h"
#include "concord/core/errors.h"

namespace concord {

const Signature<Reduce>& Reduce::GetSignature() {
  static const auto* const signature = new Signature<Reduce>(
      Signature<Reduce>("one value out of all elements")
          .Choice("op",
                  "how elements are combined; and, or and xor for integers "
                  "only",
                  &Options::op,
                  {{"add", Op::kAdd},
                   {"mul", Op::kMul},
                   {"min", Op::kMin},
                   {"max", Op::kMax},
                   {"and", Op::kAnd},
                   {"or", Op::kOr},
                   {"xor", Op::kXor}})
          .OrFunction({"op",
                       "or an operator of your own, such as 'a > b ? a : b'",
                       {{"", "sequence --program=reduce FUNCTION"}}})
          .Input({"in", "the elements"})
          .Output({"out", "what they amount to", SameTypeAs{0}, {"1"}})
          .Requires([](const Options& options, Views in) -> absl::Status {
            if (HasReduceOp(in[0].type(), options.op)) return absl::OkStatus();
            return InvalidArgumentError(
                "reduce with and, or and xor is for integers, not "
                "for ",
                concord::Name(in[0].type()));
          })
          .Calls([](Reduce& reduce, Views in, MutableViews out,
                    const Options& options) {
            return reduce.Compute(in[0], out[0], options);
          }));
  return *signature;
}

absl::Status Reduce::Run(ConstArrayView in, ArrayView out,
                         const Options& options) {
  return GetSignature().Run(*this, {in}, {out}, options);
}

bool HasReduceOp(ElementType type, Reduce::Op op) {
  return !IsFloat(type) || (op != Reduce::Op::kAnd && op != Reduce::Op::kOr &&
                            op != Reduce::Op::kXor);
}

absl::Status ComputeReduce(const std::shared_ptr<Backend>& backend,
                           ConstArrayView in, ArrayView out,
                           const Reduce::Options& options,
                           absl::string_view variant) {
  return RunOnHost<Reduce>(backend, variant, options, {in}, {out});
}

const bool kRegistered = RegisterAlgorithm<Reduce>();

}  // namespace concord
