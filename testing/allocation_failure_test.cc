// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Nothing is thrown across the interface, whichever allocation fails: for each
// implementation on the CPU the first one fails, then the second, and so on
// until all succeed. Each time the call says so, and the same instance then
// computes as if nothing had happened.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/core/backend.h"
#include "concord/core/registry.h"
#include "concord/core/spec.h"
#include "concord/testing/support/every_algorithm.h"
#include "concord/testing/support/named_backends.h"
#include "concord/testing/support/scarce_memory.h"

namespace concord {
namespace {

// What an implementation is run on: its arrays are made beforehand.
struct Arrays {
  explicit Arrays(const AlgorithmSpec& spec, Case made)
      : test_case(std::move(made)),
        specs(*spec.OutputsOf(test_case)),
        inputs(InputsOf(test_case)) {
    for (const OutputSpec& output : specs) {
      results.emplace(output.name, HostArray(output.type, output.shape));
    }
    for (auto& [name, array] : results) outputs.emplace(name, array.view());
  }

  // What the last run wrote, without what lies behind the results.
  Results Written() const {
    Results written;
    for (const OutputSpec& output : specs) {
      const HostArray& array = results.at(output.name);
      written.emplace(output.name, array.Without(ResultSize(output, outputs),
                                                 Capacity(output)));
    }
    return written;
  }

  const Case test_case;
  const std::vector<OutputSpec> specs;
  Results results;
  Inputs inputs;
  Outputs outputs;
};

absl::Status Run(Runner& runner, Arrays& arrays) {
  absl::Status status = runner.Configure(arrays.test_case.options);
  return status.ok() ? runner.Run(arrays.inputs, arrays.outputs) : status;
}

class Implementation {
 public:
  Implementation(const AlgorithmSpec& spec, const ImplementationInfo& info,
                 std::shared_ptr<Backend> backend)
      : algorithm_(spec.algorithm()),
        info_(info),
        backend_(std::move(backend)) {}

  // With an instance that is new, or one that has run on other arrays.
  void Examine(Arrays& arrays, Arrays* before) {
    std::unique_ptr<Runner> runner = *New();
    ASSERT_TRUE(Run(*runner, arrays).ok()) << info_.name();
    const Results right = arrays.Written();
    for (const bool from_then_on : {false, true}) {
      bool has_failed = true;
      for (std::int64_t k = 0; has_failed; k = NextAllocation(k)) {
        SCOPED_TRACE(absl::StrCat(
            info_.name(), " on ", backend_->info().spec, ", ",
            arrays.test_case.label, " ", ToString(arrays.test_case.options),
            before == nullptr ? "" : ", not the first", ": allocation ", k,
            from_then_on ? " and all that follow" : ""));
        runner = before == nullptr ? nullptr : *New();
        if (before != nullptr) {
          ASSERT_TRUE(Run(*runner, *before).ok());
        }
        Try(runner, arrays, k, from_then_on);
        has_failed = Scarcity::HasFailed();
        if (runner == nullptr) runner = *New();
        ASSERT_TRUE(Run(*runner, arrays).ok());
        ASSERT_TRUE(arrays.Written() == right);
      }
    }
  }

 private:
  absl::StatusOr<std::unique_ptr<Runner>> New() {
    return algorithm_.NewRunner(backend_, info_.variant);
  }

  void Try(std::unique_ptr<Runner>& runner, Arrays& arrays, std::int64_t k,
           bool from_then_on) {
    absl::Status status;
    {
      const Scarcity scarcity(k, from_then_on);
      if (runner == nullptr) {
        absl::StatusOr<std::unique_ptr<Runner>> made = New();
        if (made.ok()) runner = *std::move(made);
        status = made.status();
      }
      if (status.ok()) status = Run(*runner, arrays);
    }
    if (!status.ok()) {
      EXPECT_TRUE(Scarcity::HasFailed()) << status;
      EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    }
  }

  const Algorithm& algorithm_;
  const ImplementationInfo& info_;
  const std::shared_ptr<Backend> backend_;
};

// Of several the first and the last, and some between; of one the first.
template <typename T>
std::vector<T> Some(const std::vector<T>& all, std::size_t most) {
  if (all.size() <= most) return all;
  if (most == 1) return {all.front()};
  std::vector<T> some;
  for (std::size_t i = 0; i < most; ++i) {
    some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  }
  return some;
}

Arrays Draw(const AlgorithmSpec& spec, ElementType type,
            const OptionMap& options, const std::string& distribution,
            std::int64_t size) {
  absl::StatusOr<Case> made =
      spec.Generate({size, type, distribution, options, /*seed=*/1});
  EXPECT_TRUE(made.ok()) << made.status();
  return Arrays(spec, *std::move(made));
}

// Small cases, and some in which all threads have work.
void ExamineAll(const AlgorithmSpec& spec, const ImplementationInfo& info,
                const std::string& backend) {
  Implementation implementation(spec, info, Open(backend));
  for (const ElementType type : Some(info.contract.element_types, 2)) {
    for (const auto& [size, settings, distributions] :
         {std::tuple{std::int64_t{100}, 6, 2},
          {spec.largest_size() / 16, 1, 1}}) {
      if (size > info.contract.max_size) continue;
      for (const OptionMap& options :
           Some(spec.OptionCombinations(type), settings)) {
        for (const std::string& distribution :
             Some(spec.Distributions(type), distributions)) {
          Arrays arrays = Draw(spec, type, options, distribution, size);
          Arrays before = Draw(spec, type, options, distribution, 30);
          implementation.Examine(arrays, nullptr);
          implementation.Examine(arrays, &before);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

class AllocationFailure : public testing::TestWithParam<std::string> {};

TEST_P(AllocationFailure, IsAStatus) {
  const AlgorithmSpec& spec = **FindSpec(GetParam());
  for (const ImplementationInfo& info : spec.implementations()) {
    if (info.backend == "serial") ExamineAll(spec, info, "serial");
    if (info.backend == "tbb") ExamineAll(spec, info, "tbb:2");
  }
}

// By those who treat all algorithms alike.
void ExamineCall(const AlgorithmSpec& spec,
                 const std::shared_ptr<Backend>& backend, Arrays& arrays) {
  const Algorithm& algorithm = spec.algorithm();
  const OptionMap& options = arrays.test_case.options;
  SCOPED_TRACE(absl::StrCat(backend->info().spec, ", ", ToString(options)));
  const Sources sources = SourcesOf(arrays.inputs);
  const auto call = [&] {
    return RunCall(algorithm, backend, "", options, sources);
  };
  const absl::StatusOr<Results> right = call();
  ASSERT_TRUE(right.ok()) << right.status();
  ASSERT_EQ(right->size(), arrays.specs.size());
  ExpectStatusWithoutMemory([&] {
    const absl::StatusOr<Results> results = call();
    if (!results.ok()) return results.status();
    return *results == *right ? absl::OkStatus()
                              : absl::DataLossError("it is wrong");
  });
  ExpectStatusWithoutMemory([&] {
    return Call::Place(*backend, arrays.specs, sources, {}, InBackendMemory())
        .status();
  });
  ASSERT_EQ(Run(**spec.NewRunner(backend, ""), arrays), absl::OkStatus());
  ExpectStatusWithoutMemory([&] {
    return CopyResults(*backend, arrays.specs, arrays.outputs).status();
  });
}

TEST_P(AllocationFailure, OfACallIsAStatus) {
  const AlgorithmSpec& spec = **FindSpec(GetParam());
  const ElementType type = spec.element_types().front();
  const std::string distribution = spec.Distributions(type).front();
  for (const char* name : {"serial", "tbb:2"}) {
    const std::shared_ptr<Backend> backend = Open(name);
    for (const OptionMap& options : Some(spec.OptionCombinations(type), 4)) {
      Arrays arrays = Draw(spec, type, options, distribution, 100);
      ExamineCall(spec, backend, arrays);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(AllocationFailureOfABackend, IsAStatus) {
  for (const char* name : {"serial", "tbb:2"}) {
    const std::shared_ptr<Backend> backend = Open(name);
    for (const auto allocate : {&Backend::Allocate, &Backend::AllocateHost}) {
      ExpectStatusWithoutMemory([&] {
        return ((*backend).*allocate)(ElementType::kInt32, 10).status();
      });
    }
    EXPECT_EQ(backend->pool().bytes_in_use(), 0);
  }
}

// What is wrong takes memory to say.
TEST(AllocationFailureOfARefusal, IsAStatus) {
  const std::unique_ptr<Reduce> reduce =
      *Registry<Reduce>::Get().Create(Open("serial"), "");
  const std::vector<std::int32_t> in = {1, 2};
  std::vector<std::int64_t> out(1);
  const auto refused = [&] {
    return reduce->Run(ConstArrayView(absl::MakeConstSpan(in)),
                       ArrayView(absl::MakeSpan(out)), {});
  };
  ASSERT_EQ(refused().code(), absl::StatusCode::kInvalidArgument);
  ExpectStatusWithoutMemory([&] {
    const absl::Status status = refused();
    return absl::IsInvalidArgument(status) ? absl::OkStatus() : status;
  });
}

// The same of what callers look up, parse and ask for beforehand.
TEST(AllocationFailureOfARefusal, OfNamesAndSizesIsAStatus) {
  static const std::vector<std::int64_t> wrong = {
      -1, std::numeric_limits<std::int64_t>::max(), 1};
  const ConstArrayView negative(absl::MakeConstSpan(wrong));
  const ConstArrayView too_large = negative.Slice(1, 2);
  static const OptionMap unknown = {{"none", "0"}};
  const Algorithm& scan = **FindAlgorithm("scan");
  const std::function<absl::Status()> refusals[] = {
      [] { return FindAlgorithm("none").status(); },
      [] { return FindSpec("none").status(); },
      [] { return OpenBackend("none").status(); },
      [] { return OpenBackend("tbb:none").status(); },
      [] { return ParseElementType("none").status(); },
      [&] { return CompleteOptions(scan, unknown).status(); },
      [] { return ParsePredicate("none").status(); },
      [] { return ParsePredicate("less:none").status(); },
      [] { return ParseDigits("none").status(); },
      [] { return MassesOfPeptide("none").status(); },
      [&] { return TotalMass(negative).status(); },
      [&] { return TotalMass(too_large).status(); },
      [&] { return CyclospectrumSize(wrong[1]).status(); },
      [&] { return SumOfLengths(too_large).status(); },
      [] { return OutputOfLookAndSay({}, {/*steps=*/-1}).status(); },
      [] { return RandomSketchTables({/*alphabet_size=*/0}, 1).status(); },
  };
  for (const auto& refuse : refusals) {
    const absl::StatusCode code = refuse().code();
    SCOPED_TRACE(refuse().message());
    ASSERT_TRUE(code == absl::StatusCode::kInvalidArgument ||
                code == absl::StatusCode::kNotFound ||
                code == absl::StatusCode::kOutOfRange);
    ExpectStatusWithoutMemory([&] {
      const absl::Status status = refuse();
      return status.code() == code ? absl::OkStatus() : status;
    });
  }
}

// Threads of a scan and a filter wait for chunks that others have taken.
TEST(AllocationFailureOfAThread, LeavesNoOtherWaiting) {
  constexpr std::int64_t kSize = 1'000'000;
  const HostArray x(ElementType::kInt32, {kSize});
  HostArray out(ElementType::kInt32, {kSize});
  HostArray count(ElementType::kInt64, {1});
  const Inputs inputs = {{"x", x.view()}};
  const Outputs all = {{"out", out.view()}};
  const Outputs some = {{"out", out.view()}, {"count", count.view()}};
  for (const auto& [program, outputs] :
       {std::pair{"map x + 1 |> scan max(a, b)", all},
        {"scan (a ^ b) + 2 * (a & b)", all},
        {"filter x < 1", some}}) {
    const std::unique_ptr<Runner> runner =
        *(**FindAlgorithm("sequence")).NewRunner(Open("tbb:4"), "interpreter");
    ASSERT_EQ(runner->Configure({{"program", program}}), absl::OkStatus());
    // Until all threads have been made.
    for (int run = 0; run < 20; ++run) {
      ASSERT_EQ(runner->Run(inputs, outputs), absl::OkStatus());
    }
    bool has_failed = true;
    for (std::int64_t k = 0; has_failed; ++k) {
      ASSERT_LT(k, 100'000) << program;
      absl::Status status;
      {
        const Scarcity scarcity(k, /*from_then_on=*/false);
        status = runner->Run(inputs, outputs);
      }
      has_failed = Scarcity::HasFailed();
      if (status.ok()) continue;
      EXPECT_TRUE(has_failed) << status;
      EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted)
          << program << ", allocation " << k << ": " << status;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, AllocationFailure,
                         testing::ValuesIn(EveryAlgorithm()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace concord
