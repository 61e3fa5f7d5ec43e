// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>
#include <vector>

#include "concord/algorithms/scan/scan.h"
#include "concord/core/backend.h"

int main() {
  // "serial", "tbb:8", "cuda:1"; "" is $CONCORD_BACKEND, or the fastest here.
  auto backend = concord::OpenBackend("");
  if (!backend.ok()) return std::cerr << backend.status() << "\n", 1;
  std::cout << (*backend)->info().spec << ":";

  const std::vector<int> values = {15, 10, 42, 24};
  auto offsets = concord::ComputeScan<int>(*backend, values);
  if (!offsets.ok()) return std::cerr << offsets.status() << "\n", 1;
  for (int offset : *offsets) std::cout << " " << offset;
  std::cout << "\n";  // tbb:2: 0 15 25 67
}
