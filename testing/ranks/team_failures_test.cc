// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What members are told where one of them fails by itself, or sees no more of a
// call than its stretch. Their stretches are not in host memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/backends/mpi/elsewhere.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/backends/mpi/thread_team.h"
#include "concord/core/registry.h"
#include "concord/testing/support/plain_backend.h"

namespace concord {
namespace {

using ::testing::HasSubstr;

// Its sums fail after so many.
class Fragile : public PlainBackend {
 public:
  Fragile() : PlainBackend("fragile", Memory("elsewhere")) {}

  int good_sums = 100;
};

class FragileSum : public Reduce {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options&) override {
    if (static_cast<Fragile&>(backend()).good_sums-- == 0) {
      return absl::ResourceExhaustedError("no scratch memory");
    }
    const auto numbers = in.span<std::int32_t>();
    *out.data<std::int32_t>() =
        std::accumulate(numbers.begin(), numbers.end(), std::int32_t{0});
    return absl::OkStatus();
  }
};

const bool kRegistered = Registry<Reduce>::Get().Add<FragileSum>(
    "fragile", "sum", /*rank=*/1, "fails when it is told to", Contract());

TEST(TeamFailures, AReductionThatFailsOnOneMemberFailsOnAll) {
  RunThreadTeam(3, [](const std::shared_ptr<Team>& team) {
    const auto fragile = std::make_shared<Fragile>();
    TeamParts parts;
    parts.spec = "fragile";
    parts.local = fragile;
    parts.carrier = MakeStagedTeam(team, fragile, /*piece=*/1000);
    const auto backend = TeamBackend::Make(team, std::move(parts));
    ASSERT_TRUE(backend.ok()) << backend.status();
    const auto reduce = Registry<Reduce>::Get().Create(*backend);
    const std::vector<std::int32_t> ones(3000, 1);
    const ConstArrayView from(absl::MakeConstSpan(ones));
    const auto in = (*backend)->Allocate(from.type(), from.size());
    const auto out = (*backend)->Allocate(from.type(), 1);
    ASSERT_TRUE(reduce.ok() && in.ok() && out.ok());
    ASSERT_TRUE((*backend)->Copy(from, in->view()).ok());
    // That of its stretch, then that of all parts.
    for (const int good : {0, 1}) {
      if (team->rank() == 1) fragile->good_sums = good;
      EXPECT_EQ((*reduce)->Run(in->view(), out->view(), {}),
                absl::ResourceExhaustedError("rank 1 of 3: no scratch memory"));
    }
    fragile->good_sums = 100;
    ASSERT_TRUE((*reduce)->Run(in->view(), out->view(), {}).ok());
    std::int32_t sum = 0;
    ASSERT_TRUE(
        (*backend)
            ->Copy(out->view(), ArrayView(absl::Span<std::int32_t>(&sum, 1)))
            .ok());
    EXPECT_EQ(sum, 3000);
  });
}

// Nobody says how large its stretch would have to be.
TEST(TeamFailures, ARefusalHasTheSizesOfTheCall) {
  const std::vector<std::uint8_t> digits = {1};
  const ConstArrayView from{absl::MakeConstSpan(digits)};
  LookAndSay::Options whole = {/*steps=*/25};
  LookAndSay::Options part = whole;
  part.from = 50;
  part.count = 100;
  for (const LookAndSay::Options& options : {whole, part}) {
    const absl::StatusOr<LookAndSayOutput> wanted =
        OutputOfLookAndSay(digits, options);
    ASSERT_TRUE(wanted.ok());
    RunThreadTeam(3, [&](const std::shared_ptr<Team>& team) {
      const std::shared_ptr<TeamBackend> backend =
          *OpenElsewhere(team, Layout::kEven);
      const auto look_and_say = Registry<LookAndSay>::Get().Create(backend);
      const auto in = backend->Allocate(from.type(), from.size());
      ASSERT_TRUE(look_and_say.ok() && in.ok());
      ASSERT_TRUE(backend->Copy(from, in->view()).ok());
      for (const std::int64_t size :
           {wanted->size - 1, wanted->size + 1, 5 * wanted->size}) {
        const auto out = backend->Allocate(wanted->type, size);
        ASSERT_TRUE(out.ok());
        const absl::Status status =
            (*look_and_say)->Run(in->view(), out->view(), options);
        EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
        EXPECT_THAT(std::string(status.message()),
                    HasSubstr(absl::StrCat("'out' must have ", wanted->size,
                                           " elements, not ", size)));
      }
    });
  }
}

}  // namespace
}  // namespace concord
