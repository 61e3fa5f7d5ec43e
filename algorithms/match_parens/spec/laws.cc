// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <utility>

#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord::match_parens {
namespace {

// Rewriting takes the square of the length.
constexpr std::size_t kLongestForBruteForce = 1000;

using Bytes = std::vector<std::uint8_t>;

Bytes BytesOf(const Case& test_case) {
  const HostArray& in = test_case.inputs.at("in");
  const auto* const data = in.data<std::uint8_t>();
  return Bytes(data, data + in.size());
}

absl::StatusOr<Brackets> BracketsOfCase(const Case& test_case) {
  return BracketsOf(MatchParens::Options{test_case.options.at("kinds")},
                    test_case.type);
}

absl::StatusOr<std::int64_t> ResultFor(const Law::Run& run,
                                       const Case& test_case,
                                       const Bytes& bytes) {
  Case other = test_case;
  HostArray in(test_case.type, {static_cast<std::int64_t>(bytes.size())});
  std::copy(bytes.begin(), bytes.end(), in.data<std::uint8_t>());
  other.inputs.at("in") = std::move(in);
  ASSIGN_OR_RETURN(Results results, run(other));
  return *results.at("fault").data<std::int64_t>();
}

absl::Status MustBe(std::int64_t got, std::int64_t wanted) {
  if (got == wanted) return absl::OkStatus();
  return InternalError(got, " instead of ", wanted);
}

// Strikes out matching neighbours until there are none.
absl::Status CheckBruteForce(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(Brackets brackets, BracketsOfCase(test_case));
  const Bytes in = BytesOf(test_case);
  if (in.size() > kLongestForBruteForce) return absl::OkStatus();
  std::vector<std::pair<int, std::int64_t>> left;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const int code = brackets.code[in[i]];
    if (code != 0) left.emplace_back(code, static_cast<std::int64_t>(i));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i + 1 < left.size(); ++i) {
      if (left[i].first > 0 && left[i].first == -left[i + 1].first) {
        const auto at = left.begin() + static_cast<std::ptrdiff_t>(i);
        left.erase(at, at + 2);
        changed = true;
      }
    }
  }
  std::int64_t wanted = left.empty() ? -1 : left[0].second;
  for (const auto& [code, position] : left) {
    if (code > 0) continue;
    wanted = position;
    break;
  }
  absl::StatusOr<std::int64_t> got = ResultFor(run, test_case, in);
  return got.ok() ? MustBe(*got, wanted) : got.status();
}

// Whether the fault is a wrong closing bracket.
bool IsClosing(const Brackets& brackets, const Bytes& in, std::int64_t fault) {
  return fault >= 0 && brackets.code[in[fault]] < 0;
}

absl::Status CheckConcatenation(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(Brackets brackets, BracketsOfCase(test_case));
  const Bytes in = BytesOf(test_case);
  const auto cut = static_cast<std::ptrdiff_t>(in.size() / 3);
  const Bytes front(in.begin(), in.begin() + cut);
  const Bytes back(in.begin() + cut, in.end());
  ASSIGN_OR_RETURN(std::int64_t whole, ResultFor(run, test_case, in));
  ASSIGN_OR_RETURN(std::int64_t of_front, ResultFor(run, test_case, front));
  if (IsClosing(brackets, front, of_front)) return MustBe(whole, of_front);
  if (of_front >= 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::int64_t of_back, ResultFor(run, test_case, back));
  return MustBe(whole, of_back < 0 ? -1 : cut + of_back);
}

absl::Status CheckEnclosure(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(Brackets brackets, BracketsOfCase(test_case));
  Bytes in = BytesOf(test_case);
  ASSIGN_OR_RETURN(std::int64_t alone, ResultFor(run, test_case, in));
  in.insert(in.begin(), brackets.open);
  ASSIGN_OR_RETURN(std::int64_t opened, ResultFor(run, test_case, in));
  in.push_back(brackets.close);
  ASSIGN_OR_RETURN(std::int64_t enclosed, ResultFor(run, test_case, in));
  if (alone >= 0) return absl::OkStatus();
  absl::Status status = MustBe(opened, 0);
  status.Update(MustBe(enclosed, -1));
  return status;
}

absl::Status CheckMirror(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(Brackets brackets, BracketsOfCase(test_case));
  const Bytes in = BytesOf(test_case);
  std::uint8_t partner[256] = {};
  for (int a = 0; a < 256; ++a) {
    partner[a] = static_cast<std::uint8_t>(a);
    for (int b = 0; b < 256; ++b) {
      if (brackets.code[a] != 0 && brackets.code[a] == -brackets.code[b]) {
        partner[a] = static_cast<std::uint8_t>(b);
      }
    }
  }
  Bytes mirrored(in.rbegin(), in.rend());
  for (std::uint8_t& byte : mirrored) byte = partner[byte];
  ASSIGN_OR_RETURN(std::int64_t result, ResultFor(run, test_case, in));
  ASSIGN_OR_RETURN(std::int64_t other, ResultFor(run, test_case, mirrored));
  return MustBe(other < 0 ? -1 : 0, result < 0 ? -1 : 0);
}

const bool kRegistered = RegisterLaws<MatchParens>({
    {"brute_force",
     "striking out matching neighbours until there are none leaves the "
     "first fault",
     CheckBruteForce},
    {"concatenation",
     "a wrong closing bracket of x is the fault of x ++ y; behind a "
     "balanced x it is the fault of y",
     CheckConcatenation},
    {"enclosure",
     "what is balanced stays so in brackets, and with the opening one "
     "alone that is the fault",
     CheckEnclosure},
    {"mirror", "the mirror image is balanced if and only if the array is",
     CheckMirror},
});

}  // namespace
}  // namespace concord::match_parens
