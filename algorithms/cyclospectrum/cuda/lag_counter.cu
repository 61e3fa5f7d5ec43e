// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>

#include <algorithm>

#include "concord/algorithms/cyclospectrum/cuda/autocorrelation.cuh"
#include "concord/algorithms/cyclospectrum/cuda/count_lags.cuh"
#include "concord/algorithms/cyclospectrum/cuda/lag_counter.cuh"
#include "concord/algorithms/cyclospectrum/cuda/multiply_rows.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/core/errors.h"

namespace concord::cyclospectrum {
namespace {

constexpr char kWhat[] = "counting lags of cyclospectrum";

// Of the shortest transform whose elements are twice the total or more.
int RadixFor(int64_t total) {
  for (const int radix : {1, 2, 4, 5, 8, 10, 16}) {
    if (total <= int64_t{radix} << 19) return radix;
  }
  return 20;
}
static_assert(kMostLagTotal == int64_t{20} << 19);

// Where the parts of the memory begin. A row and its transform take turns with
// what comes of them.
struct LagMemory {
  Roots roots;
  uint8_t* row;
  uint32_t* words;  // of the transform, and then the counts
  uint32_t* lags;
  int64_t* sums;
};

class Correlation {
 public:
  Correlation(DependentLauncher& launcher, const LagMemory& memory, int lines)
      : launcher_(launcher), memory_(memory), lines_(lines) {}

  // Makes the lags of the row.
  absl::Status Queue() const {
    switch (memory_.roots.radix()) {
      case 1:
        return QueueOf<1>();
      case 2:
        return QueueOf<2>();
      case 4:
        return QueueOf<4>();
      case 5:
        return QueueOf<5>();
      case 8:
        return QueueOf<8>();
      case 10:
        return QueueOf<10>();
      case 16:
        return QueueOf<16>();
      default:
        return QueueOf<20>();
    }
  }

 private:
  template <int kRadix>
  absl::Status QueueOf() const {
    constexpr uint32_t kInverse = PowerOf(kRadix << 20, kPrime - 2);
    constexpr uint32_t kScale = ToMontgomery(ToMontgomery(kInverse));
    RETURN_IF_ERROR(
        launcher_.Queue(kWhat, TransformColumns<kRadix>,
                        {kColumns / kBlockColumns, kColumnThreads<kRadix>,
                         kColumnBytes<kRadix>},
                        memory_.roots, memory_.row, lines_, memory_.words));
    RETURN_IF_ERROR(launcher_.Queue(kWhat, MultiplyRows,
                                    {128 * kRadix, kRowThreads}, memory_.roots,
                                    kScale, memory_.words));
    return launcher_.Queue(kWhat, TransformColumnsBack<kRadix>,
                           {kMiddleColumn / kBlockColumns + 1,
                            kColumnThreads<kRadix>, kColumnBytes<kRadix>},
                           memory_.roots, memory_.words, memory_.lags);
  }

  DependentLauncher& launcher_;
  const LagMemory& memory_;
  int lines_;
};

}  // namespace

// No count is more than n times as many sums as are equal.
template <typename T>
bool LagCounter::CanCount(const DeviceCircle<T>& circle) const {
  if (circle.total == 0 || circle.total > kMostLagTotal ||
      !circle.has_few_equal_sums) {
    return false;
  }
  const int64_t equal =
      std::min<int64_t>(circle.n, DeviceCircle<T>::kFewEqualSums);
  const int64_t shared_bytes =
      int64_t{kColumnBytes<1>} * RadixFor(static_cast<int64_t>(circle.total));
  return circle.n <= (kPrime - 1) / equal &&
         shared_bytes <= backend_->max_shared_memory_per_block();
}

template <typename T>
bool LagCounter::IsFaster(const DeviceCircle<T>& circle, int devices) {
  // Microseconds on an H200. Of n^2 / 2 pieces, CountTiles counts 1600 in each.
  const double pieces =
      0.5 * static_cast<double>(circle.n) * static_cast<double>(circle.n);
  const double tiles = 20 + pieces / 1600 / devices;
  const double transforms =
      33 + 11.7 * RadixFor(static_cast<int64_t>(circle.total));
  return transforms < tiles;
}

template <typename T>
absl::Status LagCounter::Count(const DeviceCircle<T>& circle,
                               int64_t* offsets) {
  const auto total = static_cast<uint32_t>(circle.total);
  const int64_t values = circle.half();
  const int radix = RadixFor(total);
  const int lines = static_cast<int>(DivideUp(total, kColumns));
  const int64_t row_vectors = int64_t{lines} * kColumns / 16;
  const int64_t blocks = DivideUp(values, kSumItems);
  const int64_t root_words = Roots::Words(radix);
  const int64_t lag_words = Lags::Words(256 * radix);
  const int64_t words = int64_t{radix} << 20;
  // Each part is whole vectors.
  RETURN_IF_ERROR(memory_.Reserve(row_vectors * 16 +
                                  (words + lag_words + root_words) *
                                      int64_t{sizeof(uint32_t)} +
                                  blocks * int64_t{sizeof(int64_t)}));
  auto* const row = memory_.data<uint8_t>();
  auto* const transform = reinterpret_cast<uint32_t*>(row + row_vectors * 16);
  uint32_t* const lags = transform + words;
  uint32_t* const roots = lags + lag_words;
  const LagMemory memory{Roots(roots, radix), row, transform, lags,
                         reinterpret_cast<int64_t*>(roots + root_words)};
  RETURN_IF_ERROR(launcher_.Queue(
      kWhat, PrepareRow,
      {DivideUp(std::max(row_vectors, root_words), kFillThreads), kFillThreads},
      reinterpret_cast<uint4*>(row), row_vectors, memory.roots,
      static_cast<uint32_t>(root_words)));
  RETURN_IF_ERROR(launcher_.Queue(
      kWhat, FillRow<T>, {DivideUp(circle.n, kFillThreads), kFillThreads},
      circle, reinterpret_cast<uint32_t*>(row)));
  RETURN_IF_ERROR(Correlation(launcher_, memory, lines).Queue());
  RETURN_IF_ERROR(launcher_.Queue(kWhat, CountLags, {blocks, kSumThreads},
                                  Lags{memory.lags, 256 * radix},
                                  static_cast<uint32_t>(circle.n), total,
                                  values, memory.words, memory.sums));
  return launcher_.Queue(kWhat, SumCounts, {blocks, kSumThreads}, memory.words,
                         values, memory.sums, offsets);
}

template bool LagCounter::CanCount(
    const DeviceCircle<std::int32_t>& circle) const;
template bool LagCounter::CanCount(
    const DeviceCircle<std::int64_t>& circle) const;
template bool LagCounter::IsFaster(const DeviceCircle<std::int32_t>& circle,
                                   int devices);
template bool LagCounter::IsFaster(const DeviceCircle<std::int64_t>& circle,
                                   int devices);
template absl::Status LagCounter::Count(
    const DeviceCircle<std::int32_t>& circle, int64_t* offsets);
template absl::Status LagCounter::Count(
    const DeviceCircle<std::int64_t>& circle, int64_t* offsets);

}  // namespace concord::cyclospectrum
