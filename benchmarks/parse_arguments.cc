// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/parse_arguments.h"

#include <algorithm>
#include <utility>

namespace concord {
namespace {

// Every option of `app` and of its commands that takes a value.
std::vector<CLI::Option*> OptionsWithValues(CLI::App& app) {
  std::vector<CLI::Option*> all =
      app.get_options([](const CLI::Option* option) {
        return option->nonpositional() && option->get_items_expected_max() > 0;
      });
  for (CLI::App* command :
       app.get_subcommands([](CLI::App*) { return true; })) {
    const std::vector<CLI::Option*> more = OptionsWithValues(*command);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
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

std::string RefusalOfEmpty(const std::string& value) {
  return value.empty() ? "the value is empty; give one, or leave the option out"
                       : "";
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
  const std::vector<CLI::Option*> options = OptionsWithValues(app);
  for (CLI::Option* option : options) {
    // Unlike a check, what transforms comes before the option's own checks.
    option->transform(CLI::Validator(
        [](const std::string& value) { return RefusalOfEmpty(value); }, ""));
  }
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
