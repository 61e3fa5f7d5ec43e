// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/assembling.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/spliced/ptx_operations.h"
#include "concord/core/expression/parser.h"

namespace concord::spliced {

using expression::Type;

std::string KernelOf(int number, const std::vector<std::string>& places) {
  std::string kernel = absl::StrCat(
      ".visible .entry k", number, "(.param .align 8 .b8 k", number,
      "_param_0[", sizeof(Arguments), "])\n{\n",
      ".reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n", "mov.b64 %rd0, 0;\n");
  for (const std::string& place : places) {
    absl::StrAppend(&kernel, "//CONCORD ", place, "\n");
  }
  return kernel + "ret;\n}\n";
}

std::vector<PlacesOfPass> EveryPlace() {
  const auto parsed = [](const std::string& text,
                         const std::vector<Type>& types) {
    return *expression::ParseFunction(text, types);
  };
  std::vector<PlacesOfPass> all;
  for (Type type : expression::AllTypes()) {
    const std::string sum = type == Type::kBool ? "a ^ b" : "max(a, b)";
    PassFunctions pass{parsed("x == y ? x : y", {type, type})};
    pass.op = parsed("a, b -> " + sum, {type, type});
    pass.epilogue = parsed("(x, int8(x), bool(x))", {type});
    pass.identity = {0};
    all.push_back(
        {pass,
         true,
         {"map %rd0, 2, 1024", "map_one %rd0", "load %rd1, %rd2, %rd0",
          "load %rd1, %rd0", "identity %rd4", "combine %rd4, %rd1, %rd2",
          "fetch %r1, %rd0, %r2, %r3", "begin %rd4, %rd5, %r1, %r2, %rd0",
          "step %rd4, %rd5, %r1, %r2, %rd0", "step_one %rd4, %rd5, %rd0",
          "begin_one %rd4, %rd0", "store %rd4", "store_at %rd4, %rd0",
          "begin_group %rd1, %rd2, %rd3, %rd4, %rd0, 2",
          "store_group %rd1, %rd2, %rd0, 2"}});
    if (BytesOf(type) == 8) continue;
    all.push_back(
        {pass,
         false,
         {"load %r1, %r2, %r3, %r4, %rd0", "identity %r4",
          "combine %r4, %r5, %r1, %r2, %r3, %r4",
          "begin %r4, %r5, %r1, %r2, %rd0", "step %r4, %r5, %r1, %r2, %rd0",
          "store %r4", "store_at %r4, %rd0",
          "begin_group %r1, %r2, %r3, %r4, %rd0, 4",
          "store_group %r1, %r2, %r3, %r4, %rd0, 4"}});
  }
  all.push_back(
      {{parsed("(x > 3, x, int8(y))", {Type::kInt32, Type::kFloat64})},
       false,
       {"keep %r1, %rd0, 32", "keep %r1, %r2, %r3, %r4, %rd0, 32",
        "put %rd1, %rd0, 32", "put %rd1, %rd2, %rd3, %rd0, 32"}});
  for (const char* text : {"(x > 3, x * 2)", "(x < 0, float32(i))"}) {
    all.push_back({{parsed(text, {Type::kInt32})},
                   false,
                   {"filter %r1, %r2, %r3, %r4, %r5, %rd0"}});
  }
  PassFunctions scan{parsed("x * 2 + int32(i)", {Type::kInt32})};
  for (const char* text : {"", "x + 1", "float32(x) + float32(i)"}) {
    if (*text != 0) scan.epilogue = parsed(text, {Type::kInt32});
    all.push_back({scan,
                   false,
                   {"apply %r1, %r2, %r3, %r4, %rd0",
                    "finish %r1, %r2, %r3, %r4, %rd0"}});
  }
  return all;
}

bool HasPtxas() {
  return std::system(
             "PATH=$PATH:/usr/local/cuda/bin command -v ptxas "
             "> /dev/null") == 0;
}

void ExpectAssembles(const std::string& ptx) {
  const std::string path = ::testing::TempDir() + "/functions.ptx";
  std::ofstream(path) << ptx;
  const std::string command = absl::StrCat(
      "PATH=$PATH:/usr/local/cuda/bin ptxas -arch=sm_90 -O0 -o /dev/null ",
      path, " 2>&1 | head -n 20 | tee ", path, ".log >&2; test ! -s ", path,
      ".log");
  EXPECT_EQ(std::system(command.c_str()), 0) << path;
}

}  // namespace concord::spliced
