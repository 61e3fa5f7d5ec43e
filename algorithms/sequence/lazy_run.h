// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_LAZY_RUN_H_
#define CONCORD_ALGORITHMS_SEQUENCE_LAZY_RUN_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/core/algorithm.h"
#include "concord/core/call.h"

namespace concord {

// The program of a sequence, ready to run: written, planned, and with an
// implementation that keeps what it made. The arrays of a sequence never change
// their places nor their sizes, so all of that holds for every run.
class Sequence::ReadyRun {
 public:
  static absl::StatusOr<std::unique_ptr<ReadyRun>> Make(
      const std::shared_ptr<const Node>& node);

  absl::Status operator()(const Sinks& sinks);

 private:
  // Whether the sinks can be asked for room before the run: sizes are known, or
  // the backend computes in host memory.
  bool HasRoomBefore() const;
  // By a call of its own, for sizes that a device finds.
  absl::Status RunAsCall(const Sinks& sinks) const;

  const Algorithm* algorithm_ = nullptr;
  OptionMap options_;
  Sources sources_;
  std::shared_ptr<Backend> backend_;
  std::string variant_;
  std::vector<OutputSpec> specs_;
  // Null where each run is a call of its own.
  std::unique_ptr<Runner> runner_;
};

// The run of a sequence between two calls that ask for results, which are, as
// all calls into a backend, of one thread at a time. A copy has none.
class Sequence::IdleRun {
 public:
  IdleRun() = default;
  IdleRun(const IdleRun&) {}
  IdleRun& operator=(const IdleRun&) = delete;

  // Null if there is none.
  std::unique_ptr<ReadyRun> Take() { return std::move(run_); }
  void Give(std::unique_ptr<ReadyRun> run) { run_ = std::move(run); }

 private:
  std::unique_ptr<ReadyRun> run_;
};

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_SEQUENCE_LAZY_RUN_H_
