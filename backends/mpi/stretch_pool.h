// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_STRETCH_POOL_H_
#define CONCORD_BACKENDS_MPI_STRETCH_POOL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "concord/backends/mpi/stretches.h"
#include "concord/backends/mpi/team.h"
#include "concord/core/memory_pool.h"

namespace concord {

// The memory of a team. Each member reserves addresses for a whole array, so
// slices of an array, and views into it, are pointers as anywhere else. What
// the member has is its own stretch: in host memory at those very addresses, in
// whole pages, and what touches another one's ends the program; in the memory
// of a GPU elsewhere, as AddressHere says, and nothing lies at the addresses
// themselves.
//
// Members allocate together: either all get their stretch, or none does and the
// refusal names the rank that had too little: all stretches on its host
// together are to fit into what is free there. The limit counts whole arrays.
class StretchPool : public MemoryPool {
 public:
  // The memory of a team whose members have their stretches in this one.
  static Memory MemoryOver(Memory local) {
    return local.is_host() ? Memory("mpi") : Memory("mpi:cuda");
  }
  static bool Owns(Memory memory) {
    return memory == Memory("mpi") || memory == Memory("mpi:cuda");
  }

  // `local`: where this member has its stretches. `hosts`: the HashOfHost() of
  // each member.
  StretchPool(std::shared_ptr<Team> team, Layout layout,
              std::shared_ptr<MemoryPool> local,
              std::vector<std::uint64_t> hosts);

 protected:
  void* Acquire(std::int64_t bytes) override;
  void Release(void* data, std::int64_t bytes) override;
  std::int64_t AvailableBytes() const override;
  absl::Status Refusal(std::int64_t bytes) const override;

 private:
  // The bytes of the stretches on this member's host.
  std::int64_t BytesOnHost(const Ranges& stretches) const;

  const std::shared_ptr<Team> team_;
  const Layout layout_;
  const std::shared_ptr<MemoryPool> local_;
  const std::vector<std::uint64_t> hosts_;
  // Why the last Acquire gave nothing.
  absl::Status refusal_;
};

// Where the member has the byte of an array, of those in its stretch, that is
// called `address` among all members.
void* AddressHere(const void* address);

// Which elements of `view` each member has, in elements of the view.
// InvalidArgument: it is no part of an array of such a pool.
absl::StatusOr<Ranges> StretchesOf(const ConstArrayView& view, int members);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_STRETCH_POOL_H_
