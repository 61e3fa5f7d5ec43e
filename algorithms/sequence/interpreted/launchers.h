// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_LAUNCHERS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_LAUNCHERS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "concord/algorithms/sequence/interpreted/kernels.h"

namespace concord::sequence {

// The launches of kernels.h with words of type W.
template <typename W>
struct Launchers {
  static absl::Status Map(const CudaBackend& backend,
                          const machine::Arrays& arrays,
                          const machine::Step* steps, const SlotRoom& room);
  static absl::Status Tree(const CudaBackend& backend,
                           const machine::Arrays& arrays, const TreeCall& call,
                           const SlotRoom& room);
  static absl::Status FoldRows(const CudaBackend& backend,
                               const machine::Arrays& arrays,
                               const FoldCall& call, const SlotRoom& room);
  static absl::Status FilterCount(const CudaBackend& backend,
                                  const machine::Arrays& arrays,
                                  const FilterCall& call, const SlotRoom& room);
  static absl::Status FilterPut(const CudaBackend& backend,
                                const machine::Arrays& arrays,
                                const FilterCall& call, const SlotRoom& room);
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_LAUNCHERS_H_
