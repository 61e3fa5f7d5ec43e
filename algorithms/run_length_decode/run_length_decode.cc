// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/run_length_decode/run_length_decode.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "concord/core/call.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

template <typename Length>
absl::StatusOr<std::int64_t> Sum(absl::Span<const Length> lengths) {
  std::int64_t sum = 0;
  for (const Length length : lengths) {
    if (length > 0 && __builtin_add_overflow(sum, length, &sum)) {
      return run_length_decode::LengthsTooLarge();
    }
  }
  return sum;
}

constexpr char kAllResults[] = "all";

absl::Status ParseLimit(absl::string_view text,
                        RunLengthDecode::Options& options) {
  if (text == kAllResults) return absl::OkStatus();
  if (absl::SimpleAtoi(text, &options.limit) && options.limit >= 0) {
    return absl::OkStatus();
  }
  return InvalidArgumentError("--limit takes a whole number or '", kAllResults,
                              "', not '", text, "'");
}

}  // namespace

absl::StatusOr<std::int64_t> SumOfLengths(ConstArrayView lengths) {
  return Guarded([&]() -> absl::StatusOr<std::int64_t> {
    return lengths.type() == ElementType::kInt32
               ? Sum(lengths.span<std::int32_t>())
               : Sum(lengths.span<std::int64_t>());
  });
}

absl::Status run_length_decode::LengthsTooLarge() {
  return InvalidArgumentError(
      "the lengths of the runs add up to more than 2^63 - 1");
}

const Signature<RunLengthDecode>& RunLengthDecode::GetSignature() {
  static const auto* const signature = new Signature<RunLengthDecode>(
      Signature<RunLengthDecode>("an array from its runs")
          .Option(OptionSpec::File(
              "lengths",
              "the file with the lengths of the runs, int32 or int64"))
          .Text("limit", "no more than so many results", kAllResults,
                ParseLimit)
          .Choice(
              "length-type", "the type of lengths that are not from a file",
              &Options::length_type,
              {{"int64", ElementType::kInt64}, {"int32", ElementType::kInt32}})
          .Input({"values",
                  "the element of each run",
                  AllElementTypes(),
                  {"runs"}})
          .Input({"lengths",
                  "how many elements each run has",
                  {ElementType::kInt32, ElementType::kInt64},
                  {"runs"}})
          .Extent({"room", "the sum of the lengths, or --limit", {"lengths"}},
                  [](const Options& options,
                     Views in) -> absl::StatusOr<std::int64_t> {
                    ASSIGN_OR_RETURN(std::int64_t sum, SumOfLengths(in[1]));
                    return std::min(sum, options.limit);
                  })
          .Output({"out",
                   "the elements",
                   SameTypeAs{0},
                   {"room"},
                   /*in_place_of=*/"",
                   /*size_in=*/"size"})
          .Output({"size",
                   "the sum of the lengths",
                   Always{ElementType::kInt64},
                   {"1"}})
          .Examines([](const Options&, Views in) {
            return SumOfLengths(in[1]).status();
          })
          .Calls([](RunLengthDecode& decode, Views in, MutableViews out,
                    const Options&) {
            return decode.Compute({in[0], in[1]}, {out[0], out[1]});
          }));
  return *signature;
}

absl::Status RunLengthDecode::Run(const Runs& runs, const Outputs& out) {
  return GetSignature().Run(*this, {runs.values, runs.lengths},
                            {out.out, out.size}, {});
}

absl::Status ComputeRunLengthDecode(const std::shared_ptr<Backend>& backend,
                                    const RunLengthDecode::Runs& runs,
                                    const RunLengthDecode::Outputs& out,
                                    absl::string_view variant) {
  return RunOnHost<RunLengthDecode>(
      backend, variant, {}, {runs.values, runs.lengths}, {out.out, out.size});
}

const bool kRegistered = RegisterAlgorithm<RunLengthDecode>();

}  // namespace concord
