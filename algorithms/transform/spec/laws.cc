// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/transform/transform.h"
#include "concord/core/algorithm.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord::transform {
namespace {

absl::StatusOr<HostArray> ResultFor(const Law::Run& run, Case test_case,
                                    HostArray in, OptionMap options) {
  test_case.type = in.type();
  test_case.options = std::move(options);
  test_case.inputs.at("in") = std::move(in);
  ASSIGN_OR_RETURN(Results results, run(test_case));
  return results.at("out");
}

absl::Status CheckConcatenation(const Law::Run& run, const Case& test_case) {
  const HostArray& in = test_case.inputs.at("in");
  const std::int64_t cut = in.size() / 3;
  ASSIGN_OR_RETURN(HostArray whole,
                   ResultFor(run, test_case, in, test_case.options));
  ASSIGN_OR_RETURN(
      HostArray front,
      ResultFor(run, test_case, in.Without(cut, in.size()), test_case.options));
  ASSIGN_OR_RETURN(HostArray back, ResultFor(run, test_case, in.Without(0, cut),
                                             test_case.options));
  if (whole.Without(cut, in.size()) == front && whole.Without(0, cut) == back) {
    return absl::OkStatus();
  }
  return InternalError("cut at ", cut, ", the parts come out otherwise");
}

absl::Status CheckTrichotomy(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(const Transform::Options options,
                   ParseOptions<Transform>(test_case.options));
  if (!IsComparison(options.op)) return absl::OkStatus();
  const HostArray& in = test_case.inputs.at("in");
  std::vector<int> holds(static_cast<std::size_t>(in.size()));
  for (const char* one : {"less", "equal", "greater"}) {
    OptionMap options = test_case.options;
    options["op"] = one;
    ASSIGN_OR_RETURN(HostArray out, ResultFor(run, test_case, in, options));
    for (std::size_t i = 0; i < holds.size(); ++i) {
      holds[i] += out.data<std::uint8_t>()[i];
    }
  }
  return Dispatch(in.type(), [&](auto tag) -> absl::Status {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < holds.size(); ++i) {
      const T x = in.data<T>()[i];
      if (holds[i] == (x == x ? 1 : 0)) continue;
      return InternalError("[", i, "] is less, equal or greater ", holds[i],
                           " times");
    }
    return absl::OkStatus();
  });
}

absl::Status CheckRoundTrip(const Law::Run& run, const Case& test_case) {
  const HostArray& in = test_case.inputs.at("in");
  if (test_case.options.at("op") != "cast" || IsFloat(in.type())) {
    return absl::OkStatus();
  }
  const auto cast = [&](HostArray from, absl::string_view to) {
    OptionMap options = test_case.options;
    options["to"] = std::string(to);
    return ResultFor(run, test_case, std::move(from), std::move(options));
  };
  std::vector<absl::string_view> wider = {"int64", "uint64"};
  if (SizeOf(in.type()) < 8) wider.push_back("float64");
  for (const absl::string_view to : wider) {
    ASSIGN_OR_RETURN(HostArray there, cast(in, to));
    ASSIGN_OR_RETURN(HostArray back, cast(std::move(there), Name(in.type())));
    if (back != in) {
      return InternalError("a cast to ", to, " and back changes elements");
    }
  }
  return absl::OkStatus();
}

// Words, as which no NaN is equal to another: the quiet one and others, of both
// signs, beside what is no NaN. Of an odd number, so that each gets to each
// place of a vector.
template <typename T, typename Word>
absl::Status CheckBitsOf(const Law::Run& run, const Case& test_case) {
  constexpr Word kSign = Word{1} << (8 * sizeof(Word) - 1);
  constexpr int kFraction = std::numeric_limits<T>::digits - 1;
  constexpr Word kInfinity = (kSign - 1) >> kFraction << kFraction;
  constexpr Word kQuiet = kInfinity | Word{1} << (kFraction - 1);
  constexpr Word kWords[] = {kQuiet,
                             kSign | kQuiet,
                             kInfinity | 1,
                             kQuiet | 5432,
                             kSign | kInfinity | 1234,
                             kSign,
                             kSign | 1,
                             kInfinity - 1,
                             kSign | kInfinity};
  HostArray in(ElementTypeOf<T>(), {test_case.inputs.at("in").size()});
  for (std::int64_t i = 0; i < in.size(); ++i) {
    in.data<Word>()[i] = kWords[i % std::size(kWords)];
  }
  ASSIGN_OR_RETURN(const Algorithm* const transform,
                   FindAlgorithm(Transform::kName));
  for (const char* op : {"abs", "cast"}) {
    ASSIGN_OR_RETURN(const OptionMap options,
                     CompleteOptions(*transform, {{"op", op}}));
    ASSIGN_OR_RETURN(HostArray out, ResultFor(run, test_case, in, options));
    for (std::int64_t i = 0; i < in.size(); ++i) {
      const Word bits = in.data<Word>()[i];
      const Word wanted = absl::string_view(op) == "abs" ? bits & ~kSign : bits;
      const Word got = out.data<Word>()[i];
      if (got == wanted) continue;
      return InternalError("[", i, "] ", op, " of ", Name(in.type()), " ",
                           absl::Hex(bits), " is ", absl::Hex(got));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckBits(const Law::Run& run, const Case& test_case) {
  RETURN_IF_ERROR((CheckBitsOf<float, std::uint32_t>(run, test_case)));
  return CheckBitsOf<double, std::uint64_t>(run, test_case);
}

const bool kRegistered = RegisterLaws<Transform>({
    {"concatenation", "transform(x ++ y) = transform(x) ++ transform(y)",
     CheckConcatenation},
    {"trichotomy", "one of less, equal and greater holds, none for a NaN",
     CheckTrichotomy},
    {"round_trip",
     "an integer cast to a type that holds it, and back, is unchanged",
     CheckRoundTrip},
    {"bits",
     "abs clears a float's sign bit, a cast to its own type nothing: NaNs keep "
     "all other bits",
     CheckBits},
});

}  // namespace
}  // namespace concord::transform
