// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/support/differential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/core/backend.h"
#include "concord/core/names.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/counterexample.h"
#include "concord/testing/engine/large_case.h"
#include "concord/testing/engine/planted_faults.h"
#include "concord/testing/engine/recipe.h"
#include "concord/testing/support/large_cases.h"
#include "concord/testing/support/program.h"
#include "concord/testing/support/report.h"

namespace concord {
namespace {

// Counterexamples of planted faults may exceed the fault's own smallest size by
// so much: the algorithm may need some elements to have a result at all.
constexpr std::int64_t kSlack = 8;

// Planted faults need not be shrunk to the end, only to something small; each
// axis of a case gets its turn nevertheless.
ShrinkLimits LimitsForFault(std::int64_t smallest_size) {
  ShrinkLimits limits;
  limits.attempts = 600;
  limits.seconds = 5;
  limits.small_size = smallest_size + kSlack;
  limits.attempts_when_small = 100;
  return limits;
}

// The length that a shrunk case may have along an axis, by the axis' name.
using Lengths = std::map<std::string, std::int64_t>;

// With time for other axes than that of elements, too.
ShrinkLimits LimitsForAxes(std::int64_t smallest_size) {
  ShrinkLimits limits = LimitsForFault(smallest_size);
  limits.attempts = 3000;
  limits.seconds = 60;
  limits.attempts_when_small = 1000;
  return limits;
}

// A test is the function that it runs.
class FunctionTest : public testing::Test {
 public:
  explicit FunctionTest(std::function<void()> function)
      : function_(std::move(function)) {}
  void TestBody() override { function_(); }

 private:
  std::function<void()> function_;
};

void AddTest(const std::string& suite, const std::string& name,
             std::function<void()> function) {
  testing::RegisterTest(
      suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
      [function = std::move(function)] { return new FunctionTest(function); });
}

// "tensor_sketch" -> "TensorSketchDifferential"
std::string SuiteName(absl::string_view algorithm) {
  std::string name;
  for (absl::string_view word : absl::StrSplit(algorithm, '_')) {
    std::string capitalised(word);
    if (!word.empty()) capitalised[0] = absl::ascii_toupper(word[0]);
    name += capitalised;
  }
  return name + "Differential";
}

// Probing is slow on some backends, so it is done once.
const BackendStatus& StatusOf(const std::string& backend) {
  static auto* const statuses = new std::vector<BackendStatus>(ListBackends());
  static auto* const unknown = new BackendStatus{
      "", BackendStage::kNotCompiled, "the program has no such backend", {}};
  const auto it = std::find_if(
      statuses->begin(), statuses->end(),
      [&](const BackendStatus& status) { return status.name == backend; });
  return it == statuses->end() ? *unknown : *it;
}

// One implementation under test.
struct Candidate {
  Ingredients ingredients;
  DifferentialOptions options;

  const std::string& backend() const {
    return ingredients.implementation.backend;
  }
  Subject subject(const Fault* fault = nullptr) const {
    return {ingredients.spec, ingredients.implementation, fault};
  }
};

void Skip(const std::string& reason) { GTEST_SKIP() << reason; }

// Skips the current test, of so many cases, when the candidate cannot run here.
bool SkipIfAbsent(const Candidate& candidate, std::int64_t cases) {
  const BackendStatus& status = StatusOf(candidate.backend());
  if (!status.available()) {
    const std::string reason =
        absl::StrCat(Name(status.stage), ": ", status.reason);
    CountSkipped(candidate.backend(), cases, reason);
    SkipOrFail(candidate.backend(), reason);
    return true;
  }
  // The backend is there, so this is no failure even if it is required.
  const std::string refusal =
      candidate.ingredients.implementation.RefusalOn(candidate.backend());
  if (refusal.empty()) return false;
  CountSkipped(candidate.backend(), cases, refusal);
  Skip(refusal);
  return true;
}

void RunPart(const Candidate& candidate, const SuitePart& part) {
  const std::vector<Recipe> recipes =
      part.recipes(candidate.ingredients, candidate.options.seed);
  if (SkipIfAbsent(candidate, static_cast<std::int64_t>(recipes.size()))) {
    return;
  }
  Examiner examiner(candidate.subject());
  const Round round = Go(examiner, recipes);
  CountExecuted(candidate.backend(), round.executed);
  testing::Test::RecordProperty("cases", static_cast<int>(round.executed));
  if (!round.failure.has_value()) return;
  ADD_FAILURE() << ReportOfTest(
      Investigate(examiner, *round.failing, *round.failure));
}

// Null when the fault means something to the candidate.
const std::string* WhyMeaningless(const Candidate& candidate,
                                  const Fault& fault) {
  const auto& reasons = candidate.options.meaningless_faults;
  for (const std::string& key :
       {fault.name, absl::StrCat(candidate.backend(), "/", fault.name),
        absl::StrCat(candidate.backend(), "/",
                     candidate.ingredients.implementation.variant, "/",
                     fault.name)}) {
    const auto it = reasons.find(key);
    if (it != reasons.end()) return &it->second;
  }
  return nullptr;
}

void ExpectLengths(const AlgorithmSpec& spec, const Counterexample& found,
                   const Lengths& longest) {
  for (const Axis& axis : spec.Axes(found.record.trial.test_case)) {
    const auto most = longest.find(axis.name);
    if (most == longest.end()) continue;
    EXPECT_LE(axis.length, most->second)
        << "the counterexample has more " << axis.name << " than need be\n"
        << ReportOfTest(found);
  }
}

void RunWithFault(const Candidate& candidate, const Fault& fault,
                  const Lengths& longest = {}) {
  Examiner examiner(candidate.subject(&fault));
  const std::string* const reason = WhyMeaningless(candidate, fault);
  for (const SuitePart& part : StandardSuite()) {
    const Round round = Go(
        examiner, part.recipes(candidate.ingredients, candidate.options.seed));
    CountExecuted(candidate.backend(), round.executed);
    if (!round.failure.has_value()) continue;
    // The failure must be the fault's and not the implementation's own.
    Examiner without_fault(candidate.subject());
    const std::optional<Failure> own = without_fault.Examine(*round.failing);
    ASSERT_FALSE(own.has_value())
        << Describe(*round.failing)
        << " fails without the fault: " << own->message;
    CountPlantedFault(/*caught=*/true);
    ASSERT_EQ(reason, nullptr)
        << fault.name << " is said to be meaningless here (" << *reason
        << "), but " << Describe(*round.failing) << " catches it";
    const auto& sizes = candidate.options.smallest_sizes;
    const auto larger = sizes.find(fault.name);
    InvestigationOptions options;
    const std::int64_t smallest =
        larger == sizes.end() ? fault.smallest_size : larger->second;
    options.limits =
        longest.empty() ? LimitsForFault(smallest) : LimitsForAxes(smallest);
    options.save = false;
    const Counterexample found =
        Investigate(examiner, *round.failing, *round.failure, options);
    // A case of millions of elements is not shrunk to the end in that time.
    const bool has_time = !longest.empty();
    if (!has_time && found.limited && found.size > options.limits.small_size) {
      return;
    }
    ExpectLengths(*candidate.ingredients.spec, found, longest);
    EXPECT_LE(found.size, options.limits.small_size)
        << "the counterexample is larger than need be\n"
        << ReportOfTest(found);
    return;
  }
  if (reason != nullptr) return;
  CountPlantedFault(/*caught=*/false);
  ADD_FAILURE() << "nothing in the suite notices an implementation that "
                << fault.what << ". If no case can show that, give '"
                << fault.name
                << "' with the reason to "
                   "DifferentialOptions::meaningless_faults; else the spec "
                   "lacks a case";
}

// Whether the contract says which bits its NaNs have, if any.
bool GivesNansOfBits(const Candidate& candidate) {
  const std::vector<ElementType> types =
      candidate.ingredients.spec->element_types();
  const Contract& contract = candidate.ingredients.implementation.contract;
  return candidate.ingredients.spec->nans_have_bits() &&
         std::any_of(types.begin(), types.end(), [&](ElementType type) {
           return IsFloat(type) && contract.Allows(type);
         });
}

void RunPlantedFaults(const Candidate& candidate) {
  if (SkipIfAbsent(candidate, /*cases=*/0)) return;
  for (const Fault& fault : PlantedFaults()) {
    SCOPED_TRACE(fault.name);
    RunWithFault(candidate, fault);
  }
  if (GivesNansOfBits(candidate)) {
    SCOPED_TRACE(FaultOfNans().name);
    RunWithFault(candidate, FaultOfNans());
  }
}

// Ranks that compute on CPUs have stretches of arrays there.
bool TakesHostMemory(const Memory& memory) {
  return memory.is_host() || memory == Memory("mpi");
}

void RunLargeCase(const Candidate& candidate) {
  if (SkipIfAbsent(candidate, /*cases=*/1)) return;
  const ImplementationInfo& implementation =
      candidate.ingredients.implementation;
  const auto backend = OpenBackend(candidate.backend());
  ASSERT_TRUE(backend.ok()) << backend.status();
  const bool on_host = TakesHostMemory((*backend)->memory());
  if (on_host && !LargeCasesAreWanted()) {
    GTEST_SKIP() << "takes minutes on the CPU; CONCORD_LARGE=1 runs it";
  }
  const auto large =
      MakeLargeCase(*candidate.ingredients.spec, implementation, on_host);
  if (absl::IsFailedPrecondition(large.status())) {
    GTEST_SKIP() << large.status().message();
  }
  ASSERT_TRUE(large.ok()) << large.status();
  Trial& trial = (*large)->trial;
  trial.backend = candidate.backend();
  Examiner examiner(candidate.subject());
  const std::optional<Failure> failure =
      examiner.ExamineAgainst(trial, (*large)->expected);
  CountExecuted(candidate.backend(), 1);
  if (failure.has_value()) {
    if (failure->code == absl::StatusCode::kResourceExhausted) {
      GTEST_SKIP() << failure->message;
    }
    FAIL() << ReportOfTest(Investigate(examiner, trial, *failure));
  }
  if (trial.request->size < kPast32Bits) return;
  Examiner faulty(candidate.subject(&FaultOf32BitIndexes()));
  EXPECT_TRUE(faulty.ExamineAgainst(trial, (*large)->expected).has_value())
      << "the large case does not notice an implementation that "
      << FaultOf32BitIndexes().what;
}

void AddTestsOf(const Candidate& candidate) {
  const std::string suite = SuiteName(candidate.ingredients.spec->name());
  const std::string name =
      absl::StrCat("/", candidate.backend(), "_",
                   candidate.ingredients.implementation.variant);
  for (const SuitePart& part : StandardSuite()) {
    AddTest(suite, part.name + name,
            [candidate, &part] { RunPart(candidate, part); });
  }
  AddTest(suite, "PlantedFaults" + name,
          [candidate] { RunPlantedFaults(candidate); });
  AddTest(suite, "LargeCase" + name, [candidate] { RunLargeCase(candidate); });
}

std::vector<Candidate> CandidatesOf(const AlgorithmSpec* spec,
                                    const DifferentialOptions& options) {
  std::vector<Candidate> candidates;
  for (const ImplementationInfo& implementation : spec->implementations()) {
    Candidate candidate{{spec, implementation, {implementation.backend}},
                        options};
    for (const std::string& variation :
         StatusOf(implementation.backend).variations) {
      candidate.ingredients.backends.push_back(variation);
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

void AddTests(const std::string& algorithm,
              const DifferentialOptions& options) {
  const absl::Status names = CheckNames();
  if (!names.ok()) {
    AddTest(SuiteName(algorithm), "HasANameOfItsOwn",
            [names] { FAIL() << names.message(); });
    return;
  }
  const absl::StatusOr<const AlgorithmSpec*> spec = FindSpec(algorithm);
  if (!spec.ok() || (*spec)->implementations().empty()) {
    AddTest(SuiteName(algorithm), "IsThere", [spec, algorithm] {
      FAIL() << (spec.ok() ? algorithm + " has no implementation"
                           : std::string(spec.status().message()));
    });
    return;
  }
  for (const Candidate& candidate : CandidatesOf(*spec, options)) {
    AddTestsOf(candidate);
  }
}

}  // namespace

void ExpectCaught(absl::string_view algorithm, absl::string_view implementation,
                  const Fault& fault, const Lengths& longest) {
  const absl::StatusOr<const AlgorithmSpec*> spec =
      FindSpec(std::string(algorithm));
  ASSERT_TRUE(spec.ok()) << spec.status();
  for (const Candidate& candidate : CandidatesOf(*spec, {})) {
    if (candidate.ingredients.implementation.name() !=
        absl::StrCat(algorithm, "/", implementation)) {
      continue;
    }
    return RunWithFault(candidate, fault, longest);
  }
  FAIL() << algorithm << " has no implementation " << implementation;
}

bool AddDifferentialSuite(absl::string_view algorithm,
                          DifferentialOptions options) {
  return BeforeTests(
      [algorithm = std::string(algorithm), options = std::move(options)] {
        AddTests(algorithm, options);
      });
}

}  // namespace concord
