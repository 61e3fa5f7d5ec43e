// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/radix_sort/radix_sort.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "concord/core/call.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

constexpr std::int64_t kMostUInt32Positions = std::int64_t{1} << 32;

absl::Status CheckBits(const RadixSort::Options& options, ElementType type) {
  const radix_sort::RadixSortBits bits =
      radix_sort::RadixSortBitsOf(options, type);
  const int width = 8 * static_cast<int>(SizeOf(type));
  if (0 <= bits.first && bits.first <= bits.end && bits.end <= width) {
    return absl::OkStatus();
  }
  return InvalidArgumentError("bits ", bits.first, ",", bits.end,
                              " are not a range in 0,", width, ", the bits of ",
                              Name(type));
}

absl::Status ParseBits(absl::string_view text, RadixSort::Options& options) {
  if (text.empty()) return absl::OkStatus();
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  int first;
  int end;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &first) ||
      !absl::SimpleAtoi(parts[1], &end) || first < 0 || end < first) {
    return InvalidArgumentError(
        "--bits takes FROM,TO with 0 <= FROM <= TO, such as 0,16, not '", text,
        "'");
  }
  options.first_bit = first;
  options.end_bit = end;
  return absl::OkStatus();
}

// A caller of the interface may bring an empty array for values that there are
// none of.
template <typename View>
View IfAny(const View& values, const ConstArrayView& keys) {
  return values.empty() && !keys.empty() ? View() : values;
}

absl::Status CheckValues(const RadixSort::Options& options, Views in) {
  if (options.argsort && in[1].given()) {
    return InvalidArgumentError(
        "the values are given, or with argsort the positions of the keys, not "
        "both");
  }
  if (options.values && !options.argsort && !in[1].given()) {
    return InvalidArgumentError(
        "--output-values needs --values=FILE or --argsort");
  }
  return absl::OkStatus();
}

// What there is to write them to.
absl::Status CheckValuesOut(const RadixSort::Options& options, Views in,
                            MutableViews out) {
  const ArrayView& values = out[1];
  if (in[1].given() && values.given()) {
    return CheckType("values", values, in[1].type());
  }
  if (values.given() && !values.empty() && !options.argsort) {
    return CheckSize("values", values, 0);
  }
  if (options.argsort && values.type() == ElementType::kUInt32 &&
      in[0].size() > kMostUInt32Positions) {
    return InvalidArgumentError(
        "more than 2^32 positions do not fit into uint32: 'values' must "
        "have elements of type int64");
  }
  return absl::OkStatus();
}

}  // namespace

const Signature<RadixSort>& RadixSort::GetSignature() {
  static const auto* const signature = new Signature<RadixSort>(
      Signature<RadixSort>("stable sort of keys, or of keys with values")
          .Choice("order", "which key comes first", &Options::order,
                  {{"ascending", Order::kAscending},
                   {"descending", Order::kDescending}})
          .Text("bits",
                "FROM,TO: look only at these bits of the keys, as unsigned "
                "integers of the same order, from 0, the lowest, to TO - 1",
                "", ParseBits)
          .Switch("argsort",
                  "the values are the positions of the keys in the input",
                  &Options::argsort)
          .Option(OptionSpec::File(
              "values", "values of 4 or 8 bytes that go with the keys"))
          .WantedOutput(
              "output-values",
              "the values, or positions, in the order of the sorted keys",
              &Options::values)
          .Input({"in", "the keys"})
          .Input({"in_values",
                  "what goes with them",
                  {ElementType::kInt32, ElementType::kUInt32,
                   ElementType::kInt64, ElementType::kUInt64,
                   ElementType::kFloat32, ElementType::kFloat64},
                  {"n"},
                  /*optional=*/true,
                  /*file_option=*/"values"})
          .Output({"out", "the sorted keys", SameTypeAs{0}, {"n"}})
          .Output({"values",
                   "what goes with them",
                   {"that of the values, int64 with --argsort",
                    [](const Options&, Views in) {
                      return in[1].given() ? in[1].type() : ElementType::kInt64;
                    }},
                   {"n"},
                   /*in_place_of=*/"",
                   /*size_in=*/"",
                   /*or_types=*/{ElementType::kUInt32},
                   {"with values or --argsort",
                    [](const Options& options, Views in) {
                      return options.argsort || in[1].given();
                    }}})
          .Requires([](const Options& options, Views in) {
            absl::Status status = CheckBits(options, in[0].type());
            status.Update(CheckValues(options, in));
            return status;
          })
          .Calls([](RadixSort& sort, Views in, MutableViews out,
                    const Options& options) {
            RETURN_IF_ERROR(CheckValuesOut(options, in, out));
            return sort.Compute(in[0], in[1], out[0], out[1], options);
          }));
  return *signature;
}

absl::Status RadixSort::Run(ConstArrayView keys_in, ConstArrayView values_in,
                            ArrayView keys_out, ArrayView values_out,
                            const Options& options) {
  return GetSignature().Run(*this, {keys_in, IfAny(values_in, keys_in)},
                            {keys_out, IfAny(values_out, keys_in)}, options);
}

Contract radix_sort::RadixSortContract() {
  return Contract().SpecialValues(
      "IEEE 754 total order: -NaN < -inf < ... < -0.0 < +0.0 < ... < +inf < "
      "+NaN, NaNs by payload; all bits are kept");
}

absl::Status ComputeRadixSort(const std::shared_ptr<Backend>& backend,
                              ConstArrayView keys_in, ConstArrayView values_in,
                              ArrayView keys_out, ArrayView values_out,
                              const RadixSort::Options& options,
                              absl::string_view variant) {
  return RunOnHost<RadixSort>(backend, variant, options,
                              {keys_in, IfAny(values_in, keys_in)},
                              {keys_out, IfAny(values_out, keys_in)});
}

const bool kRegistered = RegisterAlgorithm<RadixSort>();

}  // namespace concord
