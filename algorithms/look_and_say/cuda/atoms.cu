// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// By atoms (J. H. Conway, "The weird and wonderful chemistry of audioactive
// decay", 1986): no step is made, and every digit is written once
// (stretches.cuh).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/look_and_say/cuda/run.cuh"
#include "concord/algorithms/look_and_say/cuda/steps.h"
#include "concord/algorithms/look_and_say/cuda/stretches.cuh"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/core/errors.h"

namespace concord::look_and_say {
namespace {

class LookAndSayCuda : public LookAndSayOnCuda {
 public:
  using LookAndSayOnCuda::LookAndSayOnCuda;

 private:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    if (options.steps < LookAndSayPlan::kLeastSteps) {
      return steps_.Write(in, out, options, name());
    }
    std::vector<uint8_t> seed(static_cast<std::size_t>(in.size()));
    RETURN_IF_ERROR(backend()->Copy(in, ArrayView(absl::MakeSpan(seed))));
    const std::optional<LookAndSayPlan> plan =
        LookAndSayPlan::Make(seed, options.steps, tables_.Of(options.counts));
    if (!plan.has_value()) return steps_.Write(in, out, options, name());
    if (options.length_only) {
      return WriteLengthOnDevice(*backend(), plan->ExactLength(), out);
    }
    absl::Status status = CheckWanted(*plan, out, options);
    if (!status.ok() || out.empty()) return status;
    const int64_t end = AlignedSpan(out.data<uint8_t>(), out.size()).end;
    const int64_t most_blocks = backend()->multiprocessors();
    const int64_t stretch = StretchFor(end, most_blocks);
    const int64_t stretches = DivideUp(end, stretch);
    return writer_.Write(*plan, options, out, stretch, AllStretches{stretches},
                         std::min(most_blocks, stretches), name());
  }

  DeviceSteps steps_{backend(), NewLookbackStepper(backend())};
  AtomTables tables_;
  AtomWriter writer_{backend(), tables_};
};

const bool kRegistered = RegisterOnCuda<LookAndSayCuda>(
    "atoms", /*rank=*/10,
    "Conway's decomposition: blocks from tables, every digit written once",
    Contract()
        .Types({ElementType::kUInt8})
        .Boundaries({kLeastStretch, (kAtomWarps * kLeastStretch)})
        .Keeps("tables of atoms for the last steps: the first call, and one "
               "with other options or atoms, computes and sends what it lacks")
        .Notes(absl::StrCat(
            "step by step, as cuda/lookback, below ",
            LookAndSayPlan::kLeastSteps,
            " steps and for inputs of very many different atoms")));

}  // namespace
}  // namespace concord::look_and_say
