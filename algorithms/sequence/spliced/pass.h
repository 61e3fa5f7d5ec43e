// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PASS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PASS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/spliced/pass_functions.h"
#include "concord/backends/cuda/spliced/spliced_module.h"
#include "concord/core/array.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/operator.h"

namespace concord::sequence {

// One pass over columns on a GPU, in kernels that were compiled with the
// functions in them. It keeps its scratch memory from call to call.
//
// Example:
//   ASSIGN_OR_RETURN(SplicedPass pass, SplicedPass::Reduce(
//       backend, square, *sum, /*epilogue=*/std::nullopt));
//   return pass.Run(n, {x}, {}, {total});
class SplicedPass {
 public:
  // out[..][i] = function(columns[..][i]) at index i.
  static absl::StatusOr<SplicedPass> Map(std::shared_ptr<CudaBackend> backend,
                                         expression::Function function);

  // out[..][0] = epilogue(prologue of elements 0, ..., n - 1, combined by `op`
  // in the order of algorithms/sequence/order.h). Without an epilogue, what
  // they amount to is the result. InvalidArgument: tuples of more than 8
  // values, an epilogue that reads tables.
  static absl::StatusOr<SplicedPass> Reduce(
      std::shared_ptr<CudaBackend> backend, expression::Function prologue,
      const expression::Operator& op,
      std::optional<expression::Function> epilogue);

  // Queues the pass on n elements; Reduce needs at least one. Arrays are of the
  // functions' types, in the backend's memory; a bool column is uint8. An
  // output of a map may be exactly a column, unless the function has tables.
  //
  // Waits where the function has tables, and then returns OutOfRange if one is
  // read outside: it names the first element that does. All results are there,
  // too.
  absl::Status Run(std::int64_t n, absl::Span<const ConstArrayView> columns,
                   absl::Span<const ConstArrayView> tables,
                   absl::Span<const ArrayView> out);

  // Where its kernels came from.
  spliced::SplicedModule::Origin origin() const { return module_.origin(); }
  // Of the kernel that reads the columns.
  absl::StatusOr<spliced::KernelResources> Resources() const {
    return module_.driver().ResourcesOf(kernel_);
  }

 private:
  enum class Frame { kMap, kReduce, kFold };

  SplicedPass(std::shared_ptr<CudaBackend> backend, Frame frame,
              spliced::PassFunctions functions, spliced::PassTemplate from,
              spliced::SplicedModule module)
      : backend_(std::move(backend)),
        frame_(frame),
        functions_(std::move(functions)),
        template_(std::move(from)),
        module_(std::move(module)) {}

  static absl::StatusOr<SplicedPass> Create(
      std::shared_ptr<CudaBackend> backend, Frame frame,
      spliced::PassFunctions functions, spliced::PassTemplate from);

  absl::Status Launch(const spliced::Arguments& arguments);
  absl::Status LaunchReduce(spliced::Arguments arguments);
  absl::Status LaunchFold(spliced::Arguments arguments);
  // At least so much scratch memory, and counters, which are zero when they
  // are new and after every pass.
  absl::Status Reserve(std::int64_t bytes, std::int64_t counters);

  absl::Status ReadOutside(std::uint64_t element,
                           absl::Span<const ConstArrayView> columns,
                           absl::Span<const ConstArrayView> tables);

  std::shared_ptr<CudaBackend> backend_;
  Frame frame_;
  spliced::PassFunctions functions_;
  spliced::PassTemplate template_;
  spliced::SplicedModule module_;
  CUfunction kernel_ = nullptr;
  // Of the second kernel of a fold.
  CUfunction combine_ = nullptr;
  // Whether the result depends on the order; says how a tree may be cut.
  bool order_matters_ = false;
  Array scratch_;
  Array counters_;
  Array outside_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PASS_H_
