// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/pass_arrays.h"

#include "concord/core/errors.h"
#include "concord/core/expression/function.h"

namespace concord::sequence {
namespace {

constexpr std::uint64_t kNoElement = ~std::uint64_t{0};

}  // namespace

absl::StatusOr<std::uint64_t*> OutsideReport::Begin(Backend& backend,
                                                    std::size_t tables) {
  tables_ = tables;
  if (tables == 0) return nullptr;
  if (words_.size() == 0) {
    ASSIGN_OR_RETURN(words_, backend.Allocate(ElementType::kUInt64,
                                              expression::kMostTables));
  }
  const std::vector<std::uint64_t> none(tables, kNoElement);
  const ConstArrayView words(absl::MakeConstSpan(none));
  RETURN_IF_ERROR(backend.Copy(words, words_.view().Slice(0, words.size())));
  return words_.data<std::uint64_t>();
}

absl::StatusOr<std::vector<std::optional<std::int64_t>>> OutsideReport::Read(
    Backend& backend, std::int64_t first) {
  std::vector<std::optional<std::int64_t>> outside(tables_);
  if (tables_ == 0) return outside;
  std::vector<std::uint64_t> elements(tables_);
  const ArrayView words(absl::MakeSpan(elements));
  RETURN_IF_ERROR(backend.Copy(words_.view().Slice(0, words.size()), words));
  for (std::size_t k = 0; k < tables_; ++k) {
    if (elements[k] == kNoElement) continue;
    outside[k] = static_cast<std::int64_t>(elements[k]) - first;
  }
  return outside;
}

}  // namespace concord::sequence
