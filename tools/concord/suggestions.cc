// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/concord/suggestions.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/core/backend.h"
#include "concord/core/element_type.h"
#include "concord/tools/concord/selection.h"

namespace concord {
namespace {

struct Suggestion {
  std::string word;
  std::string explanation;
};

constexpr char kFiles[] = ":files";

std::vector<Suggestion> Algorithms() {
  std::vector<Suggestion> all;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    all.push_back({spec->name(), spec->summary()});
  }
  return all;
}

std::vector<Suggestion> Implementations() {
  std::vector<Suggestion> all;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    for (const ImplementationInfo& info : spec->implementations()) {
      all.push_back({info.name(), info.summary});
    }
  }
  return all;
}

// Each name once, with what it is on every backend that has it.
std::vector<Suggestion> Variants(const AlgorithmSpec* spec) {
  std::vector<Suggestion> all;
  if (spec == nullptr) return all;
  for (const ImplementationInfo& info : spec->implementations()) {
    const std::string there = absl::StrCat(info.backend, ": ", info.summary);
    const auto known = std::find_if(
        all.begin(), all.end(),
        [&](const Suggestion& other) { return other.word == info.variant; });
    if (known == all.end()) {
      all.push_back({info.variant, there});
    } else {
      absl::StrAppend(&known->explanation, "; ", there);
    }
  }
  return all;
}

std::vector<Suggestion> Backends() {
  std::vector<Suggestion> all;
  for (const BackendStatus& status : ListBackends()) {
    if (status.stage == BackendStage::kNotCompiled) continue;
    all.push_back({status.name, status.available() ? "" : status.WhyNot()});
  }
  return all;
}

std::vector<Suggestion> Words(const std::vector<std::string>& words) {
  std::vector<Suggestion> all;
  for (const std::string& word : words) all.push_back({word, ""});
  return all;
}

// What --help calls a value says what it is: words to choose from, separated by
// bars, or a kind of value in capital letters.
std::vector<Suggestion> ValuesOf(const std::string& placeholder,
                                 const AlgorithmSpec* algorithm) {
  if (placeholder == "ALGORITHM" || placeholder == "ALGORITHMS") {
    return Algorithms();
  }
  if (placeholder == "PATTERN") return Implementations();
  if (placeholder == "SHELL") return Words(CompletedShells());
  if (placeholder == "FILE") return Words({kFiles});
  if (placeholder == "NAME") return Variants(algorithm);
  if (placeholder == "SPEC" || placeholder == "LIST") return Backends();
  if (placeholder == "TYPE" || placeholder == "TYPES") {
    return Words(NamesOf(AllElementTypes()));
  }
  // Numbers, texts, and what else nobody can guess.
  if (absl::AsciiStrToUpper(placeholder) == placeholder) return {};
  return Words(absl::StrSplit(placeholder, '|'));
}

bool TakesValue(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

// Whether a value is several, separated by commas.
bool IsList(const std::string& placeholder) {
  return placeholder == "LIST" || placeholder == "ALGORITHMS" ||
         placeholder == "TYPES";
}

// Of `option`, each behind `head`, which is on the command line already.
std::vector<Suggestion> ValuesBehind(std::string head, const std::string& typed,
                                     const CLI::Option& option,
                                     const AlgorithmSpec* algorithm) {
  const std::string placeholder = option.get_type_name();
  // In a list, it is the last entry that grows.
  const std::size_t comma = typed.rfind(',');
  if (IsList(placeholder) && comma != std::string::npos) {
    absl::StrAppend(&head, typed.substr(0, comma + 1));
  }
  std::vector<Suggestion> values = ValuesOf(placeholder, algorithm);
  for (Suggestion& value : values) {
    if (value.word != kFiles) value.word = head + value.word;
  }
  return values;
}

std::vector<Suggestion> OptionsOf(const CLI::App& command) {
  std::vector<Suggestion> all;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    all.push_back(
        {absl::StrCat(option->get_name(), TakesValue(*option) ? "=" : ""),
         option->get_description()});
  }
  return all;
}

// The option that takes the word after `word`; null when none does.
const CLI::Option* Awaiting(const CLI::App& command, const std::string& word) {
  if (!absl::StartsWith(word, "--")) return nullptr;
  const CLI::Option* const option = command.get_option_no_throw(word);
  return option != nullptr && TakesValue(*option) ? option : nullptr;
}

// The positional argument that comes after these words; null when all are
// there. One that takes any number never is.
const CLI::Option* NextPositional(const CLI::App& command,
                                  const std::vector<std::string>& words) {
  std::size_t given = 0;
  for (std::size_t k = 1; k + 1 < words.size(); ++k) {
    const bool is_value = Awaiting(command, words[k - 1]) != nullptr;
    if (!is_value && !absl::StartsWith(words[k], "-")) ++given;
  }
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    if (option->get_allow_extra_args() || given-- == 0) return option;
  }
  return nullptr;
}

std::vector<Suggestion> Commands(const CLI::App& app) {
  std::vector<Suggestion> all;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App*) { return true; })) {
    all.push_back({command->get_name(), command->get_description()});
  }
  return all;
}

std::vector<Suggestion> SuggestionsFor(const CommandLine& line,
                                       const std::vector<std::string>& words) {
  const std::string& typed = words.back();
  if (words.size() == 1) {
    return absl::StartsWith(typed, "-") ? OptionsOf(line.app)
                                        : Commands(line.app);
  }
  const std::vector<const CLI::App*> commands = line.app.get_subcommands(
      [&](const CLI::App* app) { return app->get_name() == words.front(); });
  if (commands.empty()) return {};
  const CLI::App* const command = commands.front();
  if (const CLI::Option* option = Awaiting(*command, words[words.size() - 2])) {
    return ValuesBehind("", typed, *option, line.algorithm);
  }
  const std::size_t equals = typed.find('=');
  if (absl::StartsWith(typed, "--") && equals != std::string::npos) {
    const CLI::Option* const option =
        Awaiting(*command, typed.substr(0, equals));
    if (option == nullptr) return {};
    return ValuesBehind(typed.substr(0, equals + 1), typed.substr(equals + 1),
                        *option, line.algorithm);
  }
  const CLI::Option* const positional = NextPositional(*command, words);
  if (absl::StartsWith(typed, "-") || positional == nullptr) {
    return OptionsOf(*command);
  }
  return ValuesOf(positional->get_name(), line.algorithm);
}

}  // namespace

std::string Suggestions(const CommandLine& line,
                        const std::vector<std::string>& words) {
  std::string text;
  for (const Suggestion& suggestion : SuggestionsFor(line, words)) {
    if (suggestion.word == kFiles) {
      absl::StrAppend(&text, kFiles, "\n");
    } else if (absl::StartsWith(suggestion.word, words.back())) {
      absl::StrAppend(&text, suggestion.word, "\t", suggestion.explanation,
                      "\n");
    }
  }
  return text;
}

}  // namespace concord
