// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_MATCH_PARENS_MATCH_PARENS_H_
#define CONCORD_ALGORITHMS_MATCH_PARENS_MATCH_PARENS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/element_type.h"
#include "concord/core/implementation.h"

namespace concord {

// Whether the brackets of a text are nested properly, and where they first are
// not:
//
//   for i = 0, ..., n - 1:
//     if in[i] opens a kind:   push i
//     if in[i] closes a kind:
//       if nothing is on the stack, or what in[top] opens is another kind:
//         fault = i; stop                        // a wrong closing bracket
//       pop
//   fault = -1 if the stack is empty,            // balanced
//           otherwise its lowest element         // the first never closed
//
// So a wrong closing bracket counts before brackets that are never closed,
// wherever these are. With one kind a depth does in place of the stack.
//
// The elements are either bytes of a text (uint8), of which those in the option
// `kinds` are brackets, or numbers (int8): k opens kind k, -k closes it, where
// kind 1 is the first of `kinds`. All others are skipped. An empty input is
// balanced.
//
// Sources: R. Yadav and B. Houghton, "StandardML-GPU" (2017), for one kind by a
// scan and a reduction. I. Bar-On and U. Vishkin, "Optimal parallel generation
// of a computation tree form" (ACM TOPLAS 7(2), 1985), for the reduction of
// pieces to ")))(((" and for partners as neighbours of the same depth.
class MatchParens : public Implementation {
 public:
  static constexpr char kName[] = "match_parens";

  static constexpr int kMostKinds = 16;

  struct Options {
    // Pairs of an opening and a closing bracket: "()[]{}". All different.
    std::string kinds = "()";
  };

  // in: uint8 or int8. fault: one int64, the position of the first fault or -1,
  // not in the memory of `in`. Both live in the backend's memory.
  //
  // InvalidArgument: other types or sizes, memory of another backend, kinds
  // that are no pairs of different bytes, none or more than kMostKinds.
  absl::Status Run(ConstArrayView in, ArrayView fault, const Options& options);

  static const Signature<MatchParens>& GetSignature();

 protected:
  // Run, when the arguments have been checked.
  virtual absl::Status Compute(ConstArrayView in, ArrayView fault,
                               const Options& options) = 0;
};

// --- For callers with host data ---

// The position of the first fault, or -1.
absl::StatusOr<std::int64_t> ComputeMatchParens(
    const std::shared_ptr<Backend>& backend, ConstArrayView in,
    const MatchParens::Options& options = {}, absl::string_view variant = "");

// The same for a string.
//
// Example:
//   absl::StatusOr<std::int64_t> fault =
//       ComputeMatchParens(backend, "(a))");  // 3
absl::StatusOr<std::int64_t> ComputeMatchParens(
    const std::shared_ptr<Backend>& backend, absl::string_view text,
    const MatchParens::Options& options = {}, absl::string_view variant = "");

}  // namespace concord

// --- For implementations and descriptions ---

namespace concord::match_parens {

// What each element means.
struct Brackets {
  int kinds = 0;
  // By the element's byte: k opens kind k, -k closes it, 0 is no bracket.
  std::int8_t code[256] = {};
  // The bytes of kind 1.
  std::uint8_t open = 0;
  std::uint8_t close = 0;
};

// InvalidArgument: kinds as Run refuses them.
absl::StatusOr<Brackets> BracketsOf(const MatchParens::Options& options,
                                    ElementType type);

}  // namespace concord::match_parens

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_MATCH_PARENS_H_
