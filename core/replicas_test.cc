// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/replicas.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "concord/core/output_file.h"

namespace concord {
namespace {

// The second of two replicas, whose first says what the test wants.
class SecondOfTwo : public Replicas {
 public:
  SecondOfTwo() { RegisterReplicas(this); }
  ~SecondOfTwo() override { RegisterReplicas(nullptr); }

  int count() const override { return 2; }
  int index() const override { return 1; }
  absl::StatusOr<std::string> FromFirst(const std::string&) override {
    return first_says;
  }
  absl::Status Agree(const absl::Status& mine) override {
    return first_fails.ok() ? mine : first_fails;
  }
  absl::StatusOr<std::vector<std::string>> FromAll(
      const std::string& mine) override {
    return std::vector<std::string>{*first_says, mine};
  }
  bool IsSharedOut(Memory memory) const override {
    return memory == Memory("shared");
  }
  std::pair<std::int64_t, std::int64_t> ElementsHere(
      const ConstArrayView& array) const override {
    return {array.size() / 2, array.size()};
  }

  absl::StatusOr<std::string> first_says = std::string();
  absl::Status first_fails;
};

TEST(Replicas, AProcessAloneDecidesByItself) {
  EXPECT_EQ(ReplicaCount(), 1);
  EXPECT_TRUE(IsFirstReplica());
  EXPECT_EQ(FromFirst(2.5), 2.5);
  EXPECT_EQ(*FromFirst(std::string("me")), "me");
  EXPECT_EQ(AgreeAmongReplicas(absl::InternalError("no")),
            absl::InternalError("no"));
}

TEST(Replicas, TheFirstOneDecidesForTheOthers) {
  SecondOfTwo second;
  const double seconds = 1.5;
  second.first_says = std::string(sizeof(seconds), '\0');
  std::memcpy(second.first_says->data(), &seconds, sizeof(seconds));
  EXPECT_EQ(FromFirst(99.0), 1.5);
  second.first_fails = absl::InternalError("there");
  EXPECT_EQ(AgreeAmongReplicas(absl::OkStatus()), absl::InternalError("there"));
}

TEST(Replicas, AFailureOfAllNamesNoReplica) {
  EXPECT_FALSE(IsFailureOfAll(AgreeAsOne(absl::InternalError("mine"))));
  SecondOfTwo second;
  second.first_says = "0 ";
  EXPECT_EQ(AgreeAsOne(absl::OkStatus()), absl::OkStatus());
  const absl::Status mine = AgreeAsOne(absl::NotFoundError("no file"));
  EXPECT_EQ(mine.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(mine.message(), "no file");
  EXPECT_TRUE(IsFailureOfAll(mine));
  // That of the lowest replica counts.
  second.first_says = "3 line 7: a b";
  const absl::Status first = AgreeAsOne(absl::NotFoundError("no file"));
  EXPECT_EQ(first.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(first.message(), "line 7: a b");
  EXPECT_FALSE(IsFailureOfAll(absl::NotFoundError("no file")));
}

TEST(Replicas, ArraysOfAMemoryThatIsSharedOutAreHereInPart) {
  using Part = std::pair<std::int64_t, std::int64_t>;
  double numbers[6];
  const ConstArrayView array(numbers, 6, Memory("shared"));
  EXPECT_EQ(ElementsHere(array), Part(0, 6));
  SecondOfTwo second;
  EXPECT_EQ(ElementsHere(array), Part(3, 6));
  EXPECT_EQ(ElementsHere(ConstArrayView(numbers, 6, Memory::Host())),
            Part(0, 6));
}

TEST(Replicas, WithoutTheOthersOneDecidesByItself) {
  SecondOfTwo second;
  second.first_says = absl::DeadlineExceededError("gone");
  EXPECT_EQ(FromFirst(99.0), 99.0);
}

TEST(Replicas, ASharedRoomHoldsItsBytesAsLongAsItLives) {
  const char bytes[100] = {};
  {
    const SharedRoom room(bytes + 10, 50);
    EXPECT_TRUE(SharedRoom::Holds(bytes + 10, 50));
    EXPECT_TRUE(SharedRoom::Holds(bytes + 59, 1));
    EXPECT_FALSE(SharedRoom::Holds(bytes + 9, 10));
    EXPECT_FALSE(SharedRoom::Holds(bytes + 50, 11));
  }
  EXPECT_FALSE(SharedRoom::Holds(bytes + 10, 50));
}

TEST(Replicas, WhatTheOthersWriteGoesNowhere) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "of_two";
  std::ofstream(path) << "the first one's";
  {
    const SecondOfTwo second;
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
  SecondOfTwo second;
  second.first_says = path.string();
  auto file = OutputFile::OpenByAll("out.npy");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->IsRegular());
  EXPECT_EQ(std::filesystem::file_size(path), 8);
  ASSERT_TRUE(file->Write("E").ok());
  ASSERT_TRUE(file->Commit().ok());
  std::ifstream now(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(now), {}), "Elements");

  second.first_fails = absl::InvalidArgumentError("cannot write out.npy");
  EXPECT_EQ(OutputFile::OpenByAll("out.npy").status(), second.first_fails);
}

}  // namespace
}  // namespace concord
