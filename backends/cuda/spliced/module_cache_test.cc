// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/module_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace concord::spliced {
namespace {

std::string NewFolder() {
  std::string folder = ::testing::TempDir() + "/cacheXXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  return folder + "/concord";
}

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void Write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> names;
  DIR* const open = opendir(folder.c_str());
  while (const dirent* entry = readdir(open)) {
    if (entry->d_name[0] != '.' || absl::StartsWith(entry->d_name, ".w")) {
      names.push_back(entry->d_name);
    }
  }
  closedir(open);
  return names;
}

TEST(ModuleCache, FindsWhatWasStored) {
  const ModuleCache cache(NewFolder());
  EXPECT_EQ(cache.Find("key"), std::nullopt);
  ASSERT_TRUE(cache.Store("key", std::string("co\0de", 5)).ok());
  EXPECT_EQ(cache.Find("key"), std::string("co\0de", 5));
  ASSERT_TRUE(cache.Store("key", "other").ok());
  EXPECT_EQ(ModuleCache(cache.directory()).Find("key"), "other");
  EXPECT_EQ(FilesOf(cache.directory()).size(), 1);
}

TEST(ModuleCache, IsForItsOwnerAlone) {
  const ModuleCache cache(NewFolder());
  ASSERT_TRUE(cache.Store("key", "code").ok());
  struct stat status;
  ASSERT_EQ(stat(cache.directory().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(cache.PathOf("key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(ModuleCache, WhatOthersMayWriteIsAbsent) {
  const ModuleCache cache(NewFolder());
  ASSERT_TRUE(cache.Store("key", "code").ok());
  chmod(cache.PathOf("key").c_str(), 0622);
  EXPECT_EQ(cache.Find("key"), std::nullopt);
  chmod(cache.PathOf("key").c_str(), 0600);
  chmod(cache.directory().c_str(), 0777);
  EXPECT_EQ(cache.Find("key"), std::nullopt);
  EXPECT_FALSE(cache.Store("key", "code").ok());
  chmod(cache.directory().c_str(), 0700);
  EXPECT_EQ(cache.Find("key"), "code");
}

TEST(ModuleCache, AFileThatIsDamagedAnywhereIsAbsent) {
  const ModuleCache cache(NewFolder());
  ASSERT_TRUE(cache.Store("the key", "some code").ok());
  const std::string path = cache.PathOf("the key");
  const std::string whole = Content(path);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    for (int bit : {0, 7}) {
      std::string damaged = whole;
      damaged[k] = static_cast<char>(damaged[k] ^ (1 << bit));
      Write(path, damaged);
      EXPECT_EQ(cache.Find("the key"), std::nullopt) << "byte " << k;
    }
    Write(path, whole.substr(0, k));
    EXPECT_EQ(cache.Find("the key"), std::nullopt) << k << " bytes";
  }
  Write(path, whole + '\0');
  EXPECT_EQ(cache.Find("the key"), std::nullopt);
  Write(path, whole);
  EXPECT_EQ(cache.Find("the key"), "some code");
  Write(path, "");
  ASSERT_TRUE(cache.Store("the key", "some code").ok());
  EXPECT_EQ(cache.Find("the key"), "some code");
}

TEST(ModuleCache, TheNameOfAFileDecidesNothing) {
  const ModuleCache cache(NewFolder());
  ASSERT_TRUE(cache.Store("key", "code").ok());
  Write(cache.PathOf("hey"), Content(cache.PathOf("key")));
  chmod(cache.PathOf("hey").c_str(), 0600);
  EXPECT_EQ(cache.Find("hey"), std::nullopt);
}

TEST(ModuleCache, LinksAndFoldersAreAbsent) {
  const ModuleCache cache(NewFolder());
  ASSERT_TRUE(cache.Store("key", "code").ok());
  const std::string moved = cache.directory() + "/moved";
  ASSERT_EQ(rename(cache.PathOf("key").c_str(), moved.c_str()), 0);
  ASSERT_EQ(symlink(moved.c_str(), cache.PathOf("key").c_str()), 0);
  EXPECT_EQ(cache.Find("key"), std::nullopt);
  unlink(cache.PathOf("key").c_str());
  ASSERT_EQ(mkdir(cache.PathOf("key").c_str(), 0700), 0);
  EXPECT_EQ(cache.Find("key"), std::nullopt);
  EXPECT_FALSE(cache.Store("key", "code").ok());
}

TEST(ModuleCache, AFolderThatCannotBeMadeIsAnError) {
  const std::string file = NewFolder();
  Write(file, "a file");
  const ModuleCache cache(file + "/concord");
  EXPECT_EQ(cache.Find("key"), std::nullopt);
  const absl::Status status = cache.Store("key", "code");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
}

// While it lives, modes of files hold for root, too.
class PlainRights {
 public:
  PlainRights() {
    EXPECT_EQ(syscall(SYS_capget, &header_, before_), 0);
    __user_cap_data_struct plain[2] = {before_[0], before_[1]};
    plain[0].effective &= ~(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH);
    EXPECT_EQ(syscall(SYS_capset, &header_, plain), 0);
  }
  PlainRights(const PlainRights&) = delete;
  PlainRights& operator=(const PlainRights&) = delete;
  ~PlainRights() { EXPECT_EQ(syscall(SYS_capset, &header_, before_), 0); }

 private:
  __user_cap_header_struct header_ = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2];
};

std::string NewHome() {
  std::string home = ::testing::TempDir() + "/homeXXXXXX";
  EXPECT_NE(mkdtemp(home.data()), nullptr);
  return home;
}

TEST(ModuleCache, AFolderThatCannotBeWrittenIsOnlyRead) {
  const std::string home = NewHome();
  const PlainRights rights;
  const ModuleCache cache(home + "/concord");
  ASSERT_TRUE(cache.Store("key", "code").ok());
  ASSERT_EQ(chmod(cache.directory().c_str(), 0500), 0);
  EXPECT_EQ(cache.Store("other", "code").code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(cache.Find("key"), "code");
  EXPECT_EQ(cache.Find("other"), std::nullopt);
  EXPECT_EQ(FilesOf(cache.directory()).size(), 1);
  chmod(cache.directory().c_str(), 0700);
  unlink(cache.PathOf("key").c_str());
  EXPECT_EQ(rmdir(cache.directory().c_str()), 0);
  EXPECT_EQ(rmdir(home.c_str()), 0);
}

// $HOME may be there and be read-only: then there is no folder at all.
TEST(ModuleCache, AHomeThatCannotBeWrittenStaysAsItIs) {
  const std::string home = NewHome();
  const PlainRights rights;
  ASSERT_EQ(chmod(home.c_str(), 0500), 0);
  const ModuleCache cache(home + "/.cache/concord");
  const absl::Status status = cache.Store("key", "code");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message(),
            absl::StrCat("making ", home, "/.cache: Permission denied"));
  EXPECT_EQ(cache.Find("key"), std::nullopt);
  ASSERT_EQ(chmod(home.c_str(), 0700), 0);
  EXPECT_EQ(rmdir(home.c_str()), 0) << "something was written";
}

TEST(ModuleCache, NothingIsStoredWithoutAFolder) {
  const ModuleCache cache("");
  EXPECT_TRUE(cache.Store("key", "code").ok());
  EXPECT_EQ(cache.Find("key"), std::nullopt);
}

TEST(ModuleCache, WhatWasNotUsedForLongestIsRemovedFirst) {
  const ModuleCache cache(NewFolder(), /*most_bytes=*/1000);
  const std::string code(200, 'c');
  for (const char* key : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(cache.Store(key, code).ok());
    usleep(20000);  // file systems count in ticks
  }
  ASSERT_TRUE(cache.Find("a").has_value());
  usleep(20000);
  ASSERT_TRUE(cache.Store("e", code).ok());
  EXPECT_TRUE(cache.Find("a").has_value());
  EXPECT_FALSE(cache.Find("b").has_value());
  EXPECT_TRUE(cache.Find("c").has_value());
  EXPECT_TRUE(cache.Find("e").has_value());
}

TEST(ModuleCache, FilesThatNobodyWritesAnyMoreAreRemoved) {
  const ModuleCache cache(NewFolder());
  ASSERT_TRUE(cache.Store("key", "code").ok());
  const std::string old = cache.directory() + "/.writing-old";
  const std::string fresh = cache.directory() + "/.writing-new";
  Write(old, "half");
  Write(fresh, "half");
  const struct timespec times[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, old.c_str(), times, 0), 0);
  ASSERT_TRUE(cache.Store("key", "code").ok());
  EXPECT_NE(access(old.c_str(), F_OK), 0);
  EXPECT_EQ(access(fresh.c_str(), F_OK), 0);
}

std::string CodeOf(int k) { return std::string(100 + 37 * k, 'a' + k % 26); }

// Stores and finds 40 modules in turns; 0 if none is another than it should be.
int UseCache(const ModuleCache& cache, int seed) {
  for (int step = 0; step < 2000; ++step) {
    const int k = (step * 7 + seed * 13) % 40;
    const std::string key = absl::StrCat("key ", k);
    const std::optional<std::string> code = cache.Find(key);
    if (code.has_value() && *code != CodeOf(k)) return 1;
    if (!code.has_value() && !cache.Store(key, CodeOf(k)).ok()) return 2;
  }
  return 0;
}

TEST(ModuleCache, ProcessesShareAFolder) {
  // So small that they also remove each other's files.
  const ModuleCache cache(NewFolder(), /*most_bytes=*/20000);
  std::vector<pid_t> children;
  for (int seed = 0; seed < 4; ++seed) {
    children.push_back(fork());
    if (children.back() == 0) _exit(UseCache(cache, seed));
  }
  for (pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (const std::string& name : FilesOf(cache.directory())) {
    EXPECT_TRUE(absl::EndsWith(name, ".module")) << name;
  }
}

class Environment : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"CONCORD_CACHE", "XDG_CACHE_HOME", "HOME"}) {
      unsetenv(name);
    }
  }
};

TEST_F(Environment, WithoutAHomeNothingIsWritten) {
  const std::string here = NewHome();
  char before[PATH_MAX];
  ASSERT_NE(getcwd(before, sizeof(before)), nullptr);
  ASSERT_EQ(chdir(here.c_str()), 0);
  const ModuleCache cache = ModuleCache::FromEnvironment();
  EXPECT_TRUE(cache.Store("key", "code").ok());
  EXPECT_EQ(cache.Find("key"), std::nullopt);
  ASSERT_EQ(chdir(before), 0);
  EXPECT_EQ(rmdir(here.c_str()), 0) << "something was written";
}

TEST_F(Environment, SaysWhereTheCacheIs) {
  EXPECT_EQ(ModuleCache::FromEnvironment().directory(), "");
  setenv("HOME", "/home/x", 1);
  EXPECT_EQ(ModuleCache::FromEnvironment().directory(),
            "/home/x/.cache/concord");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(ModuleCache::FromEnvironment().directory(),
            "/home/x/.cache/concord");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(ModuleCache::FromEnvironment().directory(), "/cache/concord");
  setenv("CONCORD_CACHE", "/mine", 1);
  EXPECT_EQ(ModuleCache::FromEnvironment().directory(), "/mine");
  setenv("CONCORD_CACHE", "", 1);
  EXPECT_EQ(ModuleCache::FromEnvironment().directory(), "");
}

}  // namespace
}  // namespace concord::spliced
