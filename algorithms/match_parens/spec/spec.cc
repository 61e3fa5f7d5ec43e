// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/algorithms/match_parens/spec/cases.h"
#include "concord/algorithms/match_parens/spec/laws.h"
#include "concord/core/array_io.h"
#include "concord/core/npy.h"
#include "concord/core/output_file.h"
#include "concord/core/spec.h"

namespace concord::match_parens {
namespace {

// What no text has for anything but nesting. (Angle brackets also compare.)
constexpr absl::string_view kAlwaysBrackets = "()[]{}";

// The loop of match_parens.h, with the kinds alone on the stack: the position
// of its lowest element is where it last was empty.
std::int64_t ExpectedFault(absl::Span<const std::uint8_t> in,
                           const Brackets& brackets) {
  std::vector<std::uint8_t> kinds;
  std::int64_t lowest = -1;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const int code = brackets.code[in[i]];
    if (code > 0) {
      if (kinds.empty()) lowest = static_cast<std::int64_t>(i);
      kinds.push_back(static_cast<std::uint8_t>(code));
    } else if (code < 0) {
      if (kinds.empty() || kinds.back() != -code) {
        return static_cast<std::int64_t>(i);
      }
      kinds.pop_back();
    }
  }
  return kinds.empty() ? -1 : lowest;
}

absl::StatusOr<std::string> ReadBytes(const std::string& path) {
  if (path == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
  }
  std::ifstream file(path, std::ios::binary);
  std::string content;
  if (file && file.peek() != std::ifstream::traits_type::eof()) {
    content.assign(std::istreambuf_iterator<char>(file), {});
  }
  if (!file.is_open() || file.bad()) {
    const std::string message =
        absl::StrCat("cannot read ", path, ": ", std::strerror(errno));
    return errno == ENOENT ? absl::NotFoundError(message)
                           : absl::InvalidArgumentError(message);
  }
  return content;
}

absl::Status Outside(const std::string& source, std::int64_t position,
                     const std::string& what, const std::string& kinds) {
  return absl::InvalidArgumentError(
      absl::StrCat(source, ": element ", position, " is ", what,
                   ", no bracket of --kinds=\"", kinds, "\""));
}

// The numbers of any integer array as int8.
absl::StatusOr<HostArray> Numbers(const HostArray& array,
                                  const std::string& source,
                                  const std::string& kinds) {
  if (IsFloat(array.type())) {
    return absl::InvalidArgumentError(absl::StrCat(
        source, " holds ", Name(array.type()),
        "; match_parens takes text or whole numbers, 1 for an opening bracket "
        "and -1 for a closing one"));
  }
  const auto most = static_cast<std::int64_t>(kinds.size() / 2);
  HostArray numbers(ElementType::kInt8, {array.size()});
  absl::Status status = Dispatch(array.type(), [&](auto tag) -> absl::Status {
    using T = typename decltype(tag)::type;
    for (std::int64_t i = 0; i < array.size(); ++i) {
      const auto number = static_cast<std::int64_t>(array.data<T>()[i]);
      if (number < -most || number > most) {
        return Outside(source, i, absl::StrCat(number), kinds);
      }
      numbers.data<std::int8_t>()[i] = static_cast<std::int8_t>(number);
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return numbers;
}

absl::StatusOr<HostArray> Text(absl::string_view content,
                               const std::string& source,
                               const std::string& kinds) {
  for (std::size_t i = 0; i < content.size(); ++i) {
    if (absl::StrContains(kAlwaysBrackets, content[i]) &&
        !absl::StrContains(kinds, content[i])) {
      return Outside(source, static_cast<std::int64_t>(i),
                     absl::StrCat("'", content.substr(i, 1), "'"), kinds);
    }
  }
  HostArray text(ElementType::kUInt8,
                 {static_cast<std::int64_t>(content.size())});
  std::copy(content.begin(), content.end(), text.data<char>());
  return text;
}

class MatchParensSpec : public SpecOf<MatchParens> {
 public:
  std::string summary() const override {
    return "whether brackets are balanced, and where they first are not";
  }

  std::vector<OptionSpec> options() const override {
    return {OptionSpec::Text(
        "kinds", "pairs of opening and closing brackets, such as ()[]{}",
        "()")};
  }

  std::vector<ElementType> element_types() const override {
    return {ElementType::kInt8, ElementType::kUInt8};
  }
  std::vector<std::string> Distributions(ElementType) const override {
    return MatchParensDistributions();
  }
  std::vector<OptionMap> OptionCombinations(ElementType) const override {
    return {{{"kinds", "()"}}, {{"kinds", "()[]{}"}}, {{"kinds", "<>"}}};
  }

  absl::StatusOr<HostArray> DrawInput(const CaseRequest& request,
                                      const OptionMap& options) const override {
    const std::string& kinds = options.at("kinds");
    absl::StatusOr<Brackets> brackets =
        BracketsOf(Options{kinds}, request.type);
    if (!brackets.ok()) return brackets.status();
    return DrawBrackets(request.distribution, request.type, request.size, kinds,
                        request.seed);
  }

  std::vector<Case> SpecialCases() const override {
    return MatchParensSpecialCases();
  }

  absl::StatusOr<std::vector<OutputSpec>> OutputsOf(
      const Case& test_case) const override {
    absl::StatusOr<Options> options = Parse(test_case.options);
    if (!options.ok()) return options.status();
    const HostArray fault(ElementType::kInt64, {1});
    absl::Status status = CheckMatchParensArguments(
        test_case.inputs.at("in").view(), fault.view(), *options,
        Memory::Host(), name());
    if (!status.ok()) return status;
    return std::vector<OutputSpec>{{"fault", ElementType::kInt64, {1}}};
  }

  absl::StatusOr<std::map<std::string, Expectation>> Expected(
      const Case& test_case) const override {
    absl::StatusOr<Options> options = Parse(test_case.options);
    if (!options.ok()) return options.status();
    absl::StatusOr<Brackets> brackets = BracketsOf(*options, test_case.type);
    if (!brackets.ok()) return brackets.status();
    const HostArray& in = test_case.inputs.at("in");
    const absl::Span<const std::uint8_t> bytes(
        in.data<std::uint8_t>(), static_cast<std::size_t>(in.size()));
    std::map<std::string, Expectation> expected;
    expected["fault"].value =
        HostArray::Of<std::int64_t>({ExpectedFault(bytes, *brackets)});
    return expected;
  }

  std::vector<Law> laws() const override { return MatchParensLaws(); }

  std::vector<PresetRows> preset_rows() const override {
    return {{"applications", 2, {}, {}, {"balanced", "fault_at_end"}}};
  }

  Floor FloorOf(const Case& test_case) const override {
    return {test_case.inputs.at("in").view().bytes(),
            SizeOf(ElementType::kInt64)};
  }

  // Any file is a text unless it is a .npy of numbers.
  absl::StatusOr<LoadedCase> Load(const LoadRequest& request) const override {
    absl::StatusOr<OptionMap> complete =
        CompleteOptions(options(), request.options);
    if (!complete.ok()) return complete.status();
    const std::string kinds = complete->at("kinds");
    absl::Status status =
        BracketsOf(Options{kinds}, ElementType::kUInt8).status();
    if (!status.ok()) return status;
    const auto path = request.files.find("input");
    if (path == request.files.end()) {
      return absl::InvalidArgumentError("--input=FILE is needed");
    }
    const std::string source =
        path->second == "-" ? "standard input" : path->second;
    absl::StatusOr<std::string> content = ReadBytes(path->second);
    if (!content.ok()) return content.status();
    absl::StatusOr<HostArray> in = HostArray();
    if (!content->empty() && LooksLikeNpy(*content)) {
      in = ParseNpy(*content, source);
      if (!in.ok()) return in.status();
      if (in->type() == ElementType::kUInt8) {
        in = Text({in->data<char>(), static_cast<std::size_t>(in->size())},
                  source, kinds);
      } else {
        in = Numbers(*in, source, kinds);
      }
    } else {
      in = Text(*content, source, kinds);
    }
    if (!in.ok()) return in.status();
    LoadedCase loaded;
    loaded.value.label = path->second;
    loaded.value.type = in->type();
    loaded.value.options = *std::move(complete);
    loaded.value.inputs.emplace("in", *std::move(in));
    return loaded;
  }

  // "balanced" or "unbalanced at P"; the position or -1 as .npy.
  absl::Status Save(const Results& results,
                    const std::string& path) const override {
    const HostArray& fault = results.at("fault");
    if (absl::EndsWith(path, ".npy")) return WriteArray(path, fault);
    const std::int64_t position = *fault.data<std::int64_t>();
    return WriteFile(
        path, position < 0 ? "balanced\n"
                           : absl::StrCat("unbalanced at ", position, "\n"));
  }

 protected:
  absl::StatusOr<Options> Parse(const OptionMap& options) const override {
    return Options{options.at("kinds")};
  }

  absl::Status RunTyped(MatchParens& match_parens, const Inputs& inputs,
                        const Outputs& outputs,
                        const Options& options) const override {
    return match_parens.Run(inputs.at("in"), outputs.at("fault"), options);
  }
};

const bool kRegistered = RegisterSpec(new MatchParensSpec);

}  // namespace
}  // namespace concord::match_parens
