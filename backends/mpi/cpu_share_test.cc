// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/cpu_share.h"

#include <gtest/gtest.h>

#include <vector>

#include "concord/backends/tbb/available_cpus.h"

namespace concord {
namespace {

// A rank of the host that may use the CPUs [first, last).
CpusOfRank Rank(int first, int last, std::uint64_t host = 1) {
  CpusOfRank rank = {};
  rank.host = host;
  for (int cpu = first; cpu < last; ++cpu) CPU_SET(cpu, &rank.mask);
  return rank;
}

TEST(CpuShare, RanksThatMayUseAllCpusShareThem) {
  EXPECT_EQ(ShareOfCpus({Rank(0, 8)}, 0), 8);
  EXPECT_EQ(ShareOfCpus({Rank(0, 8), Rank(0, 8), Rank(0, 8)}, 1), 2);
  EXPECT_EQ(ShareOfCpus({Rank(0, 6), Rank(0, 6), Rank(0, 6)}, 1), 2);
  EXPECT_EQ(ShareOfCpus({Rank(0, 2), Rank(0, 2), Rank(0, 2)}, 2), 1);
}

TEST(CpuShare, ARankThatIsBoundToCpusOfItsOwnHasThem) {
  EXPECT_EQ(ShareOfCpus({Rank(0, 4), Rank(4, 8)}, 0), 4);
  EXPECT_EQ(ShareOfCpus({Rank(0, 1), Rank(1, 2)}, 1), 1);
}

TEST(CpuShare, RanksOfASocketShareIt) {
  const std::vector<CpusOfRank> ranks = {Rank(0, 16), Rank(16, 32), Rank(0, 16),
                                         Rank(16, 32)};
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    EXPECT_EQ(ShareOfCpus(ranks, r), 8);
  }
}

TEST(CpuShare, OtherHostsHaveCpusOfTheirOwn) {
  const std::vector<CpusOfRank> ranks = {Rank(0, 8, 1), Rank(0, 8, 1),
                                         Rank(0, 6, 2)};
  EXPECT_EQ(ShareOfCpus(ranks, 0), 4);
  EXPECT_EQ(ShareOfCpus(ranks, 2), 6);
  EXPECT_EQ(LeastShareOfCpus(ranks), 4);
}

CpusOfRank WithQuota(CpusOfRank rank, int quota) {
  rank.quota = quota;
  return rank;
}

TEST(CpuShare, AQuotaIsThatOfAllRanks) {
  const CpusOfRank limited = WithQuota(Rank(0, 64), 8);
  EXPECT_EQ(ShareOfCpus({limited, limited}, 0), 4);
  EXPECT_EQ(ShareOfCpus({limited}, 0), 8);
}

// Each rank alone could keep its CPUs busy.
TEST(CpuShare, RanksWithCpusOfTheirOwnShareAQuota) {
  const std::vector<CpusOfRank> ranks = {WithQuota(Rank(0, 16), 20),
                                         WithQuota(Rank(16, 32), 20)};
  EXPECT_EQ(ShareOfCpus(ranks, 0), 10);
  EXPECT_EQ(LeastShareOfCpus(ranks), 10);
}

TEST(CpuShare, WithoutAMaskAllRanksOfTheHostShare) {
  CpusOfRank many = Rank(0, 0);
  many.without_mask = 2048;
  EXPECT_EQ(ShareOfCpus({many, many}, 0), 1024);
}

TEST(CpuShare, AProcessAloneHasWhatIsAvailable) {
  EXPECT_EQ(ShareOfCpus({CpusHere()}, 0), AvailableCpus());
}

}  // namespace
}  // namespace concord
