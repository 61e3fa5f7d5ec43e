// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord list`: every implementation, what it promises, and whether it can
// run here.

#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/backend.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"
#include "concord/tools/concord/command_line.h"
#include "concord/tools/concord/selection.h"
#include "concord/tools/concord/text.h"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

struct Entry {
  ImplementationInfo info;
  bool is_default;
  // Why it, or its backend, cannot run here; "" when it can.
  std::string reason;
  // Whichever the reason is about.
  std::string subject;
};

std::vector<Entry> Entries(const std::string& pattern) {
  std::map<std::string, std::string> reasons;
  for (const BackendStatus& status : ListBackends()) {
    reasons[status.name] = status.available() ? "" : Unavailability(status);
  }
  std::vector<Entry> entries;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    std::set<std::string> with_default;
    for (const ImplementationInfo& info : spec->implementations()) {
      const std::string& absence = reasons[info.backend];
      const std::string refusal =
          absence.empty() ? info.RefusalOn(info.backend) : "";
      // The first of a backend's, but for those that its device does not suit.
      const bool is_default =
          refusal.empty() && with_default.insert(info.backend).second;
      if (!Matches(pattern, info.name())) continue;
      entries.push_back({info, is_default, absence.empty() ? refusal : absence,
                         absence.empty() ? info.name() : info.backend});
    }
  }
  return entries;
}

Json AsJson(const Contract& contract) {
  return {{"element_types", NamesOf(contract.element_types)},
          {"in_place", contract.in_place},
          {"determinism", std::string(Name(contract.determinism))},
          {"max_size", contract.max_size},
          {"special_values", contract.special_values},
          {"boundaries", contract.boundaries},
          {"notes", contract.notes}};
}

std::string AsJson(const std::vector<Entry>& entries) {
  Json all = Json::array();
  for (const Entry& entry : entries) {
    const ImplementationInfo& info = entry.info;
    all.push_back({{"implementation", info.name()},
                   {"algorithm", info.algorithm},
                   {"backend", info.backend},
                   {"variant", info.variant},
                   {"default", entry.is_default},
                   {"available", entry.reason.empty()},
                   {"reason", entry.reason},
                   {"summary", info.summary},
                   {"contract", AsJson(info.contract)}});
  }
  return absl::StrCat(all.dump(2), "\n");
}

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
  for (const std::string& more : {contract.special_values, contract.notes}) {
    if (!more.empty()) text += Wrapped("    " + more, 4);
  }
  return text;
}

std::string AsTable(const std::vector<Entry>& entries) {
  Table table;
  table.AddColumn("IMPLEMENTATION", Table::Align::kLeft);
  table.AddColumn("DEFAULT", Table::Align::kLeft);
  table.AddColumn("RUNS HERE", Table::Align::kLeft);
  std::map<std::string, std::string> reasons;
  for (const Entry& entry : entries) {
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
        const std::vector<Entry> entries = Entries(flags->pattern);
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
