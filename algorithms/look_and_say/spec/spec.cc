// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/algorithms/available_memory.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/look_and_say/spec/cases.h"
#include "concord/algorithms/look_and_say/spec/laws.h"
#include "concord/core/array_io.h"
#include "concord/core/output_file.h"
#include "concord/core/spec.h"

namespace concord::look_and_say {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::string content;
  if (path == "-") {
    content.assign(std::istreambuf_iterator<char>(std::cin), {});
    return content;
  }
  // Opening a folder succeeds, reading it does not.
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": no such file"));
  content.assign(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) {
    return absl::InvalidArgumentError(absl::StrCat(path, " cannot be read"));
  }
  return content;
}

// A string of digits; or, where counts are symbols, numbers between spaces.
absl::StatusOr<HostArray> ParseText(absl::string_view text,
                                    LookAndSay::Counts counts) {
  text = absl::StripAsciiWhitespace(text);
  std::vector<std::uint8_t> digits;
  if (counts == LookAndSay::Counts::kSymbol &&
      text.find_first_of(" \t\r\n") != absl::string_view::npos) {
    for (absl::string_view word :
         absl::StrSplit(text, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty())) {
      int symbol;
      if (!absl::SimpleAtoi(word, &symbol) || symbol < 0 || symbol > 255) {
        return absl::InvalidArgumentError(
            absl::StrCat("symbol ", digits.size() + 1, " is '", word,
                         "', not a whole number from 0 to 255"));
      }
      digits.push_back(static_cast<std::uint8_t>(symbol));
    }
  } else {
    absl::StatusOr<std::vector<std::uint8_t>> parsed = ParseDigits(text);
    if (!parsed.ok()) return parsed.status();
    digits = *std::move(parsed);
  }
  return HostArray::Of<std::uint8_t>(absl::MakeConstSpan(digits));
}

absl::StatusOr<HostArray> ReadDigits(const std::string& path,
                                     LookAndSay::Counts counts) {
  absl::StatusOr<std::string> content = ReadFile(path);
  if (!content.ok()) return content.status();
  if (!absl::StartsWith(*content, "\x93NUMPY")) {
    absl::StatusOr<HostArray> digits = ParseText(*content, counts);
    if (digits.ok()) return digits;
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": ", digits.status().message()));
  }
  absl::StatusOr<HostArray> array = ParseArray(*content, path);
  if (!array.ok()) return array.status();
  if (array->type() != ElementType::kUInt8 || array->shape().size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " must have one dimension of uint8, a digit in each element"));
  }
  return array;
}

class LookAndSaySpec : public SpecOf<LookAndSay> {
 public:
  std::string summary() const override {
    return "digits that say how many there were of which before";
  }

  std::vector<OptionSpec> options() const override {
    return {
        OptionSpec::Number("steps", "how often to look and say", 1, 0,
                           LookAndSay::kMostSteps),
        OptionSpec::Choice(
            "counts",
            "whether a count of ten or more is several digits or one symbol",
            "decimal", {"decimal", "symbol"}),
        OptionSpec::Switch("length-only", "say how many digits the result has"),
        OptionSpec::Number("from",
                           "the first digit of the result that is wanted", 0, 0,
                           std::numeric_limits<std::int64_t>::max()),
        OptionSpec::Text("count", "how many digits are wanted", kWholeResult),
    };
  }

  std::vector<ElementType> element_types() const override {
    return {ElementType::kUInt8};
  }
  std::vector<std::string> Distributions(ElementType) const override {
    return LookAndSayDistributions();
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
    return {make(1, "decimal", "no", "0", kWholeResult),
            make(0, "decimal", "no", "0", kWholeResult),
            make(1, "symbol", "no", "0", kWholeResult),
            make(2, "decimal", "no", "0", kWholeResult),
            make(3, "symbol", "no", "1", "100000"),
            make(5, "decimal", "yes", "0", kWholeResult),
            make(19, "decimal", "no", "0", kWholeResult),
            make(20, "decimal", "no", "2", kWholeResult),
            make(21, "symbol", "no", "0", kWholeResult),
            make(30, "decimal", "no", "0", kWholeResult),
            make(40, "symbol", "no", "2", "70000"),
            make(32, "symbol", "yes", "0", kWholeResult)};
  }

  absl::StatusOr<Case> Generate(const CaseRequest& request) const override {
    return GenerateLookAndSayCase(request, options());
  }
  std::vector<Case> SpecialCases() const override {
    return LookAndSaySpecialCases(options());
  }

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

  absl::StatusOr<std::vector<OutputSpec>> OutputsOf(
      const Case& test_case) const override {
    absl::StatusOr<Options> options = Parse(test_case.options);
    if (!options.ok()) return options.status();
    const HostArray& in = test_case.inputs.at("in");
    absl::Status status = CheckType("in", in.view(), ElementType::kUInt8);
    if (!status.ok()) return status;
    status = CheckDigits(in.span<std::uint8_t>(), *options);
    if (!status.ok()) return status;
    absl::StatusOr<LookAndSayOutput> output =
        OutputOfLookAndSay(in.span<std::uint8_t>(), *options);
    if (!output.ok()) return output.status();
    status = CheckFits(output->size);
    if (!status.ok()) return status;
    return std::vector<OutputSpec>{{"out", output->type, {output->size}}};
  }

  absl::StatusOr<std::map<std::string, Expectation>> Expected(
      const Case& test_case) const override {
    absl::StatusOr<Options> options = Parse(test_case.options);
    if (!options.ok()) return options.status();
    absl::StatusOr<HostArray> value = ExpectedLookAndSay(
        test_case.inputs.at("in").span<std::uint8_t>(), *options);
    if (!value.ok()) return value.status();
    std::map<std::string, Expectation> expected;
    expected["out"].value = *std::move(value);
    return expected;
  }

  std::vector<Law> laws() const override { return LookAndSayLaws(); }

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

  Floor FloorOf(const Case& test_case) const override {
    Floor floor;
    floor.bytes_read = test_case.inputs.at("in").view().bytes();
    const absl::StatusOr<std::vector<OutputSpec>> outputs =
        OutputsOf(test_case);
    if (outputs.ok()) {
      floor.bytes_written =
          Capacity(outputs->front()) * SizeOf(outputs->front().type);
    }
    return floor;
  }

  std::string size_unit() const override { return "digits"; }

  absl::StatusOr<LoadedCase> Load(const LoadRequest& request) const override {
    absl::StatusOr<OptionMap> complete =
        CompleteOptions(options(), request.options);
    if (!complete.ok()) return complete.status();
    absl::StatusOr<Options> parsed = Parse(*complete);
    if (!parsed.ok()) return parsed.status();
    if (parsed->length_only && (request.options.count("from") > 0 ||
                                request.options.count("count") > 0)) {
      return absl::InvalidArgumentError(
          "--length-only is about the whole result; --from and --count mean "
          "nothing beside it");
    }
    const auto path = request.files.find("input");
    if (path == request.files.end()) {
      return absl::InvalidArgumentError(
          "--input=FILE is needed, digits as text or .npy of uint8");
    }
    absl::StatusOr<HostArray> in = ReadDigits(path->second, parsed->counts);
    if (!in.ok()) return in.status();
    absl::Status status = CheckDigits(in->span<std::uint8_t>(), *parsed);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path->second, ": ", status.message()));
    }
    LoadedCase loaded;
    loaded.value.label = path->second;
    loaded.value.type = ElementType::kUInt8;
    loaded.value.options = *std::move(complete);
    loaded.value.inputs.emplace("in", *std::move(in));
    return loaded;
  }

  // As text: digits on one line, without spaces.
  absl::Status Save(const Results& results,
                    const std::string& path) const override {
    const HostArray& out = results.at("out");
    if (out.type() != ElementType::kUInt8 || absl::EndsWith(path, ".npy")) {
      return WriteArray(path, out);
    }
    absl::StatusOr<OutputFile> file = OutputFile::Open(path);
    if (!file.ok()) return file.status();
    const auto digits = out.span<std::uint8_t>();
    const bool spaced = std::any_of(digits.begin(), digits.end(),
                                    [](std::uint8_t x) { return x > 9; });
    // In pieces, so that the text need not be in memory beside the digits.
    constexpr std::size_t kPiece = 1 << 20;
    absl::Status status;
    for (std::size_t i = 0; i < digits.size() && status.ok(); i += kPiece) {
      if (spaced && i > 0) status = file->Write(" ");
      // With one symbol past 9 anywhere, all are numbers between spaces.
      const auto piece = digits.subspan(i, kPiece);
      if (status.ok()) {
        status =
            file->Write(spaced ? FormatSymbols(piece) : FormatDigits(piece));
      }
    }
    if (status.ok()) status = file->Write("\n");
    return status.ok() ? file->Commit() : status;
  }

 protected:
  absl::StatusOr<Options> Parse(const OptionMap& options) const override {
    return ParseLookAndSayOptions(options);
  }

  absl::Status RunTyped(LookAndSay& look_and_say, const Inputs& inputs,
                        const Outputs& outputs,
                        const Options& options) const override {
    return look_and_say.Run(inputs.at("in"), outputs.at("out"), options);
  }

 private:
  // In decimal there are no others, and text could not show them.
  static absl::Status CheckDigits(absl::Span<const std::uint8_t> digits,
                                  const Options& options) {
    if (options.counts == LookAndSay::Counts::kSymbol) return absl::OkStatus();
    const auto wrong = std::find_if(digits.begin(), digits.end(),
                                    [](std::uint8_t x) { return x > 9; });
    if (wrong == digits.end()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "element ", wrong - digits.begin(), " is ", static_cast<int>(*wrong),
        ", not a digit; --counts=symbol takes any"));
  }

  // The result, a copy of it for the file, and a step in between for those
  // implementations that make them all.
  static absl::Status CheckFits(std::int64_t digits) {
    const double needed = 3 * static_cast<double>(digits);
    const auto available = static_cast<double>(AvailableMemory());
    if (needed <= available) return absl::OkStatus();
    const std::string many = digits == std::numeric_limits<std::int64_t>::max()
                                 ? "more than 2^63 - 1"
                                 : absl::StrCat(digits);
    return absl::OutOfRangeError(absl::StrCat(
        "the result has ", many, " digits and needs ", MemorySize(needed),
        " of memory, of which ", MemorySize(available),
        " are there; ask for a part of it, such as --from=0 --count=1000000"));
  }
};

const bool kRegistered = RegisterSpec(new LookAndSaySpec);

}  // namespace
}  // namespace concord::look_and_say
