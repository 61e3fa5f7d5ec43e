// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "benchmarks/axes.h"
#include "core/backend.h"
#include "core/spec.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

std::vector<std::string> AllBackends() {
  std::vector<std::string> names;
  for (const BackendStatus& status : ListBackends()) {
    names.push_back(status.name);
  }
  return names;
}

TEST(PresetsTest, NameNothingThatIsNotThere) {
  for (const Preset& preset : Presets()) {
    for (const Axes& axes : preset.axes) {
      const absl::Status status =
          Expand(axes, AllSpecs(), AllBackends(), /*seed=*/1).status();
      EXPECT_TRUE(status.ok()) << preset.name << ": " << status;
    }
  }
}

}  // namespace
}  // namespace concord
