// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_SESSION_H_
#define CONCORD_BENCHMARKS_SESSION_H_

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/benchmarks/axes.h"
#include "concord/benchmarks/ceilings.h"
#include "concord/benchmarks/checked_case.h"
#include "concord/benchmarks/measure.h"
#include "concord/benchmarks/watch.h"
#include "concord/core/backend.h"
#include "concord/core/spec.h"

namespace concord {

// What a row says.
struct Measured {
  Timing timing;
  std::int64_t elements = 0;
  Floor floor;
  // Of the memory that the row's backend computes in, for as many bytes as the
  // floor has and equally hot or cold. Of a row about scaling: what its backend
  // alone can do, so that members and ceiling are of one number.
  Ceilings ceilings;
  // Options of the case that are not those that the row asked for, because its
  // distribution sets them.
  OptionMap case_options;
  // To copy as many bytes as the floor reads to the row's backend, from the
  // host memory that the row starts in. 0: nothing has to be copied.
  double input_copy_seconds = 0;
  // What the machine did while the samples were taken, and how often they were
  // taken until nothing disturbed them, or no further attempt was left.
  Watched watched;
  int attempts = 1;
};

// How a row is measured again while the machine is disturbed.
struct Watching {
  Watch* watch = nullptr;  // null: nobody looks
  int attempts = 3;
};

// Times rows one after the other. What neighbours have in common, the case,
// what is right for it, the arrays on the backend, is made once. For small
// cases, whose rows are often a few per cent apart, all rows of a memory take
// turns when the first of them is asked for.
class Session {
 public:
  // `backends` by the spec that rows name. `rows`, which outlive the session,
  // are those that will be timed. `checker`: as MakeCheckedCase has it.
  Session(SamplingPlan plan, const std::vector<Row>& rows,
          std::map<std::string, std::shared_ptr<Backend>> backends,
          Watching watching = {}, std::shared_ptr<Backend> checker = nullptr)
      : plan_(plan),
        rows_(rows),
        backends_(std::move(backends)),
        watching_(watching),
        checker_(std::move(checker)) {}

  // DataLoss: the result is wrong. Unimplemented: there is no such row, because
  // a peer cannot do it, because its options make the case one of a type that
  // the contract does not have, or because they are for others of the types
  // that rows have.
  absl::StatusOr<Measured> Time(const Row& row);

 private:
  absl::Status PrepareCase(const Row& row);
  // In contenders_.
  absl::StatusOr<Contender*> PrepareContender(const Row& row);
  // Whether the two are timed in turns when their case is small.
  bool TakeTurns(const Row& a, const Row& b) const;
  // Times the row and those with which it takes turns, into timings_.
  void TimeInTurns(const Row& row, bool is_small);
  absl::StatusOr<Ceilings> CeilingsFor(const Row& row, std::int64_t bytes);
  absl::StatusOr<double> InputCopyFor(const Row& row, std::int64_t bytes);

  const SamplingPlan plan_;
  const std::vector<Row>& rows_;
  std::map<std::string, std::shared_ptr<Backend>> backends_;
  const Watching watching_;
  const std::shared_ptr<Backend> checker_;
  std::string case_name_;
  CheckedCase case_;
  // Of this case, by backend and variant: all when it is small, otherwise one.
  std::map<std::string, std::unique_ptr<Contender>> contenders_;
  // Of this case, by the name of the row, until they are asked for.
  struct Timed {
    absl::StatusOr<Timing> timing;
    Watched watched;
    int attempts = 1;
  };
  std::map<std::string, Timed> timings_;
  // By memory or, of rows about scaling, backend; by bytes and cache.
  std::map<std::tuple<std::string, std::int64_t, Cache>, Ceilings> ceilings_;
  // By backend, bytes and scope.
  std::map<std::tuple<std::string, std::int64_t, Scope>, double> input_copies_;
};

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_SESSION_H_
