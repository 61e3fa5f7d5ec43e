// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/transform/transform.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "concord/core/call.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

using Op = Transform::Op;

absl::Status CheckFits(absl::string_view name, const Number& number,
                       ElementType type) {
  if (number.Fits(type)) return absl::OkStatus();
  return InvalidArgumentError("transform: ", name, " ", number.ToString(),
                              " is no ", Name(type));
}

absl::Status CheckOptions(ElementType type, const Transform::Options& options) {
  if (options.to.has_value() && options.op != Op::kCast) {
    return InvalidArgumentError("transform: only a cast has a type to go to");
  }
  const bool is_affine = options.op == Op::kAffine;
  if (!is_affine &&
      (options.scale.As<double>() != 1 || options.offset.As<double>() != 0)) {
    return InvalidArgumentError(
        "transform: only affine has a scale and an offset");
  }
  const bool is_comparison = transform::IsComparison(options.op);
  if (!is_comparison && options.constant.As<double>() != 0) {
    return InvalidArgumentError("transform: only comparisons have a constant");
  }
  if (is_affine) {
    absl::Status status = CheckFits("scale", options.scale, type);
    status.Update(CheckFits("offset", options.offset, type));
    return status;
  }
  return is_comparison ? CheckFits("constant", options.constant, type)
                       : absl::OkStatus();
}

using CastType = std::optional<ElementType>;

std::vector<std::pair<std::string, CastType>> TypesToCastTo() {
  std::vector<std::pair<std::string, CastType>> types = {
      {"same", std::nullopt}};
  for (const ElementType type : AllElementTypes()) {
    types.emplace_back(Name(type), type);
  }
  return types;
}

}  // namespace

bool transform::IsComparison(Op op) {
  return op != Op::kAffine && op != Op::kAbs && op != Op::kSquare &&
         op != Op::kCast;
}

ElementType transform::ResultType(ElementType type,
                                  const Transform::Options& options) {
  if (transform::IsComparison(options.op)) return ElementType::kUInt8;
  return options.op == Op::kCast ? options.to.value_or(type) : type;
}

const Signature<Transform>& Transform::GetSignature() {
  static const auto number = [](Number Options::*member, std::string name) {
    return [member, name](absl::string_view text, Options& options) {
      absl::StatusOr<Number> value = Number::Parse(text);
      if (!value.ok()) {
        return absl::Status(
            value.status().code(),
            absl::StrCat("--", name, ": ", value.status().message()));
      }
      options.*member = *value;
      return absl::OkStatus();
    };
  };
  static const auto* const signature = new Signature<Transform>(
      Signature<Transform>("an operation on each element")
          .Choice("op", "what is done to each element", &Options::op,
                  {{"affine", Op::kAffine},
                   {"abs", Op::kAbs},
                   {"square", Op::kSquare},
                   {"less", Op::kLess},
                   {"less_equal", Op::kLessEqual},
                   {"equal", Op::kEqual},
                   {"not_equal", Op::kNotEqual},
                   {"greater_equal", Op::kGreaterEqual},
                   {"greater", Op::kGreater},
                   {"cast", Op::kCast}})
          .OrFunction({"op",
                       "or a function of your own, such as '2 * x + 1'",
                       {{"", "sequence --program=map FUNCTION"}}})
          .Text("scale", "affine: x * scale + offset", "1",
                number(&Options::scale, "scale"))
          .Text("offset", "affine: x * scale + offset", "0",
                number(&Options::offset, "offset"))
          .Text("constant", "what comparisons compare with", "0",
                number(&Options::constant, "constant"))
          .Choice("to", "cast: the type of the results", &Options::to,
                  TypesToCastTo())
          .Input({"in", "the elements"})
          .Output({"out",
                   "the results",
                   {"uint8 for comparisons, --to for casts, otherwise that of "
                    "the input",
                    [](const Options& options, Views in) {
                      return transform::ResultType(in[0].type(), options);
                    }},
                   {"n"},
                   /*in_place_of=*/"in"})
          .Requires([](const Options& options, Views in) {
            return CheckOptions(in[0].type(), options);
          })
          .Calls([](Transform& transform, Views in, MutableViews out,
                    const Options& options) {
            return transform.Compute(in[0], out[0], options);
          }));
  return *signature;
}

absl::Status Transform::Run(ConstArrayView in, ArrayView out,
                            const Options& options) {
  return GetSignature().Run(*this, {in}, {out}, options);
}

absl::Status ComputeTransform(const std::shared_ptr<Backend>& backend,
                              ConstArrayView in, ArrayView out,
                              const Transform::Options& options,
                              absl::string_view variant) {
  return RunOnHost<Transform>(backend, variant, options, {in}, {out});
}

const bool kRegistered = RegisterAlgorithm<Transform>();

}  // namespace concord
