// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/run_length_encode/run_length_encode.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/registry.h"

namespace concord {

absl::Status CheckLengthType(ElementType type, std::int64_t elements) {
  if (type != ElementType::kInt32 && type != ElementType::kInt64) {
    return absl::InvalidArgumentError(
        absl::StrCat("lengths of runs are int32 or int64, not ", Name(type)));
  }
  if (type == ElementType::kInt32 &&
      elements > std::numeric_limits<std::int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "runs of ", elements, " elements need lengths of type int64"));
  }
  return absl::OkStatus();
}

absl::Status CheckRunLengthEncodeArguments(const ConstArrayView& in,
                                           const RunLengthEncode::Outputs& out,
                                           Memory memory,
                                           absl::string_view where) {
  absl::Status status = CheckMemory("in", in, memory, where);
  status.Update(CheckMemory("values", out.values, memory, where));
  status.Update(CheckMemory("lengths", out.lengths, memory, where));
  status.Update(CheckMemory("runs", out.runs, memory, where));
  status.Update(CheckType("values", out.values, in.type()));
  status.Update(CheckSize("values", out.values, in.size()));
  status.Update(CheckSize("lengths", out.lengths, in.size()));
  status.Update(CheckType("runs", out.runs, ElementType::kInt64));
  status.Update(CheckSize("runs", out.runs, 1));
  status.Update(CheckLengthType(out.lengths.type(), in.size()));
  return status;
}

absl::Status ComputeRunLengthEncode(const std::shared_ptr<Backend>& backend,
                                    ConstArrayView in,
                                    const RunLengthEncode::Outputs& out,
                                    absl::string_view variant) {
  absl::StatusOr<std::unique_ptr<RunLengthEncode>> encode =
      Registry<RunLengthEncode>::Get().Create(backend, variant);
  if (!encode.ok()) return encode.status();
  absl::Status status = CheckRunLengthEncodeArguments(in, out, Memory::Host(),
                                                      "ComputeRunLengthEncode");
  if (!status.ok()) return status;
  if (backend->memory().is_host()) return (*encode)->Run(in, out);

  absl::StatusOr<Array> device_in = backend->Allocate(in.type(), in.size());
  if (!device_in.ok()) return device_in.status();
  absl::StatusOr<Array> values = backend->Allocate(in.type(), in.size());
  if (!values.ok()) return values.status();
  absl::StatusOr<Array> lengths =
      backend->Allocate(out.lengths.type(), in.size());
  if (!lengths.ok()) return lengths.status();
  absl::StatusOr<Array> runs = backend->Allocate(ElementType::kInt64, 1);
  if (!runs.ok()) return runs.status();
  status = backend->Copy(in, device_in->view());
  if (!status.ok()) return status;
  status = (*encode)->Run(device_in->view(),
                          {values->view(), lengths->view(), runs->view()});
  if (!status.ok()) return status;
  status = backend->Copy(runs->view(), out.runs);
  if (!status.ok()) return status;
  // No more than there is.
  const std::int64_t count = *out.runs.data<std::int64_t>();
  status =
      backend->Copy(values->view().Slice(0, count), out.values.Slice(0, count));
  if (!status.ok()) return status;
  return backend->Copy(lengths->view().Slice(0, count),
                       out.lengths.Slice(0, count));
}

}  // namespace concord
