// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What reads sequences where there is no htslib.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/tensor_sketch/sequence_file.h"

namespace concord::tensor_sketch {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::string> ReadBack(const std::string& content) {
  const std::string path = absl::StrCat(testing::TempDir(), "/plain");
  std::ofstream(path, std::ios::binary) << content;
  absl::StatusOr<std::unique_ptr<SequenceFile>> file = OpenSequenceFile(path);
  if (!file.ok()) return file.status();
  std::string bytes;
  std::string buffer(SequenceFile::kBufferSize, '\0');
  while (true) {
    const absl::StatusOr<std::size_t> count = (*file)->Read(buffer.data());
    if (!count.ok()) return count.status();
    if (*count == 0) return bytes;
    bytes += buffer.substr(0, *count);
  }
}

TEST(SequenceFilePlainTest, GivesAllBytes) {
  EXPECT_EQ(*ReadBack(""), "");
  std::string content(SequenceFile::kBufferSize * 2 + 3, 'A');
  content[SequenceFile::kBufferSize] = '\x1f';
  content[SequenceFile::kBufferSize + 1] = '\x8b';
  EXPECT_EQ(*ReadBack(content), content);
}

TEST(SequenceFilePlainTest, SaysThatItReadsNoCompressedFile) {
  const absl::Status status = ReadBack("\x1f\x8b\x08").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("/plain: is compressed, and this program was built "
                        "without htslib; decompress the file first"));
}

TEST(SequenceFilePlainTest, SaysWhatCannotBeOpened) {
  EXPECT_EQ(OpenSequenceFile("/nowhere").status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace concord::tensor_sketch
