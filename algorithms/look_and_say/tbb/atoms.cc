// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// By atoms (J. H. Conway, "The weird and wonderful chemistry of audioactive
// decay", 1986): no step is made. A term is put together from the blocks that
// its atoms become in the last 23 steps, each copied from a table that is in
// the cache. So every digit is written once, and any part of the result by
// any thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/algorithms/look_and_say/tbb/part_writer.h"
#include "concord/algorithms/look_and_say/tbb/steps.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::look_and_say {
namespace {

class LookAndSayTbb : public OnTbb<LookAndSay> {
 public:
  explicit LookAndSayTbb(std::shared_ptr<Backend> backend)
      : steps_(std::move(backend)) {}

  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    const auto seed = in.span<std::uint8_t>();
    RETURN_IF_ERROR(CheckRunsFitSymbols(seed, options));
    const bool decimal = options.counts == Counts::kDecimal;
    const std::optional<LookAndSayPlan> plan =
        LookAndSayPlan::Make(seed, options.steps, decimal ? decimal_ : symbol_);
    if (!plan.has_value()) {
      return steps_.Run(seed, out, options);
    }
    if (options.length_only) return WriteLength(plan->ExactLength(), out);
    absl::Status status = CheckPart(plan->length(), options);
    status.Update(CheckSize("out", out, PartOf(plan->length(), options)));
    if (!status.ok() || out.empty()) return status;
    AtomBlocks& blocks = decimal ? decimal_blocks_ : symbol_blocks_;
    blocks.MakeFor(*plan, kBlockSteps, kMostBlockDigits,
                   StreamedWriter::kPadding);
    Write(*plan, blocks, options.from, out);
    return absl::OkStatus();
  }

 private:
  void Write(const LookAndSayPlan& plan, const AtomBlocks& blocks,
             std::int64_t from, ArrayView out) {
    const auto write = PartWriterFor(out.bytes());
    auto* const to = out.data<std::uint8_t>();
    backend().ForEachRange(
        out.size(), kChunkBytes, [&](std::int64_t first, std::int64_t last) {
          write(plan, blocks, from + first, last - first, to + first);
        });
  }

  StepByStep steps_;
  AtomTable decimal_{Counts::kDecimal};
  AtomTable symbol_{Counts::kSymbol};
  AtomBlocks decimal_blocks_;
  AtomBlocks symbol_blocks_;
};

const bool kRegistered = Registry<LookAndSay>::Get().Add<LookAndSayTbb>(
    "tbb", "atoms", /*rank=*/10,
    "Conway's decomposition: blocks from tables, every digit written once",
    Contract()
        .Boundaries({kStepsChunk, kChunkBytes})
        .Keeps("tables of atoms: the first call, and one with other options or "
               "atoms, computes what they lack")
        .Notes(absl::StrCat(
            "step by step, as tbb/steps, below ", LookAndSayPlan::kLeastSteps,
            " steps and for inputs of very many different atoms")));

}  // namespace
}  // namespace concord::look_and_say
