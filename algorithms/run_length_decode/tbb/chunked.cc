// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Threads share the output, not the runs, so that a single long run keeps all
// of them busy. First they add up the lengths, group by group; then each tile
// of the output finds its first group by binary search and its first run by
// walking through the group, and writes its runs as vectors into a block in the
// first-level cache, from which whole cache lines go out.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::run_length_decode {
namespace {

// The next element belongs to this run, of which so many have been written.
struct RunPosition {
  std::int64_t run = 0;
  std::int64_t used = 0;
};

// What is written beyond the end of a block: less than a vector.
constexpr std::int64_t kSlackBytes = 64;

// Lengths that are added up together.
constexpr std::int64_t kRunsOfGroup = 2048;

// False where int64 does not hold the total, or, as -1 says, the size.
bool AddSize(std::int64_t size, std::int64_t& total) {
  return size >= 0 && !__builtin_add_overflow(total, size, &total);
}

}  // namespace
}  // namespace concord::run_length_decode

#define CONCORD_SIMD_FILE "concord/algorithms/run_length_decode/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::run_length_decode {
namespace {

constexpr std::int64_t kBlockBytes = 8 << 10;

// Runs of fewer bytes, on average, are worth testing in batches whether they
// are short.
constexpr std::int64_t kShortBytes = 32;

// What a thread writes at a time: so much that walking through half a group is
// little beside it.
constexpr std::int64_t kTileBytes = 256 << 10;

// Smaller outputs are written by the calling thread alone: waking another takes
// as long.
constexpr std::int64_t kParallelBytes = 512 << 10;

template <typename Word, typename Length>
class Decoder {
 public:
  Decoder(const RunLengthDecode::Runs& runs, ArrayView out)
      : values_(runs.values.data<Word>()),
        lengths_(runs.lengths.data<Length>()),
        runs_(runs.values.size()),
        out_(out.data<Word>()),
        capacity_(out.size()) {}

  // Returns the sum of the lengths.
  absl::StatusOr<std::int64_t> Run(TbbBackend& backend) {
    const bool parallel =
        backend.threads() > 1 &&
        (capacity_ * kWord >= kParallelBytes || runs_ >= 8 * kRunsOfGroup);
    const std::int64_t groups = (runs_ + kRunsOfGroup - 1) / kRunsOfGroup;
    std::int64_t size = 0;
    if (!parallel) {
      for (std::int64_t g = 0; g < groups; ++g) {
        if (!AddSize(SumOfGroup(g), size)) return LengthsTooLarge();
      }
      const std::int64_t written = std::min(size, capacity_);
      Write(0, written, RunPosition(), written * kWord);
      return size;
    }
    // Of group g: before the sum runs, its sum; afterwards that of the groups
    // before it.
    const std::unique_ptr<std::int64_t[]> starts(new (std::nothrow)
                                                     std::int64_t[groups + 1]);
    if (starts == nullptr) {
      return absl::ResourceExhaustedError(
          "no memory for the groups of run_length_decode/tbb/chunked");
    }
    backend.ForEachRange(groups, 8, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t g = first; g < last; ++g) starts[g] = SumOfGroup(g);
    });
    for (std::int64_t g = 0; g < groups; ++g) {
      if (!AddSize(std::exchange(starts[g], size), size)) {
        return LengthsTooLarge();
      }
    }
    starts[groups] = size;
    const std::int64_t written = std::min(size, capacity_);
    constexpr std::int64_t kTile = kTileBytes / kWord;
    backend.ForEach((written + kTile - 1) / kTile, [&](std::int64_t tile) {
      const std::int64_t first = tile * kTile;
      Write(first, std::min(written, first + kTile),
            Find(first, starts.get(), groups), written * kWord);
    });
    return size;
  }

 private:
  static constexpr std::int64_t kWord = sizeof(Word);
  static constexpr std::int64_t kBlock = kBlockBytes / kWord;

  std::int64_t SumOfGroup(std::int64_t group) const {
    const std::int64_t first = group * kRunsOfGroup;
    return CONCORD_SIMD_CHOOSE(SumLengths<Length>)(
        lengths_ + first, std::min(kRunsOfGroup, runs_ - first));
  }

  // The run that element `position` belongs to, which there is.
  RunPosition Find(std::int64_t position, const std::int64_t* starts,
                   std::int64_t groups) const {
    const std::int64_t group =
        std::upper_bound(starts, starts + groups, position) - starts - 1;
    RunPosition at = {group * kRunsOfGroup, position - starts[group]};
    for (;; ++at.run) {
      const std::int64_t length = std::max<std::int64_t>(lengths_[at.run], 0);
      if (at.used < length) return at;
      at.used -= length;
    }
  }

  // Writes out[first, last), of an output of `bytes` in all.
  void Write(std::int64_t first, std::int64_t last, RunPosition at,
             std::int64_t bytes) const {
    alignas(64) Word block[kBlock + kSlackBytes / kWord];
    const auto fill_block = CONCORD_SIMD_CHOOSE(FillBlock<Word, Length>);
    const bool stream = bytes >= kStreamingBytes;
    bool short_runs = false;
    while (first < last) {
      // Blocks end where cache lines do.
      const auto past_line = static_cast<std::int64_t>(
          reinterpret_cast<std::uintptr_t>(out_ + first) % 64);
      const std::int64_t count =
          std::min(last - first, kBlock - past_line / kWord);
      const std::int64_t first_run = at.run;
      fill_block(values_, lengths_, runs_, short_runs, at, block, count);
      // The next block is going to be like this one.
      short_runs = (at.run - first_run) * kShortBytes > count * kWord;
      if (stream) {
        StreamTo(out_ + first, block, count * kWord);
      } else {
        std::memcpy(out_ + first, block,
                    static_cast<std::size_t>(count * kWord));
      }
      first += count;
    }
    if (stream) FinishStreaming();
  }

  const Word* const values_;
  const Length* const lengths_;
  const std::int64_t runs_;
  Word* const out_;
  const std::int64_t capacity_;
};

class RunLengthDecodeTbb : public OnTbb<RunLengthDecode> {
 public:
  absl::Status Compute(const Runs& runs, const Outputs& out) override {
    ASSIGN_OR_RETURN(
        const std::int64_t size,
        DispatchRunLengths(
            runs.values.type(), runs.lengths.type(),
            [&](auto word, auto length) {
              using Word = typename decltype(word)::type;
              using Length = typename decltype(length)::type;
              return Decoder<Word, Length>(runs, out.out).Run(backend());
            }));
    *out.size.data<std::int64_t>() = size;
    return absl::OkStatus();
  }
};

const bool kRegistered =
    Registry<RunLengthDecode>::Get().Add<RunLengthDecodeTbb>(
        "tbb", "chunked", /*rank=*/10,
        "threads share the output, and find their runs by binary search",
        Contract()
            .SpecialValues("copied bit for bit")
            .Boundaries({kBlockBytes, kTileBytes, kParallelBytes}, {1, 4, 8})
            .Boundaries({kStreamingBytes / 8}));

}  // namespace
}  // namespace concord::run_length_decode
