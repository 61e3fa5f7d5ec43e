// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Passes on the threads of a backend, for interpreter.cc.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_TBB_PASSES_H_
#define CONCORD_ALGORITHMS_SEQUENCE_TBB_PASSES_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "concord/algorithms/sequence/key_sorter.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/algorithms/sequence/tbb/ordered.h"
#include "concord/algorithms/sequence/tbb/value_arrays.h"
#include "concord/backends/tbb/interpreter/interpreter.h"
#include "concord/backends/tbb/tbb_backend.h"

namespace concord::sequence {

// The first reads outside of tables, of all threads.
class OutsideReads {
 public:
  explicit OutsideReads(const PassCall& call)
      : index_(call.index), outside_(call.tables.size()) {}

  // What the thread has found so far.
  void Add(const InterpreterThread& thread) {
    if (outside_.empty()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t k = 0; k < outside_.size(); ++k) {
      const std::optional<std::int64_t> index = thread.outside(k);
      if (!index.has_value()) continue;
      const std::int64_t element = *index - index_;
      outside_[k] = std::min(outside_[k].value_or(element), element);
    }
  }

  const std::vector<std::optional<std::int64_t>>& outside() const {
    return outside_;
  }

 private:
  const std::int64_t index_;
  std::mutex mutex_;
  std::vector<std::optional<std::int64_t>> outside_;
};

// Chunks of [0, n), taken by threads one after the other. Each of them calls
// make_worker() once, before it takes one, and what that returns with the
// number of a chunk, its first element and how many it has.
template <typename MakeWorker>
void ForEachChunk(TbbBackend& backend, std::int64_t n, std::int64_t chunk,
                  const MakeWorker& make_worker) {
  const std::int64_t chunks = (n + chunk - 1) / chunk;
  std::atomic<std::int64_t> next{0};
  backend.ForEach(std::min<std::int64_t>(backend.threads(), chunks),
                  [&](std::int64_t) {
                    if (next.load() >= chunks) return;
                    auto work = make_worker();
                    for (std::int64_t c; (c = next.fetch_add(1)) < chunks;) {
                      work(c, c * chunk, std::min(chunk, n - c * chunk));
                    }
                  });
}

// The same where threads wait for chunks that others have taken: `gave_up` is
// set before an exception leaves one of them, so that none waits for ever.
template <typename MakeWorker>
void ForEachChunkInTurn(TbbBackend& backend, std::int64_t n, std::int64_t chunk,
                        std::atomic<bool>& gave_up,
                        const MakeWorker& make_worker) {
  ForEachChunk(backend, n, chunk, [&] {
    return [&gave_up, work = make_worker()](std::int64_t c, std::int64_t first,
                                            std::int64_t size) mutable {
      try {
        work(c, first, size);
      } catch (...) {
        gave_up = true;
        throw;
      }
    };
  });
}

// All passes, each by one of those below. It sorts by `sorter`.
std::unique_ptr<PassRunner> MakeTbbPasses(TbbBackend& backend,
                                          KeySorter& sorter);

// results[k] = prologue[k] of each element.
void RunMap(TbbBackend& backend, const PassCall& call, OutsideReads& outside,
            const std::vector<ArrayView>& results);

// Each returns what the pass is, in all, before start and epilogue.
Tuple ReduceExactly(TbbBackend& backend, const PassCall& call,
                    OutsideReads& outside);
Tuple ReduceInTree(TbbBackend& backend, const PassCall& call,
                   OutsideReads& outside);
// The prologue reads no tables; `functions` are those of the call's pass.
Tuple ReduceInRows(TbbBackend& backend, const PassCall& call,
                   const OrderedPass& functions);

// The scan with its epilogue, to the outputs. The prologue reads no tables.
void ScanInNodes(TbbBackend& backend, const PassCall& call);
// Of + * min max, where any order is right.
bool CanScanByChunks(const Pass& pass);
void ScanByChunks(TbbBackend& backend, const PassCall& call,
                  OutsideReads& outside);

// Returns how many elements are kept.
std::int64_t Filter(TbbBackend& backend, const PassCall& call,
                    OutsideReads& outside);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_TBB_PASSES_H_
