// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/team_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/backends/mpi/elsewhere.h"
#include "concord/backends/mpi/stretch_pool.h"
#include "concord/backends/mpi/thread_team.h"
#include "concord/core/available_memory.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

using ::testing::HasSubstr;

constexpr int kMembers = 7;

std::vector<std::int32_t> Numbers(std::int64_t n) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

// Calls check(backend) as each member of a team of seven, for even and uneven
// stretches.
void OnEachMember(const std::function<void(TeamBackend&)>& check) {
  for (const char* const spec : {"serial", "tbb:2@uneven"}) {
    SCOPED_TRACE(spec);
    RunThreadTeam(kMembers, [&](const std::shared_ptr<Team>& team) {
      const auto backend = TeamBackend::Open(team, spec);
      ASSERT_TRUE(backend.ok()) << backend.status();
      check(**backend);
    });
  }
}

// The same for members whose stretches are not in host memory.
void OnEachMemberElsewhere(const std::function<void(TeamBackend&)>& check) {
  for (const Layout layout : {Layout::kEven, Layout::kUneven}) {
    RunThreadTeam(kMembers, [&](const std::shared_ptr<Team>& team) {
      const auto backend = OpenElsewhere(team, layout);
      ASSERT_TRUE(backend.ok()) << backend.status();
      check(**backend);
    });
  }
}

std::vector<std::int32_t> OnTheHost(TeamBackend& backend,
                                    const ConstArrayView& view) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(view.size()));
  const absl::Status status =
      backend.Copy(view, ArrayView(absl::MakeSpan(values)));
  EXPECT_TRUE(status.ok()) << status;
  return values;
}

// Each stretch alone would fit.
TEST(TeamBackend, StretchesOfAHostFitIntoItsMemoryTogether) {
  const std::int64_t bytes = 2 * AvailableMemory();
  RunThreadTeam(3, [&](const std::shared_ptr<Team>& team) {
    const auto backend = TeamBackend::Open(team, "serial");
    ASSERT_TRUE(backend.ok()) << backend.status();
    const absl::Status status =
        (*backend)->Allocate(ElementType::kUInt8, bytes).status();
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("rank 0 of 3: out of mpi memory"));
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat(bytes, " by all of its host")));
  });
}

TEST(TeamBackend, WhatIsCopiedThereComesBackToEveryMember) {
  const auto check = [](TeamBackend& backend) {
    for (const std::int64_t n : {0, 1, 2, 100, 5000, 600000}) {
      const std::vector<std::int32_t> numbers = Numbers(n);
      const auto array = backend.Allocate(ElementType::kInt32, n);
      ASSERT_TRUE(array.ok()) << array.status();
      ASSERT_TRUE(
          backend
              .Copy(ConstArrayView(absl::MakeConstSpan(numbers)), array->view())
              .ok());
      EXPECT_EQ(OnTheHost(backend, array->view()), numbers);
    }
  };
  OnEachMember(check);
  OnEachMemberElsewhere(check);
}

// Into memory of the member's own, which nobody else sees, nothing is copied.
TEST(TeamBackend, EachMemberStoresItsPartOfARoomThatIsStored) {
  const auto check = [](TeamBackend& backend) {
    // More than comes from a GPU at a time.
    for (const std::int64_t n : {1, 3000, 9 << 20}) {
      const std::vector<std::int32_t> numbers = Numbers(n);
      const ConstArrayView from(absl::MakeConstSpan(numbers));
      const auto array = backend.Allocate(ElementType::kInt32, n);
      ASSERT_TRUE(array.ok() && backend.Copy(from, array->view()).ok());
      std::vector<std::int32_t> room(static_cast<std::size_t>(n) + 1);
      std::vector<std::int32_t> stored(room.size());
      int parts = 0;
      const SharedRoom shared(
          room.data(), static_cast<std::int64_t>(room.size() * sizeof(room[0])),
          [&](const void* at, absl::string_view bytes) {
            ++parts;
            const auto* const place = static_cast<const std::int32_t*>(at);
            if (!bytes.empty()) {
              std::memcpy(&stored[static_cast<std::size_t>(place - &room[0])],
                          bytes.data(), bytes.size());
            }
            return absl::OkStatus();
          });
      ASSERT_TRUE(
          backend.Copy(array->view(), ArrayView(room.data(), n, Memory::Host()))
              .ok());
      EXPECT_GT(parts, 0);
      EXPECT_EQ(room, std::vector<std::int32_t>(room.size()));
      const Range mine = backend.Mine(*backend.Stretches(array->view()));
      std::vector<std::int32_t> expected(room.size());
      std::copy(numbers.begin() + mine.first,
                numbers.begin() + std::max(mine.first, mine.last),
                expected.begin() + mine.first);
      EXPECT_EQ(stored, expected);
    }
  };
  for (const char* const on : {"serial@uneven", "elsewhere"}) {
    RunThreadTeam(2, [&](const std::shared_ptr<Team>& team) {
      const auto backend = on == std::string("elsewhere")
                               ? OpenElsewhere(team, Layout::kEven)
                               : TeamBackend::Open(team, on);
      ASSERT_TRUE(backend.ok()) << backend.status();
      check(**backend);
    });
  }
}

TEST(TeamBackend, AStretchElsewhereHasItsPlaceInALineOfMemory) {
  OnEachMemberElsewhere([](TeamBackend& backend) {
    EXPECT_EQ(backend.memory().name(), "mpi:cuda");
    const std::vector<std::int32_t> numbers = Numbers(1000);
    const auto array = backend.Allocate(ElementType::kInt32, 1000);
    ASSERT_TRUE(array.ok());
    const ConstArrayView host(absl::MakeConstSpan(numbers));
    ASSERT_TRUE(backend.Copy(host, array->view()).ok());
    const auto stretches = backend.Stretches(array->view());
    ASSERT_TRUE(stretches.ok());
    const Range mine = backend.Mine(*stretches);
    const ArrayView here = backend.Here(array->view(), mine);
    EXPECT_EQ(here.memory(), backend.local()->memory());
    ASSERT_EQ(here.size(), mine.size());
    for (std::int64_t i = 0; i < here.size(); ++i) {
      ASSERT_EQ(here.data<std::int32_t>()[i], mine.first + i + 1);
    }
    // What the test's memory is aligned to.
    constexpr std::int64_t kLine = 64;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(here.data()) % kLine,
              here.empty() ? 0 : mine.first * 4 % kLine);
  });
}

TEST(TeamBackend, AnArrayElsewhereForWhichAMemberHasNoRoomIsNobodys) {
  OnEachMemberElsewhere([](TeamBackend& backend) {
    if (backend.team().rank() == 3) backend.local()->pool().set_limit(0);
    const auto array = backend.Allocate(ElementType::kInt8, 7000);
    // Uneven stretches may leave nothing to that member.
    if (array.ok()) return;
    EXPECT_EQ(array.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(array.status().message()),
                HasSubstr("rank 3 of 7: out of elsewhere memory"));
    EXPECT_EQ(backend.pool().bytes_in_use(), 0);
    EXPECT_EQ(backend.local()->pool().bytes_in_use(), 0);
  });
}

TEST(TeamBackend, EachMemberHasItsStretchAndNoMore) {
  OnEachMember([](TeamBackend& backend) {
    const std::vector<std::int32_t> numbers = Numbers(600000);
    const auto array = backend.Allocate(ElementType::kInt32, 600000);
    ASSERT_TRUE(array.ok());
    ASSERT_TRUE(
        backend
            .Copy(ConstArrayView(absl::MakeConstSpan(numbers)), array->view())
            .ok());
    const auto stretches = backend.Stretches(array->view());
    ASSERT_TRUE(stretches.ok());
    const Range mine = backend.Mine(*stretches);
    for (std::int64_t i = mine.first; i < mine.last; i += 1001) {
      EXPECT_EQ(array->data<std::int32_t>()[i], i + 1);
    }
  });
}

TEST(TeamBackend, SlicesAreCopiedWithinAndBetweenArrays) {
  const auto check = [](TeamBackend& backend) {
    const std::vector<std::int32_t> numbers = Numbers(1000);
    const auto one = backend.Allocate(ElementType::kInt32, 1000);
    const auto other = backend.Allocate(ElementType::kInt32, 3000);
    ASSERT_TRUE(one.ok() && other.ok());
    const ConstArrayView host(absl::MakeConstSpan(numbers));
    ASSERT_TRUE(backend.Copy(host, one->view()).ok());
    ASSERT_TRUE(
        backend.Copy(one->view(), other->view().Slice(1500, 1000)).ok());
    EXPECT_EQ(OnTheHost(backend, other->view().Slice(1500, 1000)), numbers);
    // To where some of it comes from.
    ASSERT_TRUE(backend
                    .Copy(other->view().Slice(1500, 1000),
                          other->view().Slice(1100, 1000))
                    .ok());
    EXPECT_EQ(OnTheHost(backend, other->view().Slice(1100, 1000)), numbers);
    EXPECT_EQ(OnTheHost(backend, other->view().Slice(2100, 1)).front(), 601);
  };
  OnEachMember(check);
  OnEachMemberElsewhere(check);
}

TEST(TeamBackend, AnArrayFromElsewhereIsRefused) {
  OnEachMember([](TeamBackend& backend) {
    std::vector<std::int32_t> numbers = Numbers(10);
    const ConstArrayView foreign(numbers.data(), 10, backend.memory());
    const absl::Status status =
        backend.Copy(foreign, ArrayView(absl::MakeSpan(numbers)));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("rank 0 of 7"));
  });
}

TEST(TeamBackend, MembersThatCopyDifferentSizesAreTold) {
  OnEachMember([](TeamBackend& backend) {
    const auto array = backend.Allocate(ElementType::kInt32, 1000);
    ASSERT_TRUE(array.ok());
    std::vector<std::int32_t> values(1000);
    const std::int64_t n = backend.team().rank() == 4 ? 999 : 1000;
    EXPECT_EQ(backend.Copy(array->view().Slice(0, n),
                           ArrayView(values.data(), n, Memory::Host())),
              absl::InvalidArgumentError(
                  "rank 4 of 7 calls a copy to the host of 999 int32, but rank "
                  "0 a copy to the host of 1000 int32"));
  });
}

TEST(TeamBackend, MembersThatAllocateDifferentSizesAreTold) {
  OnEachMember([](TeamBackend& backend) {
    const auto array = backend.Allocate(ElementType::kInt8,
                                        backend.team().rank() == 6 ? 9 : 10);
    EXPECT_EQ(array.status(),
              absl::InvalidArgumentError(
                  "rank 6 of 7 calls an array of 9 bytes, but rank 0 an array "
                  "of 10 bytes"));
    EXPECT_EQ(backend.pool().bytes_in_use(), 0);
  });
}

TEST(TeamBackend, AnArrayThatNoMemoryHoldsIsRefusedAndTheNextOneIsNot) {
  OnEachMember([](TeamBackend& backend) {
    const auto array =
        backend.Allocate(ElementType::kInt8, std::int64_t{1} << 50);
    EXPECT_EQ(array.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(array.status().message()),
                HasSubstr("out of mpi memory"));
    EXPECT_TRUE(backend.Allocate(ElementType::kInt8, 10).ok());
  });
}

TEST(TeamBackend, TellsWhatItTakes) {
  RunThreadTeam(2, [](const std::shared_ptr<Team>& team) {
    for (const char* const spec : {"cuda", "serial:1", "tbb:0", "tbb@odd"}) {
      const absl::Status status = TeamBackend::Open(team, spec).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << spec;
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr(std::string("backend 'mpi:") + spec + "': "));
    }
    const auto backend = TeamBackend::Open(team, "tbb:2@uneven");
    ASSERT_TRUE(backend.ok());
    EXPECT_EQ((*backend)->info().spec, "mpi:tbb:2@uneven");
    EXPECT_EQ((*backend)->memory().name(), "mpi");
  });
}

}  // namespace
}  // namespace concord
