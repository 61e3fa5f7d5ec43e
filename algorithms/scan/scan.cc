// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/scan/scan.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/registry.h"

namespace concord {
namespace {

template <typename T>
struct Named {
  T value;
  const char* name;
};

constexpr Named<Scan::Kind> kKinds[] = {
    {Scan::Kind::kExclusive, "exclusive"},
    {Scan::Kind::kInclusive, "inclusive"},
};

constexpr Named<Scan::Op> kOps[] = {
    {Scan::Op::kAdd, "add"},
    {Scan::Op::kMul, "mul"},
    {Scan::Op::kMin, "min"},
    {Scan::Op::kMax, "max"},
};

template <typename T, std::size_t kCount>
std::vector<std::string>* NewNames(const Named<T> (&table)[kCount]) {
  auto* names = new std::vector<std::string>();
  for (const Named<T>& entry : table) names->push_back(entry.name);
  return names;
}

template <typename T, std::size_t kCount>
absl::StatusOr<T> Parse(absl::string_view what, absl::string_view name,
                        const Named<T> (&table)[kCount],
                        const std::vector<std::string>& names) {
  for (const Named<T>& entry : table) {
    if (entry.name == name) return entry.value;
  }
  return absl::InvalidArgumentError(absl::StrCat("scan has no ", what, " '",
                                                 name, "'; it has ",
                                                 absl::StrJoin(names, ", ")));
}

}  // namespace

const std::vector<std::string>& ScanKindNames() {
  static const auto* const names = NewNames(kKinds);
  return *names;
}

absl::StatusOr<Scan::Kind> ParseScanKind(absl::string_view name) {
  return Parse("kind", name, kKinds, ScanKindNames());
}

const std::vector<std::string>& ScanOpNames() {
  static const auto* const names = NewNames(kOps);
  return *names;
}

absl::StatusOr<Scan::Op> ParseScanOp(absl::string_view name) {
  return Parse("op", name, kOps, ScanOpNames());
}

absl::Status CheckScanBlock(int block) {
  if (block >= 0 && block <= 1024 && block % 32 == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("scan has no blocks of ", block,
                   " threads; there are multiples of 32 up to 1024, and 0 for "
                   "the implementation's own choice"));
}

absl::Status CheckScanArguments(const ConstArrayView& in,
                                const ConstArrayView& out, Memory memory,
                                absl::string_view where) {
  absl::Status status = CheckMemory("in", in, memory, where);
  status.Update(CheckMemory("out", out, memory, where));
  status.Update(CheckType("out", out, in.type()));
  status.Update(CheckSize("out", out, in.size()));
  return status;
}

absl::Status ComputeScan(const std::shared_ptr<Backend>& backend,
                         ConstArrayView in, ArrayView out,
                         const Scan::Options& options,
                         absl::string_view variant) {
  absl::StatusOr<std::unique_ptr<Scan>> scan =
      Registry<Scan>::Get().Create(backend, variant);
  if (!scan.ok()) return scan.status();
  absl::Status status =
      CheckScanArguments(in, out, Memory::Host(), "ComputeScan");
  if (!status.ok()) return status;
  if (backend->memory().is_host()) return (*scan)->Run(in, out, options);

  absl::StatusOr<Array> device_in = backend->Allocate(in.type(), in.size());
  if (!device_in.ok()) return device_in.status();
  absl::StatusOr<Array> device_out = backend->Allocate(in.type(), in.size());
  if (!device_out.ok()) return device_out.status();
  status = backend->Copy(in, device_in->view());
  if (!status.ok()) return status;
  status = (*scan)->Run(device_in->view(), device_out->view(), options);
  if (!status.ok()) return status;
  return backend->Copy(device_out->view(), out);
}

}  // namespace concord
