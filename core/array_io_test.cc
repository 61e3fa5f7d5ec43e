// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/array_io.h"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::HasSubstr;

std::string Refusal(absl::string_view content,
                    std::optional<ElementType> type = std::nullopt) {
  absl::StatusOr<HostArray> array = ParseArray(content, "numbers.txt", type);
  EXPECT_FALSE(array.ok()) << content;
  EXPECT_EQ(array.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(array.status().message());
}

TEST(ArrayIoTest, WholeNumbersAreInt64) {
  EXPECT_EQ(ParseArray(" 1 -2\n\t+3\r\n", "f").value(),
            HostArray::Of<std::int64_t>({1, -2, 3}));
}

TEST(ArrayIoTest, OtherNumbersAreFloat64) {
  EXPECT_EQ(ParseArray("1 2.5 -3e-2", "f").value(),
            HostArray::Of<double>({1, 2.5, -0.03}));
}

TEST(ArrayIoTest, TheTypeThatIsAskedForIsGiven) {
  EXPECT_EQ(ParseArray("1 255", "f", ElementType::kUInt8).value(),
            HostArray::Of<std::uint8_t>({1, 255}));
  EXPECT_EQ(ParseArray("1 0.5", "f", ElementType::kFloat32).value(),
            HostArray::Of<float>({1, 0.5}));
  EXPECT_EQ(
      ParseArray("18446744073709551615", "f", ElementType::kUInt64).value(),
      HostArray::Of<std::uint64_t>({18446744073709551615u}));
}

TEST(ArrayIoTest, MinusZeroIsANumberOfEveryType) {
  EXPECT_EQ(ParseArray("-0 -00", "f", ElementType::kUInt8).value(),
            HostArray::Of<std::uint8_t>({0, 0}));
  EXPECT_EQ(ParseArray("-0 -00", "f", ElementType::kUInt32).value(),
            HostArray::Of<std::uint32_t>({0, 0}));
  EXPECT_EQ(ParseArray("-0 -00", "f", ElementType::kUInt64).value(),
            HostArray::Of<std::uint64_t>({0, 0}));
}

TEST(ArrayIoTest, NoNumbersAreAnEmptyArray) {
  EXPECT_EQ(ParseArray("", "f").value(), HostArray(ElementType::kInt64, {0}));
  EXPECT_EQ(ParseArray(" \n", "f", ElementType::kFloat32).value(),
            HostArray(ElementType::kFloat32, {0}));
}

TEST(ArrayIoTest, TextErrorsNameFileLineAndWord) {
  EXPECT_EQ(Refusal("1\n2\nthree\n"),
            "numbers.txt: line 3: 'three' is not a number");
  EXPECT_EQ(Refusal("1 2.5", ElementType::kInt32),
            "numbers.txt: line 1: '2.5' is not a whole number, as int32 wants");
  EXPECT_EQ(Refusal("\n256", ElementType::kUInt8),
            "numbers.txt: line 2: '256' is out of range for uint8");
  EXPECT_EQ(Refusal("-1", ElementType::kUInt64),
            "numbers.txt: line 1: '-1' is out of range for uint64");
  EXPECT_EQ(Refusal("9223372036854775808"),
            "numbers.txt: line 1: '9223372036854775808' is out of range for "
            "int64");
  EXPECT_EQ(Refusal("1e39", ElementType::kFloat32),
            "numbers.txt: line 1: '1e39' is out of range for float32");
}

TEST(ArrayIoTest, BinaryContentIsNamedAsSuch) {
  EXPECT_THAT(Refusal("\x1f\x8b\x08"), HasSubstr("neither .npy nor text"));
  EXPECT_THAT(Refusal(absl::string_view("1 2\n\0\0\0\0", 8)),
              HasSubstr("neither .npy nor text: line 2"));
  EXPECT_LT(Refusal(std::string(100000, '\x80')).size(), 300u);
}

TEST(ArrayIoTest, InfinitiesNanAndTinyNumbersAreNumbers) {
  const HostArray array = ParseArray("inf -inf nan 1e-400 5e-324", "f").value();
  EXPECT_EQ(array.data<double>()[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(array.data<double>()[1], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(array.data<double>()[2]));
  EXPECT_EQ(array.data<double>()[3], 0);
  EXPECT_EQ(array.data<double>()[4], std::numeric_limits<double>::denorm_min());
}

TEST(ArrayIoTest, TextSurvivesTheRoundTrip) {
  const HostArray floats =
      HostArray::Of<float>({0.1f, -0.0f, std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::denorm_min(),
                            std::numeric_limits<float>::infinity()});
  EXPECT_EQ(ParseArray(FormatText(floats), "f", floats.type()).value(), floats);
  EXPECT_EQ(FormatText(HostArray::Of<std::int8_t>({-128, 65})), "-128\n65\n");
}

TEST(ArrayIoTest, TwoDimensionsAreARowOnEachLine) {
  HostArray array(ElementType::kInt32, {2, 3});
  for (int i = 0; i < 6; ++i) array.data<std::int32_t>()[i] = i;
  EXPECT_EQ(FormatText(array), "0 1 2\n3 4 5\n");
}

TEST(ArrayIoTest, FilesAreWrittenByTheirEndingAndReadByTheirContent) {
  const HostArray array = HostArray::Of<std::int64_t>({3, 1, 2});
  for (const char* name : {"array.npy", "array.txt"}) {
    const std::string path = ::testing::TempDir() + name;
    ASSERT_TRUE(WriteArray(path, array).ok());
    EXPECT_EQ(ReadArray(path).value(), array);
  }
}

TEST(ArrayIoTest, AFileCalledMinusIsNotReadForStandardInput) {
  const std::string folder = ::testing::TempDir() + "minus";
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/-")
      << FormatNpy(HostArray::Of<std::int64_t>({1, 2}));
  std::ofstream(folder + "/input") << "7\n";
  EXPECT_EXIT(
      {
        const int input = open((folder + "/input").c_str(), O_RDONLY);
        if (chdir(folder.c_str()) != 0 || dup2(input, STDIN_FILENO) < 0) {
          _exit(2);
        }
        const auto source = OpenArray("-");
        _exit(source.ok() && (*source)->shape().size() == 1 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(ArrayIoTest, AMissingFileIsNotFound) {
  const absl::Status status = ReadArray("/no/such/file").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(),
            "cannot read /no/such/file: No such file or directory");
}

TEST(ArrayIoTest, AFolderIsRefused) {
  const absl::Status status = ReadArray("/").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "cannot read /: Is a directory");
}

TEST(ArrayIoTest, AnEmptyFileCalledNpyIsRefused) {
  const std::string path = ::testing::TempDir() + "empty.npy";
  std::ofstream(path).close();
  EXPECT_THAT(ReadArray(path).status().message(), HasSubstr("empty"));
}

}  // namespace
}  // namespace concord
