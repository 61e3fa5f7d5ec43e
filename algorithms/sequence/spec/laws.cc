// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/program_text.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/algorithms/sequence/spec/case_program.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord::sequence {
namespace {

absl::StatusOr<std::string> TextOf(const Case& test_case) {
  ASSIGN_OR_RETURN(const auto program, ProgramOfCase(test_case));
  return ToText(*program);
}

// Another program, of whose result all columns may be there.
Case WithProgram(Case test_case, std::string text) {
  test_case.options = {{"program", std::move(text)}};
  return test_case;
}

absl::StatusOr<Results> ResultsOf(const Law::Run& run, const Case& test_case,
                                  const std::string& text) {
  return run(WithProgram(test_case, text));
}

absl::Status MustBeEqual(const absl::StatusOr<Results>& a,
                         const absl::StatusOr<Results>& b) {
  RETURN_IF_ERROR(a.status());
  RETURN_IF_ERROR(b.status());
  for (const char* output : kOutputNames) {
    if (a->count(output) != b->count(output)) {
      return InternalError("only one has '", output, "'");
    }
    if (a->count(output) == 0) continue;
    const HostArray& one = a->at(output);
    const HostArray& other = b->at(output);
    if (one.type() != other.type() || one.size() != other.size()) {
      return InternalError("'", output, "' has ", one.size(), " ",
                           Name(one.type()), " and ", other.size(), " ",
                           Name(other.type()));
    }
    const std::int64_t width = SizeOf(one.type());
    for (std::int64_t i = 0; i < one.size(); ++i) {
      if (std::memcmp(one.data<char>() + i * width,
                      other.data<char>() + i * width,
                      static_cast<std::size_t>(width)) == 0) {
        continue;
      }
      return InternalError("'", output, "'[", i, "] is ", one.ToString(i),
                           " and ", other.ToString(i));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckText(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(const std::string printed, TextOf(test_case));
  const Case again = WithProgram(test_case, printed);
  ASSIGN_OR_RETURN(const std::string twice, TextOf(again));
  if (printed != twice) {
    return InternalError("'", printed, "' is printed as '", twice, "'");
  }
  return MustBeEqual(run(test_case), run(again));
}

// The results as columns, and whatever reads all of them.
absl::Status CheckCut(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(const std::string printed, TextOf(test_case));
  ASSIGN_OR_RETURN(Results stored, run(test_case));
  Case cut = test_case;
  cut.inputs.clear();
  std::string columns = "zip";
  for (std::size_t k = 0; k < std::size(kOutputNames); ++k) {
    const auto column = stored.find(kOutputNames[k]);
    if (column == stored.end()) break;
    cut.inputs.emplace(kColumnNames[k], std::move(column->second));
    absl::StrAppend(&columns, " ", kColumnNames[k]);
  }
  for (const char* const stage :
       {" |> filter x == x |> map (x, i)", " |> slice 1, 50", " |> count"}) {
    RETURN_IF_ERROR(MustBeEqual(ResultsOf(run, test_case, printed + stage),
                                ResultsOf(run, cut, columns + stage)));
  }
  return absl::OkStatus();
}

absl::Status CheckComposition(const Law::Run& run, const Case& test_case) {
  return MustBeEqual(
      ResultsOf(run, test_case, "map 2 * x + 1 |> map x * x - x |> map (x, i)"),
      ResultsOf(run, test_case,
                "map { t = 2 * x + 1; u = t * t - t; (u, i) }"));
}

absl::Status CheckConcatenation(const Law::Run& run, const Case& test_case) {
  const auto x = test_case.inputs.find("x");
  if (x == test_case.inputs.end()) return absl::OkStatus();
  std::vector<std::string> operators = {"min(a, b)", "max(a, b)"};
  if (!IsFloat(x->second.type())) {
    for (const char* op : {"a + b", "a * b", "a & b", "a | b", "a ^ b"}) {
      operators.push_back(op);
    }
  }
  const std::int64_t cut = x->second.size() / 3;
  for (const std::string& op : operators) {
    const std::string parts =
        absl::StrCat("front = x |> take ", cut, " |> reduce ", op,
                     "; back = x |> slice ", cut, ", ", x->second.size(),
                     " |> reduce ", op, "; concat front back |> reduce ", op);
    RETURN_IF_ERROR(MustBeEqual(ResultsOf(run, test_case, "x |> reduce " + op),
                                ResultsOf(run, test_case, parts)));
  }
  return absl::OkStatus();
}

absl::Status CheckFilters(const Law::Run& run, const Case& test_case) {
  return MustBeEqual(ResultsOf(run, test_case, "filter x > 0 |> filter x != 3"),
                     ResultsOf(run, test_case, "filter x > 0 && x != 3"));
}

absl::Status CheckSort(const Law::Run& run, const Case& test_case) {
  if (test_case.inputs.count("x") == 0) return absl::OkStatus();
  const std::string placed = "x |> map v -> (v, i)";
  const std::string by_value = " |> sort_by v, j -> v";
  const std::string by_place = " |> sort_by v, j -> j";
  const auto sorted = ResultsOf(run, test_case, placed + by_value);
  RETURN_IF_ERROR(MustBeEqual(
      sorted, ResultsOf(run, test_case, placed + by_value + by_value)));
  // Nothing is lost.
  RETURN_IF_ERROR(
      MustBeEqual(ResultsOf(run, test_case, placed + by_value + by_place),
                  ResultsOf(run, test_case, placed)));
  // Equal ones are as they were before, whatever order that is.
  return MustBeEqual(sorted, ResultsOf(run, test_case,
                                       placed + " |> sort_by v, j -> -j" +
                                           by_place + by_value));
}

absl::Status CheckGroups(const Law::Run& run, const Case& test_case) {
  if (test_case.inputs.count("x") == 0) return absl::OkStatus();
  const auto counts = ResultsOf(run, test_case, "x |> histogram x");
  RETURN_IF_ERROR(MustBeEqual(
      counts,
      ResultsOf(run, test_case, "x |> group_reduce (x, int64(1)) by a + b")));
  // However the elements lie.
  RETURN_IF_ERROR(MustBeEqual(
      counts,
      ResultsOf(run, test_case,
                "x |> sort_by -i |> histogram x |> sort_by k, n -> k")));
  return MustBeEqual(
      ResultsOf(run, test_case,
                "x |> histogram x |> map k, n -> n |> reduce a + b"),
      ResultsOf(run, test_case, "x |> count"));
}

const bool kRegistered = RegisterLaws<SequenceProgram>({
    {"text", "a program and what it is printed as are the same", CheckText},
    {"cut", "a result that is stored is a column like any other", CheckCut},
    {"composition", "map f |> map g = map g(f)", CheckComposition},
    {"concatenation", "reduce(x ++ y) = reduce(x) op reduce(y)",
     CheckConcatenation},
    {"filters", "filter f |> filter g = filter f && g", CheckFilters},
    {"sort", "sort_by k is stable, loses nothing, and is the same twice",
     CheckSort},
    {"groups", "histogram k = group_reduce (k, 1) by +, and counts all",
     CheckGroups},
});

}  // namespace
}  // namespace concord::sequence
