// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Where runs are short, threads share them, in one pass over memory: each takes
// the next chunk of runs, adds up its lengths, learns from the chunks before it
// where its results belong (decoupled look-back) and writes them, reading the
// lengths out of the cache. Chunks of long runs are left for later: then
// threads share their results, so that a single long run keeps all of them
// busy, and each tile finds its first run by binary search. Runs are written as
// vectors, several at a time where they are very short, into a block in the
// first-level cache, from which whole cache lines go out.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/run_length_decode/tbb/runs.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/tbb/chunk_sums.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

#define CONCORD_SIMD_ALSO_ICELAKE
#define CONCORD_SIMD_FILE "concord/algorithms/run_length_decode/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::run_length_decode {
namespace {

constexpr std::int64_t kBlockBytes = 8 << 10;

// What leaves it at a time.
constexpr std::int64_t kPartBytes = 2 << 10;

// Runs of fewer bytes, on average, are worth testing in batches whether they
// are short.
constexpr std::int64_t kShortBytes = 32;

// Chunks whose runs have more bytes, on average, are left for later.
constexpr std::int64_t kLongBytes = 64;

// What a thread writes at a time of them: so much that finding a run is little
// beside it.
constexpr std::int64_t kTileBytes = 256 << 10;

// Smaller outputs are written by the calling thread alone: waking another takes
// as long.
constexpr std::int64_t kParallelBytes = 512 << 10;

template <typename Word, typename Length>
class Decoder {
 public:
  Decoder(const RunLengthDecode::Runs& runs, ArrayView out, int threads)
      : values_(runs.values.data<Word>()),
        lengths_(runs.lengths.data<Length>()),
        runs_(runs.values.size()),
        out_(out.data<Word>()),
        capacity_(out.size()),
        parallel_(threads > 1 &&
                  (capacity_ * kWord >= kParallelBytes || runs_ >= kMostRuns)),
        chunk_(parallel_
                   ? std::clamp(runs_ / (8 * threads), kLeastRuns, kMostRuns)
                   : kMostRuns),
        chunks_((runs_ + chunk_ - 1) / chunk_) {}

  // Returns the sum of the lengths.
  absl::StatusOr<std::int64_t> Run(TbbBackend& backend) {
    if (!parallel_) return RunAlone();
    // Of each chunk: its sum, and later those of the chunks before it. Behind
    // them, for each, the tiles of long chunks before it.
    const std::unique_ptr<std::int64_t[]> numbers(
        new (std::nothrow) std::int64_t[2 * (chunks_ + 1)]);
    ChunkSums sums(chunks_, capacity_);
    if (numbers == nullptr || !sums.ok()) {
      return absl::ResourceExhaustedError(
          "no memory for the chunks of run_length_decode/tbb/chunked");
    }
    std::int64_t* const starts = numbers.get();
    std::int64_t* const tiles = starts + chunks_ + 1;
    stream_ = Streams(std::min(capacity_ * kWord, runs_ * kLongBytes));
    backend.ForEach(backend.threads(),
                    [&](std::int64_t) { WriteShortChunks(sums, starts); });
    ASSIGN_OR_RETURN(const std::int64_t size, PlaceChunks(starts, tiles));
    stream_ = Streams(std::min(size, capacity_) * kWord);
    backend.ForEach(tiles[chunks_],
                    [&](std::int64_t tile) { WriteTile(tile, starts, tiles); });
    return size;
  }

 private:
  static constexpr std::int64_t kWord = sizeof(Word);
  static constexpr std::int64_t kBlock = kBlockBytes / kWord;
  static constexpr std::int64_t kPart = kPartBytes / kWord;
  static constexpr std::int64_t kTile = kTileBytes / kWord;
  static constexpr std::int64_t kSlack = kSlackBytes / kWord;

  absl::StatusOr<std::int64_t> RunAlone() {
    stream_ = Streams(capacity_ * kWord);
    std::int64_t size = 0;
    for (std::int64_t c = 0; c < chunks_; ++c) {
      const std::int64_t first = size;
      if (!AddSize(SumOfChunk(c), size)) return LengthsTooLarge();
      Write(first, std::min(size, capacity_), {c * chunk_, 0}, EndOf(c),
            c + 1 < chunks_ - 1 ? chunk_ : 0);
    }
    if (stream_) FinishStreaming();
    return size;
  }

  // What one thread does.
  void WriteShortChunks(ChunkSums& sums, std::int64_t* sums_of_chunks) const {
    std::int64_t chunk = sums.Take();
    while (chunk < chunks_) {
      const std::int64_t sum = SumOfChunk(chunk);
      sums_of_chunks[chunk] = sum;
      // What does not fit need not be counted.
      const std::int64_t first =
          sums.Publish(chunk, sum < 0 ? capacity_ : std::min(sum, capacity_));
      // Taken before this one is finished, so that it can be fetched meanwhile.
      const std::int64_t next = sums.Take();
      if (!IsLong(sum)) {
        Write(first, std::min(first + sum, capacity_), {chunk * chunk_, 0},
              EndOf(chunk), next < chunks_ - 1 ? (next - chunk) * chunk_ : 0);
      }
      chunk = next;
    }
    if (stream_) FinishStreaming();
  }

  // `starts` has the sums of the chunks, and gets where they begin; `tiles`
  // gets which is the first of each of them, of those that are long.
  absl::StatusOr<std::int64_t> PlaceChunks(std::int64_t* starts,
                                           std::int64_t* tiles) const {
    std::int64_t size = 0;
    std::int64_t tile = 0;
    for (std::int64_t c = 0; c < chunks_; ++c) {
      const std::int64_t sum = std::exchange(starts[c], size);
      tiles[c] = tile;
      if (!AddSize(sum, size)) return LengthsTooLarge();
      const std::int64_t count = std::min(size, capacity_) - starts[c];
      if (IsLong(sum) && count > 0) tile += (count + kTile - 1) / kTile;
    }
    starts[chunks_] = size;
    tiles[chunks_] = tile;
    return size;
  }

  void WriteTile(std::int64_t tile, const std::int64_t* starts,
                 const std::int64_t* tiles) const {
    const std::int64_t chunk =
        std::upper_bound(tiles, tiles + chunks_, tile) - tiles - 1;
    const std::int64_t before = (tile - tiles[chunk]) * kTile;
    const std::int64_t first = starts[chunk] + before;
    Write(first, std::min({first + kTile, starts[chunk + 1], capacity_}),
          Find(chunk, before), EndOf(chunk), /*ahead=*/0);
    if (stream_) FinishStreaming();
  }

  // Whether so many bytes of results go past the caches: they would not stay
  // there anyway, if the values and lengths pass through.
  bool Streams(std::int64_t bytes) const {
    constexpr std::int64_t kRun = kWord + sizeof(Length);
    return bytes + runs_ * kRun >= kStreamingBytes;
  }

  std::int64_t EndOf(std::int64_t chunk) const {
    return std::min(runs_, (chunk + 1) * chunk_);
  }

  // -1 is a sum that int64 does not hold.
  bool IsLong(std::int64_t sum) const {
    return sum < 0 || sum > chunk_ * (kLongBytes / kWord);
  }

  std::int64_t SumOfChunk(std::int64_t chunk) const {
    return Sum(chunk * chunk_, EndOf(chunk));
  }
  std::int64_t Sum(std::int64_t first, std::int64_t last) const {
    return CONCORD_SIMD_CHOOSE(SumLengths<Length>)(lengths_ + first,
                                                   last - first);
  }

  // The run of a chunk to which its element `position`, which there is,
  // belongs.
  RunPosition Find(std::int64_t chunk, std::int64_t position) const {
    constexpr std::int64_t kStep = 256;
    RunPosition at = {chunk * chunk_, position};
    for (const std::int64_t end = EndOf(chunk); at.run + kStep < end;
         at.run += kStep) {
      const std::int64_t sum = Sum(at.run, at.run + kStep);
      if (sum > at.used) break;
      at.used -= sum;
    }
    for (;; ++at.run) {
      const std::int64_t length = std::max<std::int64_t>(lengths_[at.run], 0);
      if (at.used < length) return at;
      at.used -= length;
    }
  }

  // Writes out[first, last), whose runs end before run `end`. Meanwhile those
  // are fetched that lie so far ahead.
  void Write(std::int64_t first, std::int64_t last, RunPosition at,
             std::int64_t end, std::int64_t ahead) const {
    const auto fill_block =
        CONCORD_SIMD_CHOOSE_ICELAKE(FillBlock<Word, Length>);
    bool short_runs = (last - first) * kWord < (end - at.run) * kShortBytes;
    const auto fill = [&](Word* to, std::int64_t filled, std::int64_t count) {
      const std::int64_t first_run = at.run;
      const std::int64_t all = fill_block(values_, lengths_, end, short_runs,
                                          ahead, at, to, filled, count);
      const std::int64_t runs = at.run - first_run;
      // The next block is going to be like this one.
      short_runs = runs * kShortBytes > (all - filled) * kWord;
      return all;
    };
    if (!stream_) {
      // Into their place, but for the last, behind which others write.
      while (last - first >= kBlock + kSlack) {
        first += fill(out_ + first, 0, kBlock);
      }
    }
    alignas(64) Word block[kBlock + kSlack];
    const auto stream_part = CONCORD_SIMD_CHOOSE(StreamPart<Word>);
    // Cache lines of the block are those of the output.
    std::int64_t begin = static_cast<std::int64_t>(
        reinterpret_cast<std::uintptr_t>(out_ + first) % 64 / kWord);
    std::int64_t filled = begin;
    while (first < last) {
      const std::int64_t stop = std::min(begin + last - first, kBlock);
      while (begin < stop) {
        const std::int64_t part = std::min(stop, (begin / kPart + 1) * kPart);
        if (filled < part) filled = fill(block, filled, part);
        const std::int64_t count = part - begin;
        if (stream_) {
          stream_part(out_ + first, block + begin, count);
        } else {
          std::memcpy(out_ + first, block + begin,
                      static_cast<std::size_t>(count * kWord));
        }
        first += count;
        begin = part;
      }
      if (first == last) break;
      // What is there of the next block already.
      filled -= stop;
      std::memcpy(block, block + stop,
                  static_cast<std::size_t>(filled * kWord));
      begin = 0;
    }
  }

  const Word* const values_;
  const Length* const lengths_;
  const std::int64_t runs_;
  Word* const out_;
  const std::int64_t capacity_;
  const bool parallel_;
  const std::int64_t chunk_;
  const std::int64_t chunks_;
  bool stream_ = false;
};

class RunLengthDecodeTbb : public OnTbb<RunLengthDecode> {
 public:
  absl::Status Compute(const Runs& runs, const Outputs& out) override {
    ASSIGN_OR_RETURN(const std::int64_t size,
                     run_length_encode::DispatchRunLengths(
                         runs.values.type(), runs.lengths.type(),
                         [&](auto word, auto length) {
                           using Word = typename decltype(word)::type;
                           using Length = typename decltype(length)::type;
                           return Decoder<Word, Length>(runs, out.out,
                                                        backend().threads())
                               .Run(backend());
                         }));
    *out.size.data<std::int64_t>() = size;
    return absl::OkStatus();
  }
};

const bool kRegistered =
    Registry<RunLengthDecode>::Get().Add<RunLengthDecodeTbb>(
        "tbb", "chunked", /*rank=*/10,
        "threads share short runs by chunks in the cache, of long ones the "
        "output",
        Contract()
            .SpecialValues("copied bit for bit")
            .Boundaries({kPartBytes, kBlockBytes, kTileBytes, kParallelBytes},
                        {1, 4, 8})
            .Boundaries({kLeastRuns, kMostRuns})
            .Boundaries({kStreamingBytes / 8}));

}  // namespace
}  // namespace concord::run_length_decode
