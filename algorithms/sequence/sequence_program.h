// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SEQUENCE_PROGRAM_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SEQUENCE_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/sequence/column_names.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/contract.h"
#include "concord/core/host_array.h"
#include "concord/core/implementation.h"
#include "concord/core/signature_data.h"

namespace concord {

// Runs a program on sequences that is given as text:
//
//   map 2 * x + 1 |> reduce a + b
//
// The columns x, y, z and w are arrays of any type and size; the result is a
// sequence of tuples, an array for each of their values. Program
// (program.h) has the language, and RunProgram (run_program.h) what it means:
// stage by stage, one element at a time, in an order of operations that depends
// on indices alone. So results have the same bits on every backend, also those
// of floats and of operators that are not quite associative.
//
// Where a filter or groups decide how many elements the result has, the run
// finds out: then there is the output `count`, and elements of the columns past
// it are unspecified. Inputs are never changed.
class SequenceProgram : public Implementation {
 public:
  static constexpr char kName[] = "sequence";
  // Of a program, and of its result.
  static constexpr int kMostColumns = sequence::kMostColumns;

  struct Options {
    std::string program = "x";
    // Whether the result has to have a second, third and fourth column.
    bool output_y = false;
    bool output_z = false;
    bool output_w = false;
  };

  // Of the result: as many columns as it has, and `count`, one int64, where
  // shapes do not say how many elements there are. Other views are not given.
  struct Outputs {
    ArrayView columns[kMostColumns];
    ArrayView count = {};
  };

  // `columns` are x, y, z and w; those at the end may be left out, and others
  // may be views that are not given. All arrays are in the backend's memory,
  // and no output overlaps another array.
  //
  // InvalidArgument: a text that is no program on these columns (it says
  // where), other outputs than the result has, zip of sequences of different
  // sizes, reduce of nothing by an operator without start and identity, last of
  // nothing. OutOfRange: a function reads outside a column. What the sizes of
  // columns do not tell is found only by running.
  absl::Status Run(Views columns, const Outputs& outputs,
                   const Options& options);

  static const Signature<SequenceProgram>& GetSignature();

 protected:
  // Run, when the arguments have been checked. `columns` are those of the
  // program, in its order. `outputs` are the four columns and the count, as in
  // Outputs.
  virtual absl::Status Compute(const sequence::Program& program, Views columns,
                               MutableViews outputs) = 0;
};

// --- For callers with host data ---

// The columns of the program's result, computed on `backend`.
//
// Example:
//   std::vector<int> values = {3, 1, 4};
//   absl::StatusOr<std::vector<HostArray>> sum = ComputeSequence(
//       backend, "map 2 * x + 1 |> reduce a + b",
//       {ConstArrayView(absl::MakeSpan(values))});
//   // sum->front() is an int32 array, {19}
absl::StatusOr<std::vector<HostArray>> ComputeSequence(
    const std::shared_ptr<Backend>& backend, absl::string_view program,
    Views columns, absl::string_view variant = "");

}  // namespace concord

namespace concord::sequence {

// What every implementation promises, to be completed.
Contract SequenceContract();

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SEQUENCE_PROGRAM_H_
