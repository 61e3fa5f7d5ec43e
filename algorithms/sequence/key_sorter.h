// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_KEY_SORTER_H_
#define CONCORD_ALGORITHMS_SEQUENCE_KEY_SORTER_H_

#include <memory>

#include "absl/status/status.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/core/backend.h"

namespace concord::sequence {

// Passes of the kind kSort, by the backend's default implementation of
// `radix_sort`: its order of keys is that of groups.h where a NaN is the quiet
// NaN. Scratch memory is kept from call to call, all of which are of one
// backend, which has to outlive it.
class KeySorter {
 public:
  absl::Status Run(Backend& backend, const PassCall& call);

 private:
  std::unique_ptr<RadixSort> sort_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_KEY_SORTER_H_
