// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <vector>

#include "concord/algorithms/sequence/run_program.h"
#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/core/errors.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/registry.h"

namespace concord::sequence {
namespace {

class SequenceSerial : public SequenceProgram {
 public:
  absl::Status Compute(const Program& program, Views columns,
                       MutableViews outputs) override {
    ASSIGN_OR_RETURN(const std::vector<Tuple> result,
                     RunProgram(program, columns));
    for (std::size_t k = 0; k < program.types().size(); ++k) {
      for (std::size_t i = 0; i < result.size(); ++i) {
        expression::StoreValue(program.types()[k], outputs[k].data(),
                               static_cast<std::int64_t>(i), result[i][k]);
      }
    }
    const ArrayView& count = outputs[kMostColumns];
    if (count.given()) {
      *count.data<std::int64_t>() = static_cast<std::int64_t>(result.size());
    }
    return absl::OkStatus();
  }
};

const bool kRegistered = Registry<SequenceProgram>::Get().Add<SequenceSerial>(
    "serial", "reference", /*rank=*/10,
    "stage by stage, one element after the other", SequenceContract());

}  // namespace
}  // namespace concord::sequence
