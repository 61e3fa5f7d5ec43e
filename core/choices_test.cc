// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/choices.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace concord {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kMachine[] = "0.1.0; serial cpu=slow; tbb:2 cpu=slow threads=2";

Choices Example() {
  Choices choices;
  choices.measured = "2026-11-23T02:00:00Z";
  choices.steps[{"scan", ElementType::kInt32, DataPlace::kCpu}] = {
      {0, "serial", "reference"}, {8192, "tbb", "one_pass"}};
  choices.steps[{"scan", ElementType::kInt32, DataPlace::kDevice}] = {
      {0, "cuda", "pipelined"}};
  return choices;
}

TEST(Choices, AreReadAsTheyWereWritten) {
  const std::string text = ToText(Example(), kMachine);
  const absl::StatusOr<Choices> read = ParseChoices(text, kMachine);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->measured, "2026-11-23T02:00:00Z");
  ASSERT_EQ(read->steps.size(), 2u);
  const auto& steps =
      read->steps.at({"scan", ElementType::kInt32, DataPlace::kCpu});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[1].from, 8192);
  EXPECT_EQ(steps[1].backend, "tbb");
  EXPECT_EQ(steps[1].variant, "one_pass");
  EXPECT_EQ(ToText(*read, kMachine), text);
}

TEST(Choices, AnyDamageIsFound) {
  const std::string text = ToText(Example(), kMachine);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(ParseChoices(damaged, kMachine).ok()) << damaged;
    EXPECT_FALSE(ParseChoices(text.substr(0, i), kMachine).ok()) << i;
  }
  EXPECT_FALSE(ParseChoices(text + "scan", kMachine).ok());
}

TEST(Choices, AnotherMachineOrVersionIsNamed) {
  const absl::StatusOr<Choices> read = ParseChoices(
      ToText(Example(), kMachine), "0.2.0; serial cpu=slow; tbb:2 cpu=slow");
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(read.status().message()),
      HasSubstr(std::string("another machine or version: ") + kMachine));
}

TEST(Choices, StepsThatAreNotInOrderAreDamage) {
  for (const ChoiceStep& second :
       {ChoiceStep{0, "tbb", "one_pass"}, ChoiceStep{5, "tbb", "one/pass"}}) {
    Choices choices = Example();
    choices.steps.begin()->second[1] = second;
    const absl::StatusOr<Choices> read =
        ParseChoices(ToText(choices, kMachine), kMachine);
    EXPECT_THAT(std::string(read.status().message()), HasSubstr("damaged"));
  }
}

class ChoicesFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::string(std::getenv("TEST_TMPDIR")) + "/choices";
    std::filesystem::create_directories(folder_);
  }
  std::string folder_;
};

TEST_F(ChoicesFiles, AMissingFileIsNotFoundAndAFolderCannotBeRead) {
  EXPECT_EQ(LoadChoices(folder_ + "/none", kMachine).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(LoadChoices("", kMachine).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(LoadChoices(folder_, kMachine).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ChoicesFiles, EachMachineHasItsOwnInTheCacheFolder) {
  setenv("CONCORD_CACHE", folder_.c_str(), 1);
  const std::string file = ChoicesFile(kMachine);
  EXPECT_THAT(file, HasSubstr(folder_ + "/"));
  EXPECT_NE(file, ChoicesFile("0.2.0; serial cpu=slow"));
  std::ofstream(file) << ToText(Example(), kMachine);
  EXPECT_TRUE(LoadChoices(file, kMachine).ok());
  setenv("CONCORD_CACHE", "", 1);
  EXPECT_EQ(ChoicesFile(kMachine), "");
  unsetenv("CONCORD_CACHE");
}

TEST(MachineOf, HasThatOfAvailableBackendsOnOneLine) {
  BackendStatus there;
  there.name = "tbb";
  there.devices = {{"tbb:2", {{"cpu", "fast\none"}, {"threads", "2"}}}};
  BackendStatus absent;
  absent.name = "cuda";
  absent.stage = BackendStage::kNoDevice;
  absent.devices = {{"cuda:0", {}}};
  const std::string machine = MachineOf({there, absent});
  EXPECT_THAT(machine, HasSubstr("; tbb:2 cpu=fast one threads=2"));
  EXPECT_THAT(machine, Not(HasSubstr("cuda")));
}

}  // namespace
}  // namespace concord
