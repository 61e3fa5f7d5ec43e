// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_PASS_FUNCTIONS_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_PASS_FUNCTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/spliced/splicer.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/value_type.h"

namespace concord::spliced {

class PassCode;

// The functions of one pass over columns. Results are
//
//   map      prologue(columns[i]) of every element i
//   filter   of those elements i where the prologue's first result is true,
//            the others
//   reduce   epilogue(all prologue(columns[i]) combined by `op`)
//   scan     epilogue(those up to i combined by `op`) of every element i
struct PassFunctions {
  expression::Function prologue;
  // Of two tuples of the prologue's results.
  std::optional<expression::Function> op = std::nullopt;
  // Of the prologue's results, without tables; without it they are the results.
  std::optional<expression::Function> epilogue = std::nullopt;
  // What a reduction or scan begins with, where the template asks for it.
  std::vector<expression::Word> identity = {};

  // A text that is the same only for passes that compute the same.
  std::string Canonical() const;
};

// What is compiled of a pass: its functions, and what an operator makes of a
// state and the prologue of columns (fold_step.h).
enum class Part { kPrologue, kOp, kEpilogue, kStep };
inline constexpr Part kAllParts[] = {Part::kPrologue, Part::kOp,
                                     Part::kEpilogue, Part::kStep};

// Nothing where the pass has no such part.
std::optional<expression::Function> PartOf(const PassFunctions& pass,
                                           Part part);

// What stands at a place of the templates of passes. Values of the prologue
// travel from place to place as the kernel's words, of 32 or of 64 bits: `wide`
// says which. (A value of 64 bits needs wide ones.) `first` and `i` are
// elements.
//
//   map first, groups, stride  results of that many groups of kMapGroup
//                              elements, each `stride` behind the one before
//   map_one i                  of one element
//   load w..., first           the prologue of as many elements as words
//   fetch to, first, lane, rows   brings pieces of rows into shared memory
//                                 (row_pieces.h)
//   begin w..., piece, at, first  kFoldGroup elements combined from left to
//                                 right: those from number `at` on of the piece
//                                 there, which are `first` and so on
//   step w..., piece, at, first   the same, behind what the words have
//   begin_one w..., i          one element's, from its column
//   step_one w..., i
//   begin_group w..., first, count   of as many neighbours, each one's words
//                                    behind those of the one before
//   combine c..., a..., b...
//   identity w...
//   store w...                 the epilogue, as element 0 of the results
//   store_at w..., i           the same as element i, and at index i
//   store_group w..., first, count   of as many neighbours
//   keep w..., i, stride       whether the prologue's first result is true, of
//                              as many elements as words, i and behind
//   filter w..., bits, first   puts the second result in place of the column's
//                              elements, `first` and so on; bits 0, 1, ... are
//                              the first results. Both have 4 bytes
//   apply w..., first          puts the prologue in place of the column's
//                              elements, `first` and so on. Both have 4 bytes
//   finish w..., first         puts the epilogue in place of states, those of
//                              elements `first` and so on; of 4 bytes, too
//   put i..., at, stride       its others, of these elements, as elements `at`
//                              and behind of the results
//
// Words past the tuple's values are 0. map, load with more than one word, fetch
// and groups ask for aligned columns. `code`: the pass's functions as another
// compiler made them (function_compiler.h), if not null.
absl::StatusOr<std::string> FillPlaceOfPass(const PassFunctions& pass,
                                            bool wide, const Place& place,
                                            const PassCode* code = nullptr);

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_PASS_FUNCTIONS_H_
