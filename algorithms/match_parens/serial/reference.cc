// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The loop of match_parens.h with its stack, as every textbook has it.

#include <cstdint>
#include <vector>

#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/core/registry.h"

namespace concord::match_parens {
namespace {

std::int64_t FirstFault(const std::uint8_t* in, std::int64_t n,
                        const Brackets& brackets) {
  std::vector<std::int64_t> stack;
  for (std::int64_t i = 0; i < n; ++i) {
    const int code = brackets.code[in[i]];
    if (code > 0) stack.push_back(i);
    if (code < 0) {
      if (stack.empty() || brackets.code[in[stack.back()]] != -code) return i;
      stack.pop_back();
    }
  }
  return stack.empty() ? -1 : stack.front();
}

class MatchParensSerial : public MatchParens {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView fault,
                       const Options& options) override {
    *fault.data<std::int64_t>() =
        FirstFault(static_cast<const std::uint8_t*>(in.data()), in.size(),
                   *BracketsOf(options, in.type()));
    return absl::OkStatus();
  }
};

const bool kRegistered = Registry<MatchParens>::Get().Add<MatchParensSerial>(
    "serial", "reference", /*rank=*/10, "a stack of the brackets that are open",
    Contract());

}  // namespace
}  // namespace concord::match_parens
