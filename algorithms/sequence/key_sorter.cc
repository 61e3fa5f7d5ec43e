// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/key_sorter.h"

#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::sequence {

absl::Status KeySorter::Run(Backend& backend, const PassCall& call) {
  if (sort_ == nullptr) {
    const std::shared_ptr<Backend> not_owned(std::shared_ptr<void>(), &backend);
    ASSIGN_OR_RETURN(sort_, Registry<RadixSort>::Get().Create(not_owned));
  }
  RadixSort::Options options;
  options.argsort = call.outputs.size() > 1;
  return sort_->Run(call.inputs[0], NoValues(), call.outputs[0],
                    options.argsort ? call.outputs[1] : NoValues(), options);
}

}  // namespace concord::sequence
