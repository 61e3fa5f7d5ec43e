// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Step by step, with all threads and wide vectors. The digits are cut into
// chunks at run borders; a first pass counts what each chunk will say, a second
// one says it where it belongs.
//
// From the third step on counts have one digit, and from the fourth on no run
// is longer than three. So 64 digits are said at a time: where runs start is a
// mask, how long they are follows from the next three digits, and both the
// digits and the counts are pressed together by that mask. (Vector compression
// as in D. Lemire's and others' filters; AVX-512 VBMI2 has it for bytes.)

#include "concord/algorithms/look_and_say/tbb/steps.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/backends/tbb/simd.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::look_and_say {
namespace {

using Counts = LookAndSay::Counts;

std::int64_t RunEnd(const std::uint8_t* digits, std::int64_t first,
                    std::int64_t end) {
  const std::uint8_t digit = digits[first];
  std::int64_t i = first + 1;
  while (i < end && digits[i] == digit) ++i;
  return i;
}

int DecimalDigits(std::int64_t count) {
  int digits = 1;
  for (; count >= 10; count /= 10) ++digits;
  return digits;
}

// Says the runs that start in [first, stop); the last one ends at `end` or
// before. Returns where the next one starts.
std::int64_t SayRuns(const std::uint8_t* digits, std::int64_t first,
                     std::int64_t stop, std::int64_t end, Counts counts,
                     std::uint8_t*& out) {
  while (first < stop) {
    const std::int64_t next = RunEnd(digits, first, end);
    std::int64_t count = next - first;
    if (count < 10 || counts == Counts::kSymbol) {
      *out++ = static_cast<std::uint8_t>(count);
    } else {
      const int places = DecimalDigits(count);
      for (int i = places; i-- > 0; count /= 10) {
        out[i] = static_cast<std::uint8_t>(count % 10);
      }
      out += places;
    }
    *out++ = digits[first];
    first = next;
  }
  return first;
}

}  // namespace
}  // namespace concord::look_and_say

#define CONCORD_SIMD_ALSO_ICELAKE
#define CONCORD_SIMD_FILE "concord/algorithms/look_and_say/tbb/steps_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::look_and_say {
namespace {

// Whether no run is longer than nine after so many steps: counts of a step have
// up to 19 digits, so that runs of the next one are under 100 long, and those
// after that under 10.
bool HasShortCounts(std::int64_t steps) { return steps >= 2; }

// One step. `short_counts`: no run is longer than nine.
class Step {
 public:
  Step(TbbBackend& backend, absl::Span<const std::uint8_t> digits,
       Counts counts, bool short_counts)
      : backend_(backend),
        digits_(digits.data()),
        size_(static_cast<std::int64_t>(digits.size())),
        counts_(counts),
        short_counts_(short_counts || counts == Counts::kSymbol) {
    const std::int64_t chunks = (size_ + kStepsChunk - 1) / kStepsChunk;
    starts_.assign(chunks + 1, size_);
    offsets_.assign(chunks + 1, 0);
    ForEachChunk([this](std::int64_t chunk) {
      starts_[chunk] = FirstRunIn(chunk * kStepsChunk);
    });
    // A chunk without a start of a run has nothing to say.
    for (std::int64_t chunk = chunks; chunk-- > 0;) {
      if (starts_[chunk] < 0) starts_[chunk] = starts_[chunk + 1];
    }
    ForEachChunk([this](std::int64_t chunk) {
      offsets_[chunk + 1] = LengthOf(starts_[chunk], starts_[chunk + 1]);
    });
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      offsets_[chunk + 1] += offsets_[chunk];
    }
  }

  std::int64_t length() const { return offsets_.back(); }

  void Say(std::uint8_t* out) const {
    ForEachChunk([this, out](std::int64_t chunk) {
      SayChunk(starts_[chunk], starts_[chunk + 1], out + offsets_[chunk],
               out + offsets_[chunk + 1]);
    });
  }

 private:
  template <typename F>
  void ForEachChunk(const F& f) const {
    const auto chunks = static_cast<std::int64_t>(starts_.size()) - 1;
    if (chunks <= 2) {
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk) f(chunk);
      return;
    }
    backend_.ForEach(chunks, f);
  }

  // -1 when there is none in the chunk that starts at `first`.
  std::int64_t FirstRunIn(std::int64_t first) const {
    const std::int64_t end = std::min(size_, first + kStepsChunk);
    for (std::int64_t i = first; i < end; ++i) {
      if (i == 0 || digits_[i] != digits_[i - 1]) return i;
    }
    return -1;
  }

  std::int64_t LengthOf(std::int64_t first, std::int64_t end) const {
    if (first == end) return 0;
    if (short_counts_) {
      return 2 * CONCORD_SIMD_CHOOSE(CountStarts)(digits_, first, end);
    }
    std::int64_t length = 0;
    while (first < end) {
      const std::int64_t next = RunEnd(digits_, first, end);
      length += DecimalDigits(next - first) + 1;
      first = next;
    }
    return length;
  }

  void SayChunk(std::int64_t first, std::int64_t end, std::uint8_t* out,
                std::uint8_t* out_end) const {
    if (first == end) return;
    first = CONCORD_SIMD_CHOOSE_ICELAKE(SayByVectors)(digits_, first, end,
                                                      counts_, out, out_end);
    SayRuns(digits_, first, end, end, counts_, out);
  }

  TbbBackend& backend_;
  const std::uint8_t* const digits_;
  const std::int64_t size_;
  const Counts counts_;
  const bool short_counts_;
  // By chunk: its first run's start, and where what it says belongs.
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> offsets_;
};

class LookAndSayTbbSteps : public LookAndSay {
 public:
  explicit LookAndSayTbbSteps(std::shared_ptr<Backend> backend)
      : steps_(std::move(backend)) {}

  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    RETURN_IF_ERROR(CheckRunsFitSymbols(in.span<std::uint8_t>(), options));
    return steps_.Run(in.span<std::uint8_t>(), out, options);
  }

 private:
  StepByStep steps_;
};

const bool kRegistered = Registry<LookAndSay>::Get().Add<LookAndSayTbbSteps>(
    "tbb", "steps", /*rank=*/5,
    "step by step, 64 digits at a time, on all threads",
    Contract()
        .Boundaries({64, kStepsChunk, 3 * kStepsChunk})
        .Notes("holds two steps in memory, whatever part is wanted"));

}  // namespace

absl::Status StepByStep::Run(absl::Span<const std::uint8_t> in, ArrayView out,
                             const LookAndSay::Options& options) {
  absl::Span<const std::uint8_t> digits = in;
  for (std::int64_t s = 0; s < options.steps; ++s) {
    RETURN_IF_ERROR(
        CheckRoomForStep(static_cast<std::int64_t>(digits.size()), s, options));
    const Step step(*backend_, digits, options.counts, HasShortCounts(s));
    const bool is_last = s + 1 == options.steps;
    if (is_last && options.length_only) {
      return WriteLength(absl::StrCat(step.length()), out);
    }
    const bool is_whole = options.from == 0 && step.length() <= options.count;
    if (is_last && is_whole && step.length() == out.size()) {
      step.Say(out.data<std::uint8_t>());
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(
        std::uint8_t* const said,
        Room(s, step.length(), is_last ? step.length() : 2 * step.length()));
    step.Say(said);
    digits = {said, static_cast<std::size_t>(step.length())};
  }
  return WriteLookAndSay(digits, out, options);
}

absl::StatusOr<absl::Span<std::uint8_t>> StepByStep::Say(
    absl::Span<const std::uint8_t> digits, std::int64_t steps,
    LookAndSay::Counts counts, std::int64_t spare) {
  const Step step(*backend_, digits, counts, HasShortCounts(steps));
  const std::int64_t length = step.length() + spare;
  ASSIGN_OR_RETURN(std::uint8_t* const said, Room(steps, length, 2 * length));
  step.Say(said);
  return absl::MakeSpan(said, static_cast<std::size_t>(step.length()));
}

// Twice what is needed lasts for two of its turns.
absl::StatusOr<std::uint8_t*> StepByStep::Room(std::int64_t step,
                                               std::int64_t length,
                                               std::int64_t likely) {
  Array& buffer = buffers_[step % 2];
  if (buffer.size() < length) {
    buffer = Array();
    ASSIGN_OR_RETURN(buffer, backend_->Allocate(ElementType::kUInt8, likely));
  }
  return buffer.data<std::uint8_t>();
}

}  // namespace concord::look_and_say
