// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_REPLICAS_H_
#define CONCORD_CORE_REPLICAS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/array.h"
#include "concord/core/guarded.h"

namespace concord {

// Replicas are equal processes: each runs this program with the same arguments
// and makes the same calls in the same order, and a backend shares the work out
// among them. A process that was started alone is the only replica.
//
// What may differ between replicas has to be decided by one of them: clocks
// above all. One of them writes what a single process would write.

// 1 and 0 where the process is alone.
int ReplicaCount();
int ReplicaIndex();
inline bool IsFirstReplica() { return ReplicaIndex() == 0; }

// What the first replica says, for all of them; each calls it at the same
// point. Where the others cannot be reached it is the replica's own, and the
// next call of the backend reports why.
double FromFirst(double mine);
absl::StatusOr<std::string> FromFirst(const std::string& mine);

// Ok where all replicas are, otherwise the failure of the lowest one, the same
// for all. Each calls it at the same point.
absl::Status AgreeAmongReplicas(const absl::Status& mine);

// What f returns, a StatusOr; where it fails or throws on one replica, that
// failure on all, since the others would wait for that one.
template <typename F>
auto OnAllReplicas(const F& f) -> decltype(f()) {
  auto mine = Guarded(f);
  const absl::Status all = AgreeAmongReplicas(mine.status());
  if (!all.ok()) return all;
  return mine;
}

// What each replica says, in order of their indices. Each calls it at the same
// point.
absl::StatusOr<std::vector<std::string>> FromAll(const std::string& mine);

// A replica and what it says, which is not what the first says.
struct OtherReplica {
  int index;
  std::string first_says;
  std::string says;
};

// The lowest replica that says something else than the first; nothing where all
// say the same. Each calls it at the same point.
absl::StatusOr<std::optional<OtherReplica>> UnlikeFirst(
    const std::string& mine);

// As AgreeAmongReplicas, where replicas do together what a single process would
// do, such as reading a file: the failure is that of a single process, and
// names no replica, unless it is that something is not there for some of them.
// Where others are at another call, a failure of this one's own is returned.
absl::Status AgreeAsOne(const absl::Status& mine);

// Ok where all replicas see so many bytes of the file that they read together.
// DataLoss: one that is being written, or that a network shows late to some.
// Each calls it at the same point.
absl::Status AgreeOnBytesOf(absl::string_view file, std::int64_t bytes);

// What this replica says at the end of a program that failed, of what it has to
// say; nothing where a lower one ends with the same. If not all of them do, the
// words name those that do. Waits for the others, which may be about to fail,
// too: some seconds, so that a replica that fails alone is heard nevertheless.
// Where the others cannot be reached yet, and do not come within that time, the
// words are printed here and the process ends with that status.
std::optional<std::string> LastWords(absl::string_view mine,
                                     int exit_status = 1);

// Whether replicas share out the arrays of this memory, each having a part.
bool IsSharedOut(Memory memory);

// The elements [first, second) of an array that are on this replica: all of
// them, unless it is shared out.
std::pair<std::int64_t, std::int64_t> ElementsHere(const ConstArrayView& array);

// Whether all replicas are on one host. Each calls it at the same point.
absl::StatusOr<bool> AreOnOneHost();

// A piece of host memory that stands for what is one for all replicas: a file
// that each of them has mapped, or into which each writes. A backend whose
// arrays are shared out gives it only what is there on this replica. From
// construction to destruction.
class SharedRoom {
 public:
  // Takes bytes of which the first belongs at `at`, an address in the room.
  using Store =
      std::function<absl::Status(const void* at, absl::string_view bytes)>;

  // Without `store` all replicas see what is in the memory. With it they do
  // not, and a replica's part goes there, also one without bytes.
  SharedRoom(const void* begin, std::int64_t bytes, Store store = nullptr);
  ~SharedRoom();
  SharedRoom(const SharedRoom&) = delete;
  SharedRoom& operator=(const SharedRoom&) = delete;

  // The room in which these bytes lie, or null.
  static const SharedRoom* Find(const void* begin, std::int64_t bytes);

  const Store& store() const { return store_; }

 private:
  const char* const begin_;
  const std::int64_t bytes_;
  const Store store_;
};

// What a backend brings that has replicas.
class Replicas {
 public:
  virtual ~Replicas() = default;
  virtual int count() const = 0;
  virtual int index() const = 0;
  virtual absl::StatusOr<std::string> FromFirst(const std::string& mine) = 0;
  virtual absl::Status Agree(const absl::Status& mine) = 0;
  virtual absl::StatusOr<std::vector<std::string>> FromAll(
      const std::string& mine) = 0;
  // The replicas that end with the words that this one has, by index, itself
  // among them. Those that still work after some seconds are not. It may end
  // the process, as LastWords() does.
  virtual std::vector<int> WhoEndsWith(const std::string& mine,
                                       int exit_status) = 0;
  virtual bool IsSharedOut(Memory memory) const = 0;
  virtual std::pair<std::int64_t, std::int64_t> ElementsHere(
      const ConstArrayView& array) const = 0;
};

// Stands at the bottom of the backend's file; null where the process is alone.
// `replicas` lives as long as the program.
bool RegisterReplicas(Replicas* replicas);

}  // namespace concord

#endif  // CONCORD_CORE_REPLICAS_H_
