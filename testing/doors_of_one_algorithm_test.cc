// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What single algorithms do at the command line's door, beyond what all do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "concord/core/output_file.h"
#include "concord/testing/door_fixture.h"
#include "nlohmann/json.hpp"

namespace concord {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

// It once aborted on every input.
TEST(RunLengthEncode, RunWritesAllOutputs) {
  const Folder folder;
  ASSERT_EQ(WriteFile(folder.File("in.txt"), "7 7 7 1 2 2\n"),
            absl::OkStatus());
  folder.Concord({"run", "run_length_encode",
                  "--input=" + folder.File("in.txt"),
                  "--output=" + folder.File("values.txt"),
                  "--output-lengths=" + folder.File("lengths.txt")});
  EXPECT_EQ(Content(folder.File("values.txt")), "7\n1\n2\n");
  EXPECT_EQ(Content(folder.File("lengths.txt")), "3\n1\n2\n");
}

TEST(Sequence, ProgramsMayBeInFiles) {
  const Folder folder;
  ASSERT_EQ(
      WriteFile(folder.File("program.txt"), "map 2 * x\n|> reduce a + b\n"),
      absl::OkStatus());
  ASSERT_EQ(WriteFile(folder.File("in.txt"), "1 2 3\n"), absl::OkStatus());
  EXPECT_EQ(
      folder.Concord({"run", "sequence", "--input=" + folder.File("in.txt"),
                      "--program=@" + folder.File("program.txt")}),
      "12\n");
}

TEST(Sequence, RunsWithoutAnInput) {
  const Folder folder;
  EXPECT_EQ(folder.Concord({"run", "sequence", "--program=tabulate i * i, 4"}),
            "0\n1\n4\n9\n");
}

// Of columns for which there is no memory.
TEST(Sequence, ExplainRunsNothing) {
  const Folder folder;
  const Arguments arguments = {
      "explain", "--program=filter x > 0 |> map y[i] + 1 |> reduce a + b",
      "--assume=x:int32:1000000000000,y:int8:5"};
  EXPECT_THAT(folder.Concord(arguments),
              AllOf(HasSubstr("<= 1,000,000,000,000"), HasSubstr("4.00 TB")));
  const Json explained =
      Json::parse(folder.Concord(Joined({arguments, {"--json"}})), nullptr,
                  /*allow_exceptions=*/false);
  ASSERT_TRUE(explained.is_object());
  // The filter, and all else in one pass.
  ASSERT_EQ(explained.at("steps").size(), 2);
  const Json& fused = explained.at("steps")[1];
  EXPECT_EQ(fused.at("elements"), 1'000'000'000'000);
  EXPECT_EQ(fused.at("at_most"), true);
  EXPECT_EQ(fused.at("bytes_written"), 1);
  EXPECT_EQ(explained.at("least_bytes_read"), 4'000'000'000'005);
  EXPECT_EQ(explained.at("least_bytes_written"), 1);
}
}  // namespace
}  // namespace concord
