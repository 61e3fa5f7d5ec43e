// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What is right where a backend says it: of algorithms whose results need not
// have the same bits everywhere.

#include "concord/benchmarks/checked_case.h"

#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "concord/core/call.h"
#include "concord/core/spec.h"
#include "concord/testing/support/named_backends.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::IsSupersetOf;

const AlgorithmSpec& SpecNamed(const std::string& algorithm) {
  return *ValueOf(FindSpec(algorithm));
}

Results RunOn(const std::string& backend, const std::string& algorithm,
              const Case& test_case) {
  return ValueOf(RunCall(SpecNamed(algorithm).algorithm(), Open(backend),
                         /*variant=*/"", test_case.options,
                         SourcesOf(test_case)));
}

// What the benchmarks say of these results with --checker=tbb:2.
absl::Status Check(const std::string& algorithm, const Case& test_case,
                   const Results& results) {
  const absl::StatusOr<CheckedCase> checked =
      MakeCheckedCase(SpecNamed(algorithm), test_case, Open("tbb:2"));
  return checked.ok() ? checked->check(results) : checked.status();
}

// That two right results, in one way or another, have other bits.
void ExpectRight(const std::string& algorithm, const Case& test_case,
                 const Results& results) {
  EXPECT_NE(results, RunOn("tbb:2", algorithm, test_case))
      << "nothing to be tested";
  EXPECT_EQ(Check(algorithm, test_case, results), absl::OkStatus());
}

void ExpectWrong(const std::string& algorithm, const Case& test_case,
                 const Results& results) {
  EXPECT_EQ(Check(algorithm, test_case, results).code(),
            absl::StatusCode::kDataLoss);
}

Case Drawn(const std::string& algorithm, std::int64_t size, ElementType type,
           const std::string& distribution, const OptionMap& options) {
  return ValueOf(SpecNamed(algorithm).Generate(
      {size, type, distribution, options, /*seed=*/1}));
}

TEST(CheckedCase, NormalizedSketchesMayHaveOtherBits) {
  for (const OptionMap& windows :
       {OptionMap{}, OptionMap{{"window", "700"}, {"stride", "300"}}}) {
    OptionMap options = windows;
    options["normalized"] = "yes";
    SCOPED_TRACE(windows.size());
    const Case test_case = Drawn("tensor_sketch", 20'000, ElementType::kFloat64,
                                 "log_normal_lengths", options);
    Results results = RunOn("serial", "tensor_sketch", test_case);
    ExpectRight("tensor_sketch", test_case, results);
    // Some ten times what a row of a thousand letters may be off.
    results.at("out").span<double>().back() += 1e-10;
    ExpectWrong("tensor_sketch", test_case, results);
    // One letter of them all.
    Case other = test_case;
    std::uint8_t& letter = other.inputs.at("letters").data<std::uint8_t>()[5];
    letter = static_cast<std::uint8_t>((letter + 1) % 4);
    ExpectWrong("tensor_sketch", test_case,
                RunOn("serial", "tensor_sketch", other));
  }
}

TEST(CheckedCase, SketchesOfIntegersMayNot) {
  const Case test_case = Drawn("tensor_sketch", 1000, ElementType::kUInt8,
                               "uniform", {{"normalized", "no"}});
  Results results = RunOn("serial", "tensor_sketch", test_case);
  EXPECT_EQ(Check("tensor_sketch", test_case, results), absl::OkStatus());
  ++results.at("out").data<std::int64_t>()[7];
  ExpectWrong("tensor_sketch", test_case, results);
}

TEST(CheckedCase, WhatStandsBehindTheResultsMayBeAnything) {
  const Case test_case = Drawn("compact", 1000, ElementType::kInt32, "uniform",
                               {{"keep", "greater:0"}});
  Results results = RunOn("serial", "compact", test_case);
  const HostArray kept = results.at("out");
  ASSERT_LT(kept.size(), 1000);
  HostArray& out = results.at("out");
  out = HostArray(ElementType::kInt32, {1000});
  std::memset(out.view().data(), 0xa5, 4000);
  std::memcpy(out.view().data(), kept.view().data(),
              static_cast<std::size_t>(kept.view().bytes()));
  EXPECT_EQ(Check("compact", test_case, results), absl::OkStatus());
  ++out.data<std::int32_t>()[kept.size() - 1];
  ExpectWrong("compact", test_case, results);
}

// Of numbers close to 1, so that products stay in range. Sums are rounded, too.
Case Floats(const std::string& algorithm, const std::string& op) {
  Case test_case =
      Drawn(algorithm, 100'000, ElementType::kFloat64, "uniform", {{"op", op}});
  std::int64_t i = 0;
  for (double& x : test_case.inputs.at("in").span<double>()) {
    x = 1 + static_cast<double>(i++ * 7919 % 2048 - 1024) / 3e6;
  }
  return test_case;
}

// From left to right.
Results Reduced(const Case& test_case) {
  const bool is_product = test_case.options.at("op") == "mul";
  double result = is_product ? 1 : 0;
  for (const double x : test_case.inputs.at("in").span<double>()) {
    result = is_product ? result * x : result + x;
  }
  Results results;
  results["out"] = HostArray::Of<double>({result});
  return results;
}

TEST(CheckedCase, FloatsMayBeReducedInAnotherOrder) {
  for (const char* op : {"add", "mul"}) {
    SCOPED_TRACE(op);
    const Case test_case = Floats("reduce", op);
    ExpectRight("reduce", test_case, Reduced(test_case));
    Case other = test_case;
    HostArray& in = other.inputs.at("in");
    in = in.Without(500, 501);
    ExpectWrong("reduce", test_case, Reduced(other));
  }
}

TEST(CheckedCase, FloatsMayBeScannedInAnotherOrder) {
  for (const char* op : {"add", "mul"}) {
    SCOPED_TRACE(op);
    const Case test_case = Floats("scan", op);
    ExpectRight("scan", test_case, RunOn("serial", "scan", test_case));
    Case other = test_case;
    other.inputs.at("in").data<double>()[500] = 1.25;
    ExpectWrong("scan", test_case, RunOn("serial", "scan", other));
  }
}

// Adds the name of an algorithm that has tolerances to `tolerant`.
void ExpectTolerancesOfComputed(const AlgorithmSpec& spec,
                                const Case& test_case,
                                std::set<std::string>& tolerant) {
  const absl::StatusOr<Expectations> expected = spec.Expected(test_case);
  if (!expected.ok()) return;
  Expectations computed;
  for (const auto& [name, expectation] : *expected) {
    computed[name].value = expectation.value;
  }
  ASSERT_EQ(spec.AddTolerances(test_case, computed), absl::OkStatus());
  for (const auto& [name, expectation] : *expected) {
    const std::vector<double>& wanted = expectation.tolerance;
    const std::vector<double>& got = computed.at(name).tolerance;
    ASSERT_EQ(got.size(), wanted.size()) << name;
    if (!wanted.empty()) tolerant.insert(spec.name());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      // Its own error is in the value, no less than that of the other.
      ASSERT_GE(got[i], wanted[i] * (1 - 0x1p-20)) << name << " " << i;
    }
  }
}

TEST(CheckedCase, WhoeverExpectsWithTolerancesAddsThemToComputedResults) {
  std::set<std::string> tolerant;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    for (const ElementType type : spec->element_types()) {
      for (const OptionMap& options : spec->OptionCombinations(type)) {
        for (const std::string& distribution : spec->Distributions(type)) {
          const absl::StatusOr<Case> test_case =
              spec->Generate({300, type, distribution, options, /*seed=*/1});
          if (!test_case.ok()) continue;
          SCOPED_TRACE(test_case->label + " of " + spec->name());
          ExpectTolerancesOfComputed(*spec, *test_case, tolerant);
        }
      }
    }
    for (const Case& test_case : spec->SpecialCases()) {
      SCOPED_TRACE(test_case.label + " of " + spec->name());
      ExpectTolerancesOfComputed(*spec, test_case, tolerant);
    }
  }
  EXPECT_THAT(tolerant, IsSupersetOf({"reduce", "scan", "tensor_sketch"}));
}

}  // namespace
}  // namespace concord
