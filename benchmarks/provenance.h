// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_PROVENANCE_H_
#define CONCORD_BENCHMARKS_PROVENANCE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "concord/core/backend.h"

namespace concord {

// What a result was measured with and on, as pairs of a name and a value:
//
//   commit, dirty      from $CONCORD_COMMIT ("<hash>" or "<hash>-dirty"), else
//                      from the checkout that `bazel run` was called in, else
//                      "unknown"
//   compiler, flags, compilation_mode, instruction_set; cuda_flags
//   operating_system, cpu, cpus_online
//   gpu_driver         version of the kernel module, where there is one
//   backend.fact       what each opened backend says of itself: model, threads,
//                      driver, runtime
Facts Provenance(absl::Span<const std::shared_ptr<Backend>> backends);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_PROVENANCE_H_
