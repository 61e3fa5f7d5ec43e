// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Outputs of replicas on two hosts, of which this process is one.

#include "concord/core/stored_room.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "concord/core/array_io.h"
#include "concord/core/file_sink.h"
#include "concord/core/npy.h"
#include "concord/core/replicas.h"
#include "concord/testing/support/one_of_two.h"

namespace concord {
namespace {

constexpr std::int64_t kElements = 3000;

class StoredRoomTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/stored_room_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ / "out.npy";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The file of an output of so many int32, as this replica opens it. What the
  // other one says is no number of this host.
  std::unique_ptr<FileSink> Open(OneOfTwo& replicas, bool shared_out = true) {
    replicas.first_says = "0 ";
    if (replicas.index() == 1) {
      std::ofstream file(folder_ / "temporary");
      file << std::string(NpyHeader(ElementType::kInt32, {kElements}).size() +
                              kElements * sizeof(std::int32_t),
                          'x');
      replicas.said = {"regular", "", folder_ / "temporary"};
    }
    return FileSink::Open(path_, shared_out).value();
  }

  std::string Content(const std::string& name) {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_;
  std::string path_;
};

// Elements [first, last) of the room, as a backend gives them.
absl::Status StorePart(const ArrayView& room, std::int64_t first,
                       std::int64_t last) {
  const ArrayView part = room.Slice(first, last - first);
  const std::vector<std::int32_t> sevens(static_cast<std::size_t>(part.size()),
                                         7);
  const SharedRoom* const shared = SharedRoom::Find(part.data(), part.bytes());
  return shared->store()(part.data(),
                         {reinterpret_cast<const char*>(sevens.data()),
                          static_cast<std::size_t>(part.bytes())});
}

TEST_F(StoredRoomTest, OnlyBytesOfTheOwnPartAreWritten) {
  OneOfTwo second;
  const auto sink = Open(second);
  const ArrayView room = sink->Room(ElementType::kInt32, {kElements}).value();
  std::string expected = Content("temporary");
  // The room is not the file.
  room.data<std::int32_t>()[0] = 5;
  ASSERT_TRUE(StorePart(room, 1001, kElements).ok());
  ASSERT_TRUE(sink->Take({kElements}).ok());
  ASSERT_TRUE(sink->Commit().ok());
  const std::size_t first = expected.size() - (kElements - 1001) * 4;
  for (std::size_t i = first; i < expected.size(); i += 4) {
    expected.replace(i, 4, {7, 0, 0, 0});
  }
  EXPECT_EQ(Content("temporary"), expected);
}

TEST_F(StoredRoomTest, TheFirstWritesTheHeaderAndItsPart) {
  OneOfTwo first(/*index=*/0);
  const auto sink = Open(first);
  const ArrayView room = sink->Room(ElementType::kInt32, {kElements}).value();
  ASSERT_TRUE(StorePart(room, 0, 1001).ok());
  ASSERT_TRUE(sink->Take({2000}).ok());
  ASSERT_TRUE(sink->Commit().ok());
  const HostArray array = ReadArray(path_).value();
  ASSERT_EQ(array.view().size(), 2000);
  EXPECT_EQ(array.view().data<std::int32_t>()[1000], 7);
  // What the other one has not written.
  EXPECT_EQ(array.view().data<std::int32_t>()[1001], 0);
}

TEST_F(StoredRoomTest, TheFirstWritesWhatEachHasAllOf) {
  OneOfTwo first(/*index=*/0);
  const auto sink = Open(first);
  const ArrayView room = sink->Room(ElementType::kInt32, {kElements}).value();
  auto* const elements = room.data<std::int32_t>();
  std::iota(elements, elements + kElements, 0);
  ASSERT_TRUE(sink->Take({kElements}).ok());
  ASSERT_TRUE(sink->Commit().ok());
  const HostArray array = ReadArray(path_).value();
  EXPECT_EQ(array.view().data<std::int32_t>()[kElements - 1], kElements - 1);
}

TEST_F(StoredRoomTest, TheSecondOneWritesNothingOfWhatEachHasAllOf) {
  OneOfTwo second;
  const auto sink = Open(second);
  const std::string before = Content("temporary");
  const ArrayView room = sink->Room(ElementType::kInt32, {kElements}).value();
  auto* const elements = room.data<std::int32_t>();
  std::iota(elements, elements + kElements, 0);
  ASSERT_TRUE(sink->Take({kElements}).ok());
  EXPECT_EQ(Content("temporary"), before);
}

TEST_F(StoredRoomTest, OnOneHostTheRoomIsTheFile) {
  OneOfTwo second;
  second.is_on_one_host = true;
  const auto sink = Open(second);
  const std::string before = Content("temporary");
  const ArrayView room = sink->Room(ElementType::kInt32, {kElements}).value();
  room.data<std::int32_t>()[5] = 7;
  EXPECT_NE(Content("temporary"), before);
}

// The first one computes all of it, too, and may read what it has written.
TEST_F(StoredRoomTest, OneThatComputesAllKeepsOutOfTheFile) {
  OneOfTwo second;
  second.is_on_one_host = true;
  const auto sink = Open(second, /*shared_out=*/false);
  const std::string before = Content("temporary");
  const ArrayView room = sink->Room(ElementType::kInt32, {kElements}).value();
  EXPECT_EQ(room.size(), kElements);
  room.data<std::int32_t>()[5] = 7;
  ASSERT_TRUE(sink->Take({1000}).ok());
  ASSERT_TRUE(sink->Commit().ok());
  EXPECT_EQ(Content("temporary"), before);
}

TEST_F(StoredRoomTest, ADiskThatFillsUpIsAnError) {
  const std::string path = folder_ / "file";
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT, 0600);
  auto room = StoredRoom::Make(descriptor, "out.npy", 100000).value();
  close(descriptor);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  rlimit low = limit;
  low.rlim_cur = 50000;
  setrlimit(RLIMIT_FSIZE, &low);
  const absl::Status status =
      room->Store(room->begin(), std::string(100000, 'x'));
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(status, absl::ResourceExhaustedError(
                        "cannot write out.npy: File too large"));
}

}  // namespace
}  // namespace concord
