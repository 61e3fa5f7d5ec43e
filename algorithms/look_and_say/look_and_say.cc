// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/look_and_say/look_and_say.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/core/available_memory.h"
#include "concord/core/call.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

constexpr char kAskForAPart[] =
    "ask for a part of it, such as --from=0 --count=1000000";

absl::Status CheckCount(const LookAndSay::Options& options) {
  if (options.count >= 0) return absl::OkStatus();
  return InvalidArgumentError(
      "a part of a result has 0 digits or more, not count=", options.count);
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
  std::vector<std::uint8_t> digits(in.begin(), in.end());
  std::vector<std::uint8_t> said;
  for (std::int64_t step = 1;; ++step) {
    said.clear();
    std::int64_t length = 0;
    ForEachRun(digits, [&](std::int64_t count, std::uint8_t symbol) {
      const std::size_t before = said.size();
      look_and_say::AppendCount(count, options.counts, said);
      said.push_back(symbol);
      if (step == options.steps) {
        length += static_cast<std::int64_t>(said.size() - before);
        said.resize(before);
      }
    });
    if (step == options.steps) return length;
    digits.swap(said);
    RETURN_IF_ERROR(look_and_say::CheckRoomForStep(
        static_cast<std::int64_t>(digits.size()), step, options));
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
  ASSIGN_OR_RETURN(std::int64_t length, LengthByCounting(in, options));
  return absl::StrCat(length);
}

absl::Status ParseCount(absl::string_view text, LookAndSay::Options& options) {
  if (text == LookAndSay::kWholeResult) {
    options.count = LookAndSay::kAll;
    return absl::OkStatus();
  }
  if (absl::SimpleAtoi(text, &options.count) && options.count >= 0) {
    return absl::OkStatus();
  }
  return InvalidArgumentError("--count takes a whole number, 0 or more, or '",
                              LookAndSay::kWholeResult, "', not '", text, "'");
}

// The result, a copy of it for the file, and a step in between for those
// implementations that make them all.
absl::Status CheckFits(std::int64_t digits) {
  const double needed = 3 * static_cast<double>(digits);
  const auto available = static_cast<double>(AvailableMemory());
  if (needed <= available) return absl::OkStatus();
  return OutOfRangeError("the result has ", digits, " digits and needs ",
                         MemorySize(needed), " of memory, of which ",
                         MemorySize(available), " are there; ", kAskForAPart);
}

absl::StatusOr<std::int64_t> PlannedSize(const LookAndSay::Options& options,
                                         Views in) {
  ASSIGN_OR_RETURN(LookAndSayOutput output,
                   OutputOfLookAndSay(in[0].span<std::uint8_t>(), options));
  RETURN_IF_ERROR(CheckFits(output.size));
  return output.size;
}

// If the result has none, PlannedSize refuses it.
ElementType PlannedType(const LookAndSay::Options& options, Views in) {
  if (!options.length_only) return ElementType::kUInt8;
  absl::StatusOr<LookAndSayOutput> output =
      OutputOfLookAndSay(in[0].span<std::uint8_t>(), options);
  return output.ok() ? output->type : ElementType::kInt64;
}

}  // namespace

const Signature<LookAndSay>& LookAndSay::GetSignature() {
  static const auto* const signature = new Signature<LookAndSay>(
      Signature<LookAndSay>(
          "digits that say how many there were of which before")
          .Number("steps", "how often to look and say", &Options::steps, 0,
                  kMostSteps)
          .Choice(
              "counts",
              "whether a count of ten or more is several digits or one symbol",
              &Options::counts,
              {{"decimal", Counts::kDecimal}, {"symbol", Counts::kSymbol}})
          .Switch("length-only", "say how many digits the result has",
                  &Options::length_only)
          .Number("from", "the first digit of the result that is wanted",
                  &Options::from, 0, std::numeric_limits<std::int64_t>::max())
          .Text("count", "how many digits are wanted", kWholeResult, ParseCount)
          .Input(
              {"in", "digits from 0 to 9, or symbols", {ElementType::kUInt8}})
          .Extent({"digits",
                   "those of the part that is wanted; with --length-only 1, or "
                   "the digits of a length past 2^63 - 1",
                   {"in"}},
                  PlannedSize)
          .Output(
              {"out",
               "the digits after the steps, or their number",
               {"uint8; with --length-only int64 up to 2^63 - 1", PlannedType},
               {"digits"},
               /*in_place_of=*/"",
               /*size_in=*/"",
               /*or_types=*/{ElementType::kUInt8, ElementType::kInt64}})
          .Requires(
              [](const Options& options, Views) { return CheckCount(options); })
          .Examines([](const Options& options, Views in) {
            return look_and_say::CheckDigits(in[0].span<std::uint8_t>(),
                                             options);
          })
          .Calls([](LookAndSay& look_and_say, Views in, MutableViews out,
                    const Options& options) {
            if (!options.length_only) {
              RETURN_IF_ERROR(CheckType("out", out[0], ElementType::kUInt8));
            }
            return look_and_say.Compute(in[0], out[0], options);
          }));
  return *signature;
}

absl::Status LookAndSay::Run(ConstArrayView in, ArrayView out,
                             const Options& options) {
  return GetSignature().Run(*this, {in}, {out}, options);
}

std::int64_t look_and_say::PartOf(std::int64_t length,
                                  const LookAndSay::Options& options) {
  return std::min(length - std::min(length, options.from), options.count);
}

absl::Status look_and_say::CheckPart(std::int64_t length,
                                     const LookAndSay::Options& options) {
  if (length < LookAndSay::kAll) return absl::OkStatus();
  if (options.count == LookAndSay::kAll) {
    return OutOfRangeError("the result has more than 2^63 - 1 digits; ",
                           kAskForAPart);
  }
  if (options.count <= LookAndSay::kAll - options.from) return absl::OkStatus();
  return OutOfRangeError(
      "the result has more than 2^63 - 1 digits, and a part of it ends there "
      "at the latest, not ",
      options.count, " digits from ", options.from, " on");
}

absl::Status look_and_say::CheckRoomForStep(
    std::int64_t digits, std::int64_t step,
    const LookAndSay::Options& options) {
  // So much is always there, and asking takes longer than a small step.
  constexpr std::int64_t kSmall = std::int64_t{1} << 26;
  // A step makes a term twice as long at most, and vectors grow by copies.
  if (digits <= kSmall || digits <= AvailableMemory() / 4) {
    return absl::OkStatus();
  }
  return ResourceExhaustedError(
      "after ", step, " of ", options.steps, " steps there are ",
      digits == LookAndSay::kAll ? "more than 2^63 - 1" : absl::StrCat(digits),
      " digits, more than memory has room to go on with");
}

absl::StatusOr<LookAndSayOutput> OutputOfLookAndSay(
    absl::Span<const std::uint8_t> in, const LookAndSay::Options& options) {
  return Guarded([&]() -> absl::StatusOr<LookAndSayOutput> {
    RETURN_IF_ERROR(LookAndSay::GetSignature().CheckNumbers(options));
    RETURN_IF_ERROR(CheckCount(options));
    RETURN_IF_ERROR(look_and_say::CheckRunsFitSymbols(in, options));
    ASSIGN_OR_RETURN(std::string length, Length(in, options));
    std::int64_t digits;
    const bool fits = absl::SimpleAtoi(length, &digits);
    if (options.length_only) {
      if (fits) return LookAndSayOutput{ElementType::kInt64, 1};
      return LookAndSayOutput{ElementType::kUInt8,
                              static_cast<std::int64_t>(length.size())};
    }
    if (options.from > digits) {
      return OutOfRangeError("the result has ", digits, " digits; none is at ",
                             options.from);
    }
    RETURN_IF_ERROR(look_and_say::CheckPart(digits, options));
    return LookAndSayOutput{ElementType::kUInt8,
                            look_and_say::PartOf(digits, options)};
  });
}

absl::Status look_and_say::CheckDigits(absl::Span<const std::uint8_t> digits,
                                       const LookAndSay::Options& options) {
  if (options.counts == LookAndSay::Counts::kSymbol) return absl::OkStatus();
  const auto wrong = std::find_if(digits.begin(), digits.end(),
                                  [](std::uint8_t x) { return x > 9; });
  if (wrong == digits.end()) return absl::OkStatus();
  return InvalidArgumentError("element ", wrong - digits.begin(), " is ",
                              static_cast<int>(*wrong),
                              ", not a digit; --counts=symbol takes any");
}

absl::Status look_and_say::CheckFitsSymbol(std::int64_t longest) {
  if (longest <= std::numeric_limits<std::uint8_t>::max()) {
    return absl::OkStatus();
  }
  return InvalidArgumentError(
      "a run of ", longest,
      " equal digits cannot be counted by one symbol, which holds up to 255; "
      "decimal counts can be of any size");
}

absl::Status look_and_say::CheckRunsFitSymbols(
    absl::Span<const std::uint8_t> in, const LookAndSay::Options& options) {
  if (options.counts != LookAndSay::Counts::kSymbol || options.steps == 0) {
    return absl::OkStatus();
  }
  std::int64_t longest = 0;
  ForEachRun(in, [&](std::int64_t count, std::uint8_t) {
    longest = std::max(longest, count);
  });
  return CheckFitsSymbol(longest);
}

absl::Status look_and_say::WriteLookAndSay(
    absl::Span<const std::uint8_t> result, ArrayView out,
    const LookAndSay::Options& options) {
  const auto length = static_cast<std::int64_t>(result.size());
  if (options.length_only) return WriteLength(absl::StrCat(length), out);
  absl::Status status = CheckSize("out", out, PartOf(length, options));
  if (!status.ok() || out.empty()) return status;
  std::copy_n(result.begin() + options.from, out.size(),
              out.data<std::uint8_t>());
  return absl::OkStatus();
}

absl::Status look_and_say::WriteLength(absl::string_view decimal,
                                       ArrayView out) {
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

void look_and_say::AppendCount(std::int64_t count, LookAndSay::Counts counts,
                               std::vector<std::uint8_t>& said) {
  if (counts == LookAndSay::Counts::kDecimal && count >= 10) {
    AppendCount(count / 10, counts, said);
    count %= 10;
  }
  said.push_back(static_cast<std::uint8_t>(count));
}

absl::StatusOr<std::vector<std::uint8_t>> ParseDigits(absl::string_view text) {
  return Guarded([&]() -> absl::StatusOr<std::vector<std::uint8_t>> {
    std::vector<std::uint8_t> digits;
    digits.reserve(text.size());
    for (const char c : text) {
      if (c < '0' || c > '9') {
        return InvalidArgumentError(
            "character ", digits.size() + 1, " is ",
            c > ' ' && c <= '~'
                ? absl::StrCat("'", absl::string_view(&c, 1), "'")
                : absl::StrCat("the byte ", static_cast<unsigned char>(c)),
            ", not a digit");
      }
      digits.push_back(static_cast<std::uint8_t>(c - '0'));
    }
    return digits;
  });
}

std::string look_and_say::TextOfDigits(absl::Span<const std::uint8_t> digits) {
  if (std::any_of(digits.begin(), digits.end(),
                  [](std::uint8_t x) { return x > 9; })) {
    return TextOfSymbols(digits);
  }
  std::string text(digits.size(), '0');
  std::transform(digits.begin(), digits.end(), text.begin(),
                 [](std::uint8_t x) { return static_cast<char>('0' + x); });
  return text;
}

std::string look_and_say::TextOfSymbols(
    absl::Span<const std::uint8_t> symbols) {
  return absl::StrJoin(symbols, " ", [](std::string* out, std::uint8_t x) {
    absl::StrAppend(out, static_cast<int>(x));
  });
}

absl::StatusOr<std::string> FormatDigits(
    absl::Span<const std::uint8_t> digits) {
  return Guarded([&]() -> absl::StatusOr<std::string> {
    return look_and_say::TextOfDigits(digits);
  });
}

absl::StatusOr<std::string> FormatSymbols(
    absl::Span<const std::uint8_t> symbols) {
  return Guarded([&]() -> absl::StatusOr<std::string> {
    return look_and_say::TextOfSymbols(symbols);
  });
}

absl::StatusOr<std::string> ComputeLookAndSay(
    const std::shared_ptr<Backend>& backend, absl::string_view digits,
    const LookAndSay::Options& options, absl::string_view variant) {
  return Guarded([&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(std::vector<std::uint8_t> in, ParseDigits(digits));
    ASSIGN_OR_RETURN(LookAndSayOutput output, OutputOfLookAndSay(in, options));
    HostArray out(output.type, {output.size});
    RETURN_IF_ERROR(RunOnHost<LookAndSay>(
        backend, variant, options, {absl::MakeConstSpan(in)}, {out.view()}));
    if (output.type == ElementType::kInt64) return out.ToString(0);
    return look_and_say::TextOfDigits(out.span<std::uint8_t>());
  });
}

const bool kRegistered = RegisterAlgorithm<LookAndSay>();

}  // namespace concord
