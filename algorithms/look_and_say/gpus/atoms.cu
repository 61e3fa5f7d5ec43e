// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The atoms of cuda/atoms on several GPUs: each member writes those stretches
// of the result that lie with it. Any of them can be written by itself, so
// members share nothing but the plan, and no digit crosses a link. Few steps
// are made by the first member.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/look_and_say/cuda/stretches.cuh"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/backends/gpus/worth_sharing.h"
#include "concord/core/errors.h"

namespace concord::look_and_say {
namespace {

// All lengths of stretches are this one, halved some times, so they divide a
// stripe.
static_assert(kGranuleBytes % kMostStretch == 0);

// A member's stretches, in the place of all of them.
struct StretchesOfMember {
  Share share;

  __device__ int64_t count() const { return share.count; }
  __device__ int64_t operator()(int64_t i) const {
    return share(static_cast<uint32_t>(i));
  }
};

// On two and on four H100s, one member alone is faster at 16 MiB and slower at
// 32.
constexpr int64_t kLeastShared = int64_t{24} << 20;

class LookAndSayAtoms : public OnGpus<LookAndSay> {
 public:
  explicit LookAndSayAtoms(std::shared_ptr<Backend> opened)
      : OnGpus<LookAndSay>(std::move(opened)) {
    for (int i = 0; i < backend()->members(); ++i) {
      writers_.push_back(
          std::make_unique<AtomWriter>(backend()->member(i), tables_));
    }
  }

 protected:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    std::optional<LookAndSayPlan> plan;
    if (options.steps >= LookAndSayPlan::kLeastSteps && !options.length_only) {
      std::vector<uint8_t> seed(static_cast<std::size_t>(in.size()));
      RETURN_IF_ERROR(backend()->Copy(in, ArrayView(absl::MakeSpan(seed))));
      plan =
          LookAndSayPlan::Make(seed, options.steps, tables_.Of(options.counts));
    }
    if (!plan.has_value()) return WriteBySteps(in, out, options);
    RETURN_IF_ERROR(CheckWanted(*plan, out, options));
    return out.empty() ? absl::OkStatus() : Write(*plan, out, options);
  }

 private:
  // The first member, with all steps but the last result in its own memory:
  // what they write in small pieces crosses no link. Where that is too small
  // for them, they lie with all members.
  absl::Status WriteBySteps(ConstArrayView in, ArrayView out,
                            const Options& options) {
    ASSIGN_OR_RETURN(LookAndSay* const within, WithinOneMember());
    absl::Status status = within->Run(ForMember(*backend(), 0, in),
                                      ForMember(*backend(), 0, out), options);
    if (!absl::IsResourceExhausted(status)) return status;
    LeaveOneMember();
    ASSIGN_OR_RETURN(LookAndSay* const alone, OnOneMember());
    return alone->Run(in, out, options);
  }

  absl::Status Write(const LookAndSayPlan& plan, ArrayView out,
                     const Options& options) {
    const int64_t end = AlignedSpan(out.data<uint8_t>(), out.size()).end;
    const int64_t most_blocks = backend()->multiprocessors();
    const int members = IsWorthSharing(*backend(), out.bytes(), kLeastShared)
                            ? backend()->members()
                            : 1;
    const int64_t stretch = StretchFor(end, members * most_blocks);
    const int64_t stretches = DivideUp(end, stretch);
    // One member alone has all stretches, wherever they lie.
    const GroupPlace place = members > 1
                                 ? Locate(out.data(), members).place
                                 : GroupPlace{{stretches * stretch, 1}, 0};
    const auto share_of = [&](int i) {
      return ShareOf(place, stretch, stretches, i);
    };
    const std::uint32_t set =
        SetOf(members, [&](int i) { return share_of(i).count > 0; });
    return backend()->RunTogether(set, [&](int i) {
      const Share share = share_of(i);
      RETURN_IF_ERROR(writers_[i]->Send(plan, options, out.size()));
      return writers_[i]->Write({}, out, stretch, StretchesOfMember{share},
                                std::min<int64_t>(most_blocks, share.count),
                                name());
    });
  }

  AtomTables tables_;
  std::vector<std::unique_ptr<AtomWriter>> writers_;
};

const bool kRegistered = RegisterOnGpus<LookAndSayAtoms>(
    "atoms", /*rank=*/10,
    "Conway's decomposition: each member writes the digits that lie with it",
    Contract()
        .Types({ElementType::kUInt8})
        .Boundaries({kLeastStretch, (kAtomWarps * kLeastStretch)})
        .Boundaries(StripeBoundaries())
        .Keeps("tables of atoms and lists of their blocks for the last steps, "
               "up to 40 MB in each member's memory: the first call, and one "
               "with other options or atoms, makes what they lack; for few steps, the result of each in "
               "the first member's")
        .Notes(absl::StrCat(
            "on one member below ", LookAndSayPlan::kLeastSteps,
            " steps, for lengths, for inputs of very many different atoms, and "
            "on several GPUs for results of less than ",
            kLeastShared >> 20,
            " MiB; the same bits for any number of members and both "
            "layouts")));

}  // namespace
}  // namespace concord::look_and_say
