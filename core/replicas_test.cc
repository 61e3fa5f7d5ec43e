// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/replicas.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/core/host.h"
#include "concord/core/output_file.h"
#include "concord/testing/support/one_of_two.h"

namespace concord {
namespace {

TEST(Replicas, AProcessAloneDecidesByItself) {
  EXPECT_EQ(ReplicaCount(), 1);
  EXPECT_TRUE(IsFirstReplica());
  EXPECT_EQ(FromFirst(2.5), 2.5);
  EXPECT_EQ(*FromFirst(std::string("me")), "me");
  EXPECT_EQ(AgreeAmongReplicas(absl::InternalError("no")),
            absl::InternalError("no"));
}

TEST(Replicas, TheFirstOneDecidesForTheOthers) {
  OneOfTwo second;
  const double seconds = 1.5;
  second.first_says = std::string(sizeof(seconds), '\0');
  std::memcpy(second.first_says->data(), &seconds, sizeof(seconds));
  EXPECT_EQ(FromFirst(99.0), 1.5);
  second.first_fails = absl::InternalError("there");
  EXPECT_EQ(AgreeAmongReplicas(absl::OkStatus()), absl::InternalError("there"));
}

TEST(Replicas, WhatFailsOrThrowsOnOneFailsOnAll) {
  const auto seven = []() -> absl::StatusOr<int> { return 7; };
  const auto throws = []() -> absl::StatusOr<int> { throw std::bad_alloc(); };
  EXPECT_EQ(*OnAllReplicas(seven), 7);
  EXPECT_EQ(OnAllReplicas(throws).status(), OutOfHostMemory());
  OneOfTwo second;
  EXPECT_EQ(*OnAllReplicas(seven), 7);
  EXPECT_EQ(OnAllReplicas(throws).status(), OutOfHostMemory());
  second.first_fails = absl::InternalError("there");
  EXPECT_EQ(OnAllReplicas(seven).status(), absl::InternalError("there"));
}

TEST(Replicas, OneThatSaysSomethingElseThanTheFirstIsFound) {
  EXPECT_FALSE(UnlikeFirst("five")->has_value());
  OneOfTwo second;
  second.first_says = "five";
  EXPECT_FALSE(UnlikeFirst("five")->has_value());
  const std::optional<OtherReplica> other = *UnlikeFirst("six");
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->index, 1);
  EXPECT_EQ(other->first_says, "five");
  EXPECT_EQ(other->says, "six");
}

TEST(Replicas, AFailureOfAllNamesNoReplica) {
  OneOfTwo second;
  second.first_says = "0 ";
  EXPECT_EQ(AgreeAsOne(absl::OkStatus()), absl::OkStatus());
  EXPECT_EQ(AgreeAsOne(absl::InternalError("no")), absl::InternalError("no"));
  second.first_says = "5 no file";
  EXPECT_EQ(AgreeAsOne(absl::NotFoundError("no file")),
            absl::NotFoundError("no file"));
  // That of the lowest replica counts.
  second.first_says = "3 line 7: a b";
  const absl::Status first = AgreeAsOne(absl::NotFoundError("no file"));
  EXPECT_EQ(first.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(first.message(), "line 7: a b");
}

TEST(Replicas, OneThatDoesSomethingElseIsNoticed) {
  OneOfTwo second;
  second.first_says = "read once: pipe";
  EXPECT_EQ(AgreeAsOne(absl::OkStatus()),
            absl::FailedPreconditionError("rank 0 of 2 says: read once: pipe"));
  // Its own failure may be the reason.
  EXPECT_EQ(AgreeAsOne(absl::ResourceExhaustedError("no memory")),
            absl::ResourceExhaustedError("no memory"));
}

TEST(Replicas, WhatSomeDoNotFindNamesOneOfThem) {
  OneOfTwo second;
  second.first_says = "0 ";
  EXPECT_EQ(AgreeAsOne(absl::NotFoundError("no file")),
            absl::NotFoundError("rank 1 of 2: no file"));
}

TEST(Replicas, TheLowestThatEndsWithTheSameSaysIt) {
  EXPECT_EQ(LastWords("no file"), "no file");
  {
    OneOfTwo first(/*index=*/0);
    first.same_end = {0, 1};
    EXPECT_EQ(LastWords("no file"), "no file");
    first.same_end = {0};
    EXPECT_EQ(LastWords("no file"), "rank 0 of 2: no file");
  }
  OneOfTwo second;
  second.same_end = {0, 1};
  EXPECT_EQ(LastWords("no file"), std::nullopt);
  second.same_end = {1};
  EXPECT_EQ(LastWords("no file"), "rank 1 of 2: no file");
}

TEST(Replicas, ArraysOfAMemoryThatIsSharedOutAreHereInPart) {
  using Part = std::pair<std::int64_t, std::int64_t>;
  double numbers[6];
  const ConstArrayView array(numbers, 6, Memory("shared"));
  EXPECT_EQ(ElementsHere(array), Part(0, 6));
  OneOfTwo second;
  EXPECT_EQ(ElementsHere(array), Part(3, 6));
  EXPECT_EQ(ElementsHere(ConstArrayView(numbers, 6, Memory::Host())),
            Part(0, 6));
}

TEST(Replicas, WithoutTheOthersOneDecidesByItself) {
  OneOfTwo second;
  second.first_says = absl::DeadlineExceededError("gone");
  EXPECT_EQ(FromFirst(99.0), 99.0);
}

TEST(Replicas, ASharedRoomIsFoundByItsBytesAsLongAsItLives) {
  const char bytes[100] = {};
  {
    const SharedRoom room(bytes + 10, 50);
    EXPECT_EQ(SharedRoom::Find(bytes + 10, 50), &room);
    EXPECT_EQ(SharedRoom::Find(bytes + 59, 1), &room);
    EXPECT_EQ(SharedRoom::Find(bytes + 9, 10), nullptr);
    EXPECT_EQ(SharedRoom::Find(bytes + 50, 11), nullptr);
  }
  EXPECT_EQ(SharedRoom::Find(bytes + 10, 50), nullptr);
}

TEST(Replicas, HostsAreToldApart) {
  EXPECT_TRUE(*AreOnOneHost());
  OneOfTwo second;
  second.first_says = absl::StrCat(HashOfHost());
  EXPECT_TRUE(*AreOnOneHost());
  second.first_says = absl::StrCat(HashOfHost() + 1);
  EXPECT_FALSE(*AreOnOneHost());
}

TEST(Replicas, WhatTheOthersWriteGoesNowhere) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "of_two";
  std::ofstream(path) << "the first one's";
  {
    const OneOfTwo second;
    ASSERT_TRUE(WriteFile(path, "the second one's").ok());
  }
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            "the first one's");
}

// The first one's file is there: the second one maps it too.
TEST(Replicas, AFileThatAllOpenIsTheFirstOnes) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "temporary";
  std::ofstream(path) << "elements";
  OneOfTwo second;
  second.first_says = "0 ";
  // It is a file that others can map, and has this name.
  second.said = {"regular", "", path.string()};
  auto file = OutputFile::OpenByAll("out.npy");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->IsRegular());
  EXPECT_EQ(std::filesystem::file_size(path), 8);
  ASSERT_EQ(pwrite(file->descriptor(), "E", 1, 0), 1);
  ASSERT_TRUE(file->Write("nothing").ok());
  ASSERT_TRUE(file->Commit().ok());
  std::ifstream now(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(now), {}), "Elements");

  second.first_says = "3 cannot write out.npy";
  const absl::Status failed = OutputFile::OpenByAll("out.npy").status();
  EXPECT_EQ(failed.message(), "cannot write out.npy");
  second.first_says = "0 ";
  second.said = {"regular", "", path.string() + ".elsewhere"};
  EXPECT_EQ(OutputFile::OpenByAll("out.npy").status().message(),
            "cannot write out.npy: rank 1 does not see the file of the first: "
            "No such file or directory");
}

// Which file a descriptor is of.
ino_t FileOf(int descriptor) {
  struct stat facts = {};
  EXPECT_EQ(fstat(descriptor, &facts), 0);
  return facts.st_ino;
}

TEST(Replicas, AFileWithoutANameIsOpenedWhereTheFirstHasIt) {
  const std::string path = testing::TempDir() + "/of_all.npy";
  auto first = std::make_unique<OneOfTwo>(/*index=*/0);
  first->first_says = "0 ";
  const auto of_first = OutputFile::OpenByAll(path);
  ASSERT_TRUE(of_first.ok()) << of_first.status();
  const std::vector<std::string> said = first->said;
  if (said.size() != 2 || said[1].empty()) {
    GTEST_SKIP() << "no files without a name here";
  }
  first.reset();
  OneOfTwo second;
  second.first_says = "0 ";
  second.said = said;
  const auto of_second = OutputFile::OpenByAll(path);
  ASSERT_TRUE(of_second.ok()) << of_second.status();
  EXPECT_TRUE(of_second->IsRegular());
  EXPECT_EQ(FileOf(of_second->descriptor()), FileOf(of_first->descriptor()));

  // The same process and descriptor on another host, and another file.
  std::ofstream(path) << "named";
  for (const std::string& other : {said[1] + "0", said[1].substr(1)}) {
    second.said = {said[0], other, path};
    const auto elsewhere = OutputFile::OpenByAll(path);
    ASSERT_TRUE(elsewhere.ok()) << elsewhere.status();
    EXPECT_NE(FileOf(elsewhere->descriptor()), FileOf(of_first->descriptor()));
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace concord
