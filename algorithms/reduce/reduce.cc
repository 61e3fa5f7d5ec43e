// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/reduce/reduce.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/registry.h"

namespace concord {
namespace {

struct NamedOp {
  Reduce::Op op;
  const char* name;
  bool for_floats;
};

constexpr NamedOp kOps[] = {
    {Reduce::Op::kAdd, "add", true},  {Reduce::Op::kMul, "mul", true},
    {Reduce::Op::kMin, "min", true},  {Reduce::Op::kMax, "max", true},
    {Reduce::Op::kAnd, "and", false}, {Reduce::Op::kOr, "or", false},
    {Reduce::Op::kXor, "xor", false},
};

const NamedOp& Find(Reduce::Op op) {
  for (const NamedOp& named : kOps) {
    if (named.op == op) return named;
  }
  __builtin_unreachable();
}

}  // namespace

absl::string_view Name(Reduce::Op op) { return Find(op).name; }

const std::vector<std::string>& ReduceOpNames() {
  static const auto* const names = [] {
    auto* all = new std::vector<std::string>();
    for (const NamedOp& named : kOps) all->push_back(named.name);
    return all;
  }();
  return *names;
}

absl::StatusOr<Reduce::Op> ParseReduceOp(absl::string_view name) {
  for (const NamedOp& named : kOps) {
    if (named.name == name) return named.op;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("reduce has no op '", name, "'; it has ",
                   absl::StrJoin(ReduceOpNames(), ", ")));
}

bool HasReduceOp(ElementType type, Reduce::Op op) {
  return !IsFloat(type) || Find(op).for_floats;
}

absl::Status CheckReduceArguments(const ConstArrayView& in,
                                  const ConstArrayView& out,
                                  const Reduce::Options& options, Memory memory,
                                  absl::string_view where) {
  absl::Status status = CheckMemory("in", in, memory, where);
  status.Update(CheckMemory("out", out, memory, where));
  status.Update(CheckType("out", out, in.type()));
  status.Update(CheckSize("out", out, 1));
  if (status.ok() && !HasReduceOp(in.type(), options.op)) {
    return absl::InvalidArgumentError(
        absl::StrCat("reduce with op '", Name(options.op),
                     "' is for integers, not for ", Name(in.type())));
  }
  return status;
}

absl::Status ComputeReduce(const std::shared_ptr<Backend>& backend,
                           ConstArrayView in, ArrayView out,
                           const Reduce::Options& options,
                           absl::string_view variant) {
  absl::StatusOr<std::unique_ptr<Reduce>> reduce =
      Registry<Reduce>::Get().Create(backend, variant);
  if (!reduce.ok()) return reduce.status();
  absl::Status status =
      CheckReduceArguments(in, out, options, Memory::Host(), "ComputeReduce");
  if (!status.ok()) return status;
  if (backend->memory().is_host()) return (*reduce)->Run(in, out, options);

  absl::StatusOr<Array> device_in = backend->Allocate(in.type(), in.size());
  if (!device_in.ok()) return device_in.status();
  absl::StatusOr<Array> device_out = backend->Allocate(in.type(), 1);
  if (!device_out.ok()) return device_out.status();
  status = backend->Copy(in, device_in->view());
  if (!status.ok()) return status;
  status = (*reduce)->Run(device_in->view(), device_out->view(), options);
  if (!status.ok()) return status;
  return backend->Copy(device_out->view(), out);
}

}  // namespace concord
