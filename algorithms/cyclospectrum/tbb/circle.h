// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_CIRCLE_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_CIRCLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"

namespace concord::cyclospectrum {

// A circle of masses, by the sums of its masses up to each of them, twice
// around: the piece from `first` to before `last` has sums[last] - sums[first].
template <typename T>
class Circle {
 public:
  using Mass = std::make_unsigned_t<T>;

  Circle(absl::Span<const T> masses, T total)
      : n_(static_cast<std::int64_t>(masses.size())),
        total_(static_cast<Mass>(total)) {
    sums_.reserve(2 * masses.size() + 1);
    sums_.push_back(0);
    for (int round = 0; round < 2; ++round) {
      for (const T mass : masses) {
        sums_.push_back(sums_.back() + static_cast<Mass>(mass));
      }
    }
  }

  std::int64_t n() const { return n_; }
  Mass total() const { return total_; }
  const Mass* sums() const { return sums_.data(); }
  std::int64_t size() const { return n_ * (n_ - 1) + 2; }
  // The values [0, half()) and those that mirror them are all that there are.
  Mass half() const { return total_ / 2 + 1; }

  // For each start, the end of the first piece that has `value` or more, which
  // is at most the total, not 0. Starts further on have their ends further on.
  void EndsAt(Mass value, std::vector<std::int64_t>& ends) const {
    ends.resize(static_cast<std::size_t>(n_));
    std::int64_t end = 0;
    for (std::int64_t first = 0; first < n_; ++first) {
      end = std::max(end, first + 1);
      while (sums_[end] - sums_[first] < value) ++end;
      ends[first] = end;
    }
  }

  // How many elements of the spectrum are smaller.
  std::int64_t Rank(Mass value) const {
    std::int64_t rank = value > 0 ? 1 : 0;  // the piece of no masses
    std::int64_t end = 0;
    for (std::int64_t first = 0; first < n_; ++first) {
      end = std::max(end, first + 1);
      while (sums_[end] - sums_[first] < value) ++end;
      rank += end - first - 1;
    }
    return rank;
  }

 private:
  std::int64_t n_;
  Mass total_;
  std::vector<Mass> sums_;
};

// Values [begin, end), and where they belong.
template <typename Mass>
struct Range {
  Mass begin;
  Mass end;
  std::int64_t first_rank;
  std::int64_t end_rank;
};

// Ranges that together are the lower half of the spectrum, each of at most so
// many pieces unless they are all equal.
template <typename T>
std::vector<Range<typename Circle<T>::Mass>> CutIntoRanges(
    const Circle<T>& circle, std::int64_t most) {
  using Mass = typename Circle<T>::Mass;
  std::vector<Range<Mass>> ranges;
  std::vector<Range<Mass>> open = {
      {0, circle.half(), 0, circle.Rank(circle.half())}};
  while (!open.empty()) {
    const Range<Mass> range = open.back();
    open.pop_back();
    if (range.end_rank == range.first_rank) continue;
    if (range.end_rank - range.first_rank <= most ||
        range.end - range.begin == 1) {
      ranges.push_back(range);
      continue;
    }
    const Mass middle = range.begin + (range.end - range.begin) / 2;
    const std::int64_t rank = circle.Rank(middle);
    open.push_back({middle, range.end, rank, range.end_rank});
    open.push_back({range.begin, middle, range.first_rank, rank});
  }
  return ranges;
}

// A value and how many elements of the spectrum are smaller.
template <typename Mass>
struct Cut {
  Mass value;
  std::int64_t rank;
};

// Between which two cuts an element of the lower half is: not before `low` and
// before `high`.
template <typename Mass>
struct Cuts {
  Cut<Mass> low;
  Cut<Mass> high;
};

// The cuts are as narrow as `is_narrow` wants it, or a single value apart.
// Those of an element further on are not before these.
template <typename T, typename F>
Cuts<typename Circle<T>::Mass> CutAround(const Circle<T>& circle,
                                         std::int64_t element,
                                         const F& is_narrow) {
  using Mass = typename Circle<T>::Mass;
  Cuts<Mass> cuts = {{0, 0}, {circle.half(), circle.Rank(circle.half())}};
  while (!is_narrow(cuts) && cuts.high.value - cuts.low.value > 1) {
    const Mass middle = cuts.low.value + (cuts.high.value - cuts.low.value) / 2;
    const std::int64_t rank = circle.Rank(middle);
    (rank <= element ? cuts.low : cuts.high) = {middle, rank};
  }
  return cuts;
}

// The last cut that is known to be before the element or at it: at most `most`
// elements are between them, or all of these are equal to it.
template <typename T>
Cut<typename Circle<T>::Mass> CutBefore(const Circle<T>& circle,
                                        std::int64_t element,
                                        std::int64_t most) {
  return CutAround(
             circle, element,
             [&](const auto& cuts) { return element - cuts.low.rank <= most; })
      .low;
}

// Values that have all elements from `first` to before `last` of the lower
// half, which are some, and at most `most` more at either end, unless these are
// equal to the first or the last one.
template <typename T>
Range<typename Circle<T>::Mass> RangeWith(const Circle<T>& circle,
                                          std::int64_t first, std::int64_t last,
                                          std::int64_t most) {
  const auto low = CutBefore(circle, first, most);
  const auto high = CutAround(circle, last - 1, [&](const auto& cuts) {
                      return cuts.high.rank - last <= most;
                    }).high;
  return {low.value, high.value, low.rank, high.rank};
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_CIRCLE_H_
