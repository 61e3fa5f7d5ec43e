// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Each rank encodes its stretch to scratch memory, and ranks tell each other
// how many runs they found and what the first and the last are. A run that goes
// on in later stretches is the rank's where it starts, which adds to its length
// what the others have of it. So every rank knows where its runs belong, and
// sends them to whoever has that part of the outputs.

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/mpi/runs_over_borders.h"
#include "concord/backends/mpi/spread_results.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::run_length_encode {
namespace {

class RunLengthEncodeTeam : public OnTeam<RunLengthEncode> {
 public:
  absl::Status Compute(ConstArrayView in, const Outputs& out) override {
    const absl::Status prepared = Prepare(in, out);
    RETURN_IF_ERROR(backend().team().AgreeOn(
        absl::StrCat("run_length_encode of ", in.size(), " ", Name(in.type()),
                     ", lengths ", Name(out.lengths.type())),
        prepared));
    const absl::Status encoded =
        local_->Run(OnHost(in, backend().Mine(stretches_)),
                    {values_.view(), lengths_.view(), runs_.view()});
    RETURN_IF_ERROR(backend().team().Agree(encoded));
    return DispatchRunLengths(
        in.type(), out.lengths.type(), [&](auto word, auto length) {
          return Spread<typename decltype(word)::type,
                        typename decltype(length)::type>(out);
        });
  }

 private:
  // Whatever can fail on one rank alone.
  absl::Status Prepare(ConstArrayView in, const Outputs& out) {
    ASSIGN_OR_RETURN(stretches_, backend().Stretches(in));
    if (local_ == nullptr) {
      ASSIGN_OR_RETURN(
          local_, Registry<RunLengthEncode>::Get().Create(backend().local()));
    }
    Backend& local = *backend().local();
    const std::int64_t size = backend().Mine(stretches_).size();
    ASSIGN_OR_RETURN(values_, local.Allocate(in.type(), size));
    ASSIGN_OR_RETURN(lengths_, local.Allocate(out.lengths.type(), size));
    ASSIGN_OR_RETURN(runs_, local.Allocate(ElementType::kInt64, 1));
    return absl::OkStatus();
  }

  template <typename Word, typename Length>
  absl::Status Spread(const Outputs& out) {
    const Word* const values = values_.data<Word>();
    Length* const lengths = lengths_.data<Length>();
    EndsOfRuns mine;
    mine.runs = *runs_.data<std::int64_t>();
    if (mine.runs > 0) {
      mine.first = values[0];
      mine.last = values[mine.runs - 1];
      mine.first_length = lengths[0];
    }
    ASSIGN_OR_RETURN(const std::vector<EndsOfRuns> ends,
                     backend().team().AllGather(mine));
    const std::vector<OwnRuns> own = OwnRunsOf(ends);
    std::vector<std::int64_t> counts;
    for (std::size_t r = 0; r < own.size(); ++r) {
      counts.push_back(ends[r].runs - own[r].first);
    }
    const Ranges runs_of_ranks = InOrder(counts);
    const OwnRuns& here =
        own[static_cast<std::size_t>(backend().team().rank())];
    if (here.more > 0) {
      lengths[mine.runs - 1] += static_cast<Length>(here.more);
    }
    const auto kept = [&](const Array& found) {
      return found.view().Slice(here.first, mine.runs - here.first);
    };
    RETURN_IF_ERROR(Give(backend(), kept(values_), runs_of_ranks, out.values));
    RETURN_IF_ERROR(
        Give(backend(), kept(lengths_), runs_of_ranks, out.lengths));
    return Tell(backend(), runs_of_ranks.back().last, out.runs);
  }

  // Of the current call.
  Ranges stretches_;
  Array values_;
  Array lengths_;
  Array runs_;
  // From call to call.
  std::unique_ptr<RunLengthEncode> local_;
};

const bool kRegistered =
    Registry<RunLengthEncode>::Get().Add<RunLengthEncodeTeam>(
        "mpi", "stretches", /*rank=*/10,
        "each rank encodes its stretch; runs move once",
        Contract()
            .SpecialValues("floats are equal when their bits are")
            .Notes("each rank needs scratch memory as large as its stretches "
                   "of the outputs"));

}  // namespace
}  // namespace concord::run_length_encode
