// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/compact/compact.h"

#include <utility>

#include "concord/core/registry.h"

namespace concord {
namespace {

absl::Status CheckArray(absl::string_view name, const ConstArrayView& view,
                        ElementType type, std::int64_t size, Memory memory,
                        absl::string_view where) {
  absl::Status status = CheckMemory(name, view, memory, where);
  status.Update(CheckType(name, view, type));
  status.Update(CheckSize(name, view, size));
  return status;
}

// Device arrays that stand for host arrays while something runs.
class DeviceCopies {
 public:
  explicit DeviceCopies(Backend& backend) : backend_(backend) {}

  // An array like `host`, which owns its memory as long as this object lives.
  absl::StatusOr<ArrayView> Allocate(const ConstArrayView& host) {
    absl::StatusOr<Array> array = backend_.Allocate(host.type(), host.size());
    if (!array.ok()) return array.status();
    arrays_.push_back(*std::move(array));
    return arrays_.back().view();
  }

  // The same for an output that need not be there.
  absl::Status Allocate(const std::optional<ArrayView>& host,
                        std::optional<ArrayView>* device) {
    if (!host.has_value()) return absl::OkStatus();
    absl::StatusOr<ArrayView> allocated = Allocate(*host);
    if (allocated.ok()) *device = *allocated;
    return allocated.status();
  }

 private:
  Backend& backend_;
  std::vector<Array> arrays_;
};

// Copies the elements that are results.
absl::Status CopyResults(Backend& backend, const ArrayView& device,
                         const ArrayView& host, std::int64_t count) {
  return backend.Copy(device.Slice(0, count), host.Slice(0, count));
}

}  // namespace

absl::Status CheckCompactArguments(const ConstArrayView& in,
                                   const Compact::Outputs& outputs,
                                   Memory memory, absl::string_view where) {
  const auto check = [&](absl::string_view name, const ConstArrayView& view,
                         ElementType type, std::int64_t size) {
    return CheckArray(name, view, type, size, memory, where);
  };
  absl::Status status = CheckMemory("in", in, memory, where);
  status.Update(check("kept", outputs.kept, in.type(), in.size()));
  status.Update(check("count", outputs.count, ElementType::kInt64, 1));
  if (outputs.indices.has_value()) {
    status.Update(
        check("indices", *outputs.indices, ElementType::kInt64, in.size()));
  }
  if (outputs.rejected.has_value() != outputs.rejected_count.has_value()) {
    status.Update(absl::InvalidArgumentError(
        "'rejected' and 'rejected_count' go together: one is missing"));
  } else if (outputs.rejected.has_value()) {
    status.Update(check("rejected", *outputs.rejected, in.type(), in.size()));
    status.Update(check("rejected_count", *outputs.rejected_count,
                        ElementType::kInt64, 1));
  }
  return status;
}

Contract CompactContract() {
  Contract contract;
  contract.in_place = false;
  contract.determinism = Determinism::kBitwiseAcrossBackends;
  contract.special_values =
      "-0.0 equals 0; a NaN is nonzero, and not less than, greater than, equal "
      "to or between anything; bits are copied as they are";
  return contract;
}

absl::Status ComputeCompact(const std::shared_ptr<Backend>& backend,
                            ConstArrayView in, const Compact::Outputs& outputs,
                            const Compact::Options& options,
                            absl::string_view variant) {
  absl::StatusOr<std::unique_ptr<Compact>> compact =
      Registry<Compact>::Get().Create(backend, variant);
  if (!compact.ok()) return compact.status();
  absl::Status status =
      CheckCompactArguments(in, outputs, Memory::Host(), "ComputeCompact");
  if (!status.ok()) return status;
  if (backend->memory().is_host()) return (*compact)->Run(in, outputs, options);

  DeviceCopies copies(*backend);
  absl::StatusOr<ArrayView> device_in = copies.Allocate(in);
  if (!device_in.ok()) return device_in.status();
  absl::StatusOr<ArrayView> kept = copies.Allocate(outputs.kept);
  if (!kept.ok()) return kept.status();
  absl::StatusOr<ArrayView> count = copies.Allocate(outputs.count);
  if (!count.ok()) return count.status();
  Compact::Outputs device = {*kept, *count, {}, {}, {}};
  status.Update(copies.Allocate(outputs.indices, &device.indices));
  status.Update(copies.Allocate(outputs.rejected, &device.rejected));
  status.Update(
      copies.Allocate(outputs.rejected_count, &device.rejected_count));
  if (status.ok()) status = backend->Copy(in, *device_in);
  if (status.ok()) status = (*compact)->Run(*device_in, device, options);
  if (status.ok()) status = backend->Copy(device.count, outputs.count);
  if (!status.ok()) return status;
  const std::int64_t results = *outputs.count.data<std::int64_t>();
  status = CopyResults(*backend, device.kept, outputs.kept, results);
  if (outputs.indices.has_value()) {
    status.Update(
        CopyResults(*backend, *device.indices, *outputs.indices, results));
  }
  if (outputs.rejected.has_value()) {
    *outputs.rejected_count->data<std::int64_t>() = in.size() - results;
    status.Update(CopyResults(*backend, *device.rejected, *outputs.rejected,
                              in.size() - results));
  }
  return status;
}

}  // namespace concord
