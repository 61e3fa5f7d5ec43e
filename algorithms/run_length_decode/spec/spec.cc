// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <algorithm>
#include <utility>

#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/run_length_encode/run_length_cases.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/core/errors.h"
#include "concord/core/law_checks.h"

namespace concord::run_length_decode {
namespace {

using run_length_encode::HostRuns;

std::int64_t LengthAt(const HostArray& lengths, std::int64_t k) {
  return lengths.type() == ElementType::kInt32
             ? lengths.data<std::int32_t>()[k]
             : lengths.data<std::int64_t>()[k];
}

// A case with other runs and the same options.
Case WithRuns(Case test_case, HostArray values, HostArray lengths) {
  test_case.inputs.at("values") = std::move(values);
  test_case.inputs.at("lengths") = std::move(lengths);
  return test_case;
}

constexpr char kAll[] = "all";

absl::StatusOr<HostArray> Decode(const Law::Run& run, Case test_case) {
  test_case.options["limit"] = kAll;
  ASSIGN_OR_RETURN(Results results, run(test_case));
  return results.at("out");
}

absl::Status CheckConcatenation(const Law::Run& run, const Case& test_case) {
  const HostArray& values = test_case.inputs.at("values");
  const HostArray& lengths = test_case.inputs.at("lengths");
  const std::int64_t cut = values.size() / 3;
  ASSIGN_OR_RETURN(HostArray whole, Decode(run, test_case));
  ASSIGN_OR_RETURN(
      HostArray front,
      Decode(run, WithRuns(test_case, values.Without(cut, values.size()),
                           lengths.Without(cut, values.size()))));
  ASSIGN_OR_RETURN(HostArray back,
                   Decode(run, WithRuns(test_case, values.Without(0, cut),
                                        lengths.Without(0, cut))));
  if (whole == Concatenation(front, back)) return absl::OkStatus();
  return InternalError("cut before run ", cut,
                       ", the parts come out otherwise");
}

absl::Status CheckSplitting(const Law::Run& run, const Case& test_case) {
  const HostArray& values = test_case.inputs.at("values");
  const HostArray& lengths = test_case.inputs.at("lengths");
  if (values.size() == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(HostArray whole, Decode(run, test_case));

  // The run in the middle becomes two, and an empty one between them.
  const std::int64_t middle = values.size() / 2;
  const std::int64_t length =
      std::max<std::int64_t>(LengthAt(lengths, middle), 0);
  const HostArray value =
      values.Without(0, middle).Without(1, values.size() - middle);
  HostArray pieces(lengths.type(), {3});
  Dispatch(lengths.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    pieces.data<T>()[0] = static_cast<T>(length / 3);
    pieces.data<T>()[1] = T{0};
    pieces.data<T>()[2] = static_cast<T>(length - length / 3);
  });
  const auto spliced = [&](const HostArray& all, const HostArray& inserted) {
    return Concatenation(
        Concatenation(all.Without(middle, all.size()), inserted),
        all.Without(0, middle + 1));
  };
  const HostArray three = Concatenation(Concatenation(value, value), value);
  ASSIGN_OR_RETURN(HostArray split,
                   Decode(run, WithRuns(test_case, spliced(values, three),
                                        spliced(lengths, pieces))));
  if (split == whole) return absl::OkStatus();
  return InternalError("run ", middle, ", split up, gives another result");
}

class RunLengthDecodeSpec : public SpecOf<RunLengthDecode> {
 public:
  std::vector<OptionMap> OptionCombinations(ElementType) const override {
    std::vector<OptionMap> combinations;
    for (const char* type : {"int64", "int32"}) {
      for (const char* limit : {kAll, "1000"}) {
        combinations.push_back({{"length-type", type}, {"limit", limit}});
      }
    }
    return combinations;
  }

  // What there is to encode, and runs that no encoder makes.
  std::vector<std::string> Distributions(ElementType type) const override {
    std::vector<std::string> names = run_length_encode::RunDistributions(type);
    names.emplace_back(kWithEmptyRuns);
    return names;
  }

  absl::StatusOr<Case> MakeFrom(const CaseRequest& request) const override {
    ASSIGN_OR_RETURN(ElementType length_type,
                     ParseElementType(request.options.at("length-type")));
    const bool with_empty = request.distribution == kWithEmptyRuns;
    ASSIGN_OR_RETURN(HostArray out,
                     run_length_encode::DrawRuns(
                         with_empty ? "short_runs" : request.distribution,
                         request.type, request.size, request.seed));
    HostRuns runs = run_length_encode::RunsOf(out, length_type);
    if (with_empty) runs = WithEmptyRuns(runs);
    return CaseOfRuns(ToString(request), request.options, std::move(runs));
  }

  std::vector<Case> SpecialCases() const override {
    std::vector<Case> cases;
    const auto add = [&](const char* label, HostArray values,
                         HostArray lengths) {
      for (const char* limit : {kAll, "3", "0"}) {
        cases.push_back(
            CaseOfRuns(label,
                       {{"length-type", std::string(Name(lengths.type()))},
                        {"limit", limit}},
                       {values, lengths}));
      }
    };
    add("negative lengths count as 0", HostArray::Of<std::int8_t>({1, 2, 3, 4}),
        HostArray::Of<std::int32_t>({-1, 2, -2147483647 - 1, 4}));
    // Their lower halves are 5 and 65536.
    add("lengths far below 0", HostArray::Of<std::int32_t>({10, 20, 30}),
        HostArray::Of<std::int64_t>({1, -4'294'967'291, 1}));
    add("lengths far below 0, many in one",
        HostArray::Of<std::int64_t>({1, 2, 3}),
        HostArray::Of<std::int64_t>({1, -4'294'901'760, 1}));
    add("only empty runs", HostArray::Of<double>({1, 2, 3}),
        HostArray::Of<std::int64_t>({0, 0, -5}));
    HostArray many(ElementType::kInt32, {100'000});
    HostArray none(ElementType::kInt64, {100'000});
    for (std::int64_t k = 0; k < many.size(); ++k) {
      many.data<std::int32_t>()[k] = static_cast<std::int32_t>(k);
      none.data<std::int64_t>()[k] = k % 50'000 == 49'999 ? 5 : 0;
    }
    add("many empty runs", std::move(many), std::move(none));
    // With a limit, what is decoded together is more than there is room for.
    add("short runs",
        HostArray::Of<std::int32_t>(std::vector<std::int32_t>(64, 7)),
        HostArray::Of<std::int64_t>(std::vector<std::int64_t>(64, 4)));
    return cases;
  }

  std::vector<Axis> Axes(const Case& test_case) const override {
    const std::int64_t runs = test_case.inputs.at("values").size();
    return {{"runs", runs, [test_case](std::int64_t first, std::int64_t last) {
               return WithRuns(
                   test_case,
                   test_case.inputs.at("values").Without(first, last),
                   test_case.inputs.at("lengths").Without(first, last));
             }}};
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    const HostArray& values = test_case.inputs.at("values");
    const HostArray& lengths = test_case.inputs.at("lengths");
    ASSIGN_OR_RETURN(std::int64_t capacity, CapacityOf(test_case));
    HostArray out(values.type(), {capacity});
    Dispatch(values.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      T* next = out.data<T>();
      T* const end = next + out.size();
      for (std::int64_t k = 0; k < values.size() && next < end; ++k) {
        const std::int64_t length =
            std::min<std::int64_t>(LengthAt(lengths, k), end - next);
        if (length > 0) next = std::fill_n(next, length, values.data<T>()[k]);
      }
    });
    Expectations expected;
    expected["out"].value = std::move(out);
    // No sum of lengths past 64 bits has a capacity.
    std::int64_t size = 0;
    for (std::int64_t k = 0; k < lengths.size(); ++k) {
      size += std::max<std::int64_t>(LengthAt(lengths, k), 0);
    }
    expected["size"].value = HostArray::Of<std::int64_t>({size});
    return expected;
  }

  // A NaN is moved as it is.
  bool nans_have_bits() const override { return true; }

  std::vector<PresetRows> preset_rows() const override {
    return {{"primitives",
             4,
             {"int8", "int32"},
             {"length-type:int32"},
             {"long_runs", "short_runs"}},
            {"processors",
             4,
             {"int8", "int32"},
             {"length-type:int32"},
             {"long_runs", "short_runs"}}};
  }

  Floor FloorOf(const Case& test_case) const override {
    const ConstArrayView values = test_case.inputs.at("values").view();
    return {values.bytes() + test_case.inputs.at("lengths").view().bytes(),
            SizeOfCase(test_case) * SizeOf(values.type())};
  }

  std::int64_t SizeOfCase(const Case& test_case) const override {
    const auto lengths = test_case.inputs.find("lengths");
    return lengths == test_case.inputs.end()
               ? 0
               : CapacityOf(test_case).value_or(0);
  }

 private:
  static constexpr char kWithEmptyRuns[] = "empty_runs";

  // Room for all results, unless there is a limit.
  absl::StatusOr<std::int64_t> CapacityOf(const Case& test_case) const {
    ASSIGN_OR_RETURN(std::int64_t size,
                     SumOfLengths(test_case.inputs.at("lengths").view()));
    ASSIGN_OR_RETURN(RunLengthDecode::Options options,
                     Parse(test_case.options));
    return std::min(size, options.limit);
  }

  // Two more runs, of length 0 and -1, after each that there is.
  static HostRuns WithEmptyRuns(const HostRuns& runs) {
    const std::int64_t count = runs.values.size();
    HostRuns more = {HostArray(runs.values.type(), {3 * count}),
                     HostArray(runs.lengths.type(), {3 * count})};
    Dispatch(runs.values.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      // An empty run has the value of the run after it.
      for (std::int64_t k = 0; k < 3 * count; ++k) {
        more.values.data<T>()[k] = runs.values.data<T>()[(k + 2) / 3 % count];
      }
    });
    Dispatch(runs.lengths.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (std::int64_t k = 0; k < count; ++k) {
        more.lengths.data<T>()[3 * k] = runs.lengths.data<T>()[k];
        more.lengths.data<T>()[3 * k + 1] = T{0};
        more.lengths.data<T>()[3 * k + 2] = static_cast<T>(-1);
      }
    });
    return more;
  }

  static Case CaseOfRuns(std::string label, OptionMap options, HostRuns runs) {
    Case made;
    made.label = std::move(label);
    made.type = runs.values.type();
    made.options = std::move(options);
    made.inputs.emplace("values", std::move(runs.values));
    made.inputs.emplace("lengths", std::move(runs.lengths));
    return made;
  }
};

const bool kRegistered = RegisterSpec(new RunLengthDecodeSpec);

const bool kLawsAreRegistered = RegisterLaws<RunLengthDecode>(
    {{"concatenation", "decode(x ++ y) = decode(x) ++ decode(y)",
      CheckConcatenation},
     {"splitting", "a run may be split into several, some of them empty",
      CheckSplitting}});

}  // namespace
}  // namespace concord::run_length_decode
