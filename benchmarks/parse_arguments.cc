// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/parse_arguments.h"

#include <algorithm>
#include <utility>

namespace concord {
namespace {

// Those options of `app` and of its commands.
template <typename Wanted>
std::vector<CLI::Option*> OptionsThat(const Wanted& wanted, CLI::App& app) {
  std::vector<CLI::Option*> all = app.get_options(wanted);
  for (CLI::App* command :
       app.get_subcommands([](CLI::App*) { return true; })) {
    const std::vector<CLI::Option*> more = OptionsThat(wanted, *command);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

bool TakesValue(const CLI::Option* option) {
  return option->nonpositional() && option->get_items_expected_max() > 0;
}

bool IsOptionalWord(const CLI::Option* option) {
  return !option->nonpositional() && !option->get_required();
}

// Whether the word is "--name=" of one of the options.
bool GivesNothing(const std::string& word,
                  const std::vector<CLI::Option*>& options) {
  if (word.empty() || word.back() != '=') return false;
  const std::string name = word.substr(0, word.size() - 1);
  return std::any_of(
      options.begin(), options.end(),
      [&](const CLI::Option* option) { return option->check_name(name); });
}

// Unlike a check, what transforms comes before the option's own checks.
void RefuseEmpty(const std::vector<CLI::Option*>& options,
                 const std::string& refusal) {
  for (CLI::Option* option : options) {
    option->transform(CLI::Validator(
        [refusal](const std::string& value) {
          return value.empty() ? refusal : "";
        },
        ""));
  }
}

// The parser's words for a number of values that is wrong, such as "--op: 1
// required TEXT missing", said so that a reader knows what to do.
std::string RefusalOfCount(const std::string& words,
                           const std::vector<CLI::Option*>& options) {
  for (const CLI::Option* option : options) {
    const std::string name = option->get_name();
    if (words.compare(0, name.size() + 1, name + ":") != 0) continue;
    return option->count() > 1
               ? name + " is given more than once"
               : name + " needs a value: " + option->get_type_name();
  }
  return words;
}

}  // namespace

void ParseArguments(CLI::App& app, const std::vector<std::string>& arguments) {
  const std::vector<CLI::Option*> options = OptionsThat(TakesValue, app);
  RefuseEmpty(options, "the value is empty; give one, or leave the option out");
  RefuseEmpty(OptionsThat(IsOptionalWord, app),
              "the word is empty; give one, or leave it out");
  // The parser takes arguments from the back.
  std::vector<std::string> reversed;
  for (auto argument = arguments.rbegin(); argument != arguments.rend();
       ++argument) {
    std::string word = *argument;
    if (GivesNothing(word, options)) {
      reversed.emplace_back();
      word.pop_back();
    }
    reversed.push_back(std::move(word));
  }
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ArgumentMismatch& mismatch) {
    throw CLI::ArgumentMismatch(RefusalOfCount(mismatch.what(), options),
                                mismatch.get_exit_code());
  }
}

}  // namespace concord
