// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Whether parentheses match: none closes that was not opened, and none is left.

#include <iostream>
#include <string>
#include <vector>

#include "concord/algorithms/sequence/sequence.h"
#include "concord/core/backend.h"

int main(int argc, char** argv) {
  auto backend = concord::OpenBackend("");
  if (!backend.ok()) return std::cerr << backend.status() << "\n", 1;

  const std::string text = argc > 1 ? argv[1] : "(a (b) (c (d)))";
  const auto letters =
      concord::Sequence::Of<std::uint8_t>(*backend, {text.begin(), text.end()});
  const auto depth =
      letters.Map("x == 40 ? int32(1) : x == 41 ? -1 : 0").Scan("a + b");
  auto ends = concord::Get<int, int>(depth.Last(), depth.Min());
  if (!ends.ok()) return std::cerr << ends.status() << "\n", 1;
  const auto [last, least] = *ends;
  std::cout << (last == 0 && least >= 0 ? "balanced" : "not balanced") << "\n";
}
