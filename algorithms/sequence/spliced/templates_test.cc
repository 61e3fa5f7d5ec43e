// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/spliced/templates.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/spliced/ptx_operations.h"
#include "concord/backends/cuda/spliced/spliced_module.h"
#include "concord/core/expression/operator.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/random_function.h"
#include "concord/core/expression/random_operator.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Type;
using spliced::PassFunctions;
using spliced::PassTemplate;

const std::vector<std::string>& Names() {
  static const auto* const kNames = new std::vector<std::string>{
      "map_1",       "map_4",       "filter",    "pipelined_filter",
      "reduce_1x32", "reduce_1x64", "fold_1x32", "pipelined_scan",
      "fold_2x32",   "fold_4x32",   "fold_8x32", "fold_1x64",
      "fold_2x64",   "fold_4x64",   "fold_8x64", "scan_1x32",
      "scan_2x32",   "scan_4x32",   "scan_8x32", "scan_1x64",
      "scan_2x64",   "scan_4x64",   "scan_8x64"};
  return *kNames;
}

spliced::PtxText TextOf(const std::string& name) {
  return absl::StartsWith(name, "pipelined") ? TemplateText90(name)
                                             : TemplateText(name);
}

bool HasTemplates() { return !TemplateText("map_1").ptx.empty(); }

PassTemplate TemplateOf(const std::string& name) {
  return {name, TextOf(name), absl::EndsWith(name, "64")};
}

// How often each place stands in a template.
std::map<std::string, int> PlacesOf(const std::string& name) {
  std::map<std::string, int> places;
  EXPECT_TRUE(
      spliced::Splice(TextOf(name).ptx, [&](const spliced::Place& place) {
        ++places[place.name];
        return std::string();
      }).ok());
  return places;
}

TEST(Templates, HaveTheirPlaces) {
  if (!HasTemplates()) GTEST_SKIP() << "built without CUDA";
  for (const std::string& name : Names()) {
    SCOPED_TRACE(name);
    const std::map<std::string, int> places = PlacesOf(name);
    std::vector<std::string> wanted = {"map", "map_one"};
    if (absl::StartsWith(name, "reduce")) {
      wanted = {"combine", "identity", "load", "store"};
    } else if (absl::StartsWith(name, "fold")) {
      wanted = {"begin", "begin_one", "combine", "fetch",
                "step",  "step_one",  "store"};
    } else if (absl::StartsWith(name, "scan")) {
      wanted = {"begin_group", "begin_one", "combine",
                "identity",    "store_at",  "store_group"};
    } else if (name == "filter") {
      wanted = {"keep", "put"};
    } else if (name == "pipelined_filter") {
      wanted = {"filter"};
    } else if (name == "pipelined_scan") {
      wanted = {"apply", "combine", "finish", "identity"};
    }
    std::vector<std::string> given;
    for (const auto& [place, count] : places) given.push_back(place);
    EXPECT_EQ(given, wanted);
    // nvcc makes copies of code; each is one more that the driver compiles.
    for (const auto& [place, count] : places) EXPECT_LE(count, 500) << place;
  }
}

// Constants behind an element go into the loads of their rows. nvcc makes other
// sums of it, given the chance, which cost an address for each row.
TEST(Templates, HaveRowsOfASumBehindTheFirst) {
  if (!HasTemplates()) GTEST_SKIP() << "built without CUDA";
  for (const char* name : {"reduce_1x32", "reduce_1x64"}) {
    std::string first;
    const auto note = [&](const spliced::Place& place) {
      const bool loads_vector =
          place.name == "load" && place.operands.size() > 2;
      if (loads_vector && first.empty()) first = place.operands.back();
      return std::string();
    };
    EXPECT_TRUE(spliced::Splice(TextOf(name).ptx, note).ok());
    const int row = absl::EndsWith(name, "64") ? 64 : 128;
    for (int k = 1; k < 8; ++k) {
      const std::string behind = absl::StrCat(", ", first, ", ", k * row, ";");
      EXPECT_TRUE(absl::StrContains(TextOf(name).ptx, behind)) << behind;
    }
  }
}

TEST(Templates, AreAbsentByOtherNames) {
  EXPECT_EQ(TemplateText("mop").ptx, "");
  EXPECT_EQ(TemplateText("mop").sha256, "");
}

// Keys of the cache have it in place of the text.
TEST(Templates, HaveHashesOfTheirOwn) {
  if (!HasTemplates()) GTEST_SKIP() << "built without CUDA";
  std::set<absl::string_view> hashes;
  for (const std::string& name : Names()) {
    EXPECT_EQ(TextOf(name).sha256.size(), 64) << name;
    hashes.insert(TextOf(name).sha256);
  }
  EXPECT_EQ(hashes.size(), Names().size());
}

// Whether ptxas takes the template with these functions.
void ExpectAssembles(const std::string& name, const PassFunctions& functions) {
  SCOPED_TRACE(absl::StrCat(name, "\n", functions.Canonical()));
  const absl::StatusOr<std::string> ptx =
      spliced::SplicePass(TemplateOf(name), functions);
  ASSERT_TRUE(ptx.ok()) << ptx.status();
  const std::string path = ::testing::TempDir() + "/spliced.ptx";
  std::ofstream(path) << *ptx;
  const std::string command = absl::StrCat(
      "PATH=$PATH:/usr/local/cuda/bin ptxas -arch=sm_90 -O1 -o /dev/null ",
      path, " 2>&1 | head -n 20 | tee ", path, ".log >&2; test ! -s ", path,
      ".log");
  EXPECT_EQ(std::system(command.c_str()), 0) << path;
}

TEST(Templates, AssembleWithRandomFunctions) {
  if (!HasTemplates()) GTEST_SKIP() << "built without CUDA";
  if (std::system("PATH=$PATH:/usr/local/cuda/bin command -v ptxas "
                  "> /dev/null") != 0) {
    GTEST_SKIP() << "there is no ptxas";
  }
  for (int seed = 0; seed < 20; ++seed) {
    expression::RandomFunctionShape shape;
    shape.parameters = 1 + seed % 5;
    shape.results = 1 + seed % 3;
    ExpectAssembles(seed % 2 == 0 ? "map_1" : "map_4",
                    {expression::RandomFunction(seed, shape)});
  }
  for (const char* filter : {"x > 0", "x < y", "y == y"}) {
    ExpectAssembles(
        "filter",
        {*expression::ParseFunction(
            absl::StrCat("(", filter, ", x, i, int8(y), t[i])"),
            {Type::kFloat64, Type::kFloat64}, {{"t", ElementType::kFloat64}})});
  }
  ExpectAssembles(
      "pipelined_filter",
      {*expression::ParseFunction("(x > 0, x * x + 1)", {Type::kInt32})});
  ExpectAssembles(
      "pipelined_scan",
      {*expression::ParseFunction("x * x + 1", {Type::kFloat32}),
       expression::Operator::Parse("max(a, b)", {Type::kFloat32})->function(),
       *expression::ParseFunction("int32(x) + int32(i)", {Type::kFloat32}),
       {0}});
  for (int seed = 0; seed < 24; ++seed) {
    const expression::Operator op = expression::RandomOperator(seed, 8);
    std::vector<Type> types = op.types();
    bool wide = false;
    for (Type type : types) wide |= BytesOf(type) == 8;
    std::size_t words = 1;
    while (words < types.size()) words *= 2;
    expression::Nodes nodes;
    for (std::size_t k = 0; k < types.size(); ++k) {
      nodes.nodes.push_back(
          {expression::Op::kParameter, types[k], -1, -1, -1, k});
      nodes.results.push_back(static_cast<int>(k));
    }
    PassFunctions functions{
        *Function::Create(expression::Scope::OfColumns(types), nodes),
        op.function()};
    for (const char* frame : {"fold_", "scan_"}) {
      ExpectAssembles(absl::StrCat(frame, words, "x", wide ? 64 : 32),
                      functions);
    }
    if (words > 1) continue;
    functions.identity = {1};
    ExpectAssembles(absl::StrCat("reduce_1x", wide ? 64 : 32), functions);
  }
}

}  // namespace
}  // namespace concord::sequence
