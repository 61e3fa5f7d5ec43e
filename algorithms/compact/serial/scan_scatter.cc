// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Compaction as a composition of simpler steps, as it is taught (G. E.
// Blelloch, "Prefix sums and their applications", 1990): flag the elements to
// keep; the exclusive prefix sum of the flags says where each of them goes;
// scatter.

#include <cstdint>
#include <memory>
#include <new>

#include "concord/algorithms/compact/compact.h"
#include "concord/core/registry.h"

namespace concord::compact {
namespace {

template <typename Word>
void Flag(const KeptRange<Word>& keep, const Word* in, std::int64_t n,
          std::int64_t* flags) {
  for (std::int64_t i = 0; i < n; ++i) flags[i] = keep.Keeps(in[i]) ? 1 : 0;
}

// In place; returns the sum of all.
std::int64_t ExclusiveScan(std::int64_t* values, std::int64_t n) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t value = values[i];
    values[i] = sum;
    sum += value;
  }
  return sum;
}

// An element is kept where the sum grows after it, at last to `count`. An
// element that is not kept has i - positions[i] such before it.
template <typename Word>
void Scatter(const std::int64_t* positions, std::int64_t count,
             const CompactArrays<Word>& to) {
  for (std::int64_t i = 0; i < to.size; ++i) {
    const std::int64_t position = positions[i];
    const std::int64_t next = i + 1 < to.size ? positions[i + 1] : count;
    if (next != position) {
      to.kept[position] = to.in[i];
      if (to.indices != nullptr) to.indices[position] = i;
    } else if (to.rejected != nullptr) {
      to.rejected[i - position] = to.in[i];
    }
  }
}

template <typename Word>
absl::Status FlagScanScatter(const KeptRange<Word>& keep,
                             const CompactArrays<Word>& arrays) {
  const std::unique_ptr<std::int64_t[]> positions(
      new (std::nothrow) std::int64_t[arrays.size]);
  if (positions == nullptr) {
    return absl::ResourceExhaustedError(
        "no memory for the positions of compact/serial/scan_scatter");
  }
  Flag(keep, arrays.in, arrays.size, positions.get());
  const std::int64_t count = ExclusiveScan(positions.get(), arrays.size);
  Scatter(positions.get(), count, arrays);
  SetCounts(arrays, count);
  return absl::OkStatus();
}

class CompactScanScatter : public Compact {
 public:
  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                       const Options& options) override {
    return DispatchCompact(in, outputs, options.keep,
                           [](const auto& keep, const auto& arrays) {
                             return FlagScanScatter(keep, arrays);
                           });
  }
};

const bool kRegistered = Registry<Compact>::Get().Add<CompactScanScatter>(
    "serial", "scan_scatter", /*rank=*/5, "flags, their prefix sums, a scatter",
    CompactContract());

}  // namespace
}  // namespace concord::compact
