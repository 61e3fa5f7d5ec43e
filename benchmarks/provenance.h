// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_PROVENANCE_H_
#define CONCORD_BENCHMARKS_PROVENANCE_H_

#include <memory>
#include <string>

#include "absl/types/span.h"
#include "concord/core/backend.h"

namespace concord {

// "<hash>" or "<hash>-dirty": $CONCORD_COMMIT, else that of the checkout in
// which `bazel run` was called. "" when neither says.
std::string Commit();

// What this program was made from and with, as pairs of a name and a value:
//
//   version            of Concord
//   commit, dirty      those of Commit(), or "unknown"
//   concord_commit, concord_dirty
//                      those of Concord's own checkout, where it is another
//                      project's dependency; an archive has none
//   compiler, flags, compilation_mode, instruction_set; cuda_flags
//   backends           compiled in, as in "serial, tbb"
//   libraries          as in "oneTBB 2021.8, Abseil 20220623"
Facts BuildFacts();

// What a result was measured with and on: BuildFacts() and
//
//   operating_system, cpus_online
//   gpu_driver         version of the kernel module, where there is one
//   backend.fact       what each opened backend says of itself: model, threads,
//                      driver, runtime
Facts Provenance(absl::Span<const std::shared_ptr<Backend>> backends);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_PROVENANCE_H_
