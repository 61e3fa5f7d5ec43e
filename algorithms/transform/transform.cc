// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/transform/transform.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/registry.h"

namespace concord {
namespace {

using Op = Transform::Op;

constexpr std::pair<Op, const char*> kOps[] = {
    {Op::kAffine, "affine"},        {Op::kAbs, "abs"},
    {Op::kSquare, "square"},        {Op::kLess, "less"},
    {Op::kLessEqual, "less_equal"}, {Op::kEqual, "equal"},
    {Op::kNotEqual, "not_equal"},   {Op::kGreaterEqual, "greater_equal"},
    {Op::kGreater, "greater"},      {Op::kCast, "cast"},
};

// Whether an integer of type T can be exactly `value`.
template <typename T, typename V>
bool IsInteger(V value) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<V>) {
    // 2^bits of T, which V has even where it has not the largest T itself.
    const V past_the_largest = std::ldexp(V{1}, Limits::digits);
    return value >= static_cast<V>(Limits::min()) && value < past_the_largest &&
           value == std::trunc(value);
  } else if constexpr (std::is_signed_v<V>) {
    if (value < 0) {
      return std::is_signed_v<T> &&
             value >= static_cast<std::int64_t>(Limits::min());
    }
    return IsInteger<T>(static_cast<std::uint64_t>(value));
  } else {
    return value <= static_cast<std::uint64_t>(Limits::max());
  }
}

absl::Status CheckFits(absl::string_view name, const Number& number,
                       ElementType type) {
  if (number.Fits(type)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "transform: ", name, " ", number.ToString(), " is no ", Name(type)));
}

}  // namespace

absl::StatusOr<Number> Number::Parse(absl::string_view text) {
  std::int64_t with_sign;
  if (absl::SimpleAtoi(text, &with_sign)) return Number(with_sign);
  std::uint64_t without_sign;
  if (absl::SimpleAtoi(text, &without_sign)) return Number(without_sign);
  double real;
  if (!absl::SimpleAtod(text, &real)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not a number"));
  }
  // Too large a number has become infinite; only "inf" may be that.
  if (std::isinf(real) &&
      std::any_of(text.begin(), text.end(), absl::ascii_isdigit)) {
    return absl::InvalidArgumentError(
        absl::StrCat("no element type can hold ", text));
  }
  return Number(real);
}

bool Number::Fits(ElementType type) const {
  return Dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return std::visit(
        [](auto value) {
          if constexpr (std::is_integral_v<T>) {
            return IsInteger<T>(value);
          } else {
            return std::isinf(static_cast<T>(value)) ==
                   std::isinf(static_cast<double>(value));
          }
        },
        value_);
  });
}

std::string Number::ToString() const {
  return std::visit([](auto value) { return absl::StrCat(value); }, value_);
}

absl::string_view Name(Op op) {
  for (const auto& [named, name] : kOps) {
    if (named == op) return name;
  }
  __builtin_unreachable();
}

const std::vector<std::string>& TransformOpNames() {
  static const auto* const names = [] {
    auto* all = new std::vector<std::string>();
    for (const auto& [op, name] : kOps) all->push_back(name);
    return all;
  }();
  return *names;
}

absl::StatusOr<Op> ParseTransformOp(absl::string_view name) {
  for (const auto& [op, its_name] : kOps) {
    if (its_name == name) return op;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("transform has no op '", name, "'; it has ",
                   absl::StrJoin(TransformOpNames(), ", ")));
}

bool IsComparison(Op op) {
  return op != Op::kAffine && op != Op::kAbs && op != Op::kSquare &&
         op != Op::kCast;
}

ElementType ResultType(ElementType type, const Transform::Options& options) {
  if (IsComparison(options.op)) return ElementType::kUInt8;
  return options.op == Op::kCast ? options.to.value_or(type) : type;
}

absl::Status CheckTransformOptions(ElementType type,
                                   const Transform::Options& options) {
  if (options.to.has_value() && options.op != Op::kCast) {
    return absl::InvalidArgumentError(absl::StrCat(
        "transform: only a cast has a type to go to, not ", Name(options.op)));
  }
  if (options.op == Op::kAffine) {
    absl::Status status = CheckFits("scale", options.scale, type);
    status.Update(CheckFits("offset", options.offset, type));
    return status;
  }
  if (IsComparison(options.op)) {
    return CheckFits("constant", options.constant, type);
  }
  return absl::OkStatus();
}

absl::Status CheckTransformArguments(const ConstArrayView& in,
                                     const ConstArrayView& out,
                                     const Transform::Options& options,
                                     Memory memory, absl::string_view where) {
  absl::Status status = CheckTransformOptions(in.type(), options);
  status.Update(CheckMemory("in", in, memory, where));
  status.Update(CheckMemory("out", out, memory, where));
  status.Update(CheckType("out", out, ResultType(in.type(), options)));
  status.Update(CheckSize("out", out, in.size()));
  return status;
}

absl::Status ComputeTransform(const std::shared_ptr<Backend>& backend,
                              ConstArrayView in, ArrayView out,
                              const Transform::Options& options,
                              absl::string_view variant) {
  absl::StatusOr<std::unique_ptr<Transform>> transform =
      Registry<Transform>::Get().Create(backend, variant);
  if (!transform.ok()) return transform.status();
  absl::Status status = CheckTransformArguments(
      in, out, options, Memory::Host(), "ComputeTransform");
  if (!status.ok()) return status;
  if (backend->memory().is_host()) return (*transform)->Run(in, out, options);

  absl::StatusOr<Array> device_in = backend->Allocate(in.type(), in.size());
  if (!device_in.ok()) return device_in.status();
  absl::StatusOr<Array> device_out = backend->Allocate(out.type(), out.size());
  if (!device_out.ok()) return device_out.status();
  status = backend->Copy(in, device_in->view());
  if (!status.ok()) return status;
  status = (*transform)->Run(device_in->view(), device_out->view(), options);
  if (!status.ok()) return status;
  return backend->Copy(device_out->view(), out);
}

}  // namespace concord
