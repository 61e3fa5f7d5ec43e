// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_OUTPUT_FILE_FIXTURE_H_
#define CONCORD_TESTING_SUPPORT_OUTPUT_FILE_FIXTURE_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace concord {

inline std::string Content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Tests of files that are written, each with a folder of its own.
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

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_OUTPUT_FILE_FIXTURE_H_
