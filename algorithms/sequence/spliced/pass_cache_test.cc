// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/algorithms/sequence/spliced/pass_testing.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/parser.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Type;
using spliced::SplicedModule;
using PassCache = SplicedPassTest;

TEST_F(PassCache, ModulesAreKeptInMemoryAndOnDisk) {
  if (backend_ == nullptr) return;
  const Columns in = RandomColumns(*backend_, 3, {Type::kInt32}, 5000);
  const Columns out = RandomColumns(*backend_, 4, {Type::kInt32}, 5000);
  const Function function =
      *expression::ParseFunction("x * 5 + 3", {Type::kInt32});
  ASSERT_TRUE(expression::EvaluateColumns(function, 5000, in.host_views, {},
                                          out.host_outputs)
                  .ok());
  const auto origin = [&] {
    SplicedPass pass = *SplicedPass::Map(backend_, function);
    EXPECT_TRUE(pass.Run(5000, in.device_views, {}, out.device_outputs).ok());
    ExpectEqualColumns(*backend_, function, out, out);
    return pass.origin();
  };
  EXPECT_EQ(origin(), SplicedModule::Origin::kCompiler);
  EXPECT_EQ(origin(), SplicedModule::Origin::kMemory);
  SplicedModule::ForgetAll();
  EXPECT_EQ(origin(), SplicedModule::Origin::kDisk);

  // Every file damaged.
  DIR* const open = opendir(folder_.c_str());
  while (const dirent* entry = readdir(open)) {
    const std::string path = folder_ + "/" + entry->d_name;
    struct stat status;
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(status.st_size / 2);
    file.put('\x5a');
    file.put('\xa5');
  }
  closedir(open);
  SplicedModule::ForgetAll();
  EXPECT_EQ(origin(), SplicedModule::Origin::kCompiler);
  setenv("CONCORD_CACHE", "", 1);
  SplicedModule::ForgetAll();
  EXPECT_EQ(origin(), SplicedModule::Origin::kCompiler);
  SplicedModule::ForgetAll();
  EXPECT_EQ(origin(), SplicedModule::Origin::kCompiler);
}

}  // namespace
}  // namespace concord::sequence
