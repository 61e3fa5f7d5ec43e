// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/compact/compact.h"

#include <array>

#include "concord/core/call.h"
#include "concord/core/element_width.h"

namespace concord {
namespace {

// A constant that the elements cannot hold.
absl::Status CheckConstants(const Predicate& keep, ElementType type) {
  return DispatchWidth(type, [&](auto word) {
    return compact::RangeOf<decltype(word)>(keep, type).status();
  });
}

std::optional<ArrayView> IfGiven(const ArrayView& view) {
  return view.given() ? std::optional(view) : std::nullopt;
}

std::array<ArrayView, 5> InOrder(const Compact::Outputs& outputs) {
  const ArrayView none;
  return {outputs.kept, outputs.count, outputs.indices.value_or(none),
          outputs.rejected.value_or(none),
          outputs.rejected_count.value_or(none)};
}

}  // namespace

const Signature<Compact>& Compact::GetSignature() {
  const Rule<Options, bool> with_indices = {
      "with --output-indices",
      [](const Options& options, Views) { return options.indices; }};
  const Rule<Options, bool> with_rejected = {
      "with --output-rejected",
      [](const Options& options, Views) { return options.rejected; }};
  static const auto* const signature = new Signature<Compact>(
      Signature<Compact>("the elements that satisfy a predicate, in order")
          .Text("keep",
                "which elements to keep: nonzero, less:C, greater:C, equal:C "
                "or between:A,B (both ends included)",
                "nonzero",
                [](absl::string_view text, Options& options) {
                  absl::StatusOr<Predicate> keep = ParsePredicate(text);
                  if (keep.ok()) options.keep = *keep;
                  return keep.status();
                })
          .OrFunction({"keep",
                       "or a function of your own, such as 'x % 3 == 1'",
                       {{"", "sequence --program=filter FUNCTION"}}})
          .WantedOutput("output-indices", "where the kept elements stood",
                        &Options::indices)
          .WantedOutput("output-rejected", "the other elements, in order",
                        &Options::rejected)
          .Input({"in", "the elements"})
          .Output(
              {"out", "the kept elements", SameTypeAs{0}, {"n"}, "", "count"})
          .Output({"count",
                   "how many are kept",
                   Always{ElementType::kInt64},
                   {"1"}})
          .Output({"indices",
                   "where they stood",
                   Always{ElementType::kInt64},
                   {"n"},
                   "",
                   "count",
                   {},
                   with_indices})
          .Output({"rejected",
                   "the other elements",
                   SameTypeAs{0},
                   {"n"},
                   "",
                   "rejected_count",
                   {},
                   with_rejected})
          .Output({"rejected_count",
                   "how many others there are",
                   Always{ElementType::kInt64},
                   {"1"},
                   "",
                   "",
                   {},
                   with_rejected})
          .Requires([](const Options& options, Views in) {
            return CheckConstants(options.keep, in[0].type());
          })
          .Calls([](Compact& compact, Views in, MutableViews out,
                    const Options& options) -> absl::Status {
            if (out[3].given() != out[4].given()) {
              return absl::InvalidArgumentError(
                  "'rejected' and 'rejected_count' go together: one is "
                  "missing");
            }
            return compact.Compute(in[0],
                                   {out[0], out[1], IfGiven(out[2]),
                                    IfGiven(out[3]), IfGiven(out[4])},
                                   options);
          }));
  return *signature;
}

absl::Status Compact::Run(ConstArrayView in, const Outputs& outputs,
                          const Options& options) {
  return GetSignature().Run(*this, {in}, InOrder(outputs), options);
}

Contract compact::CompactContract() {
  return Contract().SpecialValues(
      "-0.0 equals 0; a NaN is nonzero, and not less than, greater than, equal "
      "to or between anything; bits are copied as they are");
}

absl::Status ComputeCompact(const std::shared_ptr<Backend>& backend,
                            ConstArrayView in, const Compact::Outputs& outputs,
                            const Compact::Options& options,
                            absl::string_view variant) {
  return RunOnHost<Compact>(backend, variant, options, {in}, InOrder(outputs));
}

const bool kRegistered = RegisterAlgorithm<Compact>();

}  // namespace concord
