// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <vector>

#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/core/errors.h"
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
    RETURN_IF_ERROR(CheckRunsFitSymbols(digits, options));
    std::vector<std::uint8_t> said;
    for (std::int64_t step = 0; step < options.steps; ++step) {
      RETURN_IF_ERROR(CheckRoomForStep(static_cast<std::int64_t>(digits.size()),
                                       step, options));
      said = Say(digits, options.counts);
      digits = said;
    }
    return WriteLookAndSay(digits, out, options);
  }
};

const bool kRegistered = Registry<LookAndSay>::Get().Add<LookAndSaySerial>(
    "serial", "reference", /*rank=*/10, "step by step, one run after the other",
    Contract()
        .Notes("holds the whole result in memory, whatever part is wanted"));

}  // namespace
}  // namespace concord::look_and_say
