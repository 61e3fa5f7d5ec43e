// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What a backend that compiles passes can do, and say, before a program runs.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_PASS_COMPILER_H_
#define CONCORD_ALGORITHMS_SEQUENCE_PASS_COMPILER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/core/backend.h"

namespace concord::sequence {

struct PassCompiler {
  // "cuda"; "cuda/nvrtc" for a variant that is not the default.
  std::string backend;
  // Compiles all passes of the plan, for every later run of this process.
  // Unavailable: it cannot compile here; plans run all the same. Null where
  // only a variant would profit.
  std::function<absl::Status(const std::shared_ptr<Backend>&, const Plan&)>
      prepare;
  // How each pass would run, if it had so many elements; nothing runs. No words
  // at all where there is nothing to say.
  std::function<std::vector<std::string>(
      const Plan&, absl::Span<const std::int64_t> elements)>
      explain;
};

// Stands beside the implementation:
//   const bool kRegistered = RegisterPassCompiler({"cuda", Prepare, Explain});
bool RegisterPassCompiler(PassCompiler compiler);

// Every one of this program.
const std::vector<PassCompiler>& PassCompilers();

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_PASS_COMPILER_H_
