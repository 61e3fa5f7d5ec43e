// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_CALL_H_
#define CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_CALL_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/algorithms/sequence/sizes.h"
#include "concord/core/signature_data.h"

namespace concord::sequence {

// A program, and what is known of its result's size on columns of some sizes.
struct ProgramCall {
  std::shared_ptr<const Program> program;
  // The error of KnownSizes, if there is one.
  absl::StatusOr<KnownSize> size;
};

// The program of a text (ProgramOf) on `inputs`, which are x, y, z and w. The
// signature's rules ask for it a dozen times in one call, so each thread keeps
// the last one that it asked for.
absl::StatusOr<ProgramCall> CallOf(absl::string_view text, Views inputs);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_CALL_H_
