// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_TEAM_H_
#define CONCORD_BACKENDS_MPI_TEAM_H_

#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace concord {

// Bytes of one member for another.
struct Parcel {
  const void* data = nullptr;
  std::int64_t bytes = 0;
};

// Where the bytes that come from a member go.
struct Slot {
  void* data = nullptr;
  std::int64_t bytes = 0;
};

// What a member sees of the others: ranks of MPI, or threads of one process in
// tests. All members run the same program and make the same calls here in the
// same order, each from one thread at a time.
//
// Every wait ends. DeadlineExceeded: some member has not come for as long as
// patience lasts. From then on every call says so.
class Team {
 public:
  virtual ~Team() = default;
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Every member's `bytes` bytes, which may be few, in order of ranks.
  virtual absl::Status AllGather(const void* mine, std::int64_t bytes,
                                 void* all) = 0;

  // A parcel to and from each member, by rank, also from itself. Members agree
  // on the sizes. No slot overlaps a parcel or another slot.
  virtual absl::Status Exchange(absl::Span<const Parcel> parcels,
                                absl::Span<const Slot> slots) = 0;

  // The member's value of each.
  template <typename T>
  absl::StatusOr<std::vector<T>> AllGather(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size()));
    absl::Status status = AllGather(&mine, sizeof(T), all.data());
    if (!status.ok()) return status;
    return all;
  }

  // Returns when all members have called it.
  absl::Status Meet();

  // What all members go on with: ok where all are, otherwise the failure of the
  // lowest rank, which names it. A DeadlineExceeded is that of all only where
  // nobody has another failure. Called where a member can fail while others
  // would wait for it.
  absl::Status Agree(const absl::Status& mine);

  // The same, and InvalidArgument where members are about to do different
  // things: `call` describes what this one does, as "scan op=add of 5 int32".
  absl::Status AgreeOn(absl::string_view call, const absl::Status& mine);

  // The same where members are about to tell each other something: how many
  // bytes each has.
  absl::StatusOr<std::vector<std::int64_t>> AgreeOnSizes(absl::string_view call,
                                                         std::int64_t bytes);

  // What members tell each other first in all of these: it has the same size
  // in all, or those who do different things could not tell each other so.
  struct Announcement {
    std::uint64_t call;
    std::int64_t code;
    std::int64_t bytes;
  };

 private:
  absl::StatusOr<std::vector<Announcement>> Announce(absl::string_view call,
                                                     const absl::Status& mine,
                                                     std::int64_t bytes);
};

// How long a member waits for another: $CONCORD_PATIENCE seconds, 300 by
// default.
double TeamPatience();

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_TEAM_H_
