// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_GPUS_GROUP_SPEC_H_
#define CONCORD_BACKENDS_GPUS_GROUP_SPEC_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace concord {

// How the bytes of an array lie on the members of a group. Every member reaches
// all of them, so this is a matter of speed and never of results.
enum class GroupLayout {
  kBlocked,  // each member has one stretch, in order
  kStriped,  // stretches of a fixed length go to the members in turn
};

// More would not fit into what kernels of several members are told.
inline constexpr int kMostMembers = 8;

// The GPUs of a group and how its arrays lie on them.
struct GroupSpec {
  // A device that stands there several times is as many members, which share
  // its multiprocessors.
  std::vector<int> devices;
  GroupLayout layout = GroupLayout::kBlocked;

  // "gpus:0+1", "gpus:0+0+0@striped".
  std::string name() const;
};

// What follows the colon in "gpus:0+1@striped". "" and "all" stand for the
// `count` devices that there are. InvalidArgument says how members are joined.
absl::StatusOr<GroupSpec> ParseGroupSpec(absl::string_view argument, int count);

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_GROUP_SPEC_H_
