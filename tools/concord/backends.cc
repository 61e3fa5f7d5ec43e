// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord backends`: what this program can run on here, and why not the rest.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/backend.h"
#include "concord/core/errors.h"
#include "concord/tools/concord/command_line.h"
#include "concord/tools/concord/descriptions.h"
#include "concord/tools/concord/text.h"

namespace concord {
namespace {

std::string AsTable(const std::vector<BackendStatus>& statuses) {
  Table table;
  table.AddColumn("BACKEND", Table::Align::kLeft);
  table.AddColumn("AVAILABLE", Table::Align::kLeft);
  table.AddColumn("STAGE", Table::Align::kLeft);
  std::string details;
  for (const BackendStatus& status : statuses) {
    table.AddRow({status.name,
                  status.available() ? Painted("yes", Colour::kGreen)
                                     : Painted("no", Colour::kRed),
                  std::string(Name(status.stage))});
    if (!status.available()) {
      details += Wrapped(absl::StrCat(status.name, ": ", status.reason), 4);
    }
    for (const Device& device : status.devices) {
      const std::string facts = absl::StrJoin(
          device.facts, ", ", [](std::string* out, const auto& fact) {
            absl::StrAppend(out, fact.first, " ", fact.second);
          });
      details += Wrapped(absl::StrCat(device.spec, ": ", facts), 4);
    }
  }
  return absl::StrCat(table.ToString(), "\n", details);
}

}  // namespace

void AddBackendsCommand(CommandLine& line) {
  auto json = std::make_shared<bool>(false);
  CLI::App* const command = AddCommand(
      line, "backends", "Shows each backend: whether it can run here, and why",
      [json]() -> absl::StatusOr<ExitStatus> {
        const std::vector<BackendStatus> statuses = ListBackends();
        RETURN_IF_ERROR(Print(*json ? AsJson(statuses) : AsTable(statuses)));
        return kDone;
      });
  command->add_flag("--json", *json, "Print JSON instead of a table");
}

}  // namespace concord
