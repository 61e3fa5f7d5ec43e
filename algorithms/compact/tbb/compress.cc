// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One pass over memory. Each thread takes the next chunk of the input,
// compresses it within vector registers into buffers in its cache, publishes
// how many elements it kept, learns from the chunks before it where its results
// belong (decoupled look-back) and copies them there.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "concord/algorithms/compact/compact.h"
#include "concord/backends/tbb/chunk_sums.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/registry.h"

namespace concord::compact {
namespace {

// For each byte, how many of its bits are set and where, the lowest first.
struct SetBits {
  std::uint8_t positions[256][8];
  std::uint8_t count[256];
};

constexpr SetBits MakeSetBits() {
  SetBits table = {};
  for (int byte = 0; byte < 256; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) == 0) continue;
      table.positions[byte][table.count[byte]++] =
          static_cast<std::uint8_t>(bit);
    }
  }
  return table;
}

[[maybe_unused]] constexpr SetBits kSetBits = MakeSetBits();

}  // namespace
}  // namespace concord::compact

#define CONCORD_SIMD_ALSO_ICELAKE
#define CONCORD_SIMD_FILE "concord/algorithms/compact/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::compact {
namespace {

// The input of a chunk and its results fit a second-level cache of 512 KiB.
constexpr std::int64_t kChunkBytes = std::int64_t{64} << 10;

// Smaller arrays are compacted by the calling thread alone: waking another
// takes as long.
constexpr std::int64_t kParallelBytes = std::int64_t{1} << 20;

template <typename Word>
using Compress = std::int64_t (*)(KeptRange<Word>, std::int64_t,
                                  CompactArrays<Word>);

template <typename Word>
class OnePass {
 public:
  OnePass(const KeptRange<Word>& keep, const CompactArrays<Word>& arrays,
          Compress<Word> compress)
      : keep_(keep),
        arrays_(arrays),
        compress_(compress),
        // Indices are the largest results where they are asked for.
        chunk_(kChunkBytes / (arrays.indices == nullptr ? kWord : kIndex)),
        chunks_((arrays.size + chunk_ - 1) / chunk_),
        stream_(arrays.size * kWord >= kStreamingBytes),
        sums_(chunks_) {}

  absl::Status Run(TbbBackend& backend) {
    const std::int64_t buffer = BufferBytes();
    const std::unique_ptr<char[]> buffers(
        new (std::nothrow) char[backend.threads() * buffer]);
    if (buffers == nullptr || !sums_.ok()) {
      return absl::ResourceExhaustedError(
          "no memory for the chunks of compact/tbb/compress");
    }
    backend.ForEach(backend.threads(), [&](std::int64_t thread) {
      Work(buffers.get() + thread * buffer);
    });
    return absl::OkStatus();
  }

 private:
  static constexpr std::int64_t kWord = sizeof(Word);
  static constexpr std::int64_t kIndex = sizeof(std::int64_t);

  // For the results of a chunk. All parts are multiples of a cache line.
  std::int64_t BufferBytes() const {
    return chunk_ * (kWord + (arrays_.rejected == nullptr ? 0 : kWord) +
                     (arrays_.indices == nullptr ? 0 : kIndex));
  }

  void Work(char* buffer) {
    CompactArrays<Word> results = {};
    results.kept = reinterpret_cast<Word*>(buffer);
    buffer += chunk_ * kWord;
    if (arrays_.rejected != nullptr) {
      results.rejected = reinterpret_cast<Word*>(buffer);
      buffer += chunk_ * kWord;
    }
    if (arrays_.indices != nullptr) {
      results.indices = reinterpret_cast<std::int64_t*>(buffer);
    }
    std::int64_t chunk = sums_.Take();
    while (chunk < chunks_) {
      const std::int64_t first = chunk * chunk_;
      results.in = arrays_.in + first;
      results.size = std::min(chunk_, arrays_.size - first);
      const std::int64_t count = compress_(keep_, first, results);
      const std::int64_t before = sums_.Publish(chunk, count);
      if (chunk == chunks_ - 1) SetCounts(arrays_, before + count);
      // Taken before this one is finished, so that it can be fetched meanwhile.
      chunk = sums_.Take();
      const Word* const fetch =
          chunk < chunks_ - 1 ? arrays_.in + chunk * chunk_ : nullptr;
      CopyOrStream(arrays_.kept + before, results.kept, count, stream_, fetch);
      if (arrays_.rejected != nullptr) {
        CopyOrStream(arrays_.rejected + (first - before), results.rejected,
                     results.size - count, stream_);
      }
      if (arrays_.indices != nullptr) {
        CopyOrStream(arrays_.indices + before, results.indices, count, stream_);
      }
    }
    if (stream_) FinishStreaming();
  }

  const KeptRange<Word> keep_;
  const CompactArrays<Word> arrays_;
  const Compress<Word> compress_;
  const std::int64_t chunk_;
  const std::int64_t chunks_;
  const bool stream_;
  ChunkSums sums_;
};

class CompactTbb : public OnTbb<Compact> {
 public:
  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                       const Options& options) override {
    return DispatchCompact(
        in, outputs, options.keep,
        [&](const auto& keep, const auto& arrays) -> absl::Status {
          using Word = typename std::decay_t<decltype(arrays)>::Word;
          const Compress<Word> compress =
              CONCORD_SIMD_CHOOSE_ICELAKE(CompressSpan<Word>);
          if (backend().threads() > 1 && in.bytes() >= kParallelBytes) {
            return OnePass<Word>(keep, arrays, compress).Run(backend());
          }
          SetCounts(arrays, compress(keep, /*first_index=*/0, arrays));
          return absl::OkStatus();
        });
  }
};

const bool kRegistered = Registry<Compact>::Get().Add<CompactTbb>(
    "tbb", "compress", /*rank=*/10,
    "compressed in vector registers, one pass over chunks in the cache",
    CompactContract()
        .Boundaries({kChunkBytes, kParallelBytes}, {1, 4, 8})
        .Boundaries({kStreamingBytes / 8}));

}  // namespace
}  // namespace concord::compact
