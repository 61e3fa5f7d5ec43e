// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// By atoms, as tbb/atoms: any part of a term can be written by itself, so each
// rank has the whole seed, which is short, and writes its stretch of the
// result.
//
// Step by step where that is better: what becomes of its digits is a rank's
// until the end (spread_steps.h), and only the result goes to where it belongs.
//
// Ranks on GPUs have what their GPU's implementation writes (local_parts.h).

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/algorithms/look_and_say/mpi/local_parts.h"
#include "concord/algorithms/look_and_say/mpi/spread_steps.h"
#include "concord/algorithms/look_and_say/tbb/part_writer.h"
#include "concord/algorithms/look_and_say/tbb/steps.h"
#include "concord/backends/mpi/spread_results.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/registry.h"

namespace concord::look_and_say {
namespace {

using Digits = SpreadSteps::Digits;

class LookAndSayTeam : public OnTeam<LookAndSay> {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    const bool by_atoms = options.steps >= LookAndSayPlan::kLeastSteps;
    const bool on_cpus = backend().local()->memory().is_host();
    const absl::Status prepared =
        on_cpus ? Prepare(in, out, options, by_atoms)
                : parts_.Prepare(backend(), in, out, options);
    RETURN_IF_ERROR(team().AgreeOn(
        absl::StrCat("look_and_say steps=", options.steps,
                     " counts=", static_cast<int>(options.counts),
                     " length_only=", options.length_only,
                     " from=", options.from, " count=", options.count, " of ",
                     in.size(), " to ", out.size(), " ", Name(out.type())),
        prepared));
    if (!on_cpus) return parts_.Write(backend(), out, options);
    if (by_atoms) {
      RETURN_IF_ERROR(backend().Copy(in, seed_.view()));
      RETURN_IF_ERROR(
          CheckRunsFitSymbols(seed_.view().span<std::uint8_t>(), options));
      std::optional<LookAndSayPlan> plan;
      RETURN_IF_ERROR(team().Agree(MakePlan(options, plan)));
      ASSIGN_OR_RETURN(const bool all_have_one, AllHaveOne(plan));
      if (all_have_one) return WriteByAtoms(*plan, out, options);
    }
    seed_ = Array();
    ASSIGN_OR_RETURN(
        const Digits result,
        steps_.Run(backend(),
                   OnHost(in, backend().Mine(stretches_)).span<std::uint8_t>(),
                   options));
    return GiveResult(result, out, options);
  }

 private:
  // Of each way to count.
  struct Tables {
    explicit Tables(Counts counts) : table(counts) {}
    AtomTable table;
    AtomBlocks blocks;
  };

  Team& team() const { return backend().team(); }
  Tables& TablesFor(const Options& options) {
    return options.counts == Counts::kDecimal ? decimal_ : symbol_;
  }

  // Whatever can fail on one rank alone before the first step.
  absl::Status Prepare(ConstArrayView in, ArrayView out, const Options& options,
                       bool by_atoms) {
    ASSIGN_OR_RETURN(stretches_, backend().Stretches(in));
    ASSIGN_OR_RETURN(outputs_, backend().Stretches(out));
    Backend& local = *backend().local();
    ASSIGN_OR_RETURN(
        seed_, local.Allocate(ElementType::kUInt8, by_atoms ? in.size() : 0));
    ASSIGN_OR_RETURN(
        length_,
        local.Allocate(out.type(), options.length_only ? out.size() : 0));
    return steps_.Prepare(backend());
  }

  // None where it is better to go step by step.
  absl::Status MakePlan(const Options& options,
                        std::optional<LookAndSayPlan>& plan) {
    return Guarded([&] {
      Tables& tables = TablesFor(options);
      plan = LookAndSayPlan::Make(seed_.view().span<std::uint8_t>(),
                                  options.steps, tables.table);
      if (plan.has_value() && options.length_only) {
        exact_length_ = plan->ExactLength();
      } else if (plan.has_value()) {
        tables.blocks.MakeFor(*plan, kBlockSteps, kMostBlockDigits,
                              StreamedWriter::kPadding);
      }
      return absl::OkStatus();
    });
  }

  // The plan depends on the table, which a rank that once lacked memory has
  // made anew and others have kept.
  absl::StatusOr<bool> AllHaveOne(const std::optional<LookAndSayPlan>& plan) {
    ASSIGN_OR_RETURN(const std::vector<char> all,
                     team().AllGather<char>(plan.has_value() ? 1 : 0));
    return std::find(all.begin(), all.end(), 0) == all.end();
  }

  absl::Status WriteByAtoms(const LookAndSayPlan& plan, ArrayView out,
                            const Options& options) {
    if (options.length_only) return TellLength(exact_length_, out);
    RETURN_IF_ERROR(CheckPart(plan.length(), options));
    RETURN_IF_ERROR(CheckSize("out", out, PartOf(plan.length(), options)));
    const Range mine = backend().Mine(outputs_);
    auto* const to = OnHost(out, mine).data<std::uint8_t>();
    const auto write = PartWriterFor(mine.size());
    const auto write_share = [&](int w) {
      const Range share = ShareOf({0, mine.size()}, w, backend().workers());
      if (share.empty()) return;
      write(plan, TablesFor(options).blocks,
            options.from + mine.first + share.first, share.size(),
            to + share.first);
    };
    return team().Agree(Guarded([&] {
      backend().ForEachWorker(write_share);
      return absl::OkStatus();
    }));
  }

  absl::Status GiveResult(Digits digits, ArrayView out,
                          const Options& options) {
    ASSIGN_OR_RETURN(
        const std::vector<std::int64_t> lengths,
        team().AllGather(static_cast<std::int64_t>(digits.size())));
    Ranges held = InOrder(lengths);
    const std::int64_t length = held.back().last;
    if (options.length_only) return TellLength(absl::StrCat(length), out);
    RETURN_IF_ERROR(CheckSize("out", out, PartOf(length, options)));
    const std::int64_t here = backend().Mine(held).first;
    const auto in_part = [&](std::int64_t place) {
      return std::clamp(place - options.from, std::int64_t{0}, out.size());
    };
    for (Range& range : held) {
      range = {in_part(range.first), in_part(range.last)};
    }
    const Range mine = backend().Mine(held);
    const Digits wanted =
        mine.empty()
            ? Digits()
            : digits.subspan(
                  static_cast<std::size_t>(mine.first + options.from - here),
                  static_cast<std::size_t>(mine.size()));
    return Give(backend(), ConstArrayView(wanted), held, out);
  }

  absl::Status TellLength(absl::string_view decimal, ArrayView out) {
    RETURN_IF_ERROR(WriteLength(decimal, length_.view()));
    return backend().Copy(length_.view(), out);
  }

  // Of the current call.
  Ranges stretches_;
  Ranges outputs_;
  Array seed_;
  Array length_;
  std::string exact_length_;
  // From call to call.
  LocalParts parts_;
  SpreadSteps steps_;
  Tables decimal_{Counts::kDecimal};
  Tables symbol_{Counts::kSymbol};
};

const bool kRegistered = Registry<LookAndSay>::Get().Add<LookAndSayTeam>(
    "mpi", "atoms", /*rank=*/10,
    "each rank its stretch of the result by Conway's decomposition, or step by "
    "step what becomes of its digits",
    Contract()
        .Boundaries({kStepsChunk, kChunkBytes})
        .Keeps("tables of atoms on each rank: the first call, and one with "
               "other options or atoms, computes what they lack")
        .Notes(absl::StrCat(
            "from ", LookAndSayPlan::kLeastSteps,
            " steps on each rank has the whole input; below, and for inputs of "
            "very many different atoms, two steps of its part of the term, "
            "whatever part of the result is wanted. A rank on a GPU always has "
            "the whole input, and makes few steps of all of it")));

}  // namespace
}  // namespace concord::look_and_say
