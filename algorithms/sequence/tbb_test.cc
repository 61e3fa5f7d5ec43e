// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// tbb/interpreter beside serial/reference, on random programs and numbers of
// threads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/random_program.h"
#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/core/backend.h"
#include "concord/core/random.h"

namespace concord {
namespace {

using sequence::RandomColumns;

class TbbInterpreter : public testing::Test {
 protected:
  TbbInterpreter() {
    for (const char* name : kBackends) {
      backends_.push_back(*OpenBackend(name));
    }
  }

  // Compares the results of all backends from `first` on. Returns whether there
  // are results.
  bool Check(const std::string& program, const RandomColumns& columns,
             std::size_t first = 0) {
    const auto wanted = ComputeSequence(serial_, program, columns.views());
    for (std::size_t b = first; b < backends_.size(); ++b) {
      const auto given =
          ComputeSequence(backends_[b], program, columns.views());
      const std::string what = absl::StrCat(kBackends[b], "\n", program);
      EXPECT_EQ(given.status(), wanted.status()) << what;
      if (!wanted.ok() || !given.ok()) continue;
      for (std::size_t k = 0; k < wanted->size(); ++k) {
        const ConstArrayView x = (*wanted)[k].view(), y = (*given)[k].view();
        EXPECT_EQ(x.size(), y.size()) << what;
        if (x.size() != y.size()) continue;
        EXPECT_EQ(FirstDifference(x, y), x.bytes()) << what;
      }
    }
    return wanted.ok();
  }

  static std::int64_t FirstDifference(const ConstArrayView& x,
                                      const ConstArrayView& y) {
    std::int64_t k = 0;
    while (k < x.bytes() && x.data<char>()[k] == y.data<char>()[k]) ++k;
    return k;
  }

  static constexpr const char* kBackends[] = {"tbb:1", "tbb:2", "tbb:3",
                                              "tbb:8"};

  const std::shared_ptr<Backend> serial_ = *OpenBackend("serial");
  std::vector<std::shared_ptr<Backend>> backends_;
};

TEST_F(TbbInterpreter, RunsRandomProgramsAsTheReferenceDoes) {
  int right = 0;
  for (std::uint64_t seed = 0; seed < 2500; ++seed) {
    Random random(seed);
    const std::int64_t size = static_cast<std::int64_t>(
        seed % 5 == 0 ? random.Below(4) : random.Below(700));
    right += Check(sequence::RandomProgram(seed), RandomColumns(seed, size), 2);
    if (HasFailure()) return;
  }
  EXPECT_GT(right, 1000);
}

// As many elements as several chunks have, of every kind of pass.
TEST_F(TbbInterpreter, GivesTheSameBitsForEveryNumberOfThreads) {
  for (const std::int64_t size : {16'384, 32'769, 70'001}) {
    const RandomColumns columns(7, size);
    for (const char* program :
         {"map 2 * x + 1 |> map x ^ 5",
          "zip x w |> map int64(x) * y + i |> reduce a + b",
          "z |> map x * 1.5 |> reduce a + b from 3",
          "z |> map float64(x) / 3 |> reduce a * b",
          "z |> reduce min(a, b)",
          "filter x % 3 == 0 |> map -x",
          "zip x y z |> filter x < int32(y) |> map x, y, z -> (z, y)",
          "filter x > 0 |> reduce a + b",
          "filter x > 0 |> count",
          "map x + 1 |> scan a + b |> map x * 2",
          "map x + int32(i) |> scan_before max(a, b)",
          "scan a + b from 7",
          "map x > 0 |> scan a | b",
          "z |> scan a + b",
          "z |> scan_before a * b |> map x + 1",
          "map v -> (v, v) |> reduce (s, m), (t, n) -> (s + t, min(m, s + "
          "n))",
          "map v -> (v, float32(i)) |> reduce (s, m), (t, n) -> (s * 3 + t, "
          "m * 0.5 + n) unchecked |> map s, m -> m",
          "map v -> (v, v) |> scan (s, m), (t, n) -> (s + t, min(m, s + n))",
          "scan_before a * 3 - b from 5 unchecked",
          "reduce a, b -> a - 2 * b unchecked",
          "map v -> y[(v & 127)] |> reduce a, b -> a + 3 * b unchecked",
          "map v -> y[v + 129]",
          "map v -> y[int64(v) + i] |> scan a + b",
          "sums = scan a + b; lows = sums |> scan_before min(a, b); "
          "zip sums lows |> map x - y |> reduce max(a, b)",
          "slice 1000, 40000 |> filter i % 2 == 0",
          "a = map x + 1; concat a x",
          "last"}) {
      Check(program, columns);
    }
  }
}

}  // namespace
}  // namespace concord
