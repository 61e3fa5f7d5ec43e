// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/concord/help.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/tools/concord/text.h"

namespace concord {
namespace {

// Explanations begin here; a name that needs the room pushes its own along.
constexpr int kColumn = 26;

std::string NameOf(const CLI::Option& option) {
  // A flag takes no value, and so has nothing to call one.
  if (option.get_positional() || option.get_items_expected_max() == 0) {
    return option.get_name();
  }
  return absl::StrCat(option.get_name(), "=", option.get_type_name());
}

}  // namespace

std::string HelpEntry(const std::string& name, const std::string& explanation) {
  std::string first = absl::StrCat("  ", name);
  const int room = kColumn - static_cast<int>(first.size());
  first.append(static_cast<std::size_t>(room < 2 ? 2 : room), ' ');
  return Wrapped(absl::StrCat(first, explanation), kColumn);
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string,
                                     CLI::AppFormatMode) const {
  const CLI::App* const parent = app->get_parent();
  std::string usage = "Usage: concord";
  if (parent != nullptr) absl::StrAppend(&usage, " ", app->get_name());
  for (const CLI::Option* option : app->get_options()) {
    if (option->get_positional()) {
      const bool required = option->get_required();
      absl::StrAppend(&usage, " ", required ? "" : "[", option->get_name(),
                      required ? "" : "]");
    }
  }
  absl::StrAppend(&usage, parent == nullptr ? " COMMAND ..." : " [OPTIONS]");
  std::string help =
      absl::StrCat(usage, "\n\n", Wrapped(app->get_description()));

  const std::vector<const CLI::App*> commands =
      app->get_subcommands([](const CLI::App*) { return true; });
  if (!commands.empty()) help += "\nCommands:\n";
  for (const CLI::App* command : commands) {
    help += HelpEntry(command->get_name(), command->get_description());
  }
  for (const std::string& group : app->get_groups()) {
    absl::StrAppend(&help, "\n", group, ":\n");
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_group() != group) continue;
      help += HelpEntry(NameOf(*option), option->get_description());
    }
  }
  if (!app->get_footer().empty()) {
    absl::StrAppend(&help, "\n", Wrapped(app->get_footer()));
  }
  return absl::StrCat(
      help, "\n",
      Wrapped(absl::StrCat(
          "Exit status: 0 done, and all agreed; 1 disagreement or failure; 2 "
          "arguments or input that cannot be used; 3 the named backend is not "
          "available",
          parent == nullptr ? "; 4 undecided, of gate and reproduce." : ".")));
}

}  // namespace concord
