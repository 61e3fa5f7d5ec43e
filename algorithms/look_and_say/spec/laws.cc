// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord::look_and_say {
namespace {

using Digits = std::vector<std::uint8_t>;

Digits InputOf(const Case& test_case) {
  const auto in = test_case.inputs.at("in").span<std::uint8_t>();
  return {in.begin(), in.end()};
}

// All digits that come of `in` after so many steps.
absl::StatusOr<Digits> Whole(const Law::Run& run, Case test_case,
                             const Digits& in, std::int64_t steps) {
  test_case.options["steps"] = absl::StrCat(steps);
  test_case.options["length-only"] = "no";
  test_case.options["from"] = "0";
  test_case.options["count"] = LookAndSay::kWholeResult;
  test_case.inputs.at("in") =
      HostArray::Of<std::uint8_t>(absl::MakeConstSpan(in));
  ASSIGN_OR_RETURN(Results results, run(test_case));
  const auto out = results.at("out").span<std::uint8_t>();
  return Digits(out.begin(), out.end());
}

absl::Status MustBeEqual(const Digits& got, const Digits& wanted) {
  if (got == wanted) return absl::OkStatus();
  const auto at =
      std::mismatch(got.begin(), got.end(), wanted.begin(), wanted.end())
          .first -
      got.begin();
  return InternalError(got.size(), " digits and ", wanted.size(),
                       ", different from [", at, "] on");
}

std::int64_t StepsOf(const Case& test_case) {
  return NumberOption(test_case.options, "steps");
}

absl::Status CheckComposition(const Law::Run& run, const Case& test_case) {
  const Digits in = InputOf(test_case);
  const std::int64_t steps = StepsOf(test_case);
  ASSIGN_OR_RETURN(Digits at_once, Whole(run, test_case, in, steps));
  ASSIGN_OR_RETURN(Digits half, Whole(run, test_case, in, steps / 2));
  ASSIGN_OR_RETURN(Digits rest, Whole(run, test_case, half, steps - steps / 2));
  return MustBeEqual(rest, at_once);
}

absl::Status CheckConcatenation(const Law::Run& run, const Case& test_case) {
  Digits left = InputOf(test_case);
  // What is said about a run of under nine never begins with a 9.
  constexpr std::size_t kLongest = 8;
  std::size_t length = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    length = i > 0 && left[i] == left[i - 1] ? length + 1 : 1;
    if (length > kLongest) return absl::OkStatus();
  }
  Digits right = left;
  left.push_back(9);
  if (right.empty() || right.front() == 9) return absl::OkStatus();
  Digits both = left;
  both.insert(both.end(), right.begin(), right.end());

  const std::int64_t steps = StepsOf(test_case);
  ASSIGN_OR_RETURN(Digits together, Whole(run, test_case, both, steps));
  ASSIGN_OR_RETURN(Digits apart, Whole(run, test_case, left, steps));
  ASSIGN_OR_RETURN(Digits second, Whole(run, test_case, right, steps));
  apart.insert(apart.end(), second.begin(), second.end());
  return MustBeEqual(together, apart);
}

absl::Status CheckDecoding(const Law::Run& run, Case test_case) {
  const Digits in = InputOf(test_case);
  std::int64_t run_length = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    run_length = i > 0 && in[i] == in[i - 1] ? run_length + 1 : 1;
    if (run_length > 255) return absl::OkStatus();
  }
  test_case.options["counts"] = "symbol";
  ASSIGN_OR_RETURN(Digits said, Whole(run, test_case, in, 1));
  Digits read;
  for (std::size_t i = 0; i + 1 < said.size(); i += 2) {
    read.insert(read.end(), std::size_t{said[i]}, said[i + 1]);
  }
  return MustBeEqual(read, in);
}

absl::Status CheckParts(const Law::Run& run, Case test_case) {
  ASSIGN_OR_RETURN(Digits whole, Whole(run, test_case, InputOf(test_case),
                                       StepsOf(test_case)));
  test_case.options["length-only"] = "no";
  const std::size_t third = whole.size() / 3;
  test_case.options["from"] = absl::StrCat(third);
  test_case.options["count"] = absl::StrCat(third + 1);
  ASSIGN_OR_RETURN(Results part, run(test_case));
  const auto got = part.at("out").span<std::uint8_t>();
  const auto wanted = absl::MakeConstSpan(whole).subspan(third, third + 1);
  RETURN_IF_ERROR(
      MustBeEqual({got.begin(), got.end()}, {wanted.begin(), wanted.end()}));

  test_case.options["length-only"] = "yes";
  ASSIGN_OR_RETURN(Results length, run(test_case));
  const std::int64_t said = *length.at("out").data<std::int64_t>();
  if (said == static_cast<std::int64_t>(whole.size())) return absl::OkStatus();
  return InternalError("the length is said to be ", said, " and is ",
                       whole.size());
}

const bool kRegistered = RegisterLaws<LookAndSay>({
    {"composition", "a + b steps are b steps of the result of a steps",
     CheckComposition},
    {"concatenation",
     "steps(x 9 y) = steps(x 9) steps(y), where y does not start with 9 and "
     "no run is longer than 8",
     CheckConcatenation},
    {"decoding",
     "what one step says, with a symbol for each count, reads as what there "
     "was",
     CheckDecoding},
    {"parts",
     "a part of the result is that part of the whole, and the length that of "
     "the whole",
     CheckParts},
});

}  // namespace
}  // namespace concord::look_and_say
