// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Programs beside serial/reference, for tests of implementations.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_COMPARE_WITH_REFERENCE_H_
#define CONCORD_ALGORITHMS_SEQUENCE_COMPARE_WITH_REFERENCE_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/host_array.h"

namespace concord::sequence {

inline std::int64_t FirstDifference(const ConstArrayView& x,
                                    const ConstArrayView& y) {
  std::int64_t k = 0;
  while (k < x.bytes() && x.data<char>()[k] == y.data<char>()[k]) ++k;
  return k;
}

// The columns of a program's result, or its error.
using Results = absl::StatusOr<std::vector<HostArray>>;

// The same bits, or the same error. `what` is for messages.
inline void ExpectSame(const Results& given, const Results& wanted,
                       const std::string& what) {
  EXPECT_EQ(given.status(), wanted.status()) << what;
  if (!wanted.ok() || !given.ok()) return;
  EXPECT_EQ(given->size(), wanted->size()) << what;
  if (given->size() != wanted->size()) return;
  for (std::size_t k = 0; k < wanted->size(); ++k) {
    const ConstArrayView x = (*wanted)[k].view(), y = (*given)[k].view();
    EXPECT_EQ(x.size(), y.size()) << what;
    if (x.size() != y.size()) continue;
    EXPECT_EQ(FirstDifference(x, y), x.bytes()) << what;
  }
}

// Compares results, or errors, of the backends with those of the reference.
// Returns whether there are results.
inline bool CompareWithReference(
    const std::string& program, const std::vector<ConstArrayView>& columns,
    const std::vector<std::shared_ptr<Backend>>& backends,
    const std::string& variant = "") {
  static const auto* const serial =
      new std::shared_ptr<Backend>(*OpenBackend("serial"));
  const Results wanted = ComputeSequence(*serial, program, columns);
  for (const std::shared_ptr<Backend>& backend : backends) {
    ExpectSame(ComputeSequence(backend, program, columns, variant), wanted,
               absl::StrCat(backend->info().spec, " ", variant, "\n", program));
  }
  return wanted.ok();
}

// Of every kind of pass.
inline std::vector<std::string> ProgramsOfEveryPass() {
  return {"map 2 * x + 1 |> map x ^ 5",
          "zip x w |> map int64(x) * y + i |> reduce a + b",
          "z |> map x * 1.5 |> reduce a + b from 3",
          "z |> map float64(x) / 3 |> reduce a * b", "z |> reduce min(a, b)",
          "filter x % 3 == 0 |> map -x",
          "zip x y z |> filter x < int32(y) |> map x, y, z -> (z, y)",
          "filter x > 0 |> reduce a + b", "filter x > 0 |> count",
          "map x + 1 |> scan a + b |> map x * 2",
          "map x + int32(i) |> scan_before max(a, b)", "scan a + b from 7",
          "map x > 0 |> scan a | b", "z |> scan a + b",
          "z |> scan_before a * b |> map x + 1",
          "map v -> (v, v) |> reduce (s, m), (t, n) -> (s + t, min(m, s + n))",
          "map v -> (v, float32(i)) |> reduce (s, m), (t, n) -> (s * 3 + t, "
          "m * 0.5 + n) unchecked |> map s, m -> m",
          "map v -> (v, v) |> scan (s, m), (t, n) -> (s + t, min(m, s + n))",
          "scan_before a * 3 - b from 5 unchecked",
          "reduce a, b -> a - 2 * b unchecked",
          "map v -> y[(v & 127)] |> reduce a, b -> a + 3 * b unchecked",
          // As many values as an operator can have, of a function that reads
          // a table.
          "map v -> (y[(v & 127)], v, v, v, v, v, v, v) |> reduce (a, b, c, d, "
          "e, f, g, h), (s, t, u, v, w, x, y, z) -> (a + s, b * 3 - t, c + u, "
          "d + v, e + w, min(f, x), max(g, y), h ^ z) unchecked |> map a, b, "
          "c, d, e, f, g, h -> (a, b, g, h)",
          "map v -> y[v + 129]", "map v -> y[int64(v) + i] |> scan a + b",
          "sums = scan a + b; lows = sums |> scan_before min(a, b); "
          "zip sums lows |> map x - y |> reduce max(a, b)",
          "slice 1000, 40000 |> filter i % 2 == 0", "a = map x + 1; concat a x",
          "sort_by x", "zip x y z |> sort_by y |> map x, y, z -> (x, z, i)",
          "zip y z |> sort_by v, w -> -w |> take 20000", "histogram x",
          "z |> histogram x |> map k, n -> n |> reduce max(a, b)",
          "histogram x > 3 |> count",
          "zip y z |> group_reduce y by (a, b), (c, d) -> (c, b + d)",
          "zip y z |> group_reduce (y, z) by a + b from 1 |> filter x > 3",
          "group_reduce (x / 7, x, i) by (a, b), (c, d) -> (a * 3 - c, "
          "max(b, d)) unchecked",
          "last"};
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_COMPARE_WITH_REFERENCE_H_
