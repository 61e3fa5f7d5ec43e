// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/pairwise.h"

#include <numeric>

namespace concord {
namespace {

// Of so many random completions of a row the best is taken. More make the rows
// fewer only slowly.
constexpr int kCandidates = 16;

// Which pairs of choices still have to meet.
class OpenPairs {
 public:
  explicit OpenPairs(const std::vector<int>& counts)
      : first_of_(counts.size() + 1, 0) {
    std::partial_sum(counts.begin(), counts.end(), first_of_.begin() + 1);
    open_.assign(first_of_.back() * first_of_.back(), false);
  }

  std::size_t Key(std::size_t f, int a, std::size_t g, int b) const {
    return (first_of_[f] + a) * first_of_.back() + first_of_[g] + b;
  }
  bool IsOpen(std::size_t key) const { return open_[key]; }
  void Set(std::size_t key, bool open) { open_[key] = open; }

  // How many open pairs the row closes.
  int Gain(const std::vector<int>& row) const {
    int gain = 0;
    for (std::size_t f = 0; f < row.size(); ++f) {
      for (std::size_t g = f + 1; g < row.size(); ++g) {
        if (open_[Key(f, row[f], g, row[g])]) ++gain;
      }
    }
    return gain;
  }
  void Close(const std::vector<int>& row) {
    for (std::size_t f = 0; f < row.size(); ++f) {
      for (std::size_t g = f + 1; g < row.size(); ++g) {
        open_[Key(f, row[f], g, row[g])] = false;
      }
    }
  }

 private:
  std::vector<std::size_t> first_of_;
  std::vector<bool> open_;
};

// Makes the remaining choices at random. Every choice leaves the row possible.
std::vector<int> Complete(
    std::vector<int> row, const std::vector<int>& counts,
    const std::function<bool(const std::vector<int>&)>& possible,
    Random& random) {
  for (std::size_t f = 0; f < row.size(); ++f) {
    if (row[f] != kUnset) continue;
    const int count = counts[f];
    const auto start = static_cast<int>(random.Below(count));
    for (int i = 0; i < count; ++i) {
      row[f] = (start + i) % count;
      if (possible(row)) break;
    }
  }
  return row;
}

}  // namespace

std::vector<std::vector<int>> CoverPairs(
    const std::vector<int>& counts,
    const std::function<bool(const std::vector<int>& row)>& possible,
    Random& random) {
  std::vector<std::vector<int>> rows;
  const auto for_each_pair = [&](const auto& visit) {
    for (std::size_t f = 0; f < counts.size(); ++f) {
      for (std::size_t g = f + 1; g < counts.size(); ++g) {
        for (int a = 0; a < counts[f]; ++a) {
          for (int b = 0; b < counts[g]; ++b) {
            std::vector<int> row(counts.size(), kUnset);
            row[f] = a;
            row[g] = b;
            visit(f, a, g, b, row);
          }
        }
      }
    }
  };

  OpenPairs open(counts);
  for_each_pair([&](std::size_t f, int a, std::size_t g, int b,
                    const std::vector<int>& row) {
    open.Set(open.Key(f, a, g, b), possible(row));
  });
  for_each_pair([&](std::size_t f, int a, std::size_t g, int b,
                    const std::vector<int>& pair) {
    if (!open.IsOpen(open.Key(f, a, g, b))) return;
    std::vector<int> best;
    int best_gain = 0;
    for (int i = 0; i < kCandidates; ++i) {
      std::vector<int> row = Complete(pair, counts, possible, random);
      const int gain = open.Gain(row);
      if (gain > best_gain) {
        best = std::move(row);
        best_gain = gain;
      }
    }
    open.Close(best);
    rows.push_back(std::move(best));
  });
  return rows;
}

}  // namespace concord
