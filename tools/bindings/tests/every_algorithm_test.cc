// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A program in C gets from every implementation what one in C++ gets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/core/spec.h"
#include "concord/testing/support/named_backends.h"
#include "concord/testing/support/program.h"
#include "concord/tools/bindings/c/array.h"
#include "concord/tools/bindings/tests/compute.h"

namespace concord {
namespace {

struct Free {
  void operator()(concord_status* status) const { concord_status_free(status); }
};
using StatusInC = std::unique_ptr<concord_status, Free>;

// The results of the case, by name, as C++ gets them.
absl::StatusOr<Results> ComputeInCpp(const Algorithm& algorithm,
                                     const ImplementationInfo& info,
                                     const Case& test_case) {
  absl::StatusOr<std::shared_ptr<Backend>> backend = OpenBackend(info.backend);
  if (!backend.ok()) return backend.status();
  return RunCall(algorithm, *backend, info.variant, test_case.options,
                 SourcesOf(test_case));
}

// The same in C.
class InC {
 public:
  InC(const ImplementationInfo& info, const Case& test_case,
      bool asynchronous) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : test_case.options) {
      texts.push_back(absl::StrCat(name, "=", value));
    }
    std::vector<const char*> options;
    for (const std::string& text : texts) options.push_back(text.c_str());
    std::vector<concord_array> inputs;
    for (const auto& [name, array] : test_case.inputs) {
      inputs.push_back({name.c_str(),
                        const_cast<void*>(array.view().data()),
                        {CONCORD_CPU, 0},
                        static_cast<int32_t>(array.shape().size()),
                        bindings::ToC(array.type()),
                        array.shape().data(),
                        nullptr,
                        0});
    }
    const computation what = {info.backend.c_str(), info.algorithm.c_str(),
                              info.variant.c_str(), options.data(),
                              options.size(),       inputs.data(),
                              inputs.size(),        asynchronous};
    status_.reset(compute(&what, &computed_));
  }
  ~InC() { computed_free(&computed_); }

  std::string error() const { return concord_status_message(status_.get()); }
  const computed& results() const { return computed_; }

 private:
  computed computed_;
  StatusInC status_;
};

// The cases: every setting of the options, one type after the other.
std::vector<Case> CasesOf(const AlgorithmSpec& spec,
                          const ImplementationInfo& info) {
  std::vector<Case> cases;
  for (const ElementType type : info.contract.element_types) {
    // Their bits need not be the same twice.
    if (IsFloat(type) && info.contract.determinism == Determinism::kNone) {
      continue;
    }
    const std::string distribution = spec.Distributions(type).front();
    for (const OptionMap& options : spec.OptionCombinations(type)) {
      const std::int64_t size = cases.size() % 3 == 0 ? 1000 : 7;
      absl::StatusOr<Case> made =
          spec.Generate({size, type, distribution, options, cases.size() + 1});
      if (made.ok()) cases.push_back(*std::move(made));
    }
  }
  return cases;
}

class EveryAlgorithm : public testing::TestWithParam<ImplementationInfo> {};

TEST_P(EveryAlgorithm, ComputesInCAsInCpp) {
  const ImplementationInfo& info = GetParam();
  if (const std::string refusal = info.RefusalOn(info.backend);
      !refusal.empty()) {
    return SkipOrFail(info.backend, refusal);
  }
  const std::shared_ptr<Backend> opened = OpenOrSkip(info.backend);
  if (opened == nullptr) return;
  // Memory of several devices, which DLPack cannot name.
  if (const auto device = bindings::ToC(opened->memory()); !device.ok()) {
    GTEST_SKIP() << device.status().message();
  }
  const AlgorithmSpec& spec = **FindSpec(info.algorithm);
  const std::vector<Case> cases = CasesOf(spec, info);
  ASSERT_FALSE(cases.empty());
  bool asynchronous = false;
  for (const Case& test_case : cases) {
    SCOPED_TRACE(
        absl::StrCat(test_case.label, " ", ToString(test_case.options)));
    asynchronous = !asynchronous;
    const absl::StatusOr<Results> wanted =
        ComputeInCpp(spec.algorithm(), info, test_case);
    ASSERT_TRUE(wanted.ok()) << wanted.status();
    const InC in_c(info, test_case, asynchronous);
    ASSERT_EQ(in_c.error(), "");
    ASSERT_EQ(in_c.results().count, wanted->size());
    for (std::size_t i = 0; i < in_c.results().count; ++i) {
      const concord_array& output = in_c.results().outputs[i];
      ASSERT_EQ(wanted->count(output.name), 1u) << output.name;
      const HostArray& right = wanted->at(output.name);
      const concord_type type = bindings::ToC(right.type());
      EXPECT_EQ(std::memcmp(&output.type, &type, sizeof type), 0);
      ASSERT_EQ(in_c.results().sizes[i], right.size()) << output.name;
      EXPECT_EQ(std::memcmp(output.data, right.view().data(),
                            static_cast<std::size_t>(right.view().bytes())),
                0)
          << output.name;
    }
  }
}

std::vector<ImplementationInfo> AllImplementations() {
  std::vector<ImplementationInfo> all;
  for (const Algorithm* algorithm : AllAlgorithms()) {
    for (ImplementationInfo& info : algorithm->implementations()) {
      all.push_back(std::move(info));
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, EveryAlgorithm,
                         testing::ValuesIn(AllImplementations()),
                         [](const auto& info) {
                           return absl::StrCat(info.param.algorithm, "_",
                                               info.param.backend, "_",
                                               info.param.variant);
                         });

// They are listed in C as they are registered.
TEST(Names, AreThoseOfTheRegistries) {
  std::vector<std::string> wanted;
  std::set<std::string> algorithms;
  for (const ImplementationInfo& info : AllImplementations()) {
    wanted.push_back(info.name());
    algorithms.insert(info.algorithm);
  }
  const char* const* names = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(concord_implementation_names(&names, &count), nullptr);
  EXPECT_EQ(std::vector<std::string>(names, names + count), wanted);
  ASSERT_EQ(concord_algorithm_names(&names, &count), nullptr);
  EXPECT_THAT(std::vector<std::string>(names, names + count),
              testing::UnorderedElementsAreArray(algorithms));
}

}  // namespace
}  // namespace concord
