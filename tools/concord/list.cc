// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord list`: every implementation, what it promises, and whether it can
// run here.

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/backend.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"
#include "concord/tools/concord/command_line.h"
#include "concord/tools/concord/descriptions.h"
#include "concord/tools/concord/text.h"

namespace concord {
namespace {

std::string TypesOf(const Contract& contract) {
  if (contract.element_types.size() == AllElementTypes().size()) {
    return "all types";
  }
  return absl::StrJoin(NamesOf(contract.element_types), " ");
}

// What a person has to know before they choose it.
std::string Description(const ImplementationInfo& info) {
  const Contract& contract = info.contract;
  std::vector<std::string> promises = {
      info.summary, TypesOf(contract),
      absl::StrCat("determinism ", Name(contract.determinism))};
  if (contract.in_place) promises.push_back("works in place");
  if (contract.max_size < std::numeric_limits<std::int64_t>::max()) {
    promises.push_back(absl::StrCat(
        "at most ", WithThousands(contract.max_size), " elements"));
  }
  std::string text = Wrapped("    " + absl::StrJoin(promises, "; "), 4);
  const std::string keeps =
      contract.keeps.empty() ? "" : absl::StrCat("keeps ", contract.keeps);
  for (const std::string& more :
       {contract.special_values, keeps, contract.notes}) {
    if (!more.empty()) text += Wrapped("    " + more, 4);
  }
  return text;
}

std::string AsTable(const std::vector<ListEntry>& entries) {
  Table table;
  table.AddColumn("IMPLEMENTATION", Table::Align::kLeft);
  table.AddColumn("DEFAULT", Table::Align::kLeft);
  table.AddColumn("RUNS HERE", Table::Align::kLeft);
  std::map<std::string, std::string> reasons;
  for (const ListEntry& entry : entries) {
    table.AddRow({entry.info.name(), entry.is_default ? "yes" : "",
                  entry.reason.empty() ? Painted("yes", Colour::kGreen)
                                       : Painted("no", Colour::kRed)},
                 Description(entry.info));
    if (!entry.reason.empty()) reasons[entry.subject] = entry.reason;
  }
  std::string text = table.ToString();
  for (const auto& [subject, reason] : reasons) {
    text += "\n" + Wrapped(absl::StrCat(subject, " cannot run here: ", reason));
  }
  return text;
}

}  // namespace

void AddListCommand(CommandLine& line) {
  struct Flags {
    std::string pattern;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  CLI::App* const command = AddCommand(
      line, "list",
      "Shows every implementation, its contract, and whether it can run here",
      [flags]() -> absl::StatusOr<ExitStatus> {
        const std::vector<ListEntry> entries = EntriesOf(flags->pattern);
        if (entries.empty()) {
          return NotFoundError("no implementation matches '", flags->pattern,
                               "'");
        }
        RETURN_IF_ERROR(
            Print(flags->json ? AsJson(entries) : AsTable(entries)));
        return kDone;
      });
  command->add_option("PATTERN", flags->pattern,
                      "Part of a name, or a pattern such as 'scan/*'");
  command->add_flag("--json", flags->json, "Print JSON instead of a table");
}

}  // namespace concord
