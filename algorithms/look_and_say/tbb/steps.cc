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
#include "concord/core/registry.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

std::int64_t CountStarts(const std::uint8_t* digits, std::int64_t first,
                         std::int64_t end) {
  std::int64_t starts = 1;
  for (std::int64_t i = first + 1; i < end; ++i) {
    starts += digits[i] != digits[i - 1];
  }
  return starts;
}

#if defined(__x86_64__)

constexpr std::int64_t kLanes = 64;

bool HasByteCompress() {
  static const bool has = kSimdTarget == SimdTarget::kAvx512 &&
                          __builtin_cpu_supports("avx512vbmi") &&
                          __builtin_cpu_supports("avx512vbmi2");
  return has;
}

#define CONCORD_BYTE_COMPRESS \
  [[gnu::target("avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]]

CONCORD_BYTE_COMPRESS std::int64_t CountStartsByVectors(
    const std::uint8_t* digits, std::int64_t first, std::int64_t end) {
  std::int64_t starts = 1;
  std::int64_t i = first + 1;
  for (; i + kLanes <= end; i += kLanes) {
    const __m512i here = _mm512_loadu_si512(digits + i);
    const __m512i before = _mm512_loadu_si512(digits + i - 1);
    starts += __builtin_popcountll(_mm512_cmpneq_epi8_mask(here, before));
  }
  if (i < end) {
    const __mmask64 rest = ~std::uint64_t{0} >> (kLanes - (end - i));
    const __m512i here = _mm512_maskz_loadu_epi8(rest, digits + i);
    const __m512i before = _mm512_maskz_loadu_epi8(rest, digits + i - 1);
    starts += __builtin_popcountll(_mm512_cmpneq_epi8_mask(here, before));
  }
  return starts;
}

// Says as much of [first, end) as whole vectors can, within `out_end`; `first`
// is the start of a run. Returns from where on nothing has been said.
CONCORD_BYTE_COMPRESS std::int64_t SayByVectors(const std::uint8_t* digits,
                                                std::int64_t first,
                                                std::int64_t end, Counts counts,
                                                std::uint8_t*& out,
                                                const std::uint8_t* out_end) {
  // Byte 2k of the result is count k, byte 2k + 1 digit k.
  alignas(64) std::uint8_t places[2][kLanes];
  for (int half = 0; half < 2; ++half) {
    for (int k = 0; k < kLanes; ++k) {
      const int pair = half * 32 + k / 2;
      places[half][k] =
          static_cast<std::uint8_t>(k % 2 == 0 ? pair : 64 + pair);
    }
  }
  const __m512i low = _mm512_load_si512(places[0]);
  const __m512i high = _mm512_load_si512(places[1]);
  const __m512i three = _mm512_set1_epi8(3);
  const __m512i two = _mm512_set1_epi8(2);
  const __m512i one = _mm512_set1_epi8(1);

  std::int64_t i = first;
  // A digit that starts no run is said by the vector, or the run, before.
  bool starts_run = true;
  while (i + kLanes + 3 <= end && out + 2 * kLanes <= out_end) {
    const __m512i here = _mm512_loadu_si512(digits + i);
    const __m512i next1 = _mm512_loadu_si512(digits + i + 1);
    const __m512i next2 = _mm512_loadu_si512(digits + i + 2);
    const __m512i next3 = _mm512_loadu_si512(digits + i + 3);
    const __mmask64 ends1 = _mm512_cmpneq_epi8_mask(next1, here);
    const __mmask64 ends2 = _mm512_cmpneq_epi8_mask(next2, next1);
    const __mmask64 ends3 = _mm512_cmpneq_epi8_mask(next3, next2);
    const __mmask64 starts = ends1 << 1 | static_cast<__mmask64>(starts_run);
    if ((starts & ~(ends1 | ends2 | ends3)) != 0) {
      // There is a longer run.
      while (i < end && !starts_run) {
        starts_run = digits[i] != digits[i - 1];
        if (!starts_run) ++i;
      }
      const std::int64_t stop = std::min(i + kLanes, end);
      i = SayRuns(digits, i, stop, end, counts, out);
      starts_run = true;
      continue;
    }
    const __m512i run_counts = _mm512_mask_mov_epi8(
        _mm512_mask_mov_epi8(three, ends2, two), ends1, one);
    const __m512i said_counts = _mm512_maskz_compress_epi8(starts, run_counts);
    const __m512i said_digits = _mm512_maskz_compress_epi8(starts, here);
    _mm512_storeu_si512(
        out, _mm512_permutex2var_epi8(said_counts, low, said_digits));
    _mm512_storeu_si512(
        out + kLanes, _mm512_permutex2var_epi8(said_counts, high, said_digits));
    out += 2 * __builtin_popcountll(starts);
    starts_run = ends1 >> (kLanes - 1) != 0;
    i += kLanes;
  }
  while (i < end && !starts_run) {
    starts_run = digits[i] != digits[i - 1];
    if (!starts_run) ++i;
  }
  return i;
}

#endif

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
#if defined(__x86_64__)
      if (HasByteCompress()) {
        return 2 * CountStartsByVectors(digits_, first, end);
      }
#endif
      return 2 * CountStarts(digits_, first, end);
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
                [[maybe_unused]] std::uint8_t* out_end) const {
#if defined(__x86_64__)
    if (HasByteCompress() && first < end) {
      first = SayByVectors(digits_, first, end, counts_, out, out_end);
    }
#endif
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
  explicit LookAndSayTbbSteps(std::shared_ptr<TbbBackend> backend)
      : steps_(std::move(backend)) {}

  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    absl::Status status = CheckRunsFitSymbols(in.span<std::uint8_t>(), options);
    if (!status.ok()) return status;
    return steps_.Run(in.span<std::uint8_t>(), out, options);
  }

 private:
  StepByStep steps_;
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kUInt8};
  contract.boundaries = {64, kStepsChunk, 3 * kStepsChunk};
  contract.notes = "holds two steps in memory, whatever part is wanted";
  return contract;
}

const bool kRegistered = Registry<LookAndSay>::Get().Add(
    "tbb", "steps", /*rank=*/5,
    "step by step, 64 digits at a time, on all threads", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<LookAndSayTbbSteps>(AsTbb(std::move(backend)));
    });

}  // namespace

absl::Status StepByStep::Run(absl::Span<const std::uint8_t> in, ArrayView out,
                             const LookAndSay::Options& options) {
  const bool whole = !options.length_only && options.from == 0;
  absl::Span<const std::uint8_t> digits = in;
  for (std::int64_t s = 0; s < options.steps; ++s) {
    absl::Status status =
        CheckRoomForStep(static_cast<std::int64_t>(digits.size()), s, options);
    if (!status.ok()) return status;
    // Counts of a step have up to 19 digits, so that runs of the next one are
    // under 100 long, and those after that under 10.
    const Step step(*backend_, digits, options.counts, /*short_counts=*/s >= 2);
    const bool is_last = s + 1 == options.steps;
    if (is_last && options.length_only) {
      return WriteLength(absl::StrCat(step.length()), out);
    }
    if (is_last && whole && step.length() == out.size()) {
      step.Say(out.data<std::uint8_t>());
      return absl::OkStatus();
    }
    Array& buffer = buffers_[s % 2];
    if (buffer.size() < step.length()) {
      buffer = Array();
      // Twice what is needed lasts for two of its turns.
      const std::int64_t size =
          is_last ? step.length() : step.length() + step.length();
      absl::StatusOr<Array> allocated =
          backend_->Allocate(ElementType::kUInt8, size);
      if (!allocated.ok()) return allocated.status();
      buffer = *std::move(allocated);
    }
    step.Say(buffer.data<std::uint8_t>());
    digits = {buffer.data<std::uint8_t>(),
              static_cast<std::size_t>(step.length())};
  }
  return WriteLookAndSay(digits, out, options);
}

}  // namespace concord::look_and_say
