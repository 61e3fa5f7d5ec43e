// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/file_sink.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>

#include "concord/core/array_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// So many of the next calls of posix_fallocate come back as after a signal.
int interrupted_calls = 0;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

// Some huge pages and a part of one, as int32.
constexpr std::int64_t kElements = 9 * kMiB / 4 + 5;

// With the folder that the file is in: on a disk, in memory.
class FileSinkTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::string pattern = GetParam() + "/file_sink_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ / "a.npy";
    sink_ = FileSink::Open(path_).value();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  absl::StatusOr<ArrayView> Room(std::int64_t elements) {
    return sink_->Room(ElementType::kInt32, {elements});
  }

  std::filesystem::path folder_;
  std::string path_;
  std::unique_ptr<FileSink> sink_;
};

INSTANTIATE_TEST_SUITE_P(Folders, FileSinkTest,
                         ::testing::Values(::testing::TempDir(), "/dev/shm"),
                         [](const auto& info) {
                           return info.index == 0 ? "Temporary" : "Memory";
                         });

// Of this process, in bytes.
std::int64_t Resident() {
  std::int64_t size = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

std::int64_t PageFaults() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

TEST_P(FileSinkTest, TheFileIsTheRoomCutToTheResults) {
  for (const std::int64_t results : {kElements, kElements - 3 * kMiB / 4}) {
    sink_ = FileSink::Open(path_).value();
    const ArrayView room = Room(kElements).value();
    std::int32_t* const first = room.data<std::int32_t>();
    std::iota(first, first + kElements, 7);
    ASSERT_TRUE(sink_->Take({results}).ok());
    ASSERT_TRUE(sink_->Commit().ok());
    const HostArray array = ReadArray(path_).value();
    ASSERT_THAT(array.shape(), ElementsAre(results));
    for (std::int64_t i = 0; i < results; ++i) {
      ASSERT_EQ(array.view().data<std::int32_t>()[i], i + 7) << i;
    }
  }
}

TEST_P(FileSinkTest, RoomThatIsNotTouchedTakesNoMemoryOfTheProcess) {
  const std::int64_t before = Resident();
  ASSERT_TRUE(Room(32 * kMiB / 4).ok());
  EXPECT_LT(Resident() - before, 4 * kMiB);
}

TEST_P(FileSinkTest, ASignalWhileRoomIsTakenIsNoError) {
  interrupted_calls = 3;
  EXPECT_TRUE(Room(kElements).ok());
  EXPECT_EQ(interrupted_calls, 0);
}

TEST_P(FileSinkTest, ADiskThatFillsUpIsRefusedAndNotASignal) {
  // Room past the limit fails, as it does on a full disk: some of it is there.
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  rlimit low = limit;
  low.rlim_cur = 5 * kMiB;
  setrlimit(RLIMIT_FSIZE, &low);
  const absl::Status status = Room(kElements).status();
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(),
              HasSubstr("cannot write " + path_ + ": File too large"));
  sink_.reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

// Whether the kernel makes huge pages of a file in memory when it is asked to:
// since Linux 6.1, where it was built and is set to.
bool HasHugePages() {
  std::string release;
  std::string setting;
  std::ifstream("/proc/sys/kernel/osrelease") >> release;
  std::getline(
      std::ifstream("/sys/kernel/mm/transparent_hugepage/shmem_enabled"),
      setting);
  return std::atof(release.c_str()) >= 6.1 && !setting.empty() &&
         setting.find("[deny]") == std::string::npos;
}

TEST(FileSinkInMemoryTest, TakesHugePages) {
  if (!HasHugePages()) GTEST_SKIP() << "this kernel makes no huge pages";
  std::string pattern = "/dev/shm/file_sink_XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  auto sink = FileSink::Open(pattern + "/a.npy").value();
  constexpr std::int64_t kBytes = 32 * kMiB;
  const ArrayView room = sink->Room(ElementType::kUInt8, {kBytes}).value();
  const std::int64_t before = PageFaults();
  std::fill_n(room.data<std::uint8_t>(), kBytes, 1);
  EXPECT_LT(PageFaults() - before, kBytes / sysconf(_SC_PAGESIZE) / 4);
  sink.reset();
  std::filesystem::remove_all(pattern);
}

}  // namespace
}  // namespace concord

// In place of that of the C library, which it calls.
extern "C" int posix_fallocate(int descriptor, off_t first, off_t bytes) {
  if (concord::interrupted_calls > 0) {
    --concord::interrupted_calls;
    return EINTR;
  }
  using Function = int(int, off_t, off_t);
  static auto* const original =
      reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "posix_fallocate"));
  return original(descriptor, first, bytes);
}
