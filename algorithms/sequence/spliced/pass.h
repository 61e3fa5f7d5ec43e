// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PASS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PASS_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/pass_arrays.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/spliced/driver_api.h"
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
//   return pass.Run(n, {x}, {}, {total}).status();
class SplicedPass {
 public:
  using Compilation = spliced::Compilation;

  // out[..][i] = function(columns[..][i]) at index i.
  static absl::StatusOr<SplicedPass> Map(std::shared_ptr<CudaBackend> backend,
                                         expression::Function function,
                                         const Compilation& how = {});

  // out[..][0] = epilogue(prologue of elements 0, ..., n - 1, combined by `op`
  // in the order of algorithms/sequence/order.h). Without an epilogue, what
  // they amount to is the result. InvalidArgument: tuples of more than 8
  // values, an epilogue that reads tables.
  static absl::StatusOr<SplicedPass> Reduce(
      std::shared_ptr<CudaBackend> backend, expression::Function prologue,
      const expression::Operator& op,
      std::optional<expression::Function> epilogue,
      const Compilation& how = {});

  // out[..][i] = epilogue(start, if there is one, and prologue of elements
  // 0, ..., i, combined in that order) at index i; where `before` is set,
  // without element i. Errors are those of Reduce.
  static absl::StatusOr<SplicedPass> Scan(
      std::shared_ptr<CudaBackend> backend, expression::Function prologue,
      const expression::Operator& op,
      const std::optional<std::vector<expression::Word>>& start, bool before,
      std::optional<expression::Function> epilogue,
      const Compilation& how = {});

  // Those elements of out for which the first result of `function`, a bool, is
  // true; they are its other results.
  static absl::StatusOr<SplicedPass> Filter(
      std::shared_ptr<CudaBackend> backend, expression::Function function,
      const Compilation& how = {});

  // The pass of a plan, which is no kCount.
  static absl::StatusOr<SplicedPass> Of(std::shared_ptr<CudaBackend> backend,
                                        const Pass& pass,
                                        const Compilation& how = {});

  // What its functions are spliced into (templates.h).
  const std::string& template_name() const { return template_.name; }

  // Queues the pass on n elements; Reduce needs at least one. `index` is that
  // of the first; 0 but for maps. Arrays are of the functions' types, in the
  // backend's memory; a bool column is uint8. An output of a map may be exactly
  // a column, unless the function has tables.
  //
  // Waits where the function has tables.
  absl::StatusOr<PassOutcome> Run(std::int64_t n,
                                  absl::Span<const ConstArrayView> columns,
                                  absl::Span<const ConstArrayView> tables,
                                  absl::Span<const ArrayView> out,
                                  std::int64_t index = 0);

  // Where its kernels came from.
  spliced::SplicedModule::Origin origin() const { return module_.origin(); }
  // Of the kernel that gives the results, or of a fold's that reads columns.
  absl::StatusOr<spliced::KernelResources> Resources() const {
    return module_.driver().ResourcesOf(kernels_[0]);
  }

 private:
  enum class Frame {
    kMap,
    kReduce,
    kFold,
    kScan,
    kPipelinedScan,
    kFilter,
    kPipelinedFilter,
  };

  SplicedPass(std::shared_ptr<CudaBackend> backend, Frame frame,
              spliced::PassFunctions functions, spliced::PassTemplate from,
              spliced::SplicedModule module)
      : backend_(std::move(backend)),
        frame_(frame),
        functions_(std::move(functions)),
        template_(std::move(from)),
        module_(std::move(module)) {}

  static std::vector<const char*> KernelsOf(Frame frame);
  static absl::StatusOr<SplicedPass> Create(
      std::shared_ptr<CudaBackend> backend, Frame frame,
      spliced::PassFunctions functions, spliced::PassTemplate from,
      const Compilation& how);

  // Queues its kernels (pass_launch.cc).
  absl::Status Launch(const spliced::Arguments& arguments);
  absl::Status LaunchMap(spliced::Arguments arguments);
  absl::Status LaunchReduce(spliced::Arguments arguments);
  absl::Status LaunchFold(spliced::Arguments arguments);
  absl::Status LaunchScan(spliced::Arguments arguments);
  absl::Status LaunchPipelinedScan(spliced::Arguments arguments);
  absl::Status LaunchFilter(spliced::Arguments arguments);
  absl::Status LaunchPipelinedFilter(spliced::Arguments arguments);
  absl::Status LaunchKernel(int kernel, const spliced::GridShape& shape,
                            std::initializer_list<void*> parameters);
  // At least so much scratch memory, and counters, which are zero when they
  // are new and after every pass.
  absl::Status Reserve(std::int64_t bytes, std::int64_t counters = 0);
  // Of a tuple, as it travels.
  int StateBytes() const;

  // Room for what the last filter has kept, and for a counter and so many
  // statuses.
  absl::Status ReserveStatuses(std::int64_t statuses, int status_bytes);
  void* Counter() { return counters_.data<char>(); }
  void* Statuses();
  // The kernel of a frame on the pipeline, on tiles of such arrays.
  template <typename Arrays>
  absl::Status LaunchPipeline(spliced::Arguments arguments, Arrays arrays);
  // How many a filter has kept, once it has run.
  ConstArrayView Kept() const;

  std::shared_ptr<CudaBackend> backend_;
  Frame frame_;
  spliced::PassFunctions functions_;
  spliced::PassTemplate template_;
  spliced::SplicedModule module_;
  // In the order of KernelsOf.
  std::vector<CUfunction> kernels_;
  // Of a reduction: whether the result depends on the order; says how a tree
  // may be cut.
  bool order_matters_ = false;
  // Of a scan: whether something precedes the first element, and whether a
  // result is without its element.
  bool begins_ = false;
  bool before_ = false;
  // Since the counters of tiles were zero.
  std::int64_t launches_ = 0;
  Array scratch_;
  Array counters_;
  OutsideReport outside_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PASS_H_
