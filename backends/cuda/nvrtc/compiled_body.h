// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_NVRTC_COMPILED_BODY_H_
#define CONCORD_BACKENDS_CUDA_NVRTC_COMPILED_BODY_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/spliced/ptx_emitter.h"
#include "concord/backends/cuda/spliced/ptx_writer.h"
#include "concord/backends/cuda/spliced/splicer.h"
#include "concord/core/expression/value_type.h"

namespace concord::nvrtc {

// What a compiler has made of a function that was printed as CUDA C++
// (cpp_printer.h): instructions that can stand in another kernel, any number of
// times, with places where values come and go.
class CompiledBody {
 public:
  // The kernel of that name in a PTX text. Internal: there is none, or it is
  // not what printed functions are compiled to.
  static absl::StatusOr<CompiledBody> Of(
      absl::string_view ptx, absl::string_view kernel,
      std::vector<expression::Type> parameters,
      std::vector<expression::Type> results,
      std::vector<expression::Type> tables);

  // As spliced::EmitFunction.
  spliced::Values Emit(spliced::PtxWriter& ptx,
                       const spliced::Values& arguments,
                       const std::string& index,
                       const std::string& kernel_arguments) const;

 private:
  // An instruction or declaration, or a place.
  struct Line {
    std::string text;
    std::optional<spliced::Place> place = std::nullopt;
    // Of the place: which argument, table or result.
    int number = 0;
  };

  CompiledBody(std::vector<expression::Type> parameters,
               std::vector<expression::Type> results,
               std::vector<expression::Type> tables)
      : parameters_(std::move(parameters)),
        results_(std::move(results)),
        tables_(std::move(tables)) {}

  absl::Status Add(absl::string_view line);
  absl::Status AddPlace(absl::string_view text);

  std::vector<expression::Type> parameters_, results_, tables_;
  std::vector<Line> lines_;
};

}  // namespace concord::nvrtc

#endif  // CONCORD_BACKENDS_CUDA_NVRTC_COMPILED_BODY_H_
