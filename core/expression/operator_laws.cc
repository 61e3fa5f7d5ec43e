// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/operator_laws.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/core/random.h"

namespace concord::expression {
namespace {

constexpr int kTrials = 1000;
// Sums and products of a few such numbers are exact in every type of float, and
// wrap in no type but bytes.
constexpr int kLargestNumber = 8;
// A constant of the operator up to this one is a number to try.
constexpr double kLargestConstant = 1000;

using Tuple = std::vector<Word>;

// The whole numbers among the constants of the operator: what a limit in it
// does shows beside the limit.
std::vector<std::int64_t> ConstantsOf(const Operator& op) {
  std::vector<std::int64_t> constants;
  for (const Node& node : op.function().nodes()) {
    if (node.op != Op::kConstant || node.type == Type::kBool) continue;
    Dispatch(StoredAs(node.type), [&](auto tag) {
      const auto value = FromWord<typename decltype(tag)::type>(node.bits);
      const auto number = static_cast<double>(value);
      if (std::abs(number) <= kLargestConstant &&
          std::trunc(number) == number) {
        constants.push_back(static_cast<std::int64_t>(number));
      }
    });
  }
  return constants;
}

// The two zeros are one number: which of them a sum of products comes to is
// rounding, and no mistake.
bool IsSame(Type type, Word a, Word b) {
  if (a == b || !IsFloat(type)) return a == b;
  return Dispatch(StoredAs(type), [a, b](auto tag) {
    using T = typename decltype(tag)::type;
    return FromWord<T>(a) == FromWord<T>(b);
  });
}

class Trial {
 public:
  explicit Trial(const Operator& op)
      : op_(op), constants_(ConstantsOf(op)), random_(/*seed=*/1) {}

  absl::Status Run() {
    for (int k = 0; k < kTrials; ++k) {
      largest_ = 1 + k * kLargestNumber / kTrials;
      const Tuple a = Draw(), b = Draw(), c = Draw();
      absl::Status status = TryAssociativity(a, b, c);
      if (status.ok() && op_.identity().has_value()) status = TryIdentity(a);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  std::int64_t DrawNumber(bool is_signed) {
    if (!constants_.empty() && random_.Below(4) == 0) {
      const std::int64_t constant =
          constants_[random_.Below(constants_.size())];
      const std::int64_t beside =
          constant + static_cast<std::int64_t>(random_.Below(3)) - 1;
      return is_signed ? beside : std::abs(beside);
    }
    const auto range = static_cast<std::uint64_t>(largest_);
    return is_signed ? static_cast<std::int64_t>(random_.Below(2 * range + 1)) -
                           largest_
                     : static_cast<std::int64_t>(random_.Below(range + 1));
  }

  Tuple Draw() {
    Tuple tuple;
    for (Type type : op_.types()) {
      if (type == Type::kBool) {
        tuple.push_back(random_.Below(2));
        continue;
      }
      const std::int64_t number = DrawNumber(IsSigned(type) || IsFloat(type));
      tuple.push_back(Dispatch(StoredAs(type), [number](auto tag) {
        return ToWord(static_cast<typename decltype(tag)::type>(number));
      }));
    }
    return tuple;
  }

  std::string Show(const Tuple& tuple) const {
    return ToString(op_.types(), tuple);
  }

  bool AreSame(const Tuple& a, const Tuple& b) const {
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (!IsSame(op_.types()[k], a[k], b[k])) return false;
    }
    return true;
  }

  absl::Status TryAssociativity(const Tuple& a, const Tuple& b,
                                const Tuple& c) const {
    const Tuple left = op_.Apply(op_.Apply(a, b), c);
    const Tuple right = op_.Apply(a, op_.Apply(b, c));
    if (AreSame(left, right)) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "the operator is not associative: for a = ", Show(a), ", b = ", Show(b),
        " and c = ", Show(c), ", (a op b) op c is ", Show(left),
        ", but a op (b op c) is ", Show(right)));
  }

  absl::Status TryIdentity(const Tuple& a) const {
    const Tuple& e = *op_.identity();
    const Tuple from_left = op_.Apply(e, a);
    const Tuple from_right = op_.Apply(a, e);
    const bool left = !AreSame(from_left, a);
    if (!left && AreSame(from_right, a)) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        Show(e), " is not the identity of the operator: for a = ", Show(a),
        ", ", left ? "e op a" : "a op e", " is ",
        Show(left ? from_left : from_right)));
  }

  const Operator& op_;
  const std::vector<std::int64_t> constants_;
  Random random_;
  int largest_ = 1;
};

}  // namespace

absl::Status TryLaws(const Operator& op) { return Trial(op).Run(); }

}  // namespace concord::expression
