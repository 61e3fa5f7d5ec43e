// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/scaling.h"

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

// What backends call their members, those that have others of them inside
// first: a rank has threads.
constexpr const char* kFacts[] = {"members", "ranks", "threads"};

// 1, 2, 3, 4, 6, 8, 12, ... and `most`: enough for a curve on any machine.
std::vector<int> Counts(int most) {
  std::vector<int> counts;
  for (int power = 1; power < most; power *= 2) {
    counts.push_back(power);
    const int between = power / 2 * 3;
    if (power > 1 && between < most) counts.push_back(between);
  }
  counts.push_back(most);
  return counts;
}

std::vector<std::string> GroupsOf(absl::string_view all) {
  const std::vector<std::string> devices = absl::StrSplit(all, '+');
  std::vector<std::string> specs;
  for (const int count : Counts(static_cast<int>(devices.size()))) {
    specs.push_back(absl::StrCat(
        "gpus:", absl::StrJoin(devices.begin(), devices.begin() + count, "+")));
    if (count > 1) specs.push_back(absl::StrCat(specs.back(), "@striped"));
  }
  return specs;
}

// Whether the row of one member is what `row` is measured against.
bool IsOneMemberOf(const Row& one, const Row& row) {
  const std::int64_t size = row.scaling == Scaling::kWeak
                                ? row.request.size / row.members
                                : row.request.size;
  return one.scaling == row.scaling && one.members == 1 && one.is_default &&
         one.spec == row.spec &&
         BackendName(one.backend) == BackendName(row.backend) &&
         one.request.size == size && one.request.type == row.request.type &&
         one.request.distribution == row.request.distribution &&
         one.request.options == row.request.options && one.scope == row.scope &&
         one.cache == row.cache;
}

absl::StatusOr<int> MembersOf(const std::string& spec) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Backend> backend, OpenBackend(spec));
  return MembersOf(backend->info());
}

}  // namespace

absl::string_view Name(Scaling scaling) {
  switch (scaling) {
    case Scaling::kNone:
      return "";
    case Scaling::kStrong:
      return "strong";
    case Scaling::kWeak:
      return "weak";
  }
  __builtin_unreachable();
}

int MembersOf(const BackendInfo& info) {
  for (const char* const wanted : kFacts) {
    for (const auto& [fact, value] : info.facts) {
      int members = 0;
      if (fact == wanted && absl::SimpleAtoi(value, &members)) return members;
    }
  }
  return 1;
}

std::vector<std::string> SpecsByMembers(
    const std::string& spec, absl::Span<const BackendStatus> statuses) {
  for (const BackendStatus& status : statuses) {
    if (status.name != spec || status.devices.empty()) continue;
    absl::string_view all = status.devices[0].spec;
    all.remove_prefix(std::min(all.size(), spec.size() + 1));
    if (spec == "gpus") return GroupsOf(all);
    // The overhead of ranks shows when each has one thread.
    if (spec == "mpi") return {"mpi:tbb:1"};
    int threads = 0;
    if (spec != "tbb" || !absl::SimpleAtoi(all, &threads)) continue;
    std::vector<std::string> specs;
    for (const int count : Counts(threads)) {
      specs.push_back(absl::StrCat("tbb:", count));
    }
    return specs;
  }
  return {spec};
}

absl::StatusOr<std::vector<Axes>> ByMembers(const Axes& axes) {
  if (axes.scaling != Scaling::kWeak) return {{axes}};
  std::vector<Axes> parts;
  for (const std::string& backend : axes.backends) {
    ASSIGN_OR_RETURN(const int members, MembersOf(backend));
    Axes part = axes;
    part.backends = {backend};
    for (std::int64_t& size : part.sizes) size *= members;
    parts.push_back(std::move(part));
  }
  return parts;
}

absl::Status FindMembers(std::vector<Row>& rows) {
  std::map<std::string, int> members;
  for (Row& row : rows) {
    if (row.scaling == Scaling::kNone) continue;
    const auto [known, is_new] = members.emplace(row.backend, 1);
    if (is_new) {
      ASSIGN_OR_RETURN(known->second, MembersOf(row.backend));
    }
    row.members = known->second;
  }
  for (Row& row : rows) {
    if (row.scaling == Scaling::kNone) continue;
    const auto one = std::find_if(
        rows.begin(), rows.end(),
        [&](const Row& other) { return IsOneMemberOf(other, row); });
    if (one != rows.end()) row.one_member = one->name();
  }
  return absl::OkStatus();
}

}  // namespace concord
