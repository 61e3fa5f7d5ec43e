// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The largest sum of neighbouring numbers, by functions of one's own: two scans
// and a reduction, which run as one program.

#include <iostream>
#include <vector>

#include "concord/algorithms/sequence/sequence.h"
#include "concord/core/backend.h"

int main() {
  auto backend = concord::OpenBackend("");
  if (!backend.ok()) return std::cerr << backend.status() << "\n", 1;

  const auto numbers =
      concord::Sequence::Of<int>(*backend, {2, -5, 3, 4, -1, 2, -9, 4});
  const auto sums = numbers.Scan("a + b");
  const auto lows = sums.ScanBefore("min(a, b)", /*start=*/"0");
  auto best = Zip(sums, lows).Map("x - y").Max().Get<int>();
  if (!best.ok()) return std::cerr << best.status() << "\n", 1;
  std::cout << *best << "\n";  // 8
}
