// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/options.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::vector<OptionSpec> Specs() {
  return {OptionSpec::Choice("op", "", "add", {"add", "max"}),
          OptionSpec::Number("dim", "", 96, 1, 100),
          OptionSpec::File("table", "")};
}

std::string ErrorOf(const OptionMap& given) {
  const auto complete = CompleteOptions(Specs(), given);
  EXPECT_EQ(complete.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(complete.status().message());
}

TEST(Options, DefaultsFillTheGapsAndFilesStayOut) {
  const auto complete = CompleteOptions(Specs(), {{"op", "max"}});
  ASSERT_TRUE(complete.ok());
  EXPECT_THAT(*complete,
              UnorderedElementsAre(Pair("op", "max"), Pair("dim", "96")));
  EXPECT_EQ(NumberOption(*complete, "dim"), 96);
}

TEST(Options, AnUnknownOptionIsAnErrorThatListsThoseThereAre) {
  EXPECT_EQ(ErrorOf({{"kind", "x"}}),
            "unknown option --kind; the options here are --op, --dim, --table");
}

TEST(Options, AValueThatTheOptionDoesNotTakeIsAnError) {
  EXPECT_EQ(ErrorOf({{"op", "sub"}}), "--op takes one of add, max, not 'sub'");
  for (const char* value :
       {"0", "101", "ten", "", "9x", "99999999999999999999"}) {
    EXPECT_THAT(ErrorOf({{"dim", value}}),
                HasSubstr("--dim takes a whole number from 1 to 100"));
  }
}

TEST(Options, SwitchesAndOutputsAreOffUnlessGiven) {
  const std::vector<OptionSpec> specs = {
      OptionSpec::Switch("argsort", ""),
      OptionSpec::Output("output-indices", "")};
  const auto none = CompleteOptions(specs, {});
  ASSERT_TRUE(none.ok());
  EXPECT_THAT(*none, UnorderedElementsAre(Pair("argsort", "no"),
                                          Pair("output-indices", "no")));
  EXPECT_FALSE(SwitchOption(*none, "argsort"));
  const auto given = CompleteOptions(specs, {{"output-indices", "yes"}});
  ASSERT_TRUE(given.ok());
  EXPECT_TRUE(SwitchOption(*given, "output-indices"));
  EXPECT_EQ(OutputOfOption(specs[1]), "indices");
  EXPECT_EQ(CompleteOptions(specs, {{"argsort", "1"}}).status().message(),
            "--argsort takes one of no, yes, not '1'");
}

}  // namespace
}  // namespace concord
