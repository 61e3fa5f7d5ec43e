// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/ceilings.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace concord {
namespace {

// A floor that writes less than this part of what it reads is bound by reading:
// the writes are then within the spread of the measurement.
constexpr std::int64_t kReadsPerWrite = 64;

// Both ends of the copy start where a GPU's allocations would: to a destination
// that is off by two bytes, an H200 copies at 2.6 instead of 4.2 TB/s.
constexpr std::int64_t kAlignment = 256;

absl::StatusOr<double> SecondsOf(Backend& backend, const SamplingPlan& plan,
                                 CacheFlusher* flush,
                                 const std::function<absl::Status()>& run) {
  absl::StatusOr<std::unique_ptr<Timer>> timer = backend.NewTimer();
  if (!timer.ok()) return timer.status();
  // The first run pays for pages that were never touched.
  absl::Status status = run();
  if (status.ok()) status = backend.Synchronize();
  if (!status.ok()) return status;
  absl::StatusOr<Timing> timing =
      TakeSamples(plan, flush, [&](std::int64_t runs) {
        return TimeOnBackend(backend, **timer, runs, run);
      });
  if (!timing.ok()) return timing.status();
  return timing->median;
}

absl::StatusOr<Ceilings> CeilingsOf(const std::shared_ptr<Backend>& backend,
                                    std::int64_t bytes,
                                    const SamplingPlan& plan) {
  // One allocation: the copy goes from its first half to its second, reading
  // takes the whole.
  const std::int64_t half =
      (std::max<std::int64_t>(bytes / 2, 1) + kAlignment - 1) / kAlignment *
      kAlignment;
  absl::StatusOr<Array> array =
      backend->Allocate(ElementType::kUInt8, 2 * half);
  if (!array.ok()) return array.status();
  if (backend->memory().is_host()) {
    // Pages that were never written may all be one page of zeros.
    std::memset(array->data<char>(), 1, static_cast<std::size_t>(2 * half));
  }
  std::unique_ptr<CacheFlusher> flush;
  if (plan.cache == Cache::kCold) {
    absl::StatusOr<std::unique_ptr<CacheFlusher>> created =
        CacheFlusher::Create(backend);
    if (!created.ok()) return created.status();
    flush = *std::move(created);
  }
  const ArrayView whole = array->view();
  absl::StatusOr<double> copy = SecondsOf(*backend, plan, flush.get(), [&] {
    return backend->Copy(whole.Slice(0, half), whole.Slice(half, half));
  });
  if (!copy.ok()) return copy.status();
  absl::StatusOr<double> read = SecondsOf(
      *backend, plan, flush.get(), [&] { return backend->ReadOnce(whole); });
  if (!read.ok()) return read.status();
  return Ceilings{2.0 * half / *copy, 2.0 * half / *read};
}

}  // namespace

double Ceilings::For(const Floor& floor) const {
  return floor.bytes_written * kReadsPerWrite < floor.bytes_read ? read : copy;
}

absl::StatusOr<std::map<std::string, Ceilings>> MeasureCeilings(
    absl::Span<const std::shared_ptr<Backend>> backends, std::int64_t bytes,
    const SamplingPlan& plan) {
  std::map<std::string, Ceilings> ceilings;
  for (const std::shared_ptr<Backend>& backend : backends) {
    absl::StatusOr<Ceilings> measured = CeilingsOf(backend, bytes, plan);
    if (!measured.ok()) return measured.status();
    Ceilings& best = ceilings[backend->memory().name()];
    best.copy = std::max(best.copy, measured->copy);
    best.read = std::max(best.read, measured->read);
  }
  return ceilings;
}

absl::StatusOr<double> MeasureInputCopy(Backend& backend, std::int64_t bytes,
                                        bool pinned, const SamplingPlan& plan) {
  absl::StatusOr<Array> there = backend.Allocate(ElementType::kUInt8, bytes);
  if (!there.ok()) return there.status();
  HostArray ordinary(ElementType::kUInt8, {pinned ? 0 : bytes});
  absl::StatusOr<Array> locked =
      backend.AllocateHost(ElementType::kUInt8, pinned ? bytes : 0);
  if (!locked.ok()) return locked.status();
  const ArrayView from = pinned ? locked->view() : ordinary.view();
  // Pages that were never written may all be one page of zeros.
  std::memset(from.data(), 1, static_cast<std::size_t>(bytes));
  const auto copy = [&] { return backend.Copy(from, there->view()); };
  absl::Status status = copy();
  if (!status.ok()) return status;
  absl::StatusOr<Timing> timing = TakeSamples(
      plan, nullptr,
      [&](std::int64_t runs) { return TimeByTheClock(backend, runs, copy); });
  if (!timing.ok()) return timing.status();
  return timing->median;
}

}  // namespace concord
