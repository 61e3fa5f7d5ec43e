// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/row_pieces.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/spliced/ptx_emitter.h"
#include "concord/backends/cuda/spliced/ptx_operations.h"

namespace concord::spliced {
namespace {

using absl::StrCat;
using expression::Type;

constexpr int kLanes = 32;
constexpr int kVectorBytes = 16;
// With 128 threads, six blocks fill a multiprocessor of Hopper
// (backends/cuda/ordered_fold.cuh has the measurements).
constexpr int kUsualBytes = 256;

}  // namespace

RowPieces RowPieces::Of(absl::Span<const Type> columns) {
  int bytes = 0;
  int fewest = kFoldGroup;
  for (Type type : columns) {
    bytes += BytesOf(type);
    // Each column's part is whole vectors.
    while (fewest * BytesOf(type) < kVectorBytes) fewest *= 2;
  }
  RowPieces pieces;
  pieces.elements = kFoldRow;
  while (pieces.elements > fewest && pieces.elements * bytes > kUsualBytes) {
    pieces.elements /= 2;
  }
  int end = 0;
  for (Type type : columns) {
    pieces.offsets.push_back(end);
    end += pieces.elements * BytesOf(type);
  }
  pieces.stride_bytes = (end / kVectorBytes | 1) * kVectorBytes;
  return pieces;
}

void EmitFetch(PtxWriter& ptx, absl::Span<const Type> columns,
               const std::string& kernel_arguments,
               absl::Span<const std::string> operands) {
  const RowPieces pieces = RowPieces::Of(columns);
  const std::string& shared = operands[0];
  const std::string& first = operands[1];
  const std::string& lane = operands[2];
  const std::string& rows = operands[3];
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const int bytes = BytesOf(columns[c]);
    // Neighbouring lanes bring a row's vectors, the next ones the next row's.
    const int vectors = pieces.elements * bytes / kVectorBytes;
    const int rows_at_once = kLanes / vectors;
    const std::string row =
        ptx.Let(Register::kWord, "div.u32", lane, StrCat(vectors));
    const std::string vector =
        ptx.Let(Register::kWord, "rem.u32", lane, StrCat(vectors));
    const std::string left = ptx.Let(Register::kWord, "sub.s32", rows, row);
    const std::string piece = ptx.Let(Register::kWord, "mad.lo.s32", row,
                                      StrCat(pieces.stride_bytes), shared);
    const std::string to = ptx.Let(Register::kWord, "mad.lo.s32", vector,
                                   StrCat(kVectorBytes), piece);
    const std::string base =
        EmitColumnAddress(ptx, kernel_arguments, c, bytes, first);
    const std::string of_row = ptx.Let(Register::kLong, "mad.wide.s32", row,
                                       StrCat(kFoldRow * bytes), base);
    const std::string from = ptx.Let(Register::kLong, "mad.wide.s32", vector,
                                     StrCat(kVectorBytes), of_row);
    for (int k = 0; k < kLanes; k += rows_at_once) {
      const std::string is_there =
          ptx.Let(Register::kPredicate, "setp.gt.s32", left, StrCat(k));
      ptx.Line("@", is_there, " cp.async.cg.shared.global [", to, "+",
               pieces.offsets[c] + k * pieces.stride_bytes, "], [", from, "+",
               k * kFoldRow * bytes, "], ", kVectorBytes);
    }
  }
}

}  // namespace concord::spliced
