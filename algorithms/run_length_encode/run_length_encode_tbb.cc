// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One pass over memory. Runs are found 64 elements at a time, by comparing
// vectors with themselves one element further on. Each thread takes the next
// chunk of the input, counts the runs that start in it (which brings it into
// the cache), learns from the chunks before it how many there are up to there
// (decoupled look-back), and writes its runs, out of the cache. The length of a
// run is known where the next one starts, and written there.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "algorithms/run_length_encode/run_length_encode.h"
#include "backends/tbb/chunk_sums.h"
#include "backends/tbb/simd.h"
#include "backends/tbb/tbb_backend.h"
#include "core/registry.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace concord {
namespace {

// How many runs have started so far, and where the last of them did.
struct RunCursor {
  std::int64_t runs;
  std::int64_t start;
};

}  // namespace
}  // namespace concord

#define CONCORD_SIMD_FILE \
  "algorithms/run_length_encode/run_length_encode_tbb_kernel.h"
#include "backends/tbb/simd_for_each.h"

namespace concord {
namespace {

// Fits any second-level cache, beside what is written.
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
        last_starts_(new (std::nothrow) std::int64_t[chunks_]),
        sums_(chunks_) {}

  absl::StatusOr<std::int64_t> Run(TbbBackend& backend) {
    if (last_starts_ == nullptr || !sums_.ok()) {
      return absl::ResourceExhaustedError(
          "no memory for the chunks of run_length_encode/tbb/chunked");
    }
    backend.ForEach(backend.threads(), [this](std::int64_t) { Work(); });
    const RunCursor end = {runs_, LastStartBefore(chunks_)};
    lengths_[end.runs - 1] = static_cast<Length>(n_ - end.start);
    return end.runs;
  }

 private:
  static constexpr std::int64_t kChunk = kChunkBytes / sizeof(Word);
  static constexpr std::int64_t kNone = -1;

  void Work() {
    for (std::int64_t c = sums_.Take(); c < chunks_; c = sums_.Take()) {
      // The first element of all is a start that no comparison finds.
      const std::int64_t first = c == 0 ? 1 : c * kChunk;
      const std::int64_t last = std::min(n_, (c + 1) * kChunk);
      const std::int64_t starts =
          CONCORD_SIMD_CHOOSE(CountStarts<Word>)(in_ + first, last - first);
      last_starts_[c] = c == 0 ? 0 : kNone;
      if (starts > 0) {
        std::int64_t i = last - 1;
        while (in_[i] == in_[i - 1]) --i;
        last_starts_[c] = i;
      }
      // What was noted of a chunk is known to whoever knows its sum.
      const std::int64_t before = sums_.Publish(c, starts);
      if (c == 0) values_[0] = in_[0];
      if (starts > 0) {
        const RunCursor cursor = {before + 1, c == 0 ? 0 : LastStartBefore(c)};
        CONCORD_SIMD_CHOOSE(WriteRuns<Word, Length>)
        (in_, first, last, values_, lengths_, cursor);
      }
      if (c == chunks_ - 1) runs_ = before + starts + 1;
    }
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
  const RunCursor end = CONCORD_SIMD_CHOOSE(WriteRuns<Word, Length>)(
      in, 1, n, values, lengths, {1, 0});
  lengths[end.runs - 1] = static_cast<Length>(n - end.start);
  return end.runs;
}

class RunLengthEncodeTbb : public RunLengthEncode {
 public:
  explicit RunLengthEncodeTbb(std::shared_ptr<TbbBackend> backend)
      : backend_(std::move(backend)) {}

  absl::Status Run(ConstArrayView in, const Outputs& out) override {
    absl::Status status = CheckRunLengthEncodeArguments(
        in, out, Memory::Host(), "run_length_encode/tbb/chunked");
    if (!status.ok()) return status;
    const absl::StatusOr<std::int64_t> runs = DispatchRunLengths(
        in.type(), out.lengths.type(), [&](auto word, auto length) {
          using Word = typename decltype(word)::type;
          using Length = typename decltype(length)::type;
          return Encode(*backend_, in.data<Word>(), in.size(),
                        out.values.data<Word>(), out.lengths.data<Length>());
        });
    if (!runs.ok()) return runs.status();
    *out.runs.data<std::int64_t>() = *runs;
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<TbbBackend> backend_;
};

Contract MakeContract() {
  Contract contract;
  contract.special_values = "floats are equal when their bits are";
  for (const std::int64_t size : {1, 4, 8}) {
    contract.boundaries.push_back(kChunkBytes / size);
    contract.boundaries.push_back(kParallelBytes / size);
  }
  // Elements that are compared at a time, past the first.
  contract.boundaries.push_back(65);
  return contract;
}

const bool kRegistered = Registry<RunLengthEncode>::Get().Add(
    "tbb", "chunked", /*rank=*/10,
    "vectors find where runs start, one pass over chunks in the cache",
    MakeContract(), [](std::shared_ptr<Backend> backend) {
      return std::make_unique<RunLengthEncodeTbb>(AsTbb(std::move(backend)));
    });

}  // namespace
}  // namespace concord
