// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_MEASURE_H_
#define CONCORD_BENCHMARKS_MEASURE_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/benchmarks/sampling.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/spec.h"

namespace concord {

// What a time covers. A time without its scope says nothing: for one and the
// same kernel the three differ by orders of magnitude.
enum class Scope {
  // Runs back to back on arrays that lie in the backend's memory, between two
  // events of the backend's timer; divided by their number.
  kKernel,
  // One synchronous call on the same arrays, by the wall clock.
  kCall,
  // From arrays in host memory to results in host memory, by the wall clock:
  // allocation in the backend's memory and the copies there and back are part
  // of it. A backend that computes in host memory needs neither, and an
  // implementation with a way of its own from host memory is let take it.
  kEndToEnd,
  // The same with the arrays in memory that the backend has for its copies.
  kEndToEndPinned,
};

// "kernel", "call", "end_to_end", "end_to_end_pinned".
absl::string_view Name(Scope scope);
const std::vector<Scope>& AllScopes();

// An implementation, a case, and the memory to run one on the other. Nothing
// is timed whose result has not been checked: before the first timed run, and
// again what the last one left, in memory that held something else before.
//
// Example:
//   auto contender = Contender::Create(*spec, "lookback", backend, test_case,
//                                  [&](const Results& results) { ... });
//   if (contender.ok()) timing = (*contender)->Time(Scope::kKernel, {});
class Contender {
 public:
  // Ok when the results are right; otherwise the message says what is wrong.
  using Check = std::function<absl::Status(const Results&)>;

  // Whether the contender of this number is worth further samples, by how many
  // each may have taken and the least of each so far; infinite: it failed.
  using GoesOn = std::function<bool(std::size_t contender, int samples,
                                    const std::vector<double>& least)>;

  // An empty variant is the backend's default. Many contenders may share
  // `test_case`.
  static absl::StatusOr<std::unique_ptr<Contender>> Create(
      const AlgorithmSpec& spec, absl::string_view variant,
      std::shared_ptr<Backend> backend, std::shared_ptr<const Case> test_case,
      Check check);

  // Runs once, in the scope kCall, and checks the result. DataLoss, with the
  // check's message, when it is wrong; any other error is the implementation's
  // or the backend's.
  absl::Status Verify();

  // Verifies, unless that has been done, and takes samples. Errors as above.
  absl::StatusOr<Timing> Time(Scope scope, const SamplingPlan& plan);

  // The same for several contenders, which take a sample each in turn, so that
  // what the machine does meanwhile happens to all of them: for times that
  // are to be compared to a few per cent. The plan is that of each. `goes_on`,
  // where it is given, says after each turn which take further samples.
  static std::vector<absl::StatusOr<Timing>> TimeInTurns(
      const std::vector<Contender*>& contenders, Scope scope,
      const SamplingPlan& plan, const GoesOn& goes_on = nullptr);

 private:
  // What is needed while samples are taken.
  struct Sampling {
    std::unique_ptr<Arrays> arrays;
    std::unique_ptr<Timer> timer;
    std::unique_ptr<Sampler> sampler;
  };

  // One for all contenders of a backend: each takes half a gigabyte of a GPU.
  using Flushers = std::map<const Backend*, std::unique_ptr<CacheFlusher>>;

  Contender() = default;

  static absl::StatusOr<std::unique_ptr<Contender>> CreateHere(
      const AlgorithmSpec& spec, absl::string_view variant,
      std::shared_ptr<Backend> backend, std::shared_ptr<const Case> test_case,
      Check check);
  // Where a timed run begins and ends.
  absl::StatusOr<Arrays> ArraysFor(Scope scope);
  // What it returns needs `flushers`.
  absl::StatusOr<Sampling> StartSampling(Scope scope, const SamplingPlan& plan,
                                         Flushers& flushers);
  // Checks what the last sample left behind.
  absl::Status FinishSampling(Scope scope, const Sampling& sampling);

  absl::Status RunResident();
  absl::Status RunEndToEnd(const Arrays& host);
  // Copies them to `results_`.
  absl::Status FetchResults(const Outputs& outputs);
  absl::Status CheckResults();
  // Null where caches stay hot.
  absl::StatusOr<CacheFlusher*> FlusherFor(Cache cache, Flushers& flushers);

  std::shared_ptr<Backend> backend_;
  std::unique_ptr<Runner> runner_;
  std::shared_ptr<const Case> case_;
  Check check_;
  bool verified_ = false;
  // In the backend's memory.
  Call resident_;
  // The outputs in host memory.
  Results results_;
};

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_MEASURE_H_
