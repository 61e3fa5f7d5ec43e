// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/ceilings.h"

#include <algorithm>
#include <cstring>

#include "concord/core/errors.h"
#include "concord/core/fills.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

// A floor that writes less than this part of what it reads is bound by reading,
// and the other way round: the rest is then within the spread of the
// measurement.
constexpr std::int64_t kTimesTheOther = 64;

// Both ends of the copy start where a GPU's allocations would: to a destination
// that is off by two bytes, an H200 copies at 2.6 instead of 4.2 TB/s.
constexpr std::int64_t kAlignment = 256;

absl::StatusOr<double> SecondsOf(Backend& backend, const SamplingPlan& plan,
                                 CacheFlusher* flush,
                                 const std::function<absl::Status()>& run) {
  ASSIGN_OR_RETURN(std::unique_ptr<Timer> timer, backend.NewTimer());
  // The first run pays for pages that were never touched.
  RETURN_IF_ERROR(run());
  RETURN_IF_ERROR(backend.Synchronize());
  ASSIGN_OR_RETURN(Timing timing,
                   TakeSamples(plan, flush, [&](std::int64_t runs) {
                     return TimeOnBackend(backend, *timer, runs, run);
                   }));
  return timing.median;
}

absl::StatusOr<Ceilings> CeilingsOf(const std::shared_ptr<Backend>& backend,
                                    std::int64_t bytes,
                                    const SamplingPlan& plan) {
  // The copy goes from one array to another: two halves of one could lie on
  // different devices. Reading takes as much as both.
  const std::int64_t half =
      (std::max<std::int64_t>(bytes / 2, 1) + kAlignment - 1) / kAlignment *
      kAlignment;
  std::unique_ptr<CacheFlusher> flush;
  if (plan.cache == Cache::kCold) {
    ASSIGN_OR_RETURN(
        flush, OnAllReplicas([&] { return CacheFlusher::Create(backend); }));
  }
  const auto allocate = [&](std::int64_t size) {
    return OnAllReplicas([&]() -> absl::StatusOr<Array> {
      ASSIGN_OR_RETURN(Array array,
                       backend->Allocate(ElementType::kUInt8, size));
      if (backend->memory().is_host()) {
        // Pages that were never written may all be one page of zeros.
        std::memset(array.data<char>(), 1, static_cast<std::size_t>(size));
      }
      return array;
    });
  };
  double copy = 0;
  {
    ASSIGN_OR_RETURN(const Array from, allocate(half));
    ASSIGN_OR_RETURN(const Array to, allocate(half));
    ASSIGN_OR_RETURN(copy, SecondsOf(*backend, plan, flush.get(), [&] {
                       return backend->Copy(from.view(), to.view());
                     }));
  }
  ASSIGN_OR_RETURN(const Array whole, allocate(2 * half));
  ASSIGN_OR_RETURN(double read, SecondsOf(*backend, plan, flush.get(), [&] {
                     return backend->ReadOnce(whole.view());
                   }));
  Ceilings ceilings{2.0 * half / copy, 2.0 * half / read};
  if (auto* const fills = dynamic_cast<Fills*>(backend.get())) {
    ASSIGN_OR_RETURN(double fill, SecondsOf(*backend, plan, flush.get(), [&] {
                       return fills->Fill(whole.view());
                     }));
    ceilings.fill = 2.0 * half / fill;
  }
  return ceilings;
}

}  // namespace

double Ceilings::For(const Floor& floor) const {
  if (floor.bytes_written * kTimesTheOther < floor.bytes_read) return read;
  const bool only_writes =
      floor.bytes_read * kTimesTheOther < floor.bytes_written;
  return only_writes && fill > 0 ? fill : copy;
}

void Ceilings::RaiseTo(const Ceilings& other) {
  copy = std::max(copy, other.copy);
  read = std::max(read, other.read);
  fill = std::max(fill, other.fill);
}

absl::StatusOr<std::map<std::string, Ceilings>> MeasureCeilings(
    absl::Span<const std::shared_ptr<Backend>> backends, std::int64_t bytes,
    const SamplingPlan& plan) {
  std::map<std::string, Ceilings> ceilings;
  for (const std::shared_ptr<Backend>& backend : backends) {
    ASSIGN_OR_RETURN(Ceilings measured, CeilingsOf(backend, bytes, plan));
    ceilings[backend->memory().name()].RaiseTo(measured);
  }
  return ceilings;
}

absl::StatusOr<double> MeasureInputCopy(Backend& backend, std::int64_t bytes,
                                        bool pinned, const SamplingPlan& plan) {
  // An empty copy takes as long as a call, which is no copy's time.
  if (bytes == 0) return 0;
  ASSIGN_OR_RETURN(Array there, backend.Allocate(ElementType::kUInt8, bytes));
  HostArray ordinary(ElementType::kUInt8, {pinned ? 0 : bytes});
  ASSIGN_OR_RETURN(Array locked, backend.AllocateHost(ElementType::kUInt8,
                                                      pinned ? bytes : 0));
  const ArrayView from = pinned ? locked.view() : ordinary.view();
  // Pages that were never written may all be one page of zeros.
  std::memset(from.data(), 1, static_cast<std::size_t>(bytes));
  const auto copy = [&] { return backend.Copy(from, there.view()); };
  RETURN_IF_ERROR(copy());
  ASSIGN_OR_RETURN(Timing timing,
                   TakeSamples(plan, nullptr, [&](std::int64_t runs) {
                     return TimeByTheClock(backend, runs, copy);
                   }));
  return timing.median;
}

}  // namespace concord
