// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// By atoms (J. H. Conway, "The weird and wonderful chemistry of audioactive
// decay", 1986): no step is made, and every digit is written once
// (stretches.cuh). A call like the last one begins before its input is known
// (same_input.cuh).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/look_and_say/cuda/run.cuh"
#include "concord/algorithms/look_and_say/cuda/same_input.cuh"
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
    if (IsLikeLast(in, out, options)) {
      RETURN_IF_ERROR(Write(guesser_.About(in), out));
      ASSIGN_OR_RETURN(const bool is_same, guesser_.IsRight());
      if (is_same) return absl::OkStatus();
    }
    guesser_.Forget();
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
    RETURN_IF_ERROR(writer_.Send(*plan, options, out.size()));
    RETURN_IF_ERROR(guesser_.Remember(seed));
    last_size_ = out.size();
    last_options_ = options;
    return Write({}, out);
  }

  // Whether only the digits of the input can make it another call.
  bool IsLikeLast(const ConstArrayView& in, const ArrayView& out,
                  const Options& options) const {
    return guesser_.Fits(in) && out.size() == last_size_ &&
           options.steps == last_options_.steps &&
           options.counts == last_options_.counts && !options.length_only &&
           options.from == last_options_.from &&
           options.count == last_options_.count;
  }

  absl::Status Write(const InputGuess& guess, ArrayView out) {
    const int64_t end = AlignedSpan(out.data<uint8_t>(), out.size()).end;
    const int64_t most_blocks = backend()->multiprocessors();
    const int64_t stretch = StretchFor(end, most_blocks);
    const int64_t stretches = DivideUp(end, stretch);
    return writer_.Write(guess, out, stretch, AllStretches{stretches},
                         std::min(most_blocks, stretches), name());
  }

  DeviceSteps steps_{backend(), NewLookbackStepper(backend())};
  AtomTables tables_;
  AtomWriter writer_{backend(), tables_};
  // The last call that was to write something.
  InputGuesser guesser_{backend()};
  int64_t last_size_ = 0;
  Options last_options_;
};

const bool kRegistered = RegisterOnCuda<LookAndSayCuda>(
    "atoms", /*rank=*/10,
    "Conway's decomposition: blocks from tables, every digit written once",
    Contract()
        .Types({ElementType::kUInt8})
        .Boundaries({kLeastStretch, (kAtomWarps * kLeastStretch)})
        .Keeps("tables of atoms and lists of their blocks for the last steps, "
               "up to 40 MB: the first call, and one with other options or "
               "atoms, makes what it lacks; and the last input of up to 128 "
               "digits: the same call again does not wait for its input")
        .Notes(absl::StrCat(
            "step by step, as cuda/lookback, below ",
            LookAndSayPlan::kLeastSteps,
            " steps and for inputs of very many different atoms")));

}  // namespace
}  // namespace concord::look_and_say
