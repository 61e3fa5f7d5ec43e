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
        local_->Run(backend().Here(in, backend().Mine(stretches_)),
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
    const absl::StatusOr<EndsOfRuns> ends_here = FindEnds<Word, Length>();
    RETURN_IF_ERROR(backend().team().Agree(ends_here.status()));
    const EndsOfRuns mine = *ends_here;
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
      RETURN_IF_ERROR(Lengthen<Length>(mine.runs - 1, here.more));
    }
    const auto kept = [&](const Array& found) {
      return found.view().Slice(here.first, mine.runs - here.first);
    };
    RETURN_IF_ERROR(Give(backend(), kept(values_), runs_of_ranks, out.values));
    RETURN_IF_ERROR(
        Give(backend(), kept(lengths_), runs_of_ranks, out.lengths));
    return Tell(backend(), runs_of_ranks.back().last, out.runs);
  }

  template <typename Word, typename Length>
  absl::StatusOr<EndsOfRuns> FindEnds() {
    Backend& local = *backend().local();
    EndsOfRuns ends;
    ASSIGN_OR_RETURN(ends.runs, ValueOf<std::int64_t>(local, runs_.view()));
    if (ends.runs == 0) return ends;
    // Bits, whatever they stand for.
    const auto bits_of = [&](std::int64_t run) {
      return ValueOf<Word>(local, ConstArrayView(values_.data<Word>() + run, 1,
                                                 values_.view().memory()));
    };
    ASSIGN_OR_RETURN(ends.first, bits_of(0));
    ASSIGN_OR_RETURN(ends.last, bits_of(ends.runs - 1));
    ASSIGN_OR_RETURN(ends.first_length,
                     ValueOf<Length>(local, lengths_.view().Slice(0, 1)));
    return ends;
  }

  // Adds what later stretches have of a run. Like everything behind the last
  // agreement it fails only where the memory does.
  template <typename Length>
  absl::Status Lengthen(std::int64_t run, std::int64_t more) {
    Backend& local = *backend().local();
    const ArrayView length = lengths_.view().Slice(run, 1);
    ASSIGN_OR_RETURN(Length sum, ValueOf<Length>(local, length));
    sum += static_cast<Length>(more);
    return local.Copy(ConstArrayView(&sum, 1, Memory::Host()), length);
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
