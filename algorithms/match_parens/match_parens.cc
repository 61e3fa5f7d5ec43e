// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/match_parens/match_parens.h"

#include "concord/core/call.h"
#include "concord/core/errors.h"

namespace concord {

const Signature<MatchParens>& MatchParens::GetSignature() {
  static const auto* const signature = new Signature<MatchParens>(
      Signature<MatchParens>(
          "whether brackets are balanced, and where they first are not")
          .Text("kinds",
                "pairs of opening and closing brackets, such as ()[]{}",
                Options{}.kinds,
                [](absl::string_view text, Options& options) {
                  options.kinds = std::string(text);
                  return absl::OkStatus();
                })
          .Input({"in",
                  "bytes of a text, or numbers of kinds",
                  {ElementType::kInt8, ElementType::kUInt8}})
          .Output({"fault",
                   "the position of the first fault, or -1",
                   Always{ElementType::kInt64},
                   {"1"}})
          .Requires([](const Options& options, Views in) {
            return match_parens::BracketsOf(options, in[0].type()).status();
          })
          .Calls([](MatchParens& match_parens, Views in, MutableViews out,
                    const Options& options) {
            return match_parens.Compute(in[0], out[0], options);
          }));
  return *signature;
}

absl::Status MatchParens::Run(ConstArrayView in, ArrayView fault,
                              const Options& options) {
  return GetSignature().Run(*this, {in}, {fault}, options);
}

absl::StatusOr<match_parens::Brackets> match_parens::BracketsOf(
    const MatchParens::Options& options, ElementType type) {
  const std::string& kinds = options.kinds;
  if (kinds.empty() || kinds.size() % 2 != 0 ||
      kinds.size() > 2 * MatchParens::kMostKinds) {
    return InvalidArgumentError(
        "kinds are 1 to ", MatchParens::kMostKinds,
        " pairs of an opening and a closing bracket such as ()[]{}, not '",
        kinds, "'");
  }
  Brackets brackets;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto kind = static_cast<std::int8_t>(i / 2 + 1);
    const auto byte = static_cast<std::uint8_t>(kinds[i]);
    if (brackets.code[byte] != 0) {
      return InvalidArgumentError("the kinds '", kinds, "' have '",
                                  kinds.substr(i, 1),
                                  "' twice; all have to be different");
    }
    brackets.code[byte] = i % 2 == 0 ? kind : static_cast<std::int8_t>(-kind);
  }
  brackets.kinds = static_cast<int>(kinds.size() / 2);
  brackets.open = static_cast<std::uint8_t>(kinds[0]);
  brackets.close = static_cast<std::uint8_t>(kinds[1]);
  if (type != ElementType::kInt8) return brackets;

  Brackets numbers;
  numbers.kinds = brackets.kinds;
  for (int kind = 1; kind <= numbers.kinds; ++kind) {
    numbers.code[kind] = static_cast<std::int8_t>(kind);
    numbers.code[256 - kind] = static_cast<std::int8_t>(-kind);
  }
  numbers.open = 1;
  numbers.close = 255;
  return numbers;
}

absl::StatusOr<std::int64_t> ComputeMatchParens(
    const std::shared_ptr<Backend>& backend, ConstArrayView in,
    const MatchParens::Options& options, absl::string_view variant) {
  std::int64_t fault;
  RETURN_IF_ERROR(RunOnHost<MatchParens>(
      backend, variant, options, {in}, {ArrayView(&fault, 1, Memory::Host())}));
  return fault;
}

absl::StatusOr<std::int64_t> ComputeMatchParens(
    const std::shared_ptr<Backend>& backend, absl::string_view text,
    const MatchParens::Options& options, absl::string_view variant) {
  return ComputeMatchParens(
      backend,
      ConstArrayView(reinterpret_cast<const std::uint8_t*>(text.data()),
                     static_cast<std::int64_t>(text.size()), Memory::Host()),
      options, variant);
}

const bool kRegistered = RegisterAlgorithm<MatchParens>();

}  // namespace concord
