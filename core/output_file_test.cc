// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/output_file.h"

#include <fcntl.h>
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
#include <fstream>
#include <iterator>
#include <string>

#include "concord/core/temporary_file.h"
#include "concord/core/written_file.h"
#include "concord/testing/support/no_unnamed_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

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

class OutputFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "output_file_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ / name; }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  // Whether the file system has files of no name.
  bool HasUnnamedFiles() const {
    const int descriptor = open(folder_.c_str(), O_TMPFILE | O_RDWR, 0600);
    if (descriptor >= 0) close(descriptor);
    return descriptor >= 0;
  }

  std::filesystem::path folder_;
};

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

TEST_F(OutputFileTest, APreparedFileStillAppearsOnCommitOnly) {
  OutputFile file = OutputFile::Open(Path("a")).value();
  ASSERT_TRUE(file.Write("new").ok());
  ASSERT_TRUE(file.Prepare().ok());
  EXPECT_FALSE(std::filesystem::exists(Path("a")));
  ASSERT_TRUE(file.Commit().ok());
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(Content(Path("a")), "new");
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

// All of the above once more.
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
