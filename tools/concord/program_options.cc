// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/concord/program_options.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace concord {
namespace {

// "--filter REGEX, --rows REGEX" -> "--filter,--rows".
std::string LongNames(absl::string_view head) {
  std::vector<std::string> names;
  for (absl::string_view word :
       absl::StrSplit(head, absl::ByAnyChar(" ,="), absl::SkipEmpty())) {
    if (absl::StartsWith(word, "--")) names.emplace_back(word);
  }
  return absl::StrJoin(names, ",");
}

// What the option takes: words to choose from as "time|throughput", "FILE", or
// "" where it takes nothing.
std::string PlaceholderOf(absl::string_view head) {
  const std::size_t open = head.find('{');
  if (open != head.npos) {
    const absl::string_view words = head.substr(open + 1);
    return absl::StrReplaceAll(words.substr(0, words.find('}')), {{",", "|"}});
  }
  absl::ConsumeSuffix(&head, " ...");
  const std::vector<absl::string_view> words =
      absl::StrSplit(head, absl::ByAnyChar(" ="), absl::SkipEmpty());
  return absl::StartsWith(words.back(), "-") ? "" : std::string(words.back());
}

}  // namespace

void AddListedOptions(absl::string_view help, CLI::App& command) {
  const std::vector<absl::string_view> lines = absl::StrSplit(help, '\n');
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (!absl::StartsWith(lines[k], "  -")) continue;
    const absl::string_view line = lines[k].substr(2);
    const std::size_t gap = line.find("  ");
    const absl::string_view head = line.substr(0, gap);
    const absl::string_view text =
        gap != line.npos       ? line.substr(gap)
        : k + 1 < lines.size() ? lines[k + 1]
                               : absl::string_view();
    const std::string names = LongNames(head);
    if (names.empty()) continue;
    const std::string placeholder = PlaceholderOf(head);
    CLI::Option* const option = placeholder.empty()
                                    ? command.add_flag(names)
                                    : command.add_option(names);
    option->type_name(placeholder)
        ->description(std::string(absl::StripAsciiWhitespace(text)));
  }
}

}  // namespace concord
