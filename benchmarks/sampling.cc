// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/sampling.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "concord/core/errors.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

// More than the last-level cache of any GPU to date: 50 MB on Hopper, 126 MB
// on Blackwell.
constexpr std::int64_t kGpuFlushBytes = std::int64_t{256} << 20;

// Where the operating system does not tell; more than most machines have.
constexpr std::int64_t kUnknownCacheBytes = std::int64_t{64} << 20;

// A flush that takes longer than a tenth of a second would let no cold row
// finish; the largest caches, a part of which a virtual machine may use, are
// flushed as far as this.
constexpr std::int64_t kMostHostFlushBytes = std::int64_t{512} << 20;

// So that a runaway estimate cannot keep a sample going for minutes.
constexpr double kMostRunsPerSample = 100000;

// The part of a whole sample that need not be taken again.
constexpr double kLongEnough = 0.5;
// A first run of up to so many whole samples is taken again, as it may have
// been made longer by what an implementation then keeps.
constexpr double kSoonTakenAgain = 10;

std::int64_t FlushBytes(const Backend& backend) {
  if (!backend.memory().is_host()) return kGpuFlushBytes;
  std::int64_t cache = kUnknownCacheBytes;
#ifdef _SC_LEVEL3_CACHE_SIZE
  cache = std::max<std::int64_t>(cache, sysconf(_SC_LEVEL3_CACHE_SIZE));
#endif
  return std::min(cache, kMostHostFlushBytes);
}

double Seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

absl::string_view Name(Cache cache) {
  return cache == Cache::kHot ? "hot" : "cold";
}

const std::vector<Cache>& AllCaches() {
  static const auto* const caches =
      new std::vector<Cache>{Cache::kHot, Cache::kCold};
  return *caches;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle]
                                : (values[middle - 1] + values[middle]) / 2;
}

absl::StatusOr<std::unique_ptr<CacheFlusher>> CacheFlusher::Create(
    std::shared_ptr<Backend> backend) {
  // The copy reads one array and writes the other: twice its size sweeps
  // through the caches.
  const std::int64_t size = FlushBytes(*backend);
  ASSIGN_OR_RETURN(Array from, backend->Allocate(ElementType::kUInt8, size));
  ASSIGN_OR_RETURN(Array to, backend->Allocate(ElementType::kUInt8, size));
  if (backend->memory().is_host()) {
    // Pages that were never written may all be one page of zeros.
    std::memset(from.data<char>(), 1, static_cast<std::size_t>(size));
  }
  auto flusher = std::unique_ptr<CacheFlusher>(
      new CacheFlusher(std::move(backend), std::move(from), std::move(to)));
  // The first copy takes long: it gets its pages from the system.
  RETURN_IF_ERROR(flusher->Flush());
  return flusher;
}

absl::Status CacheFlusher::Flush() {
  return backend_->Copy(from_.view(), to_.view());
}

bool Sampler::done() const {
  return !seconds_.empty() &&
         (static_cast<int>(seconds_.size()) >= plan_.repetitions ||
          spent_ >= plan_.max_seconds);
}

absl::Status Sampler::Append() {
  using Clock = std::chrono::steady_clock;
  if (plan_.before_sample) RETURN_IF_ERROR(plan_.before_sample());
  const Clock::time_point start = Clock::now();
  const auto sample = [&]() -> absl::StatusOr<double> {
    if (flush_ != nullptr) RETURN_IF_ERROR(flush_->Flush());
    return sample_(runs_per_sample_);
  };
  ASSIGN_OR_RETURN(double taken, OnAllReplicas(sample));
  // How many runs and samples follow hangs on these.
  taken = FromFirst(taken);
  seconds_.push_back(taken / static_cast<double>(runs_per_sample_));
  spent_ += FromFirst(Seconds(Clock::now() - start));
  return absl::OkStatus();
}

absl::Status Sampler::Take() {
  absl::Status status = Append();
  if (seconds_.size() > 1 || flush_ != nullptr) return status;
  if (status.ok() &&
      seconds_.back() <= kSoonTakenAgain * plan_.least_sample_seconds) {
    seconds_.clear();
    status = Append();
  }
  // A sample that is too short says how many runs make one. A single run is
  // often much slower than many, and then says so a few times.
  while (status.ok() && runs_per_sample_ < kMostRunsPerSample) {
    const double run = std::max(seconds_.back(), 1e-9);
    if (run * static_cast<double>(runs_per_sample_) >=
        kLongEnough * plan_.least_sample_seconds) {
      break;
    }
    runs_per_sample_ = static_cast<std::int64_t>(std::min(
        std::ceil(plan_.least_sample_seconds / run), kMostRunsPerSample));
    seconds_.clear();
    status = Append();
  }
  return status;
}

double Sampler::least() const {
  return *std::min_element(seconds_.begin(), seconds_.end());
}

Timing Sampler::timing() const {
  Timing timing;
  timing.median = Median(seconds_);
  const auto [least, most] =
      std::minmax_element(seconds_.begin(), seconds_.end());
  timing.least = *least;
  timing.most = *most;
  timing.samples = seconds_;
  timing.runs_per_sample = runs_per_sample_;
  return timing;
}

absl::StatusOr<Timing> TakeSamples(const SamplingPlan& plan,
                                   CacheFlusher* flush,
                                   Sampler::Sample sample) {
  Sampler sampler(plan, flush, std::move(sample));
  while (!sampler.done()) {
    RETURN_IF_ERROR(sampler.Take());
  }
  return sampler.timing();
}

absl::StatusOr<double> TimeOnBackend(Backend& backend, Timer& timer,
                                     std::int64_t runs,
                                     const std::function<absl::Status()>& run) {
  absl::Status status = timer.Start();
  for (std::int64_t i = 0; i < runs && status.ok(); ++i) status = run();
  if (status.ok()) status = timer.Stop();
  if (!status.ok()) return status;
  absl::StatusOr<double> seconds = timer.Seconds();
  // What failed on the backend is reported here.
  status = backend.Synchronize();
  if (!status.ok()) return status;
  return seconds;
}

absl::StatusOr<double> TimeByTheClock(
    Backend& backend, std::int64_t runs,
    const std::function<absl::Status()>& run) {
  // Work that is still queued belongs to nobody's wall-clock time.
  absl::Status status = backend.Synchronize();
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < runs && status.ok(); ++i) status = run();
  if (!status.ok()) return status;
  return Seconds(std::chrono::steady_clock::now() - start);
}

}  // namespace concord
