// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_SIMILAR_PAIRS_H_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_SIMILAR_PAIRS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/contract.h"
#include "concord/core/implementation.h"

namespace concord {

// All pairs of sketches whose squared Euclidean distance is at most a limit:
//
//   count = 0
//   for i = 0, ..., sketches - 1:
//     for j = i + 1, ..., sketches - 1:
//       sum = 0
//       for k = 0, ..., dim - 1:
//         sum = sum + (in[i][k] - in[j][k])^2
//       if sum <= distance2:
//         if count < room: pairs[count] = (i, j), distances[count] = sum
//         count = count + 1
//
// The arithmetic defines which pairs there are:
//
//   integers  The sum is the exact whole number, whatever its size: nothing
//             wraps. `distances` has the float64 next to it.
//   floats    Elements become float64, and every difference, square and sum is
//             rounded to float64, in the order above and never fused. A sum
//             that is NaN or infinite is at most no limit, so a sketch with a
//             NaN or an infinity is similar to none, itself included.
//
// The result is the same bits on every backend.
class SimilarPairs : public Implementation {
 public:
  static constexpr char kName[] = "similar_pairs";
  // As for tensor_sketch.
  static constexpr int kMostDim = 1 << 24;
  // So that int64 counts their pairs.
  static constexpr std::int64_t kMostSketches = std::int64_t{1} << 32;
  // Room for more pairs has more bytes than can be counted.
  static constexpr std::int64_t kMostRoom = std::int64_t{1} << 58;

  struct Options {
    // The largest squared distance of similar sketches: any finite number from
    // 0 on, and of integers less than 2^128.
    double distance2 = 0;
    int dim = 96;  // numbers in a sketch, from 1 to kMostDim
    // For how many pairs there is room, where there can be as many.
    std::int64_t most = std::int64_t{1} << 20;
    // Whether a run makes room for distances itself. Who brings an array for
    // them has them in any case.
    bool distances = false;
  };

  // All in the backend's memory; none overlaps another or the input.
  struct Outputs {
    ArrayView pairs;  // int64 [room, 2]: i < j, in order of i and then of j
    ArrayView count;  // one int64: how many pairs there are, in room or not
    std::optional<ArrayView> distances;  // float64 [room]
  };

  // in: int32, int64, float32 or float64 [sketches, dim], in the backend's
  // memory; no sketches are fine, and have no pairs. The room is RoomFor.
  //
  // InvalidArgument: types or sizes that are not as above, memory of another
  // backend, an option out of range.
  // OutOfRange: there are more pairs than room. The message says how many there
  // are, and so does `count`; the outputs have the first of them. A GPU has not
  // counted them yet when Run returns: there `count` alone says so.
  absl::Status Run(ConstArrayView in, const Outputs& outputs,
                   const Options& options);

  // The extent `room` of the outputs: options.most, or all pairs if those are
  // fewer.
  static std::int64_t RoomFor(std::int64_t sketches, const Options& options);

  static const Signature<SimilarPairs>& GetSignature();

 protected:
  // Run, when the arguments have been checked.
  virtual absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                               const Options& options) = 0;
};

// --- For callers with host data ---

// Host data on `backend`, into host memory.
absl::Status ComputeSimilarPairs(const std::shared_ptr<Backend>& backend,
                                 ConstArrayView in,
                                 const SimilarPairs::Outputs& outputs,
                                 const SimilarPairs::Options& options,
                                 absl::string_view variant = "");

struct PairsOfSketches {
  std::vector<std::array<std::int64_t, 2>> pairs;
  std::vector<double> distances;  // squared
};

// Finds the room by itself: if the first run has too little, a second one has
// enough. More pairs than options.most are OutOfRange.
//
// Example:
//   std::vector<double> sketches = {0, 0, 3, 4, 0, 1};
//   absl::StatusOr<PairsOfSketches> found = ComputeSimilarPairs(
//       backend, ConstArrayView(absl::MakeConstSpan(sketches)),
//       {/*distance2=*/18, /*dim=*/2});
//   // {0, 2} at 1 and {1, 2} at 18
absl::StatusOr<PairsOfSketches> ComputeSimilarPairs(
    const std::shared_ptr<Backend>& backend, ConstArrayView in,
    const SimilarPairs::Options& options, absl::string_view variant = "");

}  // namespace concord

// --- For implementations ---

namespace concord::similar_pairs {

// What every implementation promises, to be completed. `rows` are numbers of
// sketches at which the work is cut differently.
Contract SimilarPairsContract(const std::vector<std::int64_t>& rows = {});

// OutOfRange, as Run has it.
absl::Status CheckPairsFit(std::int64_t count, std::int64_t room);

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_SIMILAR_PAIRS_H_
