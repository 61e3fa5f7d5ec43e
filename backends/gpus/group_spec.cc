// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/gpus/group_spec.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "concord/core/errors.h"

namespace concord {

std::string GroupSpec::name() const {
  return absl::StrCat("gpus:", absl::StrJoin(devices, "+"),
                      layout == GroupLayout::kStriped ? "@striped" : "");
}

absl::StatusOr<GroupSpec> ParseGroupSpec(absl::string_view argument,
                                         int count) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(argument, absl::MaxSplits('@', 1));
  const auto& [members, layout] = parts;
  GroupSpec spec;
  if (layout == "striped") {
    spec.layout = GroupLayout::kStriped;
  } else if (layout != "blocked" && members.size() < argument.size()) {
    return InvalidArgumentError("backend 'gpus:", argument,
                                "': arrays are @blocked or @striped");
  }
  if (members.empty() || members == "all") {
    for (int device = 0; device < count; ++device) {
      spec.devices.push_back(device);
    }
  } else {
    for (const absl::string_view member : absl::StrSplit(members, '+')) {
      int device = 0;
      if (!absl::SimpleAtoi(member, &device) || device < 0) {
        return InvalidArgumentError(
            "backend 'gpus:", argument,
            "': its members are devices joined by +, as in gpus:0+1, or all");
      }
      spec.devices.push_back(device);
    }
  }
  if (spec.devices.size() > kMostMembers) {
    return InvalidArgumentError("backend 'gpus:", argument, "': a group has ",
                                kMostMembers, " members at most, not ",
                                spec.devices.size());
  }
  return spec;
}

}  // namespace concord
