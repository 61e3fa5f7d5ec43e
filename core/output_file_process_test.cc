// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Of output_file_test, what needs a process of its own: one that is killed,
// that sees other mounts, or that may do less.

#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "concord/core/output_file.h"
#include "concord/core/temporary_file.h"
#include "concord/testing/support/output_file_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What a child ends with that has no mounts of its own.
constexpr int kNoNamespace = 77;

// Whether this process has mounts from now on that no other sees.
bool HasOwnMounts() {
  return (unshare(CLONE_NEWNS) == 0 ||
          unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// What is allowed to root alone is not to this process from now on.
bool IsLikeAnyUser() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  return syscall(SYS_capset, &header, none) == 0;
}

bool IsDoneOrHasNoNamespace(int status) {
  return ::testing::ExitedWithCode(0)(status) ||
         ::testing::ExitedWithCode(kNoNamespace)(status);
}

TEST_F(OutputFileTest, AKilledProcessLeavesNothing) {
  if (!HasUnnamedFiles()) GTEST_SKIP() << "no files without a name here";
  EXPECT_EXIT(
      {
        OutputFile file = OutputFile::Open(Path("a")).value();
        if (!file.Write("half").ok()) _exit(1);
        raise(SIGKILL);
      },
      ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(OutputFileTest, AnInterruptionLeavesNothing) {
  const std::size_t names = HasUnnamedFiles() ? 0 : 1;
  for (int signal :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ}) {
    EXPECT_EXIT(
        {
          rlimit no_core = {};
          setrlimit(RLIMIT_CORE, &no_core);
          // Whatever started the test may ignore it.
          ::signal(signal, SIG_DFL);
          RemoveTemporaryFilesWhenInterrupted();
          OutputFile file = OutputFile::Open(Path("a")).value();
          if (!file.Write("half").ok() || Names().size() != names) _exit(1);
          raise(signal);
        },
        ::testing::KilledBySignal(signal), "");
    EXPECT_THAT(Names(), IsEmpty());
  }
}

TEST_F(OutputFileTest, ThreadsMakeAndForgetNames) {
  const auto make_many = [&](const std::string& target) {
    for (int i = 0; i < 1000; ++i) {
      TemporaryName name;
      EXPECT_EQ(name.Make(target, [](const char*) { return 0; }), 0);
      EXPECT_TRUE(absl::StartsWith(name.name(), target)) << name.name();
    }
  };
  std::thread other([&] { make_many(Path("a")); });
  make_many(Path("b"));
  other.join();
}

TEST_F(OutputFileTest, ASignalThatIsIgnoredStaysSo) {
  EXPECT_EXIT(
      {
        signal(SIGHUP, SIG_IGN);
        RemoveTemporaryFilesWhenInterrupted();
        raise(SIGHUP);
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

// Nothing can take the name of a file that is mounted.
TEST_F(OutputFileTest, AFileThatIsMountedIsWrittenInItsPlace) {
  const std::string before(300000, 'a');
  const std::string after(200000, 'b');
  ASSERT_TRUE(WriteFile(Path("a"), before).ok());
  EXPECT_EXIT(
      {
        const std::string path = Path("a");
        if (!HasOwnMounts() ||
            mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0) {
          _exit(kNoNamespace);
        }
        _exit(WriteFile(path, after).ok() ? 0 : 1);
      },
      IsDoneOrHasNoNamespace, "");
  if (Content(Path("a")) == before) GTEST_SKIP() << "no namespace can be made";
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_TRUE(Content(Path("a")) == after);
}

TEST_F(OutputFileTest, AnOldFileIsWrittenWhereItsFolderMayNotBe) {
  std::filesystem::create_directory(Path("folder"));
  std::filesystem::create_directory(Path("temporary"));
  ASSERT_TRUE(WriteFile(Path("folder/a"), "the old content").ok());
  ASSERT_EQ(chmod(Path("folder").c_str(), 0555), 0);
  EXPECT_EXIT(
      {
        setenv("TMPDIR", Path("temporary").c_str(), 1);
        _exit(IsLikeAnyUser() && CheckWritable(Path("folder/a")).ok() &&
                      Content(Path("folder/a")) == "the old content" &&
                      WriteFile(Path("folder/a"), "new").ok() &&
                      WriteFile(Path("folder/b"), "x").message() ==
                          "cannot write " + Path("folder/b") +
                              ": Permission denied"
                  ? 0
                  : 1);
      },
      ::testing::ExitedWithCode(0), "");
  ASSERT_EQ(chmod(Path("folder").c_str(), 0755), 0);
  EXPECT_EQ(Content(Path("folder/a")), "new");
  EXPECT_TRUE(std::filesystem::is_empty(Path("temporary")));
}

TEST_F(OutputFileTest, OnlyTheOldFileMayBeMountedToBeWritten) {
  std::filesystem::create_directory(Path("folder"));
  ASSERT_TRUE(WriteFile(Path("folder/a"), "the old content").ok());
  EXPECT_EXIT(
      {
        const std::string folder = Path("folder");
        const std::string path = Path("folder/a");
        if (!HasOwnMounts() ||
            mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
            mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND | MS_REC,
                  nullptr) != 0 ||
            mount(nullptr, folder.c_str(), nullptr,
                  MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) {
          _exit(kNoNamespace);
        }
        _exit(WriteFile(path, "new").ok() ? 0 : 1);
      },
      IsDoneOrHasNoNamespace, "");
  if (Content(Path("folder/a")) == "the old content") {
    GTEST_SKIP() << "no namespace can be made";
  }
  EXPECT_EQ(Content(Path("folder/a")), "new");
}

TEST_F(OutputFileTest, OwnerAndGroupOfTheOldFileStay) {
  ASSERT_TRUE(WriteFile(Path("a"), "old").ok());
  if (chown(Path("a").c_str(), 1000, 1001) != 0) {
    GTEST_SKIP() << "files of others take root";
  }
  ASSERT_EQ(chmod(Path("a").c_str(), 0666), 0);
  struct stat before;
  ASSERT_EQ(stat(Path("a").c_str(), &before), 0);
  for (const bool is_root : {true, false}) {
    EXPECT_EXIT(
        _exit((is_root || IsLikeAnyUser()) && WriteFile(Path("a"), "new").ok()
                  ? 0
                  : 1),
        ::testing::ExitedWithCode(0), "");
    struct stat facts;
    ASSERT_EQ(stat(Path("a").c_str(), &facts), 0);
    EXPECT_EQ(facts.st_uid, 1000);
    EXPECT_EQ(facts.st_gid, 1001);
    EXPECT_EQ(facts.st_mode & 0777, 0666);
    // Who may not give files away writes the old one.
    EXPECT_EQ(facts.st_ino == before.st_ino, !is_root);
    EXPECT_EQ(Content(Path("a")), "new");
    before = facts;
  }
  EXPECT_THAT(Names(), ElementsAre("a"));
}

// Where /proc is not there, a file of no name could not be given one.
TEST_F(OutputFileTest, FilesAreWrittenWithoutProcToo) {
  EXPECT_EXIT(
      {
        if (!HasOwnMounts() ||
            mount("none", "/proc", "tmpfs", 0, nullptr) != 0) {
          _exit(kNoNamespace);
        }
        _exit(WriteFile(Path("a"), "new").ok() ? 0 : 1);
      },
      IsDoneOrHasNoNamespace, "");
  if (Names().empty()) GTEST_SKIP() << "no namespace can be made";
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(Content(Path("a")), "new");
}

}  // namespace
}  // namespace concord
