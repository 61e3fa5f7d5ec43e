// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/run_length_decode/run_length_decode.h"

#include <algorithm>
#include <utility>

#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/core/registry.h"

namespace concord {
namespace {

template <typename Length>
absl::StatusOr<std::int64_t> Sum(absl::Span<const Length> lengths) {
  std::int64_t sum = 0;
  for (const Length length : lengths) {
    if (length > 0 && __builtin_add_overflow(sum, length, &sum)) {
      return LengthsTooLarge();
    }
  }
  return sum;
}

}  // namespace

absl::StatusOr<std::int64_t> SumOfLengths(ConstArrayView lengths) {
  return lengths.type() == ElementType::kInt32
             ? Sum(lengths.span<std::int32_t>())
             : Sum(lengths.span<std::int64_t>());
}

absl::Status LengthsTooLarge() {
  return absl::InvalidArgumentError(
      "the lengths of the runs add up to more than 2^63 - 1");
}

absl::Status CheckRunLengthDecodeArguments(const RunLengthDecode::Runs& runs,
                                           const RunLengthDecode::Outputs& out,
                                           Memory memory,
                                           absl::string_view where) {
  absl::Status status = CheckMemory("values", runs.values, memory, where);
  status.Update(CheckMemory("lengths", runs.lengths, memory, where));
  status.Update(CheckMemory("out", out.out, memory, where));
  status.Update(CheckMemory("size", out.size, memory, where));
  status.Update(CheckSize("lengths", runs.lengths, runs.values.size()));
  // Either type of length can say how long one run is, whatever the sum.
  status.Update(CheckLengthType(runs.lengths.type(), /*elements=*/0));
  status.Update(CheckType("out", out.out, runs.values.type()));
  status.Update(CheckType("size", out.size, ElementType::kInt64));
  status.Update(CheckSize("size", out.size, 1));
  return status;
}

absl::Status ComputeRunLengthDecode(const std::shared_ptr<Backend>& backend,
                                    const RunLengthDecode::Runs& runs,
                                    const RunLengthDecode::Outputs& out,
                                    absl::string_view variant) {
  absl::StatusOr<std::unique_ptr<RunLengthDecode>> decode =
      Registry<RunLengthDecode>::Get().Create(backend, variant);
  if (!decode.ok()) return decode.status();
  absl::Status status = CheckRunLengthDecodeArguments(runs, out, Memory::Host(),
                                                      "ComputeRunLengthDecode");
  if (!status.ok()) return status;
  if (backend->memory().is_host()) return (*decode)->Run(runs, out);
  status = SumOfLengths(runs.lengths).status();
  if (!status.ok()) return status;

  absl::StatusOr<Array> values =
      backend->Allocate(runs.values.type(), runs.values.size());
  if (!values.ok()) return values.status();
  absl::StatusOr<Array> lengths =
      backend->Allocate(runs.lengths.type(), runs.lengths.size());
  if (!lengths.ok()) return lengths.status();
  absl::StatusOr<Array> device_out =
      backend->Allocate(out.out.type(), out.out.size());
  if (!device_out.ok()) return device_out.status();
  absl::StatusOr<Array> size = backend->Allocate(ElementType::kInt64, 1);
  if (!size.ok()) return size.status();
  status = backend->Copy(runs.values, values->view());
  if (!status.ok()) return status;
  status = backend->Copy(runs.lengths, lengths->view());
  if (!status.ok()) return status;
  status = (*decode)->Run({values->view(), lengths->view()},
                          {device_out->view(), size->view()});
  if (!status.ok()) return status;
  status = backend->Copy(size->view(), out.size);
  if (!status.ok()) return status;
  // No more than there is.
  const std::int64_t count =
      std::min(*out.size.data<std::int64_t>(), out.out.size());
  return backend->Copy(device_out->view().Slice(0, count),
                       out.out.Slice(0, count));
}

}  // namespace concord
