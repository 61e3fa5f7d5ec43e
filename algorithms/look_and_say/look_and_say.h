// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_LOOK_AND_SAY_H_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_LOOK_AND_SAY_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/implementation.h"

namespace concord {

// The look-and-say sequence: each step says how many there are of which digit,
// so that 1113122113 ("three 1, one 3, one 1, two 2, two 1, one 3") becomes
// 311311222113.
//
//   repeat `steps` times:
//     said = ""
//     for each maximal run of equal digits:  said += count, digit
//     digits = said
//   out = digits[from, from + count)
//
// Digits are bytes from 0 to 9. A run of ten or more is said in decimal, as the
// OEIS does ("12" for twelve); or its count becomes a single symbol of the
// result (Counts::kSymbol), and then symbols may be any byte.
//
// Every step but the first makes a term about 1.3 times as long (Conway's
// constant, 1.303577269), so some results are larger than any memory. Their
// length and any part of them can be had nevertheless.
//
// Results are the same on every backend. No digits at all stay none; 22 stays
// what it is.
//
// Sources: J. H. Conway, "The weird and wonderful chemistry of audioactive
// decay" (1986); OEIS A005150 (terms), A005341 (lengths).
class LookAndSay : public Implementation {
 public:
  static constexpr char kName[] = "look_and_say";

  enum class Counts { kDecimal, kSymbol };

  // The length of a term after so many steps is itself a number of over a
  // thousand digits.
  static constexpr std::int64_t kMostSteps = 10'000;
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  // The same as text.
  static constexpr char kWholeResult[] = "all";

  struct Options {
    std::int64_t steps = 1;
    Counts counts = Counts::kDecimal;
    // How many digits there are, instead of the digits.
    bool length_only = false;
    // The part of the result that is wanted; it ends where the result ends.
    std::int64_t from = 0;
    std::int64_t count = kAll;
  };

  // in: digits, uint8. out: uint8, of exactly as many digits as the wanted part
  // has; or the length: one int64, and past 2^63 - 1 the digits of the decimal
  // number, as uint8 (LookAndSayOutput says which). Both live in the backend's
  // memory and do not overlap.
  //
  // InvalidArgument: types or sizes that differ from these, memory of another
  // backend, options out of range, and on the CPU a run of over 255 digits that
  // is to be one symbol. A GPU does not check the runs; the caller has to.
  // OutOfRange: digits past 2^63 - 1. ResourceExhausted: no memory for a step
  // in between.
  absl::Status Run(ConstArrayView in, ArrayView out, const Options& options);

  static const Signature<LookAndSay>& GetSignature();

 protected:
  // Run, when the arguments have been checked, but for the size of `out` and
  // the elements of `in`, on which it depends.
  virtual absl::Status Compute(ConstArrayView in, ArrayView out,
                               const Options& options) = 0;
};

// What Run writes for this input, which is in host memory.
struct LookAndSayOutput {
  ElementType type;
  std::int64_t size;
};
// InvalidArgument: options out of range, or a run that does not fit a symbol.
// OutOfRange: a part that starts behind the end, or goes past digit 2^63 - 1,
// as all of a result of more digits does.
// ResourceExhausted: more memory than there is, to find it out.
absl::StatusOr<LookAndSayOutput> OutputOfLookAndSay(
    absl::Span<const std::uint8_t> in, const LookAndSay::Options& options);

// --- For callers with host data ---

// Example:
//   absl::StatusOr<std::string> term =
//       ComputeLookAndSay(backend, "1", {/*steps=*/4});  // "111221"
// As text; a symbol past 9 makes it numbers separated by spaces.
absl::StatusOr<std::string> ComputeLookAndSay(
    const std::shared_ptr<Backend>& backend, absl::string_view digits,
    const LookAndSay::Options& options, absl::string_view variant = "");

// "1113" -> {1, 1, 1, 3}; InvalidArgument names what is no digit.
absl::StatusOr<std::vector<std::uint8_t>> ParseDigits(absl::string_view text);
// And back; with a symbol past 9, all are numbers between spaces.
absl::StatusOr<std::string> FormatDigits(absl::Span<const std::uint8_t> digits);
// "1 12 3"
absl::StatusOr<std::string> FormatSymbols(
    absl::Span<const std::uint8_t> symbols);

}  // namespace concord

// --- For implementations ---

namespace concord::look_and_say {

// FormatDigits and FormatSymbols inside of calls: without memory they throw.
std::string TextOfDigits(absl::Span<const std::uint8_t> digits);
std::string TextOfSymbols(absl::Span<const std::uint8_t> symbols);

// How many digits of a result of `length` the options ask for.
std::int64_t PartOf(std::int64_t length, const LookAndSay::Options& options);

// OutOfRange where that is more than int64 can count: of a length that is known
// as kAll, because it is that or more. Nobody has room for exactly that many.
absl::Status CheckPart(std::int64_t length, const LookAndSay::Options& options);

// For those who make all steps: ResourceExhausted where memory has no room for
// the step that follows a term of so many digits, which is in memory.
absl::Status CheckRoomForStep(std::int64_t digits, std::int64_t step,
                              const LookAndSay::Options& options);

// In decimal there are no symbols past 9: InvalidArgument names one.
absl::Status CheckDigits(absl::Span<const std::uint8_t> digits,
                         const LookAndSay::Options& options);

// InvalidArgument where a run of so many digits, the longest of all, does not
// fit a symbol as a count.
absl::Status CheckFitsSymbol(std::int64_t longest);

// The same for the runs of an input and the first step of these options.
absl::Status CheckRunsFitSymbols(absl::Span<const std::uint8_t> in,
                                 const LookAndSay::Options& options);

// Writes the wanted part of the whole result, or its length, to `out` in host
// memory; InvalidArgument where it has another size or type.
absl::Status WriteLookAndSay(absl::Span<const std::uint8_t> result,
                             ArrayView out, const LookAndSay::Options& options);

// The length as the output has it: one int64, or the digits of the number.
absl::Status WriteLength(absl::string_view decimal, ArrayView out);

// Appends `count`, said as the options want it.
void AppendCount(std::int64_t count, LookAndSay::Counts counts,
                 std::vector<std::uint8_t>& said);

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_LOOK_AND_SAY_H_
