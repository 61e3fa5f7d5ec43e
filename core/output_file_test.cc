// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/output_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "concord/core/written_file.h"
#include "concord/testing/support/no_unnamed_files.h"
#include "concord/testing/support/output_file_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(OutputFileTest, AppearsOnCommitAndNotBefore) {
  OutputFile file = OutputFile::Open(Path("a")).value();
  ASSERT_TRUE(file.Write("one ").ok());
  ASSERT_TRUE(file.Write("two").ok());
  EXPECT_FALSE(std::filesystem::exists(Path("a")));
  ASSERT_TRUE(file.Commit().ok());
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(Content(Path("a")), "one two");
}

TEST_F(OutputFileTest, WithoutCommitTheOldFileStays) {
  ASSERT_TRUE(WriteFile(Path("a"), "old").ok());
  {
    OutputFile file = OutputFile::Open(Path("a")).value();
    ASSERT_TRUE(file.Write("new").ok());
  }
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(Content(Path("a")), "old");
}

TEST_F(OutputFileTest, TwoAtATimeDoNotMeet) {
  OutputFile first = OutputFile::Open(Path("a")).value();
  OutputFile second = OutputFile::Open(Path("a")).value();
  ASSERT_TRUE(first.Write("1").ok());
  ASSERT_TRUE(second.Write("2").ok());
  ASSERT_TRUE(first.Commit().ok());
  ASSERT_TRUE(second.Commit().ok());
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(Content(Path("a")), "2");
}

TEST_F(OutputFileTest, NamesThatAnEarlierProcessLeftAreNoObstacle) {
  for (int i = 0; i < 100; ++i) {
    std::ofstream(Path("a." + std::to_string(getpid()) + "." +
                       std::to_string(i) + ".tmp"))
        .put('x');
  }
  ASSERT_TRUE(WriteFile(Path("a"), "new").ok());
  EXPECT_EQ(Content(Path("a")), "new");
  EXPECT_EQ(Names().size(), 101);
}

TEST_F(OutputFileTest, NamesMayBeAsLongAsTheFileSystemTakes) {
  const std::string longest(255, 'a');
  EXPECT_TRUE(WriteFile(Path(longest), "x").ok());
  EXPECT_THAT(Names(), ElementsAre(longest));
  EXPECT_EQ(WriteFile(Path(longest + "a"), "x").message(),
            "cannot write " + Path(longest + "a") + ": File name too long");
}

TEST_F(OutputFileTest, PermissionsAndLinksOfTheOldFileStay) {
  ASSERT_TRUE(WriteFile(Path("a"), "old").ok());
  std::filesystem::create_symlink("a", Path("link"));
  for (const mode_t mode : {0600, 0666}) {
    ASSERT_EQ(chmod(Path("a").c_str(), mode), 0);
    ASSERT_TRUE(WriteFile(Path("link"), "new").ok());
    EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
    EXPECT_EQ(Content(Path("a")), "new");
    struct stat facts;
    ASSERT_EQ(stat(Path("a").c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, mode);
  }
}

TEST_F(OutputFileTest, NewFilesHaveThePermissionsThatTheUmaskLeaves) {
  const mode_t before = umask(0027);
  const absl::Status status = WriteFile(Path("a"), "new");
  umask(before);
  ASSERT_TRUE(status.ok()) << status;
  struct stat facts;
  ASSERT_EQ(stat(Path("a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0640);
}

TEST_F(OutputFileTest, AFolderInTheWayIsNoFileEither) {
  OutputFile file = OutputFile::Open(Path("a")).value();
  ASSERT_TRUE(file.Write("x").ok());
  std::filesystem::create_directory(Path("a"));
  EXPECT_EQ(file.Commit().message(),
            "cannot write " + Path("a") + ": Is a directory");
}

TEST_F(OutputFileTest, ALinkToNothingMakesItsFile) {
  std::filesystem::create_directory(Path("folder"));
  std::filesystem::create_symlink("folder/b", Path("a"));
  std::filesystem::create_symlink("../c", Path("folder/b"));
  ASSERT_TRUE(CheckWritable(Path("a")).ok());
  EXPECT_FALSE(std::filesystem::exists(Path("c")));
  ASSERT_TRUE(WriteFile(Path("a"), "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(Path("a")));
  EXPECT_TRUE(std::filesystem::is_symlink(Path("folder/b")));
  EXPECT_TRUE(std::filesystem::is_regular_file(Path("c")));
  EXPECT_EQ(Content(Path("a")), "new");
}

TEST_F(OutputFileTest, ALinkThatLeadsNowhereIsRefused) {
  std::filesystem::create_symlink("loop", Path("loop"));
  std::filesystem::create_symlink("no/file", Path("astray"));
  EXPECT_EQ(
      WriteFile(Path("loop"), "x").message(),
      "cannot write " + Path("loop") + ": Too many levels of symbolic links");
  EXPECT_EQ(WriteFile(Path("astray"), "x").message(),
            "cannot write " + Path("astray") + ": No such file or directory");
  EXPECT_TRUE(std::filesystem::is_symlink(Path("loop")));
  EXPECT_TRUE(std::filesystem::is_symlink(Path("astray")));
}

TEST_F(OutputFileTest, AllNamesOfAFileAreOne) {
  std::filesystem::create_directory(Path("folder"));
  std::filesystem::create_symlink("a", Path("link"));
  std::filesystem::create_symlink("..", Path("folder/up"));
  for (const char* name : {"./a", "folder/../a", "link", "folder/up/link",
                           "folder/up/folder/../a"}) {
    EXPECT_EQ(WrittenFile(Path(name)), WrittenFile(Path("a"))) << name;
  }
  EXPECT_NE(WrittenFile(Path("b")), WrittenFile(Path("a")));
  EXPECT_NE(WrittenFile(Path("folder/a")), WrittenFile(Path("a")));
  EXPECT_EQ(WrittenFile("-"), WrittenFile("/dev/stdout"));
}

TEST_F(OutputFileTest, DescriptorsAreWrittenWhereTheyStand) {
  ASSERT_TRUE(WriteFile(Path("log"), "old ").ok());
  const int log = open(Path("log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ASSERT_GE(log, 0);
  const std::string in_dev = "/dev/fd/" + std::to_string(log);
  std::filesystem::create_symlink(in_dev, Path("link"));
  std::filesystem::create_symlink("link", Path("further"));
  for (const std::string& name :
       {in_dev, "/proc/self/fd/" + std::to_string(log), Path("further")}) {
    EXPECT_TRUE(CheckWritable(name).ok()) << name;
    EXPECT_TRUE(WriteFile(name, "new ").ok()) << name;
  }
  close(log);
  EXPECT_EQ(Content(Path("log")), "old new new new ");
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  EXPECT_EQ(WriteFile(in_dev, "x").message(),
            "cannot write " + in_dev + ": Bad file descriptor");
}

TEST_F(OutputFileTest, FilesThatAreReachedByWayOfDevOrProcAreLikeOthers) {
  for (const std::string way : {"/proc/self/root", "/dev/.."}) {
    ASSERT_TRUE(WriteFile(Path("a"), "the old content").ok());
    EXPECT_TRUE(WriteFile(way + Path("a"), "new").ok()) << way;
    EXPECT_EQ(Content(Path("a")), "new") << way;
    EXPECT_TRUE(WriteFile(way + Path("b"), "new").ok()) << way;
    EXPECT_EQ(Content(Path("b")), "new") << way;
    std::filesystem::remove(Path("b"));
  }
}

TEST_F(OutputFileTest, AFullDiskIsNamedWithItsReason) {
  const absl::Status status = WriteFile("/dev/full", "x");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(),
            "cannot write /dev/full: No space left on device");
}

TEST_F(OutputFileTest, AFolderThatIsMissingIsAnUnusableArgument) {
  const absl::Status status = WriteFile(Path("no/file"), "x");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "cannot write " + Path("no/file") + ": No such file or directory");
}

TEST_F(OutputFileTest, AFolderIsNoFile) {
  EXPECT_EQ(WriteFile(folder_, "x").message(),
            "cannot write " + folder_.string() + ": Is a directory");
}

TEST_F(OutputFileTest, APipeIsWrittenDirectly) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  // Open for both, so that neither end waits for the other.
  std::fstream reader(Path("pipe"));
  ASSERT_TRUE(WriteFile(Path("pipe"), "through\n").ok());
  std::string line;
  std::getline(reader, line);
  EXPECT_EQ(line, "through");
  EXPECT_THAT(Names(), ElementsAre("pipe"));
}

TEST_F(OutputFileTest, WhetherAFileCanBeWrittenIsKnownBefore) {
  EXPECT_TRUE(CheckWritable("-").ok());
  EXPECT_TRUE(CheckWritable(Path("a")).ok());
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_EQ(CheckWritable(Path("no/a")).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CheckWritable(folder_).code(), absl::StatusCode::kInvalidArgument);
  // Nobody reads this pipe: to open it would take for ever.
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(CheckWritable(Path("pipe")).ok());
}

TEST_F(OutputFileTest, APreparedFileStillAppearsOnCommitOnly) {
  OutputFile file = OutputFile::Open(Path("a")).value();
  ASSERT_TRUE(file.Write("new").ok());
  ASSERT_TRUE(file.Prepare().ok());
  EXPECT_FALSE(std::filesystem::exists(Path("a")));
  ASSERT_TRUE(file.Commit().ok());
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(Content(Path("a")), "new");
}

TEST_F(OutputFileTest, WhatCannotBeStoredIsKnownBeforeCommit) {
  OutputFile file = OutputFile::Open(Path("a")).value();
  ASSERT_TRUE(file.Write("new").ok());
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const absl::Status prepared = file.Prepare();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(prepared.code(), absl::StatusCode::kResourceExhausted) << prepared;
}

// All tests of this program once more.
TEST(OutputFileWithoutUnnamedFilesTest, IsTheSame) {
  EXPECT_EXIT(
      {
        if (!RefuseUnnamedFiles()) _exit(1);
        unsetenv("XML_OUTPUT_FILE");
        execl("/proc/self/exe", "output_file_test", "--gtest_brief=1",
              "--gtest_filter=OutputFileTest.*", nullptr);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace concord
