// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/nvrtc/nvrtc_compiler.h"

#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/nvrtc/compiled_body.h"
#include "concord/backends/cuda/nvrtc/cpp_printer.h"
#include "concord/backends/cuda/nvrtc/printer_version.h"
#include "concord/backends/cuda/spliced/ptx_writer.h"
#include "concord/backends/cuda/spliced/splicer.h"
#include "concord/core/errors.h"
#include "concord/core/expression/function.h"

namespace concord::nvrtc {
namespace {

using expression::Function;
using expression::Type;
using spliced::Part;
using spliced::PassCode;
using spliced::PassFunctions;
using spliced::Values;

std::string NameOf(Part part) {
  return absl::StrCat("concord_part_", static_cast<int>(part));
}

absl::StatusOr<CompiledBody> BodyOf(absl::string_view ptx, Part part,
                                    const Function& function) {
  std::vector<Type> tables;
  for (const expression::Table& table : function.tables()) {
    tables.push_back(expression::ValueTypeOf(table.type));
  }
  return CompiledBody::Of(ptx, NameOf(part), function.ParameterTypes(),
                          function.ResultTypes(), std::move(tables));
}

class NvrtcCode : public PassCode {
 public:
  static absl::StatusOr<std::unique_ptr<PassCode>> Of(
      absl::string_view ptx, const PassFunctions& pass) {
    auto code = std::make_unique<NvrtcCode>();
    code->version_ = std::string(spliced::ValueOfDirective(ptx, ".version"));
    for (const Part part : spliced::kAllParts) {
      const std::optional<Function> function = PartOf(pass, part);
      if (!function.has_value()) continue;
      ASSIGN_OR_RETURN(code->bodies_[static_cast<std::size_t>(part)],
                       BodyOf(ptx, part, *function));
    }
    return code;
  }

  Values Emit(spliced::PtxWriter& ptx, Part part, const Values& arguments,
              const std::string& index,
              const std::string& kernel_arguments) const override {
    return bodies_[static_cast<std::size_t>(part)]->Emit(ptx, arguments, index,
                                                         kernel_arguments);
  }
  std::string PtxVersion() const override { return version_; }

 private:
  std::optional<CompiledBody> bodies_[std::size(spliced::kAllParts)];
  std::string version_;
};

}  // namespace

std::string CppOf(const PassFunctions& pass) {
  std::string text = CppPrelude();
  for (const Part part : spliced::kAllParts) {
    const std::optional<Function> function = PartOf(pass, part);
    if (!function.has_value()) continue;
    absl::StrAppend(&text, "\n", PrintAsCpp(*function, NameOf(part)));
  }
  return text;
}

absl::StatusOr<const NvrtcCompiler*> NvrtcCompiler::Get() {
  ASSIGN_OR_RETURN(const Nvrtc* const nvrtc, Nvrtc::Get());
  static const auto* const kCompiler = new NvrtcCompiler(nvrtc);
  return kCompiler;
}

std::string NvrtcCompiler::Name() const {
  return absl::StrCat("NVRTC ", nvrtc_->Version());
}

absl::string_view NvrtcCompiler::Version() const { return PrinterVersion(); }

absl::StatusOr<std::unique_ptr<PassCode>> NvrtcCompiler::Compile(
    const PassFunctions& pass, absl::string_view architecture) const {
  ASSIGN_OR_RETURN(const std::string ptx,
                   nvrtc_->Compile(CppOf(pass), architecture, "functions"));
  return NvrtcCode::Of(ptx, pass);
}

}  // namespace concord::nvrtc
