// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/look_and_say/spec/cases.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/core/available_memory.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord::look_and_say {
namespace {

// The growth of all steps but the first, by which a term of random digits
// becomes up to twice as long.
constexpr double kConway = 1.303577269;

// What fits one symbol.
constexpr std::int64_t kLongestRunOfSymbols = 255;

// A random length from 1 to `most`, of any magnitude.
std::int64_t RunLength(Random& random, std::int64_t most) {
  int bits = 0;
  while (most >> bits != 0) ++bits;
  const std::uint64_t bound = std::uint64_t{1} << random.Below(bits + 1);
  return std::min<std::int64_t>(
      most, 1 + static_cast<std::int64_t>(random.Below(bound)));
}

void FillRuns(HostArray& digits, std::int64_t longest, std::uint8_t least,
              std::uint64_t kinds, Random& random) {
  std::int64_t i = 0;
  std::uint8_t before = 255;
  while (i < digits.size()) {
    auto digit = static_cast<std::uint8_t>(least + random.Below(kinds));
    if (digit == before) {
      digit = static_cast<std::uint8_t>(least + (digit - least + 1) % kinds);
    }
    const std::int64_t length =
        std::min(digits.size() - i, RunLength(random, longest));
    std::fill_n(digits.data<std::uint8_t>() + i, length, digit);
    i += length;
    before = digit;
  }
}

absl::StatusOr<HostArray> DrawDigits(const std::string& distribution,
                                     std::int64_t size,
                                     LookAndSay::Counts counts,
                                     std::uint64_t seed) {
  HostArray digits(ElementType::kUInt8, {size});
  auto* const out = digits.data<std::uint8_t>();
  Random random(seed);
  const bool symbols = counts == LookAndSay::Counts::kSymbol;
  if (distribution == "uniform") {
    for (std::int64_t i = 0; i < size; ++i) {
      out[i] = static_cast<std::uint8_t>(random.Below(10));
    }
  } else if (distribution == "tame") {
    FillRuns(digits, 3, 1, 3, random);
  } else if (distribution == "runs") {
    FillRuns(digits, symbols ? kLongestRunOfSymbols : 1'000'000, 0, 10, random);
  } else if (distribution == "equal" || distribution == "alternating") {
    const std::uint64_t first = random.Below(10);
    const std::uint64_t second = (first + 1 + random.Below(9)) % 10;
    // A symbol holds no count past 255: then there is another run.
    const std::int64_t period = distribution == "alternating" ? 1
                                : symbols ? kLongestRunOfSymbols
                                          : std::max<std::int64_t>(size, 1);
    for (std::int64_t i = 0; i < size; ++i) {
      out[i] = static_cast<std::uint8_t>(i / period % 2 == 0 ? first : second);
    }
  } else {
    return InvalidArgumentError("look_and_say has no distribution '",
                                distribution, "'");
  }
  return digits;
}

// The digits as text, which nothing else here computes with. Symbols past 9 are
// characters past '9'.
std::string SayText(const std::string& text, LookAndSay::Counts counts) {
  std::string said;
  said.reserve(text.size() + text.size() / 2);
  std::size_t run = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    ++run;
    if (i + 1 < text.size() && text[i + 1] == text[i]) continue;
    if (counts == LookAndSay::Counts::kSymbol || run < 10) {
      said.push_back(static_cast<char>('0' + run));
    } else {
      absl::StrAppend(&said, run);
    }
    said.push_back(text[i]);
    run = 0;
  }
  return said;
}

}  // namespace

const std::vector<std::string>& LookAndSayDistributions() {
  static const auto* const names = new std::vector<std::string>{
      "uniform", "tame", "runs", "equal", "alternating", "one"};
  return *names;
}

absl::StatusOr<Case> GenerateLookAndSayCase(
    const CaseRequest& request, const std::vector<OptionSpec>& specs) {
  ASSIGN_OR_RETURN(OptionMap complete, CompleteOptions(specs, request.options));
  ASSIGN_OR_RETURN(LookAndSay::Options options,
                   LookAndSay::GetSignature().Parse(complete));
  std::int64_t size = request.size;
  HostArray in(ElementType::kUInt8, {0});
  if (request.distribution == "one") {
    // Term k has about 1.567 times Conway's constant to the k digits:
    // 179,691,598 at k = 70. The seed is term 1.
    const double term =
        std::log(static_cast<double>(std::max<std::int64_t>(size, 1)) / 1.567) /
        std::log(kConway);
    options.steps = std::max<std::int64_t>(0, std::llround(term) - 1);
    complete["steps"] = absl::StrCat(options.steps);
    if (size > 0) in = HostArray::Of<std::uint8_t>({1});
  } else {
    if (options.steps > 1) {
      const double growth =
          2 * std::pow(kConway, static_cast<double>(options.steps - 2));
      size = static_cast<std::int64_t>(
          std::ceil(static_cast<double>(size) / growth));
    }
    ASSIGN_OR_RETURN(in, DrawDigits(request.distribution, size, options.counts,
                                    request.seed));
  }
  // A part that starts behind the end is refused.
  if (in.size() < 2 && options.from > in.size()) complete["from"] = "0";
  return MakeCase(absl::StrCat("n=", request.size, " ", request.distribution,
                               " seed=", request.seed),
                  std::move(complete), std::move(in));
}

std::vector<Case> LookAndSaySpecialCases(const std::vector<OptionSpec>& specs) {
  std::vector<Case> cases;
  const auto add = [&](const std::string& text, int steps,
                       OptionMap options = {}) {
    options["steps"] = absl::StrCat(steps);
    absl::StatusOr<OptionMap> complete = CompleteOptions(specs, options);
    absl::StatusOr<std::vector<std::uint8_t>> digits = ParseDigits(text);
    cases.push_back(MakeCase(
        absl::StrCat(text.size() > 40 ? text.substr(0, 40) + "..." : text,
                     " after ", steps, " steps"),
        *std::move(complete),
        HostArray::Of<std::uint8_t>(absl::MakeConstSpan(*digits))));
  };
  add("", 40);
  add("22", 50);
  for (const int steps : {1, 8, 19, 20, 30, 45}) add("1", steps);
  // The transuranic elements of a digit past 3.
  add("31221132221222112112322211"
      "7",
      25);
  add("1311222113321132211221121332211"
      "0",
      25);
  // Takes 23 steps to become elements.
  add("121333221123", 20);
  add("121333221123", 33);
  for (const int run : {9, 10, 11, 99, 100, 255}) {
    add(std::string(run, '4') + std::string(run, '1') + "4", 1);
    add(std::string(run, '1'), 22);
    add(std::string(run, '2') + "1" + std::string(run, '2'), 22,
        {{"counts", "symbol"}});
  }
  add(std::string(100'000, '6'), 21);
  add("1", 40, {{"from", "30000"}, {"count", "20000"}});
  add("1", 40, {{"from", "63138"}});
  add("1", 40, {{"from", "7"}, {"count", "0"}});
  add("1", 40, {{"length-only", "yes"}});
  return cases;
}

absl::StatusOr<HostArray> ExpectedLookAndSay(
    absl::Span<const std::uint8_t> in, const LookAndSay::Options& options) {
  std::string text(in.size(), '0');
  std::transform(in.begin(), in.end(), text.begin(),
                 [](std::uint8_t x) { return static_cast<char>('0' + x); });
  const auto check_room = [&](std::int64_t digits, std::int64_t step) {
    absl::Status status = CheckRoomForStep(digits, step, options);
    if (status.ok()) return status;
    return ResourceExhaustedError(
        "what is expected is computed step by step, and ", status.message());
  };
  // Where the length is known beforehand, nothing is computed in vain.
  AtomTable table(options.counts);
  absl::Status status;
  if (const auto plan = LookAndSayPlan::Make(in, options.steps, table)) {
    status = check_room(plan->length(), options.steps);
  }
  for (std::int64_t step = 0; step < options.steps && status.ok(); ++step) {
    text = SayText(text, options.counts);
    status = check_room(static_cast<std::int64_t>(text.size()), step + 1);
  }
  if (!status.ok()) return status;
  const auto length = static_cast<std::int64_t>(text.size());
  if (options.length_only) return HostArray::Of<std::int64_t>({length});
  const std::int64_t part = PartOf(length, options);
  HostArray value(ElementType::kUInt8, {part});
  for (std::int64_t i = 0; i < part; ++i) {
    value.data<std::uint8_t>()[i] =
        static_cast<std::uint8_t>(text[options.from + i] - '0');
  }
  return value;
}

}  // namespace concord::look_and_say
