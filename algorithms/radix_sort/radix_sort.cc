// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/radix_sort/radix_sort.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "concord/core/registry.h"

namespace concord {
namespace {

constexpr char kAscending[] = "ascending";
constexpr char kDescending[] = "descending";

constexpr std::int64_t kMostUInt32Positions = std::int64_t{1} << 32;

absl::Status CheckValues(const ConstArrayView& keys_in,
                         const ConstArrayView& values_in,
                         const ConstArrayView& values_out,
                         const RadixSort::Options& options) {
  if (options.argsort) {
    if (!values_in.empty()) {
      return absl::InvalidArgumentError(
          "argsort makes the values itself: 'values_in' must be empty");
    }
    if (values_out.type() != ElementType::kUInt32) {
      absl::Status status =
          CheckType("values_out", values_out, ElementType::kInt64);
      if (!status.ok() && !keys_in.empty()) return status;
    } else if (keys_in.size() > kMostUInt32Positions) {
      return absl::InvalidArgumentError(
          "more than 2^32 positions do not fit into uint32: 'values_out' must "
          "have elements of type int64");
    }
    return CheckSize("values_out", values_out, keys_in.size());
  }
  absl::Status status = CheckSize("values_out", values_out, values_in.size());
  if (values_in.empty()) return status;
  status.Update(CheckSize("values_in", values_in, keys_in.size()));
  status.Update(CheckType("values_out", values_out, values_in.type()));
  if (SizeOf(values_in.type()) < 4) {
    status.Update(absl::InvalidArgumentError(
        absl::StrCat("'values_in' must have elements of 4 or 8 bytes, not ",
                     Name(values_in.type()))));
  }
  return status;
}

absl::Status CheckBits(const RadixSort::Options& options, ElementType type) {
  const RadixSortBits bits = RadixSortBitsOf(options, type);
  const int width = 8 * static_cast<int>(SizeOf(type));
  if (0 <= bits.first && bits.first <= bits.end && bits.end <= width) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("bits ", bits.first, ",", bits.end, " are not a range in 0,",
                   width, ", the bits of ", Name(type)));
}

}  // namespace

const std::vector<std::string>& RadixSortOrderNames() {
  static const auto* const names =
      new std::vector<std::string>{kAscending, kDescending};
  return *names;
}

absl::StatusOr<RadixSort::Order> ParseRadixSortOrder(absl::string_view name) {
  if (name == kAscending) return RadixSort::Order::kAscending;
  if (name == kDescending) return RadixSort::Order::kDescending;
  return absl::InvalidArgumentError(
      absl::StrCat("radix_sort has no order '", name, "'; it has ",
                   absl::StrJoin(RadixSortOrderNames(), ", ")));
}

absl::Status ParseRadixSortBits(absl::string_view text,
                                RadixSort::Options* options) {
  if (text.empty()) return absl::OkStatus();
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  int first;
  int end;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &first) ||
      !absl::SimpleAtoi(parts[1], &end) || first < 0 || end < first) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--bits takes FROM,TO with 0 <= FROM <= TO, such as 0,16, not '", text,
        "'"));
  }
  options->first_bit = first;
  options->end_bit = end;
  return absl::OkStatus();
}

absl::Status CheckRadixSortArguments(const ConstArrayView& keys_in,
                                     const ConstArrayView& values_in,
                                     const ConstArrayView& keys_out,
                                     const ConstArrayView& values_out,
                                     const RadixSort::Options& options,
                                     Memory memory, absl::string_view where) {
  absl::Status status = CheckMemory("keys_in", keys_in, memory, where);
  status.Update(CheckMemory("keys_out", keys_out, memory, where));
  if (!values_in.empty()) {
    status.Update(CheckMemory("values_in", values_in, memory, where));
  }
  if (!values_out.empty()) {
    status.Update(CheckMemory("values_out", values_out, memory, where));
  }
  status.Update(CheckType("keys_out", keys_out, keys_in.type()));
  status.Update(CheckSize("keys_out", keys_out, keys_in.size()));
  status.Update(CheckValues(keys_in, values_in, values_out, options));
  status.Update(CheckBits(options, keys_in.type()));
  if (options.block < 0 || options.block > 1024 || options.block % 32 != 0) {
    status.Update(absl::InvalidArgumentError(
        absl::StrCat("a block has a multiple of 32 threads up to 1024, not ",
                     options.block)));
  }
  return status;
}

Contract RadixSortContract() {
  Contract contract;
  contract.special_values =
      "IEEE 754 total order: -NaN < -inf < ... < -0.0 < +0.0 < ... < +inf < "
      "+NaN, NaNs by payload; all bits are kept";
  return contract;
}

absl::Status ComputeRadixSort(const std::shared_ptr<Backend>& backend,
                              ConstArrayView keys_in, ConstArrayView values_in,
                              ArrayView keys_out, ArrayView values_out,
                              const RadixSort::Options& options,
                              absl::string_view variant) {
  absl::StatusOr<std::unique_ptr<RadixSort>> sort =
      Registry<RadixSort>::Get().Create(backend, variant);
  if (!sort.ok()) return sort.status();
  absl::Status status =
      CheckRadixSortArguments(keys_in, values_in, keys_out, values_out, options,
                              Memory::Host(), "ComputeRadixSort");
  if (!status.ok()) return status;
  if (backend->memory().is_host()) {
    return (*sort)->Run(keys_in, values_in, keys_out, values_out, options);
  }

  std::vector<Array> arrays;
  for (const ConstArrayView& view :
       {keys_in, values_in, ConstArrayView(keys_out),
        ConstArrayView(values_out)}) {
    absl::StatusOr<Array> array = backend->Allocate(view.type(), view.size());
    if (!array.ok()) return array.status();
    arrays.push_back(*std::move(array));
  }
  status = backend->Copy(keys_in, arrays[0].view());
  if (status.ok() && !values_in.empty()) {
    status = backend->Copy(values_in, arrays[1].view());
  }
  if (status.ok()) {
    status = (*sort)->Run(arrays[0].view(), arrays[1].view(), arrays[2].view(),
                          arrays[3].view(), options);
  }
  if (status.ok()) status = backend->Copy(arrays[2].view(), keys_out);
  if (status.ok() && !values_out.empty()) {
    status = backend->Copy(arrays[3].view(), values_out);
  }
  return status;
}

}  // namespace concord
