// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/max_subarray/max_subarray.h"

#include <utility>

#include "concord/core/registry.h"

namespace concord {

ElementType SumTypeOf(ElementType type) {
  return Dispatch(type, [](auto tag) {
    return ElementTypeOf<SumOf<typename decltype(tag)::type>>();
  });
}

absl::Status CheckMaxSubarrayArguments(const ConstArrayView& in,
                                       const ConstArrayView& sum,
                                       const ConstArrayView& run, Memory memory,
                                       absl::string_view where) {
  absl::Status status = CheckMemory("in", in, memory, where);
  status.Update(CheckMemory("sum", sum, memory, where));
  status.Update(CheckMemory("run", run, memory, where));
  status.Update(CheckType("sum", sum, SumTypeOf(in.type())));
  status.Update(CheckType("run", run, ElementType::kInt64));
  status.Update(CheckSize("sum", sum, 1));
  status.Update(CheckSize("run", run, 2));
  return status;
}

absl::Status ComputeMaxSubarray(const std::shared_ptr<Backend>& backend,
                                ConstArrayView in, ArrayView sum, ArrayView run,
                                absl::string_view variant) {
  absl::StatusOr<std::unique_ptr<MaxSubarray>> max_subarray =
      Registry<MaxSubarray>::Get().Create(backend, variant);
  if (!max_subarray.ok()) return max_subarray.status();
  absl::Status status = CheckMaxSubarrayArguments(in, sum, run, Memory::Host(),
                                                  "ComputeMaxSubarray");
  if (!status.ok()) return status;
  if (backend->memory().is_host()) {
    return (*max_subarray)->Run(in, sum, run, {});
  }

  absl::StatusOr<Array> device_in = backend->Allocate(in.type(), in.size());
  if (!device_in.ok()) return device_in.status();
  absl::StatusOr<Array> device_sum = backend->Allocate(sum.type(), 1);
  if (!device_sum.ok()) return device_sum.status();
  absl::StatusOr<Array> device_run = backend->Allocate(run.type(), 2);
  if (!device_run.ok()) return device_run.status();
  status = backend->Copy(in, device_in->view());
  if (status.ok()) {
    status = (*max_subarray)
                 ->Run(device_in->view(), device_sum->view(),
                       device_run->view(), {});
  }
  if (status.ok()) status = backend->Copy(device_sum->view(), sum);
  if (status.ok()) status = backend->Copy(device_run->view(), run);
  return status;
}

}  // namespace concord
