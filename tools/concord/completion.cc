// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord completion`: scripts with which shells complete command lines. They
// know nothing of Concord and ask the program that is on the command line:
// `concord completion --words WORD...` (suggestions.h).

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "concord/core/errors.h"
#include "concord/tools/concord/command_line.h"

namespace concord {
namespace {

// Bash cuts words at = and :, and completes the last piece. What belongs
// together has no blank between.
constexpr char kBash[] =
    R"(# Completion of concord; in ~/.bashrc: source <(concord completion bash)
_concord() {
  local line=${COMP_LINE:0:COMP_POINT} words=() rest word value last k
  for ((k = 0; k <= COMP_CWORD; k++)); do
    rest=${line#"${line%%[![:space:]]*}"}
    word=${COMP_WORDS[k]}
    ((k < COMP_CWORD)) || word=$rest
    if ((k == 0)) || [[ $rest != "$line" ]]; then
      words+=("$word")
    else
      words[-1]+=$word
    fi
    line=${rest#"$word"}
  done
  last=${words[-1]}
  COMPREPLY=()
  while IFS=$'\t' read -r value _; do
    if [[ $value == :files ]]; then
      compopt -o filenames
      [[ $last == --*=* ]] && last=${last#*=}
      mapfile -t COMPREPLY < <(compgen -f -- "$last")
    else
      COMPREPLY+=("${value#"${last%"$2"}"}")
      [[ $value == *= ]] && compopt -o nospace
    fi
  done < <("${words[0]}" completion --words "${words[@]:1}" 2> /dev/null)
}
complete -F _concord concord
)";

constexpr char kZsh[] = R"(#compdef concord
# Completion of concord; in ~/.zshrc after compinit: source <(concord completion zsh)
_concord() {
  local line value
  local -a closed closed_shown open open_shown
  for line in "${(@f)$("$words[1]" completion --words "${(@)words[2,CURRENT-1]}" "$PREFIX" 2> /dev/null)}"; do
    value=${line%%$'\t'*}
    if [[ $value == :files ]]; then
      compset -P '--*='
      _files
    elif [[ $value == *= ]]; then
      open+=("$value")
      open_shown+=("${line/$'\t'/ -- }")
    elif [[ -n $value ]]; then
      closed+=("$value")
      closed_shown+=("${line/$'\t'/ -- }")
    fi
  done
  (( $#closed )) && compadd -l -d closed_shown -- $closed
  (( $#open )) && compadd -l -S '' -d open_shown -- $open
  return 0
}
if [[ $funcstack[1] == _concord ]]; then
  _concord "$@"
else
  compdef _concord concord
fi
)";

constexpr char kFish[] =
    R"(# Completion of concord; concord completion fish | source
function __concord_suggestions
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    for line in ($words[1] completion --words $words[2..-1] "$last" 2> /dev/null)
        if test "$line" = :files
            set -l head (string match -r -- '^--[^=]*=' $last)
            for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$last"))
                echo "$head$path"
            end
        else
            echo $line
        end
    end
end
complete -c concord -f -a '(__concord_suggestions)'
)";

const std::vector<std::pair<std::string, std::string>>& Scripts() {
  static const auto* const scripts =
      new std::vector<std::pair<std::string, std::string>>{
          {"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};
  return *scripts;
}

absl::StatusOr<ExitStatus> PrintScript(const std::string& shell) {
  for (const auto& [name, script] : Scripts()) {
    if (name != shell) continue;
    RETURN_IF_ERROR(Print(script));
    return kDone;
  }
  return InvalidArgumentError("there is no completion for '", shell,
                              "'; the shells are ",
                              absl::StrJoin(CompletedShells(), ", "));
}

}  // namespace

std::vector<std::string> CompletedShells() {
  std::vector<std::string> shells;
  for (const auto& [name, script] : Scripts()) shells.push_back(name);
  return shells;
}

void AddCompletionCommand(CommandLine& line) {
  auto shell = std::make_shared<std::string>();
  CLI::App* const command =
      AddCommand(line, "completion",
                 "Prints the script with which a shell completes command lines",
                 [shell] { return PrintScript(*shell); });
  command
      ->add_option("SHELL", *shell,
                   "bash, zsh or fish; the script begins with how to use it")
      ->required();
}

}  // namespace concord
