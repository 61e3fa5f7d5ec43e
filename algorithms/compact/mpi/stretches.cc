// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Each rank compacts its stretch to scratch memory, and ranks tell each other
// how many elements they keep. So every rank knows where what it has belongs,
// and sends it to whoever has that part of the output.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/compact/compact.h"
#include "concord/backends/mpi/positions.h"
#include "concord/backends/mpi/spread_results.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::compact {
namespace {

// Enough to tell one from another.
std::string Described(const Predicate& keep) {
  return absl::StrCat(static_cast<int>(keep.kind), ":", keep.first.ToString(),
                      ",", keep.second.ToString());
}

class CompactTeam : public OnTeam<Compact> {
 public:
  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                       const Options& options) override {
    const absl::Status prepared = Prepare(in, outputs);
    RETURN_IF_ERROR(backend().team().AgreeOn(
        absl::StrCat("compact keep=", Described(options.keep), " of ",
                     in.size(), " ", Name(in.type()),
                     outputs.indices.has_value() ? ", indices" : "",
                     outputs.rejected.has_value() ? ", rejected" : ""),
        prepared));
    const absl::StatusOr<std::int64_t> count =
        CompactStretch(in, outputs, options);
    RETURN_IF_ERROR(backend().team().Agree(count.status()));
    ASSIGN_OR_RETURN(const std::vector<std::int64_t> kept,
                     backend().team().AllGather(*count));
    const Ranges kept_of_ranks = InOrder(kept);
    RETURN_IF_ERROR(Give(backend(), kept_.view(), kept_of_ranks, outputs.kept));
    RETURN_IF_ERROR(Tell(backend(), kept_of_ranks.back().last, outputs.count));
    if (outputs.indices.has_value()) {
      RETURN_IF_ERROR(
          Give(backend(), indices_.view(), kept_of_ranks, *outputs.indices));
    }
    if (!outputs.rejected.has_value()) return absl::OkStatus();
    std::vector<std::int64_t> rejected;
    for (std::size_t r = 0; r < kept.size(); ++r) {
      rejected.push_back(stretches_[r].size() - kept[r]);
    }
    const Ranges rejected_of_ranks = InOrder(rejected);
    RETURN_IF_ERROR(Give(backend(), rejected_.view(), rejected_of_ranks,
                         *outputs.rejected));
    return Tell(backend(), rejected_of_ranks.back().last,
                *outputs.rejected_count);
  }

 private:
  // Whatever can fail on one rank alone.
  absl::Status Prepare(ConstArrayView in, const Outputs& outputs) {
    ASSIGN_OR_RETURN(stretches_, backend().Stretches(in));
    if (local_ == nullptr) {
      ASSIGN_OR_RETURN(local_,
                       Registry<Compact>::Get().Create(backend().local()));
    }
    Backend& local = *backend().local();
    const std::int64_t size = backend().Mine(stretches_).size();
    const auto if_wanted = [size](const std::optional<ArrayView>& output) {
      return output.has_value() ? size : 0;
    };
    ASSIGN_OR_RETURN(kept_, local.Allocate(in.type(), size));
    ASSIGN_OR_RETURN(count_, local.Allocate(ElementType::kInt64, 1));
    ASSIGN_OR_RETURN(indices_, local.Allocate(ElementType::kInt64,
                                              if_wanted(outputs.indices)));
    ASSIGN_OR_RETURN(rejected_,
                     local.Allocate(in.type(), if_wanted(outputs.rejected)));
    ASSIGN_OR_RETURN(rejected_count_, local.Allocate(ElementType::kInt64, 1));
    return absl::OkStatus();
  }

  // How many elements are kept.
  absl::StatusOr<std::int64_t> CompactStretch(ConstArrayView in,
                                              const Outputs& outputs,
                                              const Options& options) {
    const Range mine = backend().Mine(stretches_);
    Outputs scratch = {kept_.view(), count_.view(), {}, {}, {}};
    if (outputs.indices.has_value()) scratch.indices = indices_.view();
    if (outputs.rejected.has_value()) {
      scratch.rejected = rejected_.view();
      scratch.rejected_count = rejected_count_.view();
    }
    RETURN_IF_ERROR(local_->Run(backend().Here(in, mine), scratch, options));
    Backend& local = *backend().local();
    ASSIGN_OR_RETURN(const std::int64_t count,
                     ValueOf<std::int64_t>(local, count_.view()));
    if (outputs.indices.has_value()) {
      RETURN_IF_ERROR(
          ShiftPositions(local, indices_.view().Slice(0, count), mine.first));
    }
    return count;
  }

  // Of the current call.
  Ranges stretches_;
  Array kept_;
  Array count_;
  Array indices_;
  Array rejected_;
  Array rejected_count_;
  // From call to call.
  std::unique_ptr<Compact> local_;
};

const bool kRegistered = Registry<Compact>::Get().Add<CompactTeam>(
    "mpi", "stretches", /*rank=*/10,
    "each rank compacts its stretch; what is kept moves once",
    CompactContract().Notes(
        "each rank needs scratch memory as large as its stretches of the "
        "outputs that are asked for"));

}  // namespace
}  // namespace concord::compact
