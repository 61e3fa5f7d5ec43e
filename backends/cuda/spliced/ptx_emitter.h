// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Functions of the user's (core/expression) as PTX, and the columns that they
// are applied to. All of it writes into a PtxWriter, and refers to the kernel's
// arguments (arguments.h) by the name of its first parameter.

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_PTX_EMITTER_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_PTX_EMITTER_H_

#include <cstddef>
#include <string>
#include <utility>
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

// A kGather of that element: what EmitFunction does for it.
std::string EmitGather(PtxWriter& ptx, const expression::Node& node,
                       const std::string& index, const std::string& element,
                       const std::string& kernel_arguments);

// The address in global memory of element `first` of column `k`, whose elements
// have so many bytes.
std::string EmitColumnAddress(PtxWriter& ptx,
                              const std::string& kernel_arguments,
                              std::size_t k, int bytes,
                              const std::string& first);

// Results of several elements are computed after all of them have been read.
class ColumnReader {
 public:
  // Of columns of these types, from element `first` on.
  ColumnReader(PtxWriter& ptx, absl::Span<const expression::Type> types,
               const std::string& kernel_arguments, const std::string& first);

  // Of a piece of a row that is at `piece` in shared memory (row_pieces.h),
  // from its element `first` on, a register of 32 bits.
  static ColumnReader OfPiece(PtxWriter& ptx,
                              absl::Span<const expression::Type> types,
                              const std::string& piece,
                              const std::string& first);

  // Element by element, the values of `count` elements from number `offset` on;
  // read at once where `in_vectors` (the address allows it).
  std::vector<Values> Read(int offset, int count, bool in_vectors);

 private:
  ColumnReader(PtxWriter& ptx, absl::Span<const expression::Type> types,
               const char* load, std::vector<std::string> addresses)
      : ptx_(ptx),
        types_(types.begin(), types.end()),
        load_(load),
        addresses_(std::move(addresses)) {}

  PtxWriter& ptx_;
  const std::vector<expression::Type> types_;
  const char* const load_;
  // Of element `first` of each column.
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
