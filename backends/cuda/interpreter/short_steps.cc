// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/interpreter/short_steps.h"

#include <cstdint>

#include "concord/core/expression/value_type.h"

namespace concord::machine {
namespace {

constexpr std::uint32_t kAllBits = ~std::uint32_t{0};

std::uint32_t Low(const Step& step) {
  return static_cast<std::uint32_t>(step.constant);
}
std::uint32_t High(const Step& step) {
  return static_cast<std::uint32_t>(step.constant >> 32);
}

Step ShortStep(Code code, std::uint32_t low, std::uint32_t high) {
  Step step;
  step.code = code;
  step.constant = std::uint64_t{high} << 32 | low;
  return step;
}

// With a constant, of words of 32 bits; the step itself if there is no short
// one.
Step ShortStepFor(const Step& step) {
  const std::uint32_t constant = Low(step);
  switch (step.code) {
    case Code::Add_Signed:
      return ShortStep(Code::kAffine, 1, constant);
    case Code::Subtract_Signed:
      return ShortStep(Code::kAffine, 1, 0 - constant);
    case Code::SubtractFrom_Signed:
      return ShortStep(Code::kAffine, kAllBits, constant);
    case Code::Multiply_Signed:
      return ShortStep(Code::kAffine, constant, 0);
    case Code::ShiftLeft_Signed:
      // The count is below the width of its type (operation_steps.cc).
      return ShortStep(Code::kAffine, std::uint32_t{1} << constant, 0);
    case Code::And_Signed:
      return ShortStep(Code::kBits, constant, 0);
    case Code::Or_Signed:
      return ShortStep(Code::kBits, ~constant, constant);
    case Code::Xor_Signed:
      return ShortStep(Code::kBits, kAllBits, constant);
    default:
      return step;
  }
}

// One after the other, of the same code.
Step Merged(const Step& first, const Step& second) {
  const std::uint32_t low = Low(second), high = High(second);
  return first.code == Code::kAffine
             ? ShortStep(first.code, Low(first) * low, High(first) * low + high)
             : ShortStep(first.code, Low(first) & low,
                         (High(first) & low) ^ high);
}

}  // namespace

std::vector<Step> Shortened(const std::vector<Step>& steps, bool wide) {
  const std::int64_t word_bytes = wide ? 8 : 4;
  std::vector<Step> shortened;
  for (Step step : steps) {
    if (step.code == Code::kLoad && step.source == Source::kColumn &&
        BytesOf(step.type) == word_bytes) {
      step.code = Code::kLoadWords;
    }
    if (!wide && step.source == Source::kConstant) step = ShortStepFor(step);
    const bool merges =
        (step.code == Code::kAffine || step.code == Code::kBits) &&
        !shortened.empty() && shortened.back().code == step.code;
    if (merges) {
      shortened.back() = Merged(shortened.back(), step);
    } else {
      shortened.push_back(step);
    }
  }
  return shortened;
}

}  // namespace concord::machine
