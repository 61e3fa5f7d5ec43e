// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_WINDOWS_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_WINDOWS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace concord::cyclospectrum {

// Counts pieces without looking at each: where the circle's sums are bits in a
// row, set at sums[0], sums[1], ..., the bits from sums[first] + v on are the
// pieces that start there and have v, v + 1, ... So the counts of a tile of
// values are the column sums of windows, one for each start, and those are
// added up some hundred columns at a time.
//
// It takes sums that differ from each other: no mass is 0.
class MarkedSums {
 public:
  // Values of a tile.
  static constexpr int kValues = 4096;

  // Whether `sums`, as a Circle has them, can be marked and that is faster than
  // to count pieces one by one.
  template <typename Mass>
  static bool Pays(const Mass* sums, std::int64_t n);

  // Of a Circle, where that pays: for the tiles of its lower half.
  template <typename Circle>
  static std::optional<MarkedSums> Of(const Circle& circle) {
    if (!Pays(circle.sums(), circle.n())) return std::nullopt;
    return MarkedSums(circle.sums(), circle.n(), circle.half());
  }

  // For tiles that begin below `values`.
  template <typename Mass>
  MarkedSums(const Mass* sums, std::int64_t n, std::uint64_t values);

  // counts[v - begin] becomes the number of pieces of the value v, for begin <=
  // v < begin + kValues, the piece of no masses once for each start. `begin` is
  // a multiple of 8.
  void Count(std::uint64_t begin, std::uint32_t* counts) const;

 private:
  std::unique_ptr<std::uint64_t[]> bits_;
  // Where the windows of the values from 0 on start.
  std::vector<const unsigned char*> windows_;
};

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_WINDOWS_H_
