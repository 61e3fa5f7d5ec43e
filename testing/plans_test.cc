// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What plans say of arrays whose elements are elsewhere.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "concord/core/spec.h"

namespace concord {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kSize = 37;

TEST(Plans, WithoutElementsAreMadeOrRefused) {
  for (const AlgorithmSpec* spec : AllSpecs()) {
    const ElementType type =
        spec->implementations().front().contract.element_types.front();
    for (const OptionMap& options : spec->OptionCombinations(type)) {
      const Case made = *spec->Generate(
          {kSize, type, spec->Distributions(type).front(), options, 1});
      Inputs inputs;
      for (const auto& [name, array] : made.inputs) {
        inputs.emplace(name,
                       WithoutElements(array.type(), array.view().shape()));
      }
      const absl::Status status =
          spec->algorithm().Plan(made.options, inputs).status();
      if (status.ok()) continue;
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr("which are not in host memory"));
    }
  }
}

// The elements that a size does not depend on may be anywhere.
TEST(Plans, SayWhichElementsASizeDependsOn) {
  int depend = 0;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    const Algorithm& algorithm = spec->algorithm();
    std::set<std::string> needed;
    for (const ExtentText& extent : algorithm.signature().extents) {
      needed.insert(extent.data_of.begin(), extent.data_of.end());
    }
    if (needed.empty()) continue;
    ++depend;
    const ElementType type = spec->element_types().front();
    const Case made = *spec->Generate(
        {kSize, type, spec->Distributions(type).front(), {}, 1});
    for (const auto& [name, array] : made.inputs) {
      Inputs inputs = InputsOf(made);
      inputs[name] = WithoutElements(array.type(), array.view().shape());
      const absl::Status status = algorithm.Plan(made.options, inputs).status();
      if (needed.count(name) == 0) {
        EXPECT_EQ(status, absl::OkStatus()) << name;
      } else {
        EXPECT_THAT(status.message(),
                    HasSubstr(absl::StrCat("depends on elements of '", name,
                                           "', which are not in host")));
      }
    }
  }
  EXPECT_GT(depend, 0);
}

}  // namespace
}  // namespace concord
