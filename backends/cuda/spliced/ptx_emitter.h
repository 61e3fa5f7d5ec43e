// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Functions of the user's (core/expression) as PTX, and the columns that they
// are applied to. All of it writes into a PtxWriter, and refers to the kernel's
// arguments (arguments.h) by the name of its first parameter.

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_PTX_EMITTER_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_PTX_EMITTER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/backends/cuda/spliced/ptx_writer.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/value_type.h"

namespace concord::spliced {

// Registers, each with a value (ptx_operations.h says how).
using Values = std::vector<std::string>;

// The function's results. `index`: a register of 64 bits, where the element
// stands; "" in operators, which do not ask for it. NaNs have any bits.
//
// A read outside a table gives 0 and is entered in arguments.outside, where the
// table has its place.
Values EmitFunction(PtxWriter& ptx, const expression::Function& function,
                    const Values& arguments, const std::string& index,
                    const std::string& kernel_arguments);

// Results of several elements are computed after all of them have been read.
class ColumnReader {
 public:
  // Of columns of these types, element `first` + `offset` and those after it,
  // `count` of them, at once where `in_vectors` (the address allows it).
  ColumnReader(PtxWriter& ptx, absl::Span<const expression::Type> types,
               const std::string& kernel_arguments, const std::string& first);

  // Element by element, their values.
  std::vector<Values> Read(int offset, int count, bool in_vectors);

 private:
  PtxWriter& ptx_;
  const std::vector<expression::Type> types_;
  // The address of element `first` of each column.
  std::vector<std::string> addresses_;
};

// The same for results, whose NaNs become the quiet NaN.
class ColumnWriter {
 public:
  ColumnWriter(PtxWriter& ptx, absl::Span<const expression::Type> types,
               const std::string& kernel_arguments, const std::string& first);

  void Write(int offset, absl::Span<const Values> elements, bool in_vectors);

 private:
  PtxWriter& ptx_;
  const std::vector<expression::Type> types_;
  std::vector<std::string> addresses_;
};

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_PTX_EMITTER_H_
