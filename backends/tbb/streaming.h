// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_TBB_STREAMING_H_
#define CONCORD_BACKENDS_TBB_STREAMING_H_

#include <cstdint>

#include "backends/tbb/tbb_backend.h"

namespace concord {

// An ordinary store first reads the cache line that it changes. That is a third
// of the traffic of a copy, and wasted where a line is overwritten whole and
// not needed again soon. Streaming stores write lines without reading them, and
// past the caches.

// Outputs of this size and more are better streamed. Smaller ones are better
// left in the caches, even if only the last level holds them: measured on a
// Xeon with a large one, the speeds meet at 32 MiB.
constexpr std::int64_t kStreamingBytes = std::int64_t{32} << 20;

// Copies from a place that is in the cache, such as a small buffer, with
// streaming stores. Any alignment, no overlap. Other threads may read the copy
// once this thread has called FinishStreaming and then signalled them.
//
// For every line that it writes, it asks for a line from `fetch` on, which the
// caller is going to read soon: memory is at its best when reading and writing
// go on at the same time. Null for nothing to fetch.
void StreamTo(void* to, const void* from, std::int64_t bytes,
              const void* fetch = nullptr);
void FinishStreaming();

// The fastest ways through host memory with the threads of a backend, and so
// the ceilings for its algorithms. No overlap.
void ParallelCopy(TbbBackend& backend, void* to, const void* from,
                  std::int64_t bytes);
void ParallelRead(TbbBackend& backend, const void* data, std::int64_t bytes);

}  // namespace concord

#endif  // CONCORD_BACKENDS_TBB_STREAMING_H_
