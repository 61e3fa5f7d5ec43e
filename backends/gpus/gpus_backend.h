// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_GPUS_GPUS_BACKEND_H_
#define CONCORD_BACKENDS_GPUS_GPUS_BACKEND_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/core/backend.h"

namespace concord {

// What kernels that wait for other members need: how long they do, and where
// they say that they gave up.
struct Patience {
  // In memory of the host that every device reaches; 0 as long as all is well,
  // then 1 + the member that waited, and above it 1 + the one it waited for.
  std::uint32_t* gave_up;
  std::uint64_t nanoseconds;
};

// Several GPUs of this process as one: a stream on each, and arrays that every
// one of them reaches. Work is in the order of member 0's stream, whoever it is
// given to: what several members do together begins behind what is queued
// there, and what is queued there later waits for it.
//
// What has no implementation for several GPUs runs on member 0, over the same
// arrays: stand_in() is an ordinary CudaBackend.
class GpusBackend : public Backend {
 public:
  virtual int members() const = 0;

  // A GPU of the group, with a stream of its own. What is allocated from it
  // lies in its memory, where every other member reaches it too.
  virtual const std::shared_ptr<CudaBackend>& member(int index) const = 0;

  // How many multiprocessors are for one member: fewer than the device has,
  // when it is several members.
  virtual int multiprocessors() const = 0;

  virtual Patience patience() const = 0;

  // What is queued on any member from now on begins behind all that has been
  // queued on any.
  virtual absl::Status Meet() = 0;

  // Calls queue(member) for the members in the set, of which bit i stands for
  // member i, with the device active. What is queued begins behind all earlier
  // work; later work waits for it, and notices when a member's never came.
  absl::Status RunTogether(std::uint32_t set,
                           absl::FunctionRef<absl::Status(int)> queue) {
    return RunInRounds(set, 1, [&](int member, int) { return queue(member); });
  }

  // The same by queue(member, round), for all members before the next round:
  // none of them waits while the host queues much for the others.
  virtual absl::Status RunInRounds(
      std::uint32_t set, int rounds,
      absl::FunctionRef<absl::Status(int, int)> queue) = 0;

  // For tests: from now on nothing is queued on this member, as if its GPU did
  // not answer. -1 for none.
  virtual void set_unanswering(int member) = 0;

 protected:
  using Backend::Backend;
};

// For implementations registered under "gpus", which are given no other
// backend.
inline std::shared_ptr<GpusBackend> AsGpus(std::shared_ptr<Backend> backend) {
  return std::static_pointer_cast<GpusBackend>(std::move(backend));
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_GPUS_BACKEND_H_
