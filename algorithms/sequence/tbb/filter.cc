// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One pass: each thread computes a chunk of flags and values into its cache,
// moves what is kept to the front, learns from the chunks before where it
// belongs, and copies it there.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "concord/algorithms/sequence/tbb/passes.h"
#include "concord/backends/tbb/chunk_sums.h"
#include "concord/backends/tbb/simd.h"

#define CONCORD_SIMD_FILE "concord/algorithms/sequence/tbb/filter_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"
#include "concord/core/element_width.h"

namespace concord::sequence {
namespace {

constexpr std::int64_t kChunk = std::int64_t{1} << 14;

template <typename T>
std::int64_t KeepBest(const std::uint8_t* flags, T* x, std::int64_t n) {
  return CONCORD_SIMD_CHOOSE(Keep<T>)(flags, x, n);
}

class ChunkFilter {
 public:
  ChunkFilter(const PassCall& call, const Interpreter& prologue)
      : call_(call),
        thread_(prologue, call.tables),
        results_(call.pass.prologue->ResultTypes(), std::min(call.n, kChunk)) {}

  // Computes elements [first, first + n). Returns how many are kept.
  std::int64_t Compute(std::int64_t first, std::int64_t n,
                       OutsideReads& outside) {
    thread_.Apply(PointersAt<const void, ConstArrayView>(call_.inputs, first),
                  results_.pointers(), call_.index + first, n);
    outside.Add(thread_);
    const std::uint8_t* const flags = results_.views()[0].data<std::uint8_t>();
    std::int64_t kept = 0;
    for (std::size_t k = 1; k < results_.views().size(); ++k) {
      void* const x = results_.views()[k].data();
      DispatchWidth(StoredAs(results_.types()[k]), [&](auto width) {
        kept = KeepBest(flags, static_cast<decltype(width)*>(x), n);
      });
    }
    return kept;
  }

  void Write(std::int64_t before, std::int64_t kept) const {
    for (std::size_t k = 0; k < call_.outputs.size(); ++k) {
      const ArrayView to = call_.outputs[k].Slice(before, kept);
      if (kept > 0) {
        std::memcpy(to.data(), results_.views()[k + 1].data(),
                    static_cast<std::size_t>(to.bytes()));
      }
    }
  }

 private:
  const PassCall& call_;
  InterpreterThread thread_;
  ValueArrays results_;
};

}  // namespace

std::int64_t Filter(TbbBackend& backend, const PassCall& call,
                    OutsideReads& outside) {
  const Interpreter prologue(*call.pass.prologue);
  const std::int64_t chunks = (call.n + kChunk - 1) / kChunk;
  ChunkSums sums(chunks);
  if (!sums.ok()) throw std::bad_alloc();
  std::int64_t total = 0;
  // Chunks are begun in order, so that each waits only for others that are
  // being worked on.
  ForEachChunk(backend, call.n, kChunk, [&] {
    return [&, filter = std::make_unique<ChunkFilter>(call, prologue)](
               std::int64_t c, std::int64_t first, std::int64_t n) {
      std::int64_t kept = 0;
      try {
        kept = filter->Compute(first, n, outside);
      } catch (...) {
        // Threads with later chunks wait for this one's count.
        sums.Publish(c, 0);
        throw;
      }
      const std::int64_t before = sums.Publish(c, kept);
      filter->Write(before, kept);
      if (c + 1 == chunks) total = before + kept;
    };
  });
  return total;
}

}  // namespace concord::sequence
