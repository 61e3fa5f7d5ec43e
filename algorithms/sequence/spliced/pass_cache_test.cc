// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/algorithms/sequence/spliced/pass_testing.h"
#include "concord/backends/cuda/nvrtc/nvrtc_compiler.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/parser.h"
#include "concord/testing/support/program.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Type;
using spliced::SplicedModule;

class PassCache : public SplicedPassTest {
 protected:
  // Where the kernels of a map came from, whose results are checked.
  SplicedModule::Origin OriginOfMap(const spliced::Compilation& how = {}) {
    constexpr std::int64_t kSize = 5000;
    const MirroredColumns in =
        RandomMirroredColumns(*backend_, 3, {Type::kInt32}, kSize);
    const MirroredColumns out =
        RandomMirroredColumns(*backend_, 4, {Type::kInt32}, kSize);
    EXPECT_TRUE(expression::EvaluateColumns(function_, kSize, in.host_views, {},
                                            out.host_outputs)
                    .ok());
    SplicedPass pass = *SplicedPass::Map(backend_, function_, how);
    EXPECT_TRUE(pass.Run(kSize, in.device_views, {}, out.device_outputs).ok());
    ExpectEqualColumns(*backend_, function_, out, out);
    return pass.origin();
  }

  const Function function_ =
      *expression::ParseFunction("x * 5 + 3", {Type::kInt32});
};

TEST_F(PassCache, ModulesAreKeptInMemoryAndOnDisk) {
  EXPECT_EQ(OriginOfMap(), SplicedModule::Origin::kCompiler);
  EXPECT_EQ(OriginOfMap(), SplicedModule::Origin::kMemory);
  SplicedModule::ForgetAll();
  EXPECT_EQ(OriginOfMap(), SplicedModule::Origin::kDisk);

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
  EXPECT_EQ(OriginOfMap(), SplicedModule::Origin::kCompiler);
  setenv("CONCORD_CACHE", "", 1);
  SplicedModule::ForgetAll();
  EXPECT_EQ(OriginOfMap(), SplicedModule::Origin::kCompiler);
  SplicedModule::ForgetAll();
  EXPECT_EQ(OriginOfMap(), SplicedModule::Origin::kCompiler);
}

// The same function by another compiler is another module.
TEST_F(PassCache, CompilersHaveModulesOfTheirOwn) {
  const auto nvrtc = nvrtc::NvrtcCompiler::Get();
  if (!nvrtc.ok()) return SkipOrFail("nvrtc", nvrtc.status().message());
  using spliced::Compiling;
  const spliced::Compilation by_nvrtc = {Compiling::kIfNeeded, *nvrtc};
  EXPECT_EQ(OriginOfMap(), SplicedModule::Origin::kCompiler);
  EXPECT_EQ(SplicedPass::Map(backend_, function_, {Compiling::kNever, *nvrtc})
                .status()
                .code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(OriginOfMap(by_nvrtc), SplicedModule::Origin::kCompiler);
  EXPECT_EQ(OriginOfMap(by_nvrtc), SplicedModule::Origin::kMemory);
  EXPECT_EQ(OriginOfMap(), SplicedModule::Origin::kMemory);
  SplicedModule::ForgetAll();
  EXPECT_EQ(OriginOfMap(by_nvrtc), SplicedModule::Origin::kDisk);
  EXPECT_EQ(OriginOfMap(), SplicedModule::Origin::kDisk);
}

}  // namespace
}  // namespace concord::sequence
