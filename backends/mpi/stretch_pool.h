// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_STRETCH_POOL_H_
#define CONCORD_BACKENDS_MPI_STRETCH_POOL_H_

#include <memory>

#include "concord/backends/mpi/stretches.h"
#include "concord/backends/mpi/team.h"
#include "concord/core/memory_pool.h"

namespace concord {

// The memory of a team. Each member reserves addresses for a whole array and
// has memory for its own stretch of it, in whole pages; what touches another
// one's ends the program. So slices of an array, and views into it, are
// pointers as anywhere else.
//
// Members allocate together: either all get their stretch, or none does and the
// refusal names the rank that had too little. The limit counts whole arrays.
class StretchPool : public MemoryPool {
 public:
  static Memory TheMemory() { return Memory("mpi"); }

  StretchPool(std::shared_ptr<Team> team, Layout layout);

 protected:
  void* Acquire(std::int64_t bytes) override;
  void Release(void* data, std::int64_t bytes) override;
  std::int64_t AvailableBytes() const override;
  absl::Status Refusal(std::int64_t bytes) const override;

 private:
  const std::shared_ptr<Team> team_;
  const Layout layout_;
  // Why the last Acquire gave nothing.
  absl::Status refusal_;
};

// Which elements of `view` each member has, in elements of the view.
// InvalidArgument: it is no part of an array of such a pool.
absl::StatusOr<Ranges> StretchesOf(const ConstArrayView& view, int members);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_STRETCH_POOL_H_
