// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/nvrtc/compiled_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace concord::nvrtc {
namespace {

using expression::Type;
using ::testing::HasSubstr;

// As NVRTC writes it: x + 1, then what follows.
std::string Ptx(const std::string& end) {
  return absl::StrCat(
      "\n.version 9.0\n.target sm_80\n\n.visible .entry f()\n{\n"
      "\t.reg .b32 \t%r<3>;\n\n\t// begin inline asm\n"
      "\t//CONCORD argument %r1, 0\n\t// end inline asm\n"
      "\tadd.s32 \t%r2, %r1, 1;\n",
      end, "\n}\n\n");
}

absl::StatusOr<CompiledBody> Body(const std::string& ptx,
                                  Type type = Type::kInt32) {
  return CompiledBody::Of(ptx, "f", {type}, {type}, {});
}

TEST(CompiledBody, StandsInABlockOfItsOwn) {
  const auto body = Body(Ptx("\t//CONCORD result %r2, 0\n\tret;\n"));
  ASSERT_TRUE(body.ok()) << body.status();
  spliced::PtxWriter ptx;
  EXPECT_EQ(body->Emit(ptx, {"x"}, "i", "arguments"), spliced::Values{"cw0"});
  EXPECT_EQ(ptx.Block(),
            "{\n.reg .b32 cw<1>;\n{\n.reg .b32 \t%f_r<3>;\n"
            "mov.b32 %f_r1, x;\nadd.s32 \t%f_r2, %f_r1, 1;\n"
            "mov.b32 cw0, %f_r2;\n}\n}\n");
}

TEST(CompiledBody, BoolsArePredicatesOutside) {
  const auto body =
      Body(Ptx("\t//CONCORD result %r2, 0\n\tret;\n"), Type::kBool);
  ASSERT_TRUE(body.ok()) << body.status();
  spliced::PtxWriter ptx;
  EXPECT_EQ(body->Emit(ptx, {"p"}, "i", "arguments")[0].substr(0, 2), "cp");
  EXPECT_THAT(ptx.Block(), HasSubstr("selp.b32 cw0, 0x1, 0, p;"));
}

TEST(CompiledBody, RefusesWhatItDoesNotKnow) {
  const std::string result = "\t//CONCORD result %r2, 0\n";
  for (const std::string& end : {
           std::string("\tret;\n"),                               // no result
           std::string("\t//CONCORD result %r2, 1\n\tret;\n"),    // no such one
           result + "\t//CONCORD gather %r1, %rd1, 0\n\tret;\n",  // no tables
           result + "\t//CONCORD frob %r1, 0\n\tret;\n",  // no such place
           result + "\t@%p1 ret;\n\tret;\n", result + "\texit;\n"  // other ends
       }) {
    EXPECT_EQ(Body(Ptx(end)).status().code(), absl::StatusCode::kInternal)
        << end;
  }
  EXPECT_FALSE(Body("").ok());
  EXPECT_FALSE(Body("\n.visible .entry f()\n{\n").ok());
}

}  // namespace
}  // namespace concord::nvrtc
