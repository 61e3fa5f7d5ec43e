// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/run_length_encode/run_length_encode.h"

#include <limits>

#include "concord/core/call.h"
#include "concord/core/errors.h"

namespace concord {

const Signature<RunLengthEncode>& RunLengthEncode::GetSignature() {
  static const auto* const signature = new Signature<RunLengthEncode>(
      Signature<RunLengthEncode>(
          "each run of equal elements as one of them and a length")
          .Choice(
              "length-type", "the type of the lengths", &Options::length_type,
              {{"int64", ElementType::kInt64}, {"int32", ElementType::kInt32}})
          .WantedOutput("output-lengths",
                        "the file for the lengths of the runs")
          .Input({"in", "the elements"})
          .Output({"values",
                   "the element of each run",
                   SameTypeAs{0},
                   {"n"},
                   /*in_place_of=*/"",
                   /*size_in=*/"runs"})
          .Output({"lengths",
                   "how many elements each run has",
                   {"--length-type", [](const Options& options,
                                        Views) { return options.length_type; }},
                   {"n"},
                   /*in_place_of=*/"",
                   /*size_in=*/"runs",
                   /*or_types=*/{ElementType::kInt32, ElementType::kInt64}})
          .Output({"runs",
                   "how many runs there are",
                   Always{ElementType::kInt64},
                   {"1"}})
          .Requires([](const Options& options, Views in) {
            return run_length_encode::CheckLengthType(options.length_type,
                                                      in[0].size());
          })
          .Calls([](RunLengthEncode& encode, Views in, MutableViews out,
                    const Options&) -> absl::Status {
            // Of the array that is there, whatever the options say.
            RETURN_IF_ERROR(run_length_encode::CheckLengthType(out[1].type(),
                                                               in[0].size()));
            return encode.Compute(in[0], {out[0], out[1], out[2]});
          }));
  return *signature;
}

absl::Status RunLengthEncode::Run(ConstArrayView in, const Outputs& out) {
  return GetSignature().Run(*this, {in}, {out.values, out.lengths, out.runs},
                            {});
}

absl::Status run_length_encode::CheckLengthType(ElementType type,
                                                std::int64_t elements) {
  if (type == ElementType::kInt32 &&
      elements > std::numeric_limits<std::int32_t>::max()) {
    return InvalidArgumentError("runs of ", elements,
                                " elements need lengths of type int64");
  }
  return absl::OkStatus();
}

absl::Status ComputeRunLengthEncode(const std::shared_ptr<Backend>& backend,
                                    ConstArrayView in,
                                    const RunLengthEncode::Outputs& out,
                                    absl::string_view variant) {
  return RunOnHost<RunLengthEncode>(backend, variant, {}, {in},
                                    {out.values, out.lengths, out.runs});
}

const bool kRegistered = RegisterAlgorithm<RunLengthEncode>();

}  // namespace concord
