// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "concord/algorithms/similar_pairs/serial/plain_pairs.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/core/registry.h"

namespace concord::similar_pairs {
namespace {

class SimilarPairsSerial : public SimilarPairs {
 public:
  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                       const Options& options) override {
    return DispatchSketches(in.type(), [&](auto tag) {
      return Loop<decltype(tag)>(in, outputs, options);
    });
  }

 private:
  template <typename T>
  static absl::Status Loop(ConstArrayView in, const Outputs& outputs,
                           const Options& options) {
    const std::int64_t room = outputs.pairs.size() / 2;
    auto* const pairs = outputs.pairs.data<std::int64_t>();
    std::int64_t count = 0;
    ForPlainPairs<T>({in}, {in}, options.distance2, options.dim,
                     [&](std::int64_t i, std::int64_t j, double distance2) {
                       if (count < room) {
                         pairs[2 * count] = i;
                         pairs[2 * count + 1] = j;
                         if (outputs.distances.has_value()) {
                           outputs.distances->data<double>()[count] = distance2;
                         }
                       }
                       ++count;
                     });
    *outputs.count.data<std::int64_t>() = count;
    return CheckPairsFit(count, room);
  }
};

const bool kRegistered = Registry<SimilarPairs>::Get().Add<SimilarPairsSerial>(
    "serial", "reference", /*rank=*/10, "one pair after the other",
    SimilarPairsContract());

}  // namespace
}  // namespace concord::similar_pairs
