// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "concord/algorithms/compact/compact.h"
#include "concord/core/registry.h"

namespace concord::compact {
namespace {

template <typename Word>
void CompactLoop(const KeptRange<Word>& keep, const CompactArrays<Word>& to) {
  std::int64_t k = 0;
  std::int64_t r = 0;
  for (std::int64_t i = 0; i < to.size; ++i) {
    if (keep.Keeps(to.in[i])) {
      to.kept[k] = to.in[i];
      if (to.indices != nullptr) to.indices[k] = i;
      ++k;
    } else {
      if (to.rejected != nullptr) to.rejected[r] = to.in[i];
      ++r;
    }
  }
  SetCounts(to, k);
}

class CompactSerial : public Compact {
 public:
  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                       const Options& options) override {
    return DispatchCompact(in, outputs, options.keep,
                           [](const auto& keep, const auto& arrays) {
                             CompactLoop(keep, arrays);
                             return absl::OkStatus();
                           });
  }
};

const bool kRegistered = Registry<Compact>::Get().Add<CompactSerial>(
    "serial", "reference", /*rank=*/10, "one element after the other",
    CompactContract());

}  // namespace
}  // namespace concord::compact
