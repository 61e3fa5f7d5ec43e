// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_PTX_WRITER_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_PTX_WRITER_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace concord::spliced {

// Kinds of registers. PTX lets every instruction on 32 or 64 bits use those
// without a type, so values of all types travel in them, and nothing is moved
// from one to another.
enum class Register { kPredicate, kWord, kLong };

// Instructions of a block of PTX, with registers and labels of its own, that
// may stand anywhere in a kernel, any number of times.
//
// Example:
//   PtxWriter ptx;
//   const std::string sum = ptx.New(Register::kWord);
//   ptx.Line("add.s32 ", sum, ", ", x, ", ", y);
//   ptx.Block();  // "{\n.reg .b32 cw<1>;\nadd.s32 cw0, ...;\n}\n"
class PtxWriter {
 public:
  // The name of a new register.
  std::string New(Register kind) {
    static constexpr const char* kPrefixes[] = {"cp", "cw", "cd"};
    const int k = static_cast<int>(kind);
    return absl::StrCat(kPrefixes[k], counts_[k]++);
  }
  std::string NewLabel() { return absl::StrCat("cl", labels_++); }

  // One instruction, without its semicolon.
  template <typename... Parts>
  void Line(const Parts&... parts) {
    absl::StrAppend(&body_, parts..., ";\n");
  }
  // Instructions that stand in a block of their own there.
  void Nested(absl::string_view block) { absl::StrAppend(&body_, block); }
  void Label(absl::string_view label) { absl::StrAppend(&body_, label, ":\n"); }

  // What `instruction` gives: "add.s32", then a new register of this kind, then
  // the operands.
  template <typename... Operands>
  std::string Let(Register kind, absl::string_view instruction,
                  const Operands&... operands) {
    const std::string result = New(kind);
    absl::StrAppend(&body_, instruction, " ", result);
    (absl::StrAppend(&body_, ", ", operands), ...);
    absl::StrAppend(&body_, ";\n");
    return result;
  }

  // Everything so far.
  std::string Block() const {
    static constexpr const char* kDeclarations[] = {
        ".reg .pred cp<", ".reg .b32 cw<", ".reg .b64 cd<"};
    std::string block = "{\n";
    for (int k = 0; k < 3; ++k) {
      if (counts_[k] == 0) continue;
      absl::StrAppend(&block, kDeclarations[k], counts_[k], ">;\n");
    }
    absl::StrAppend(&block, body_, "}\n");
    return block;
  }

 private:
  std::string body_;
  int counts_[3] = {0, 0, 0};
  int labels_ = 0;
};

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_PTX_WRITER_H_
