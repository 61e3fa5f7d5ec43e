// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Random pipelines on a GPU beside the reference, until each frame has run in
// so many of them: the kernels into which functions are spliced, those that
// interpret functions, and sorts. Each test prints a line for people:
//
//   spliced, part 3: 166 pipelines, none wrong; filter 26, fold 25, map 140,
//   ...
//
//   CONCORD_LARGE=1 bazel run //algorithms/sequence:pipelines_on_cuda_test
//
// goes on until each frame has had 200 pipelines, in eight parts with pipelines
// of their own, which may run side by side. Without CONCORD_LARGE it is 8.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/column_names.h"
#include "concord/algorithms/sequence/compare_with_reference.h"
#include "concord/algorithms/sequence/cuda/pass_interpreter.h"
#include "concord/algorithms/sequence/cuda/pass_splicer.h"
#include "concord/algorithms/sequence/drawn_run.h"
#include "concord/algorithms/sequence/key_sorter.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/algorithms/sequence/run_program.h"
#include "concord/algorithms/sequence/spec/random_case.h"
#include "concord/algorithms/sequence/spliced/pass_template.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/core/backend.h"
#include "concord/core/errors.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/random.h"
#include "concord/testing/support/large_cases.h"
#include "concord/testing/support/named_backends.h"

namespace concord::sequence {
namespace {

constexpr int kParts = 8;
constexpr int kPipelinesOfFrame = 200;

struct Pipeline {
  std::string text;
  std::vector<expression::Parameter> names;
  std::vector<HostArray> columns;

  std::vector<ConstArrayView> views() const {
    std::vector<ConstArrayView> views;
    for (const HostArray& column : columns) views.push_back(column.view());
    return views;
  }
};

// Mostly few elements; now and then several tiles.
constexpr std::uint64_t kSizeBounds[] = {4, 70, 600, 600, 3'000, 20'000};

// One in four may be an error of its values.
Pipeline DrawPipeline(std::uint64_t seed) {
  static const auto* const kinds = new std::vector<std::string>{
      kMayFail, "random_pipeline", "random_pipeline", "random_pipeline"};
  Random random(seed);
  const std::int64_t size = DrawSize(random, kSizeBounds);
  DrawnProgram drawn = DrawRun(random, seed, size, *kinds);
  Pipeline pipeline;
  pipeline.text = std::move(drawn.text);
  for (const char* name : kColumnNames) {
    const auto column = drawn.columns.find(name);
    if (column == drawn.columns.end()) continue;
    pipeline.names.push_back(
        {name, expression::ValueTypeOf(column->second.type())});
    pipeline.columns.push_back(std::move(column->second));
  }
  return pipeline;
}

// How a variant runs passes, and what its frames are called.
class Frames {
 public:
  Frames(const std::shared_ptr<CudaBackend>& backend,
         const std::string& variant)
      : backend_(backend), spliced_(variant == "spliced") {
    if (spliced_) {
      maker_ = std::make_unique<PassSplicer>(backend);
    } else {
      maker_ = std::make_unique<PassInterpreter>(backend);
    }
  }

  PassMaker& maker() { return *maker_; }

  // "" where no function runs.
  std::string Of(const Pass& pass) const {
    if (pass.kind == Pass::Kind::kCount) return "";
    if (pass.kind == Pass::Kind::kSort) return "sort";
    if (!spliced_) return OfInterpreter(pass);
    if (BuiltInScan::IsAll(pass)) return "";
    // "fold_2x32" without the size of what flows in it.
    const std::string name = TemplateNameOf(*backend_, pass);
    return name.substr(0, name.find_first_of("0123456789") - 1);
  }

  // All that there are on this GPU.
  std::set<std::string> All() const {
    if (!spliced_) {
      return {"built_in_scan", "filter", "fold", "map",
              "reduce",        "scan",   "sort"};
    }
    std::set<std::string> all = {"filter", "fold", "map",
                                 "reduce", "scan", "sort"};
    if (backend_->architecture() >= 90) {
      all.insert({"pipelined_filter", "pipelined_scan"});
    }
    return all;
  }

 private:
  static std::string OfInterpreter(const Pass& pass) {
    switch (pass.kind) {
      case Pass::Kind::kFilter:
        return "filter";
      case Pass::Kind::kScan:
        return BuiltInScan::CanRun(pass) ? "built_in_scan" : "scan";
      case Pass::Kind::kReduce:
        return IsTree(*pass.op) ? "reduce" : "fold";
      default:
        return "map";
    }
  }

  const std::shared_ptr<CudaBackend> backend_;
  const bool spliced_;
  std::unique_ptr<PassMaker> maker_;
};

// Notes the frames of passes that run.
class NotedPasses : public PassRunner {
 public:
  NotedPasses(CudaBackend& backend, Frames& frames, KeySorter& sorter)
      : backend_(backend), frames_(frames), sorter_(sorter) {}

  absl::StatusOr<PassOutcome> Run(const PassCall& call) override {
    seen_.insert(frames_.Of(call.pass));
    if (call.pass.kind == Pass::Kind::kSort) {
      RETURN_IF_ERROR(sorter_.Run(backend_, call));
      return PassOutcome();
    }
    // Kept, as a filter's has the number of what it keeps.
    std::unique_ptr<MadePass>& pass = made_[&call.pass];
    ASSIGN_OR_RETURN(pass, frames_.maker().Make(call.pass));
    return pass->Run(call.n, call.inputs, call.tables, call.outputs,
                     call.index);
  }

  const std::set<std::string>& seen() const { return seen_; }

 private:
  CudaBackend& backend_;
  Frames& frames_;
  KeySorter& sorter_;
  std::set<std::string> seen_;
  std::map<const Pass*, std::unique_ptr<MadePass>> made_;
};

Results ByReference(const Program& program, const Pipeline& pipeline) {
  ASSIGN_OR_RETURN(const std::vector<Tuple> tuples,
                   RunProgram(program, pipeline.views()));
  std::vector<HostArray> results;
  for (std::size_t k = 0; k < program.types().size(); ++k) {
    const expression::Type type = program.types()[k];
    HostArray result(StoredAs(type),
                     {static_cast<std::int64_t>(tuples.size())});
    for (std::size_t i = 0; i < tuples.size(); ++i) {
      expression::StoreValue(type, result.data<char>(),
                             static_cast<std::int64_t>(i), tuples[i][k]);
    }
    results.push_back(std::move(result));
  }
  return results;
}

Results ByPasses(const Program& program, const Plan& plan,
                 const Pipeline& pipeline, Backend& backend,
                 PassRunner& passes) {
  constexpr std::int64_t kRoom = 1'000'000;
  std::vector<Array> arrays;
  std::vector<ConstArrayView> columns;
  for (const HostArray& column : pipeline.columns) {
    ASSIGN_OR_RETURN(Array array,
                     backend.Allocate(column.type(), column.view().size()));
    RETURN_IF_ERROR(backend.Copy(column.view(), array.view()));
    columns.push_back(array.view());
    arrays.push_back(std::move(array));
  }
  std::vector<ArrayView> room;
  for (const expression::Type type : program.types()) {
    ASSIGN_OR_RETURN(Array array, backend.Allocate(StoredAs(type), kRoom));
    room.push_back(array.view());
    arrays.push_back(std::move(array));
  }
  ASSIGN_OR_RETURN(const std::int64_t size,
                   RunPlan(program, plan, columns, room, backend, passes));
  std::vector<HostArray> results;
  for (const ArrayView& result : room) {
    results.emplace_back(result.type(), std::vector<std::int64_t>{size});
    RETURN_IF_ERROR(backend.Copy(result.Slice(0, size), results.back().view()));
  }
  return results;
}

// The parameter is the variant, and the part.
class PipelinesOnCuda
    : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  void Count(const std::set<std::string>& frames) {
    ++pipelines_;
    for (const std::string& frame : frames) {
      if (!frame.empty()) ++counts_[frame];
    }
  }
  void Print(int wrong) const {
    const auto& [variant, part] = GetParam();
    std::string line =
        absl::StrCat(variant, ", part ", part, ": ", pipelines_, " pipelines, ",
                     wrong == 0 ? "none" : absl::StrCat(wrong), " wrong");
    const char* between = "; ";
    for (const auto& [frame, count] : counts_) {
      absl::StrAppend(&line, between, frame, " ", count);
      between = ", ";
    }
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }

  int pipelines_ = 0;
  // Of pipelines in which it ran.
  std::map<std::string, int> counts_;
};

TEST_P(PipelinesOnCuda, GiveTheBitsOfTheReference) {
  const auto& [variant, part] = GetParam();
  const std::shared_ptr<Backend> opened = OpenOrSkip("cuda");
  if (opened == nullptr) return;
  const std::shared_ptr<CudaBackend> backend = AsCuda(opened);
  Frames frames(backend, variant);
  KeySorter sorter;
  const int wanted = LargeCasesAreWanted() ? kPipelinesOfFrame / kParts : 1;
  const std::set<std::string> all = frames.All();
  const auto lacks = [&](const std::string& frame) {
    return all.count(frame) > 0 && counts_[frame] < wanted;
  };
  constexpr std::uint64_t kSeeds = 1'000'000;
  const std::uint64_t first = part * kSeeds;
  for (std::uint64_t seed = first; seed < first + kSeeds; ++seed) {
    if (std::none_of(all.begin(), all.end(), lacks)) break;
    const Pipeline pipeline = DrawPipeline(seed);
    SCOPED_TRACE(absl::StrCat("pipeline ", seed, "\n", pipeline.text));
    const absl::StatusOr<Program> program =
        Program::Parse(pipeline.text, pipeline.names);
    ASSERT_TRUE(program.ok()) << program.status();
    const absl::StatusOr<Plan> plan = MakePlan(*program);
    if (!plan.ok()) continue;
    // Compiling takes the time: those with nothing that is lacking can wait.
    const bool helps =
        std::any_of(plan->passes.begin(), plan->passes.end(),
                    [&](const Pass& pass) { return lacks(frames.Of(pass)); });
    if (!helps) continue;
    NotedPasses passes(*backend, frames, sorter);
    const Results wanted_results = ByReference(*program, pipeline);
    const Results given = ByPasses(*program, *plan, pipeline, *backend, passes);
    Count(passes.seen());
    ExpectSame(given, wanted_results, "");
    if (HasFailure()) return Print(1);
  }
  Print(0);
  for (const std::string& frame : all) EXPECT_GE(counts_[frame], wanted);
}

INSTANTIATE_TEST_SUITE_P(, PipelinesOnCuda,
                         testing::Combine(testing::Values("interpreter",
                                                          "spliced"),
                                          testing::Range(0, kParts)),
                         [](const auto& info) {
                           return absl::StrCat(std::get<0>(info.param), "_",
                                               std::get<1>(info.param));
                         });

}  // namespace
}  // namespace concord::sequence
