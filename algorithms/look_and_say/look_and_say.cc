// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/look_and_say/look_and_say.h"

#include <algorithm>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/core/available_memory.h"
#include "concord/core/registry.h"

namespace concord {
namespace {

absl::Status CheckOptions(const LookAndSay::Options& options) {
  if (options.steps < 0 || options.steps > LookAndSay::kMostSteps) {
    return absl::InvalidArgumentError(absl::StrCat("steps must be from 0 to ",
                                                   LookAndSay::kMostSteps,
                                                   ", not ", options.steps));
  }
  if (options.from < 0 || options.count < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a part of a result starts at 0 or later and has 0 digits or more, not "
        "from=",
        options.from, ", count=", options.count));
  }
  return absl::OkStatus();
}

// Calls f(count, symbol) for each run.
template <typename F>
void ForEachRun(absl::Span<const std::uint8_t> digits, const F& f) {
  const std::uint8_t* first = digits.data();
  const std::uint8_t* const end = first + digits.size();
  while (first != end) {
    const std::uint8_t symbol = *first;
    const std::uint8_t* next =
        std::find_if(first, end, [=](std::uint8_t x) { return x != symbol; });
    f(static_cast<std::int64_t>(next - first), symbol);
    first = next;
  }
}

// By making all steps but the last, whose symbols are only counted.
absl::StatusOr<std::int64_t> LengthByCounting(
    absl::Span<const std::uint8_t> in, const LookAndSay::Options& options) {
  if (options.steps == 0) return static_cast<std::int64_t>(in.size());
  // The digits of two steps are in memory at the same time.
  const std::int64_t most = AvailableMemory() / 4;
  std::vector<std::uint8_t> digits(in.begin(), in.end());
  std::vector<std::uint8_t> said;
  for (std::int64_t step = 1;; ++step) {
    said.clear();
    std::int64_t length = 0;
    ForEachRun(digits, [&](std::int64_t count, std::uint8_t symbol) {
      const std::size_t before = said.size();
      AppendCount(count, options.counts, said);
      said.push_back(symbol);
      if (step == options.steps) {
        length += static_cast<std::int64_t>(said.size() - before);
        said.resize(before);
      }
    });
    if (step == options.steps) return length;
    digits.swap(said);
    if (static_cast<std::int64_t>(digits.size()) > most) {
      return absl::OutOfRangeError(absl::StrCat(
          "after ", step, " of ", options.steps, " steps there are ",
          digits.size(), " digits, more than memory has room to go on with"));
    }
  }
}

// The number of digits, however many, as a decimal number.
absl::StatusOr<std::string> Length(absl::Span<const std::uint8_t> in,
                                   const LookAndSay::Options& options) {
  look_and_say::AtomTable table(options.counts);
  const std::optional<look_and_say::LookAndSayPlan> plan =
      look_and_say::LookAndSayPlan::Make(in, options.steps, table);
  if (plan.has_value()) {
    // Only what asks for the length itself needs more than 63 bits of it.
    return options.length_only ? plan->ExactLength()
                               : absl::StrCat(plan->length());
  }
  absl::StatusOr<std::int64_t> length = LengthByCounting(in, options);
  if (!length.ok()) return length.status();
  return absl::StrCat(*length);
}

}  // namespace

std::int64_t PartOf(std::int64_t length, const LookAndSay::Options& options) {
  return std::min(length - std::min(length, options.from), options.count);
}

absl::StatusOr<LookAndSayOutput> OutputOfLookAndSay(
    absl::Span<const std::uint8_t> in, const LookAndSay::Options& options) {
  absl::Status status = CheckOptions(options);
  if (status.ok()) status = CheckRunsFitSymbols(in, options);
  if (!status.ok()) return status;
  absl::StatusOr<std::string> length = Length(in, options);
  if (!length.ok()) return length.status();
  std::int64_t digits;
  const bool fits = absl::SimpleAtoi(*length, &digits);
  if (options.length_only) {
    if (fits) return LookAndSayOutput{ElementType::kInt64, 1};
    return LookAndSayOutput{ElementType::kUInt8,
                            static_cast<std::int64_t>(length->size())};
  }
  if (options.from > digits) {
    return absl::OutOfRangeError(absl::StrCat(
        "the result has ", digits, " digits; none is at ", options.from));
  }
  return LookAndSayOutput{ElementType::kUInt8, PartOf(digits, options)};
}

absl::Status CheckLookAndSayArguments(const ConstArrayView& in,
                                      const ConstArrayView& out,
                                      const LookAndSay::Options& options,
                                      Memory memory, absl::string_view where) {
  absl::Status status = CheckMemory("in", in, memory, where);
  status.Update(CheckMemory("out", out, memory, where));
  status.Update(CheckType("in", in, ElementType::kUInt8));
  status.Update(CheckOptions(options));
  if (!options.length_only) {
    status.Update(CheckType("out", out, ElementType::kUInt8));
  }
  return status;
}

absl::Status CheckRunsFitSymbols(absl::Span<const std::uint8_t> in,
                                 const LookAndSay::Options& options) {
  if (options.counts != LookAndSay::Counts::kSymbol || options.steps == 0) {
    return absl::OkStatus();
  }
  std::int64_t longest = 0;
  ForEachRun(in, [&](std::int64_t count, std::uint8_t) {
    longest = std::max(longest, count);
  });
  if (longest <= std::numeric_limits<std::uint8_t>::max()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "a run of ", longest,
      " equal digits cannot be counted by one symbol, which holds up to 255; "
      "decimal counts can be of any size"));
}

absl::Status WriteLookAndSay(absl::Span<const std::uint8_t> result,
                             ArrayView out,
                             const LookAndSay::Options& options) {
  const auto length = static_cast<std::int64_t>(result.size());
  if (options.length_only) return WriteLength(absl::StrCat(length), out);
  absl::Status status = CheckSize("out", out, PartOf(length, options));
  if (!status.ok() || out.empty()) return status;
  std::copy_n(result.begin() + options.from, out.size(),
              out.data<std::uint8_t>());
  return absl::OkStatus();
}

absl::Status WriteLength(absl::string_view decimal, ArrayView out) {
  std::int64_t length;
  if (absl::SimpleAtoi(decimal, &length)) {
    absl::Status status = CheckType("out", out, ElementType::kInt64);
    status.Update(CheckSize("out", out, 1));
    if (status.ok()) *out.data<std::int64_t>() = length;
    return status;
  }
  absl::Status status = CheckType("out", out, ElementType::kUInt8);
  status.Update(
      CheckSize("out", out, static_cast<std::int64_t>(decimal.size())));
  if (!status.ok()) return status;
  std::transform(decimal.begin(), decimal.end(), out.data<std::uint8_t>(),
                 [](char c) { return static_cast<std::uint8_t>(c - '0'); });
  return status;
}

void AppendCount(std::int64_t count, LookAndSay::Counts counts,
                 std::vector<std::uint8_t>& said) {
  if (counts == LookAndSay::Counts::kDecimal && count >= 10) {
    AppendCount(count / 10, counts, said);
    count %= 10;
  }
  said.push_back(static_cast<std::uint8_t>(count));
}

absl::StatusOr<std::vector<std::uint8_t>> ParseDigits(absl::string_view text) {
  std::vector<std::uint8_t> digits;
  digits.reserve(text.size());
  for (const char c : text) {
    if (c < '0' || c > '9') {
      return absl::InvalidArgumentError(absl::StrCat(
          "character ", digits.size() + 1, " is ",
          c > ' ' && c <= '~'
              ? absl::StrCat("'", absl::string_view(&c, 1), "'")
              : absl::StrCat("the byte ", static_cast<unsigned char>(c)),
          ", not a digit"));
    }
    digits.push_back(static_cast<std::uint8_t>(c - '0'));
  }
  return digits;
}

std::string FormatDigits(absl::Span<const std::uint8_t> digits) {
  if (std::any_of(digits.begin(), digits.end(),
                  [](std::uint8_t x) { return x > 9; })) {
    return absl::StrJoin(digits, " ", [](std::string* out, std::uint8_t x) {
      absl::StrAppend(out, static_cast<int>(x));
    });
  }
  std::string text(digits.size(), '0');
  std::transform(digits.begin(), digits.end(), text.begin(),
                 [](std::uint8_t x) { return static_cast<char>('0' + x); });
  return text;
}

absl::StatusOr<std::string> ComputeLookAndSay(
    const std::shared_ptr<Backend>& backend, absl::string_view digits,
    const LookAndSay::Options& options, absl::string_view variant) {
  absl::StatusOr<std::unique_ptr<LookAndSay>> implementation =
      Registry<LookAndSay>::Get().Create(backend, variant);
  if (!implementation.ok()) return implementation.status();
  absl::StatusOr<std::vector<std::uint8_t>> in = ParseDigits(digits);
  if (!in.ok()) return in.status();
  absl::StatusOr<LookAndSayOutput> output = OutputOfLookAndSay(*in, options);
  if (!output.ok()) return output.status();

  absl::StatusOr<Array> there_in = backend->Allocate(
      ElementType::kUInt8, static_cast<std::int64_t>(in->size()));
  if (!there_in.ok()) return there_in.status();
  absl::StatusOr<Array> there_out =
      backend->Allocate(output->type, output->size);
  if (!there_out.ok()) return there_out.status();
  absl::Status status =
      backend->Copy(ConstArrayView(absl::MakeConstSpan(*in)), there_in->view());
  if (!status.ok()) return status;
  status = (*implementation)->Run(there_in->view(), there_out->view(), options);
  if (!status.ok()) return status;
  if (output->type == ElementType::kInt64) {
    std::int64_t length = 0;
    status =
        backend->Copy(there_out->view(), ArrayView(absl::MakeSpan(&length, 1)));
    if (!status.ok()) return status;
    return absl::StrCat(length);
  }
  std::vector<std::uint8_t> out(static_cast<std::size_t>(output->size));
  status = backend->Copy(there_out->view(), ArrayView(absl::MakeSpan(out)));
  if (!status.ok()) return status;
  return FormatDigits(out);
}

}  // namespace concord
