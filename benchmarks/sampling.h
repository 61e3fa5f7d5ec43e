// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_SAMPLING_H_
#define CONCORD_BENCHMARKS_SAMPLING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"

namespace concord {

// What the caches hold when a timed run starts.
enum class Cache {
  kHot,   // what the run before left there
  kCold,  // nothing of the case: other data has just swept through
};

// "hot", "cold".
absl::string_view Name(Cache cache);
const std::vector<Cache>& AllCaches();

// How often something is timed.
struct SamplingPlan {
  // Samples at most.
  int repetitions = 15;
  // No further sample is begun after this long; a slow reference runs once.
  double max_seconds = 1;
  // A sample holds as many runs as take this long together. GPU events tick in
  // half microseconds: a millisecond makes that 0.05 %. One run, when cold.
  double least_sample_seconds = 1e-3;
  Cache cache = Cache::kHot;
  // Called before each sample, outside what is timed. What it returns ends the
  // sampling: Cancelled, when the user has had enough.
  std::function<absl::Status()> before_sample;
};

// Of one value or more.
double Median(std::vector<double> values);

// Seconds of one run.
struct Timing {
  double median = 0;
  double least = 0;
  double most = 0;
  // In the order in which they were taken.
  std::vector<double> samples;
  std::int64_t runs_per_sample = 1;
};

// Makes caches cold for one backend.
class CacheFlusher {
 public:
  static absl::StatusOr<std::unique_ptr<CacheFlusher>> Create(
      std::shared_ptr<Backend> backend);

  // Queues a copy that is larger than the last-level cache. It does not wait,
  // so that a GPU's queue is never empty when the timed work arrives.
  absl::Status Flush();

 private:
  CacheFlusher(std::shared_ptr<Backend> backend, Array from, Array to)
      : backend_(std::move(backend)),
        from_(std::move(from)),
        to_(std::move(to)) {}

  std::shared_ptr<Backend> backend_;
  Array from_;
  Array to_;
};

// Takes samples of one thing, one at a time, so that those of several things
// can take turns. `sample` runs the thing that many times, back to back, and
// returns the seconds of all of them. It has run before: caches, clocks and
// scratch memory are warm. `flush`, called before each sample, may be null.
class Sampler {
 public:
  using Sample = std::function<absl::StatusOr<double>(std::int64_t runs)>;

  Sampler(const SamplingPlan& plan, CacheFlusher* flush, Sample sample)
      : plan_(plan), flush_(flush), sample_(std::move(sample)) {}

  // As many samples as the plan asks for, or has time for.
  bool done() const;
  // The first call also finds out how many runs make a sample.
  absl::Status Take();
  // Of the samples so far, of which there is one.
  Timing timing() const;
  double least() const;

 private:
  absl::Status Append();

  SamplingPlan plan_;
  CacheFlusher* flush_;
  Sample sample_;
  std::int64_t runs_per_sample_ = 1;
  double spent_ = 0;
  // Of one run each.
  std::vector<double> seconds_;
};

// All samples, one after the other.
absl::StatusOr<Timing> TakeSamples(const SamplingPlan& plan,
                                   CacheFlusher* flush, Sampler::Sample sample);

// Seconds that the backend spends on what `run` gives it, `runs` times over.
absl::StatusOr<double> TimeOnBackend(Backend& backend, Timer& timer,
                                     std::int64_t runs,
                                     const std::function<absl::Status()>& run);

// Seconds by the wall clock of `run`, which waits for what it gives the
// backend, `runs` times over.
absl::StatusOr<double> TimeByTheClock(Backend& backend, std::int64_t runs,
                                      const std::function<absl::Status()>& run);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_SAMPLING_H_
