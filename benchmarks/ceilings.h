// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_CEILINGS_H_
#define CONCORD_BENCHMARKS_CEILINGS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/benchmarks/sampling.h"
#include "concord/core/backend.h"
#include "concord/core/spec.h"

namespace concord {

// What a memory can do at best, in bytes per second.
struct Ceilings {
  // Bytes read plus bytes written by a copy within the memory.
  double copy = 0;
  // Bytes read by reading alone.
  double read = 0;
  // Bytes written by filling; 0 where no backend of the memory can fill.
  double fill = 0;

  // The one that bounds an implementation with this floor: `read` where next
  // to nothing is written, as in a reduction; `fill`, where it is known and
  // next to nothing is read; otherwise `copy`.
  double For(const Floor& floor) const;

  // Takes over what `other` does better.
  void RaiseTo(const Ceilings& other);
};

// The ceilings of every memory that `backends` compute in, by the memory's
// name; backends that share a memory compete, the best counts. `bytes` are
// moved in all, half of them read and half written by the copy. Give the bytes
// of the case's floor and the same plan: then the ceiling is as hot or cold in
// the caches, and pays as much for a launch, as what is measured against it.
absl::StatusOr<std::map<std::string, Ceilings>> MeasureCeilings(
    absl::Span<const std::shared_ptr<Backend>> backends, std::int64_t bytes,
    const SamplingPlan& plan);

// Seconds, by the wall clock, to copy so many bytes from host memory to that of
// the backend, in one piece: no run from end to end over an input of that size
// takes less. `pinned`: from memory that the backend has for its copies. 0: of
// no bytes nothing is copied.
absl::StatusOr<double> MeasureInputCopy(Backend& backend, std::int64_t bytes,
                                        bool pinned, const SamplingPlan& plan);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_CEILINGS_H_
