// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/replicas.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "concord/core/errors.h"
#include "concord/core/host.h"

namespace concord {
namespace {

Replicas*& TheReplicas() {
  static Replicas* replicas = nullptr;
  return replicas;
}

struct Rooms {
  std::mutex mutex;
  // By where they begin.
  std::map<const char*, const SharedRoom*> all;
};

Rooms& TheRooms() {
  static auto* const rooms = new Rooms();
  return *rooms;
}

}  // namespace

bool RegisterReplicas(Replicas* replicas) {
  TheReplicas() = replicas;
  return true;
}

int ReplicaCount() {
  return TheReplicas() == nullptr ? 1 : TheReplicas()->count();
}

int ReplicaIndex() {
  return TheReplicas() == nullptr ? 0 : TheReplicas()->index();
}

double FromFirst(double mine) {
  std::string bits(sizeof(mine), '\0');
  std::memcpy(bits.data(), &mine, sizeof(mine));
  const absl::StatusOr<std::string> first = FromFirst(bits);
  if (first.ok() && first->size() == sizeof(mine)) {
    std::memcpy(&mine, first->data(), sizeof(mine));
  }
  return mine;
}

absl::StatusOr<std::string> FromFirst(const std::string& mine) {
  if (ReplicaCount() == 1) return mine;
  return TheReplicas()->FromFirst(mine);
}

absl::Status AgreeAmongReplicas(const absl::Status& mine) {
  return ReplicaCount() == 1 ? mine : TheReplicas()->Agree(mine);
}

absl::StatusOr<std::vector<std::string>> FromAll(const std::string& mine) {
  if (ReplicaCount() == 1) return std::vector<std::string>{mine};
  return TheReplicas()->FromAll(mine);
}

absl::StatusOr<std::optional<OtherReplica>> UnlikeFirst(
    const std::string& mine) {
  ASSIGN_OR_RETURN(const std::vector<std::string> all, FromAll(mine));
  for (std::size_t index = 1; index < all.size(); ++index) {
    if (all[index] == all[0]) continue;
    return OtherReplica{static_cast<int>(index), all[0], all[index]};
  }
  return std::nullopt;
}

absl::Status AgreeAsOne(const absl::Status& mine) {
  if (ReplicaCount() == 1) return mine;
  ASSIGN_OR_RETURN(const std::vector<std::string> all,
                   FromAll(absl::StrCat(mine.raw_code(), " ", mine.message())));
  std::vector<absl::Status> statuses;
  for (const std::string& one : all) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(one, absl::MaxSplits(' ', 1));
    int code = 0;
    if (absl::SimpleAtoi(parts.first, &code)) {
      statuses.emplace_back(static_cast<absl::StatusCode>(code), parts.second);
    } else if (!mine.ok()) {
      // Others are at another call, which it may well be the reason of.
      return mine;
    } else {
      statuses.push_back(FailedPreconditionError(
          "rank ", statuses.size(), " of ", all.size(), " says: ", one));
    }
  }
  const auto is_ok = [](const absl::Status& status) { return status.ok(); };
  const auto failed = std::find_if_not(statuses.begin(), statuses.end(), is_ok);
  if (failed == statuses.end()) return absl::OkStatus();
  // A file that others have is looked for where it is not.
  if (failed->code() == absl::StatusCode::kNotFound &&
      std::any_of(statuses.begin(), statuses.end(), is_ok)) {
    return NotFoundError("rank ", failed - statuses.begin(), " of ",
                         statuses.size(), ": ", failed->message());
  }
  return *failed;
}

absl::Status AgreeOnBytesOf(absl::string_view file, std::int64_t bytes) {
  ASSIGN_OR_RETURN(const std::optional<OtherReplica> other,
                   UnlikeFirst(absl::StrCat(bytes)));
  if (!other.has_value()) return absl::OkStatus();
  return DataLossError(file, " has ", other->first_says,
                       " bytes for rank 0, and ", other->says, " for rank ",
                       other->index);
}

std::optional<std::string> LastWords(absl::string_view mine, int exit_status) {
  std::string words(mine);
  const int count = ReplicaCount();
  if (count == 1) return words;
  const std::vector<int> who = TheReplicas()->WhoEndsWith(words, exit_status);
  if (who.front() != ReplicaIndex()) return std::nullopt;
  if (static_cast<int>(who.size()) == count) return words;
  return absl::StrCat(who.size() == 1 ? "rank " : "ranks ",
                      absl::StrJoin(who, ", "), " of ", count, ": ", words);
}

absl::StatusOr<bool> AreOnOneHost() {
  if (ReplicaCount() == 1) return true;
  ASSIGN_OR_RETURN(const std::optional<OtherReplica> other,
                   UnlikeFirst(absl::StrCat(HashOfHost())));
  return !other.has_value();
}

bool IsSharedOut(Memory memory) {
  return ReplicaCount() > 1 && TheReplicas()->IsSharedOut(memory);
}

std::pair<std::int64_t, std::int64_t> ElementsHere(
    const ConstArrayView& array) {
  if (!IsSharedOut(array.memory())) return {0, array.size()};
  return TheReplicas()->ElementsHere(array);
}

SharedRoom::SharedRoom(const void* begin, std::int64_t bytes, Store store)
    : begin_(static_cast<const char*>(begin)),
      bytes_(bytes),
      store_(std::move(store)) {
  const std::lock_guard<std::mutex> lock(TheRooms().mutex);
  TheRooms().all[begin_] = this;
}

SharedRoom::~SharedRoom() {
  const std::lock_guard<std::mutex> lock(TheRooms().mutex);
  TheRooms().all.erase(begin_);
}

const SharedRoom* SharedRoom::Find(const void* begin, std::int64_t bytes) {
  const auto* const first = static_cast<const char*>(begin);
  const std::lock_guard<std::mutex> lock(TheRooms().mutex);
  const auto next = TheRooms().all.upper_bound(first);
  if (next == TheRooms().all.begin()) return nullptr;
  const SharedRoom* const room = std::prev(next)->second;
  return first + bytes <= room->begin_ + room->bytes_ ? room : nullptr;
}

}  // namespace concord
