// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/core/registry.h"

namespace concord::look_and_say {
namespace {

std::vector<std::uint8_t> Say(absl::Span<const std::uint8_t> digits,
                              LookAndSay::Counts counts) {
  std::vector<std::uint8_t> said;
  std::size_t first = 0;
  while (first < digits.size()) {
    std::size_t end = first + 1;
    while (end < digits.size() && digits[end] == digits[first]) ++end;
    AppendCount(static_cast<std::int64_t>(end - first), counts, said);
    said.push_back(digits[first]);
    first = end;
  }
  return said;
}

class LookAndSaySerial : public LookAndSay {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    auto digits = in.span<std::uint8_t>();
    absl::Status status = CheckRunsFitSymbols(digits, options);
    if (!status.ok()) return status;
    std::vector<std::uint8_t> said;
    for (std::int64_t step = 0; step < options.steps; ++step) {
      status = CheckRoomForStep(static_cast<std::int64_t>(digits.size()), step,
                                options);
      if (!status.ok()) return status;
      said = Say(digits, options.counts);
      digits = said;
    }
    return WriteLookAndSay(digits, out, options);
  }
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kUInt8};
  contract.notes = "holds the whole result in memory, whatever part is wanted";
  return contract;
}

const bool kRegistered = Registry<LookAndSay>::Get().Add(
    "serial", "reference", /*rank=*/10, "step by step, one run after the other",
    MakeContract(), [](const std::shared_ptr<Backend>&) {
      return std::make_unique<LookAndSaySerial>();
    });

}  // namespace
}  // namespace concord::look_and_say
