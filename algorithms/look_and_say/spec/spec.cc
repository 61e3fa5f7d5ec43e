// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord::look_and_say {
namespace {

constexpr const char* kWhole = LookAndSay::kWholeResult;

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

// Where digits come from:
//   uniform      any digit
//   tame         1, 2 and 3, in runs of at most 3, as in every later term
//   runs         runs whose lengths spread over all magnitudes
//   equal        one run
//   alternating  two digits in turn
//   one          the sequence itself: the seed is 1, and there are as many
//                steps as it takes to a term of the size that is asked for,
//                whatever the options say
HostArray DrawDigits(const std::string& distribution, std::int64_t size,
                     LookAndSay::Counts counts, std::uint64_t seed) {
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
  } else {  // equal, alternating
    const std::uint64_t first = random.Below(10);
    const std::uint64_t second = (first + 1 + random.Below(9)) % 10;
    // A symbol holds no count past 255: then there is another run.
    const std::int64_t period = distribution == "alternating" ? 1
                                : symbols ? kLongestRunOfSymbols
                                          : std::max<std::int64_t>(size, 1);
    for (std::int64_t i = 0; i < size; ++i) {
      out[i] = static_cast<std::uint8_t>(i / period % 2 == 0 ? first : second);
    }
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

// The right output, made step by step, as text. ResourceExhausted where that
// would take more memory than there is.
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

class LookAndSaySpec : public SpecOf<LookAndSay> {
 public:
  std::vector<std::string> Distributions(ElementType) const override {
    return {"uniform", "tame", "runs", "equal", "alternating", "one"};
  }

  // No step, one, a few; more and fewer than atoms are worth while for; the
  // settings of the others in turn.
  std::vector<OptionMap> OptionCombinations(ElementType) const override {
    const auto make = [](int steps, const char* counts, const char* length_only,
                         const char* from, const char* count) {
      return OptionMap{{"steps", absl::StrCat(steps)},
                       {"counts", counts},
                       {"length-only", length_only},
                       {"from", from},
                       {"count", count}};
    };
    return {make(1, "decimal", "no", "0", kWhole),
            make(0, "decimal", "no", "0", kWhole),
            make(1, "symbol", "no", "0", kWhole),
            make(2, "decimal", "no", "0", kWhole),
            make(3, "symbol", "no", "1", "100000"),
            make(5, "decimal", "yes", "0", kWhole),
            make(19, "decimal", "no", "0", kWhole),
            make(20, "decimal", "no", "2", kWhole),
            make(21, "symbol", "no", "0", kWhole),
            make(30, "decimal", "no", "0", kWhole),
            make(40, "symbol", "no", "2", "70000"),
            make(32, "symbol", "yes", "0", kWhole)};
  }

  absl::StatusOr<Case> MakeFrom(const CaseRequest& request) const override;
  std::vector<Case> SpecialCases() const override;

  std::vector<Axis> Axes(const Case& test_case) const override {
    std::vector<Axis> axes = AlgorithmSpec::Axes(test_case);
    const std::int64_t steps = NumberOption(test_case.options, "steps");
    axes.push_back({"steps", steps,
                    [test_case, steps](std::int64_t first, std::int64_t last) {
                      Case smaller = test_case;
                      smaller.options["steps"] =
                          absl::StrCat(steps - (last - first));
                      return smaller;
                    }});
    return axes;
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    ASSIGN_OR_RETURN(
        HostArray value,
        ExpectedLookAndSay(test_case.inputs.at("in").span<std::uint8_t>(),
                           options));
    Expectations expected;
    expected["out"].value = std::move(value);
    return expected;
  }

  std::vector<PresetRows> preset_rows() const override {
    // Term 77 of "1".
    return {{"applications",
             3,
             {},
             {},
             {"one"},
             {"atoms", "lookback"},
             {1'149'440'192}}};
  }

  std::string size_unit() const override { return "digits"; }
};

// A case whose last step has about `request.size` digits before it; exactly so
// many if there is only one step.
absl::StatusOr<Case> LookAndSaySpec::MakeFrom(
    const CaseRequest& request) const {
  OptionMap complete = request.options;
  ASSIGN_OR_RETURN(Options options, Parse(complete));
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
    in = DrawDigits(request.distribution, size, options.counts, request.seed);
  }
  // A part that starts behind the end is refused.
  if (in.size() < 2 && options.from > in.size()) complete["from"] = "0";
  return MakeCase(absl::StrCat("n=", request.size, " ", request.distribution,
                               " seed=", request.seed),
                  std::move(complete), std::move(in));
}

std::vector<Case> LookAndSaySpec::SpecialCases() const {
  std::vector<Case> cases;
  const auto add = [&](const std::string& text, int steps,
                       OptionMap options = {}) {
    options["steps"] = absl::StrCat(steps);
    absl::StatusOr<OptionMap> complete =
        CompleteOptions(this->options(), options);
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
  // About as many digits as a warp of a GPU stores at once, from any place.
  for (const char* const count : {"511", "512", "1025"}) {
    add("1", 40, {{"from", "29999"}, {"count", count}});
  }
  add("1", 40, {{"from", "7"}, {"count", "0"}});
  add("1", 40, {{"length-only", "yes"}});
  return cases;
}

const bool kRegistered = RegisterSpec(new LookAndSaySpec);

}  // namespace
}  // namespace concord::look_and_say
