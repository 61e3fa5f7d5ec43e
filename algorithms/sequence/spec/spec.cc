// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program_cache.h"
#include "concord/algorithms/sequence/run_program.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/algorithms/sequence/sizes.h"
#include "concord/algorithms/sequence/spec/axes.h"
#include "concord/algorithms/sequence/spec/case_program.h"
#include "concord/algorithms/sequence/spec/catalogue.h"
#include "concord/algorithms/sequence/spec/random_case.h"
#include "concord/core/distributions.h"
#include "concord/core/errors.h"
#include "concord/core/expression/evaluate.h"

namespace concord::sequence {
namespace {

// What a test's case is made with at most, where the reference takes long: a
// microsecond and more for each element.
constexpr std::int64_t kMostOfCatalogue = 10'007;
constexpr std::int64_t kMostOfRandom = 3'000;

bool IsRandom(const std::string& distribution) {
  const std::vector<std::string>& names = RandomProgramNames();
  return std::find(names.begin(), names.end(), distribution) != names.end();
}

// The definition's own answer.
absl::StatusOr<Columns> Defined(const Case& test_case, const Program& program) {
  ASSIGN_OR_RETURN(const std::vector<Tuple> result,
                   RunProgram(program, ColumnsOf(InputsOf(test_case.inputs))));
  Columns columns;
  const auto n = static_cast<std::int64_t>(result.size());
  for (std::size_t k = 0; k < program.types().size(); ++k) {
    columns.emplace_back(StoredAs(program.types()[k]),
                         std::vector<std::int64_t>{n});
    for (std::int64_t i = 0; i < n; ++i) {
      expression::StoreValue(program.types()[k], columns[k].data<char>(), i,
                             result[i][k]);
    }
  }
  return columns;
}

// Loops give the NaNs that they come by; a result has the quiet NaN instead.
Columns WithQuietNans(Columns columns) {
  for (HostArray& column : columns) {
    Dispatch(column.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (T& value : column.span<T>()) {
        if (value != value) value = std::numeric_limits<T>::quiet_NaN();
      }
    });
  }
  return columns;
}

class SequenceSpec : public SpecOf<SequenceProgram> {
 public:
  // 2^18 elements take the reference a tenth of a second.
  std::int64_t largest_size() const override { return std::int64_t{1} << 18; }

  std::vector<std::string> Distributions(ElementType type) const override {
    std::vector<std::string> names = DistributionsFor(type);
    const std::vector<std::string>& random = RandomProgramNames();
    names.insert(names.end(), random.begin(), random.end());
    return names;
  }

  std::vector<OptionMap> OptionCombinations(ElementType type) const override {
    std::vector<OptionMap> combinations;
    for (const Entry& entry : Catalogue()) {
      if (!entry.is_for(type)) continue;
      const HostArray none(type, {0});
      combinations.push_back(
          WithOutputs(*CompleteOptions(options(), {{"program", entry.text}}),
                      {{"x", none}, {"y", none}}));
    }
    return combinations;
  }

  std::vector<Case> SpecialCases() const override {
    std::vector<Case> cases;
    const auto add = [&](const char* label, const char* program,
                         std::map<std::string, HostArray> columns) {
      Case made;
      made.label = label;
      made.type = columns.empty() ? ElementType::kInt64
                                  : columns.begin()->second.type();
      made.options = WithOutputs(
          *CompleteOptions(options(), {{"program", program}}), columns);
      made.inputs = std::move(columns);
      cases.push_back(std::move(made));
    };
    const HostArray at = HostArray::Of<std::uint8_t>({2, 0, 0, 1});
    const HostArray table = HostArray::Of<double>({0.5, -0.0, 1e300});
    add("a gather from a shorter column", "map v -> y[v]",
        {{"x", at}, {"y", table}});
    add("a gather from a column of another name", "y |> map v -> (w[v], v)",
        {{"y", at}, {"w", table}});
    add("no columns", "tabulate (i, 2 * i, i > 3), 9", {});
    add("columns of different sizes", "concat x y |> scan a + b",
        {{"x", HostArray::Of<std::int32_t>({1, 2})},
         {"y", HostArray::Of<std::int32_t>({5})}});
    add("columns of different types",
        "zip x y z w |> map (w, z, float64(x) + y, i)",
        {{"x", HostArray::Of<std::int32_t>({1, 2})},
         {"y", HostArray::Of<double>({0.25, -1})},
         {"z", HostArray::Of<std::int8_t>({-128, 127})},
         {"w", HostArray::Of<std::uint64_t>({0, UINT64_MAX})}});
    add("nothing to reduce, and a start", "filter x > 9 |> reduce a + b from 7",
        {{"x", HostArray::Of<std::int32_t>({1, 2})}});
    return cases;
  }

  std::vector<Axis> Axes(const Case& test_case) const override {
    const auto program = ProgramOfCase(test_case);
    return program.ok() ? AxesOf(test_case, **program) : std::vector<Axis>();
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(const std::vector<OutputSpec> outputs,
                     OutputsOf(test_case));
    ASSIGN_OR_RETURN(Columns columns, ColumnsOfCase(test_case));
    Expectations expected;
    for (const OutputSpec& output : outputs) {
      const auto* const place = std::find(std::begin(kOutputNames),
                                          std::end(kOutputNames), output.name);
      const auto k = static_cast<std::size_t>(place - std::begin(kOutputNames));
      expected[output.name].value =
          k < columns.size()
              ? columns[k]
              : HostArray::Of<std::int64_t>({columns.front().size()});
    }
    return expected;
  }

  // Each column that the program reads once, but no more than its plan reads,
  // and its results.
  Floor FloorOf(const Case& test_case) const override {
    Floor floor;
    const auto program = ProgramOfCase(test_case);
    const absl::StatusOr<std::vector<OutputSpec>> outputs =
        OutputsOf(test_case);
    if (!program.ok() || !outputs.ok()) return floor;
    const std::vector<ConstArrayView> columns =
        ColumnsOf(InputsOf(test_case.inputs));
    std::vector<std::int64_t> sizes;
    for (const ConstArrayView& column : columns) sizes.push_back(column.size());
    for (const std::int64_t column : ColumnsRead(**program)) {
      floor.bytes_read += columns[column].bytes();
    }
    const absl::StatusOr<std::shared_ptr<const Plan>> plan = PlanOf(**program);
    if (plan.ok()) {
      floor.bytes_read =
          std::min(floor.bytes_read,
                   BytesRead(Summarize(**plan, (*program)->columns(), sizes)));
    }
    const bool has_count = outputs->back().name == "count";
    const absl::StatusOr<Columns> results =
        has_count ? ColumnsOfCase(test_case) : Columns();
    for (const OutputSpec& output : *outputs) {
      const bool counted = !output.size_in.empty() && results.ok();
      floor.bytes_written +=
          SizeOf(output.type) *
          (counted ? results->front().size() : Capacity(output));
    }
    return floor;
  }

  // Of the longest column that is read; if none is, of the result.
  std::int64_t SizeOfCase(const Case& test_case) const override {
    const auto program = ProgramOfCase(test_case);
    const absl::StatusOr<std::vector<OutputSpec>> outputs =
        OutputsOf(test_case);
    if (!program.ok() || !outputs.ok()) return 0;
    const std::set<std::int64_t> read = ColumnsRead(**program);
    if (read.empty()) return Capacity(outputs->front());
    const std::vector<ConstArrayView> columns =
        ColumnsOf(InputsOf(test_case.inputs));
    std::int64_t longest = 0;
    for (const std::int64_t column : read) {
      longest = std::max(longest, columns[column].size());
    }
    return longest;
  }

  ElementType TypeOfCase(const Case& test_case) const override {
    return test_case.inputs.empty() ? ElementType::kInt64
                                    : InputType(test_case.inputs);
  }

  // A NaN of a result is the quiet NaN of std::numeric_limits.
  bool nans_have_bits() const override { return true; }

  std::vector<PresetRows> preset_rows() const override {
    return {{"small"}, {"medium"}};
  }

 protected:
  absl::StatusOr<Case> MakeFrom(const CaseRequest& request) const override {
    Case made;
    made.label = ToString(request);
    made.type = request.type;
    ASSIGN_OR_RETURN(made.options, CompleteOptions(options(), request.options));
    if (IsRandom(request.distribution)) {
      DrawnProgram drawn =
          DrawCase(request.distribution, request.type,
                   std::min(request.size, kMostOfRandom), request.seed);
      made.inputs = std::move(drawn.columns);
      made.options["program"] = std::move(drawn.text);
      made.options = WithOutputs(std::move(made.options), made.inputs);
      return made;
    }
    const std::string& text = made.options.at("program");
    const Entry* const entry = FindEntry(text, request.type);
    const std::int64_t size = entry == nullptr || entry->is_quick
                                  ? request.size
                                  : std::min(request.size, kMostOfCatalogue);
    // As many columns as the program needs.
    absl::Status status;
    for (std::size_t k = 0; k < std::size(kColumnNames); ++k) {
      ASSIGN_OR_RETURN(HostArray column,
                       Draw(request.distribution, request.type, size,
                            request.seed + k * UINT64_C(0x9e3779b97f4a7c15)));
      made.inputs.emplace(kColumnNames[k], std::move(column));
      status = ProgramOfCase(made).status();
      if (status.ok()) return made;
    }
    return status;
  }

 private:
  static ElementType InputType(
      const std::map<std::string, HostArray>& columns) {
    return ColumnsOf(InputsOf(columns)).front().type();
  }

  // Wants every column that the result has.
  static OptionMap WithOutputs(
      OptionMap options, const std::map<std::string, HostArray>& columns) {
    const auto program = ProgramOf(options.at("program"), InputsOf(columns));
    if (!program.ok()) return options;
    for (std::size_t k = 1; k < std::size(kOutputOptions); ++k) {
      options[kOutputOptions[k]] =
          k < (*program)->types().size() ? "yes" : "no";
    }
    return options;
  }

  // By the plain loop of the catalogue, if it has one.
  static absl::StatusOr<Columns> ColumnsOfCase(const Case& test_case) {
    ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program,
                     ProgramOfCase(test_case));
    const Entry* const entry =
        FindEntry(test_case.options.at("program"), test_case.type);
    if (entry != nullptr && IsOfCatalogue(test_case)) {
      const HostArray& x = test_case.inputs.at("x");
      const auto y = test_case.inputs.find("y");
      std::optional<Columns> plain =
          entry->plain(x, y == test_case.inputs.end() ? x : y->second);
      if (plain.has_value()) return WithQuietNans(*std::move(plain));
    }
    return Defined(test_case, *program);
  }

  // Whether columns are as those that Generate makes; files and a smaller case
  // may have others.
  static bool IsOfCatalogue(const Case& test_case) {
    const auto x = test_case.inputs.find("x");
    const auto y = test_case.inputs.find("y");
    if (x == test_case.inputs.end() || x->second.type() != test_case.type) {
      return false;
    }
    return y == test_case.inputs.end() ||
           (y->second.type() == test_case.type &&
            y->second.size() == x->second.size());
  }
};

const bool kRegistered = RegisterSpec(new SequenceSpec);

}  // namespace
}  // namespace concord::sequence
