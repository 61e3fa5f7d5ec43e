// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/match_parens/match_parens.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/registry.h"

namespace concord {

absl::StatusOr<Brackets> BracketsOf(const MatchParens::Options& options,
                                    ElementType type) {
  const std::string& kinds = options.kinds;
  if (kinds.empty() || kinds.size() % 2 != 0 ||
      kinds.size() > 2 * MatchParens::kMostKinds) {
    return absl::InvalidArgumentError(absl::StrCat(
        "kinds are 1 to ", MatchParens::kMostKinds,
        " pairs of an opening and a closing bracket such as ()[]{}, not '",
        kinds, "'"));
  }
  Brackets brackets;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto kind = static_cast<std::int8_t>(i / 2 + 1);
    const auto byte = static_cast<std::uint8_t>(kinds[i]);
    if (brackets.code[byte] != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the kinds '", kinds, "' have '", kinds.substr(i, 1),
                       "' twice; all have to be different"));
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

absl::Status CheckMatchParensArguments(const ConstArrayView& in,
                                       const ConstArrayView& fault,
                                       const MatchParens::Options& options,
                                       Memory memory, absl::string_view where) {
  absl::Status status = CheckMemory("in", in, memory, where);
  status.Update(CheckMemory("fault", fault, memory, where));
  if (in.type() != ElementType::kInt8) {
    status.Update(CheckType("in", in, ElementType::kUInt8));
  }
  status.Update(CheckType("fault", fault, ElementType::kInt64));
  status.Update(CheckSize("fault", fault, 1));
  if (status.ok()) status = BracketsOf(options, in.type()).status();
  return status;
}

absl::StatusOr<std::int64_t> ComputeMatchParens(
    const std::shared_ptr<Backend>& backend, ConstArrayView in,
    const MatchParens::Options& options, absl::string_view variant) {
  absl::StatusOr<std::unique_ptr<MatchParens>> match_parens =
      Registry<MatchParens>::Get().Create(backend, variant);
  if (!match_parens.ok()) return match_parens.status();
  std::int64_t fault;
  const ArrayView out(&fault, 1, Memory::Host());
  absl::Status status = CheckMatchParensArguments(
      in, out, options, Memory::Host(), "ComputeMatchParens");
  if (!status.ok()) return status;
  if (backend->memory().is_host()) {
    status = (*match_parens)->Run(in, out, options);
    if (!status.ok()) return status;
    return fault;
  }

  absl::StatusOr<Array> device_in = backend->Allocate(in.type(), in.size());
  if (!device_in.ok()) return device_in.status();
  absl::StatusOr<Array> device_out = backend->Allocate(out.type(), 1);
  if (!device_out.ok()) return device_out.status();
  status = backend->Copy(in, device_in->view());
  if (status.ok()) {
    status =
        (*match_parens)->Run(device_in->view(), device_out->view(), options);
  }
  if (status.ok()) status = backend->Copy(device_out->view(), out);
  if (!status.ok()) return status;
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

}  // namespace concord
