// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord --version`, and `concord version` with all that is known.

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "concord/benchmarks/provenance.h"
#include "concord/core/errors.h"
#include "concord/tools/concord/command_line.h"
#include "concord/tools/concord/json_text.h"

namespace concord {
namespace {

std::string AsJson(const Facts& facts) {
  nlohmann::ordered_json all;
  for (const auto& [name, value] : facts) all[name] = value;
  return JsonText(all);
}

}  // namespace

std::string VersionText() {
  std::map<std::string, std::string> facts;
  for (const auto& [name, value] : BuildFacts()) facts[name] = value;
  std::string text =
      absl::StrCat("concord ", facts["version"], "\ncommit ", facts["commit"],
                   facts["dirty"] == "yes" ? "-dirty" : "");
  for (const char* name : {"compiler", "backends", "libraries"}) {
    absl::StrAppend(&text, "\n", name, " ", facts[name]);
  }
  return absl::StrCat(text, "\n");
}

void AddVersionCommand(CommandLine& line) {
  auto json = std::make_shared<bool>(false);
  CLI::App* const command = AddCommand(
      line, "version",
      "Shows the version, the commit, the compiler, backends and libraries",
      [json]() -> absl::StatusOr<ExitStatus> {
        RETURN_IF_ERROR(Print(*json ? AsJson(BuildFacts()) : VersionText()));
        return kDone;
      });
  command->add_flag("--json", *json,
                    "Print JSON, with the flags of the compilers");
}

}  // namespace concord
