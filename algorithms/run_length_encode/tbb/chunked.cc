// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One pass over memory. Runs are found 64 elements at a time, by comparing
// vectors with themselves one element further on. Each thread takes the next
// chunk of the input, encodes it into buffers in its cache, publishes how many
// runs start in it, learns from the chunks before it where its results belong
// (decoupled look-back) and copies them there. The length of a run is known
// where the next one starts, and written there.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/tbb/chunk_sums.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::run_length_encode {
namespace {

// How many runs start in a stretch, and where the last one up to its end did.
struct RunCursor {
  std::int64_t runs;
  std::int64_t start;
};

// How long before it is needed a line is asked for. A CPU looks ahead by
// itself, but not so far, and not from one chunk to the next.
constexpr std::int64_t kAheadBytes = 4096;

}  // namespace
}  // namespace concord::run_length_encode

#define CONCORD_SIMD_FILE "concord/algorithms/run_length_encode/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::run_length_encode {
namespace {

// With its results, which are up to three times as large, a chunk fits a
// second-level cache of 512 KiB.
constexpr std::int64_t kChunkBytes = std::int64_t{64} << 10;

// Smaller arrays are encoded by the calling thread alone: waking another takes
// as long.
constexpr std::int64_t kParallelBytes = std::int64_t{512} << 10;

template <typename Word, typename Length>
class OnePass {
 public:
  OnePass(const Word* in, std::int64_t n, Word* values, Length* lengths)
      : in_(in),
        n_(n),
        values_(values),
        lengths_(lengths),
        chunks_((n + kChunk - 1) / kChunk),
        stream_(n * std::int64_t{sizeof(Word)} >= kStreamingBytes),
        last_starts_(new (std::nothrow) std::int64_t[chunks_]),
        sums_(chunks_) {}

  absl::StatusOr<std::int64_t> Run(TbbBackend& backend) {
    const std::unique_ptr<char[]> buffers(
        new (std::nothrow) char[backend.threads() * kBufferBytes]);
    if (buffers == nullptr || last_starts_ == nullptr || !sums_.ok()) {
      return absl::ResourceExhaustedError(
          "no memory for the chunks of run_length_encode/tbb/chunked");
    }
    values_[0] = in_[0];
    backend.ForEach(backend.threads(), [&](std::int64_t thread) {
      Work(buffers.get() + thread * kBufferBytes);
    });
    lengths_[runs_ - 1] = static_cast<Length>(n_ - LastStartBefore(chunks_));
    return runs_;
  }

 private:
  static constexpr std::int64_t kChunk = kChunkBytes / sizeof(Word);
  static constexpr std::int64_t kBufferBytes =
      kChunk * (sizeof(Word) + sizeof(Length));
  static constexpr std::int64_t kNone = -1;

  void Work(char* buffer) {
    auto* const lengths = reinterpret_cast<Length*>(buffer);
    auto* const values = reinterpret_cast<Word*>(lengths + kChunk);
    std::int64_t chunk = sums_.Take();
    while (chunk < chunks_) {
      // The first element of all is a start that no comparison finds.
      const std::int64_t first = std::max<std::int64_t>(chunk * kChunk, 1);
      const std::int64_t last = std::min(n_, (chunk + 1) * kChunk);
      const RunCursor cursor = CONCORD_SIMD_CHOOSE(EncodeSpan<Word, Length>)(
          in_, first, last, values, lengths, chunk == 0 ? 0 : kNone);
      last_starts_[chunk] = cursor.start;
      // What was noted of a chunk is known to whoever knows its sum.
      const std::int64_t before = sums_.Publish(chunk, cursor.runs) + 1;
      if (chunk > 0 && cursor.runs > 0) {
        // Was counted from kNone.
        lengths[0] =
            static_cast<Length>(lengths[0] + kNone - LastStartBefore(chunk));
      }
      if (chunk == chunks_ - 1) runs_ = before + cursor.runs;
      // Taken before this one is finished, so that it can be fetched meanwhile.
      chunk = sums_.Take();
      const Word* const fetch =
          chunk < chunks_ - 1 ? in_ + chunk * kChunk : nullptr;
      // Its first lines, which nothing before it has fetched.
      if (fetch != nullptr) FetchLines(fetch, kAheadBytes);
      CopyOrStream(values_ + before, values, cursor.runs, stream_, fetch);
      CopyOrStream(lengths_ + (before - 1), lengths, cursor.runs, stream_);
    }
    if (stream_) FinishStreaming();
  }

  // Chunks in which nothing starts are gone over by the next one only in which
  // something does.
  std::int64_t LastStartBefore(std::int64_t chunk) const {
    do --chunk;
    while (last_starts_[chunk] == kNone);
    return last_starts_[chunk];
  }

  const Word* const in_;
  const std::int64_t n_;
  Word* const values_;
  Length* const lengths_;
  const std::int64_t chunks_;
  const bool stream_;
  const std::unique_ptr<std::int64_t[]> last_starts_;
  ChunkSums sums_;
  std::int64_t runs_ = 0;
};

template <typename Word, typename Length>
absl::StatusOr<std::int64_t> Encode(TbbBackend& backend, const Word* in,
                                    std::int64_t n, Word* values,
                                    Length* lengths) {
  if (n == 0) return 0;
  if (backend.threads() > 1 &&
      n >= kParallelBytes / std::int64_t{sizeof(Word)}) {
    return OnePass<Word, Length>(in, n, values, lengths).Run(backend);
  }
  values[0] = in[0];
  const RunCursor cursor = CONCORD_SIMD_CHOOSE(EncodeSpan<Word, Length>)(
      in, 1, n, values + 1, lengths, 0);
  lengths[cursor.runs] = static_cast<Length>(n - cursor.start);
  return cursor.runs + 1;
}

class RunLengthEncodeTbb : public OnTbb<RunLengthEncode> {
 public:
  absl::Status Compute(ConstArrayView in, const Outputs& out) override {
    ASSIGN_OR_RETURN(
        const std::int64_t runs,
        DispatchRunLengths(in.type(), out.lengths.type(),
                           [&](auto word, auto length) {
                             using Word = typename decltype(word)::type;
                             using Length = typename decltype(length)::type;
                             return Encode(backend(), in.data<Word>(),
                                           in.size(), out.values.data<Word>(),
                                           out.lengths.data<Length>());
                           }));
    *out.runs.data<std::int64_t>() = runs;
    return absl::OkStatus();
  }
};

const bool kRegistered =
    Registry<RunLengthEncode>::Get().Add<RunLengthEncodeTbb>(
        "tbb", "chunked", /*rank=*/10,
        "vectors find where runs start, one pass over chunks in the cache",
        Contract()
            .SpecialValues("floats are equal when their bits are")
            .Boundaries({kChunkBytes, kParallelBytes}, {1, 4, 8})
            .Boundaries({kStreamingBytes / 8})
            // Elements that are compared at a time, past the first.
            .Boundaries({65}));

}  // namespace
}  // namespace concord::run_length_encode
