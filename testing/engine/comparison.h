// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_COMPARISON_H_
#define CONCORD_TESTING_ENGINE_COMPARISON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "concord/core/host_array.h"

namespace concord {

// How two arrays differ, element by element.
struct Difference {
  std::int64_t compared = 0;
  std::int64_t wrong = 0;
  // Of those, how many still were the sentinel.
  std::int64_t not_written = 0;
  // The first wrong element: where, what it is, what it should be. Where both
  // are NaN, "nan:" and the bits in hexadecimal.
  std::int64_t first = -1;
  std::string got;
  std::string wanted;
  double allowed = 0;
  // The worst of all wrong elements. In ULP: how many values of the type lie
  // between the two. Infinite where one of the two is NaN.
  double worst_absolute = 0;
  double worst_ulp = 0;

  // "2 of 7 elements differ (1 never written), first [3]: 8 instead of 9; worst
  // error 1 (1 ULP)"
  std::string ToString() const;
};

// Compares an array that arrives in pieces, from its first element on, with the
// one that is wanted.
//
// An element is right when its bits are those wanted, when both are NaN, unless
// `nans_have_bits`, or when it is no farther from the wanted value than
// `tolerance` (empty: exact) allows. Whatever the tolerance, it is wrong when
// it is still the sentinel and the wanted value is not. An infinite tolerance
// asks for no more than that it be written.
class Comparison {
 public:
  // Both arrays stay with the caller and outlive this.
  Comparison(const HostArray& wanted, const std::vector<double>& tolerance,
             bool nans_have_bits)
      : wanted_(wanted),
        tolerance_(tolerance),
        nans_have_bits_(nans_have_bits) {}

  // The next elements; those past the end of `wanted` are not compared.
  void Add(const HostArray& piece);

  // Nothing when all is right.
  std::optional<Difference> result() const {
    if (difference_.wrong == 0) return std::nullopt;
    return difference_;
  }

 private:
  template <typename T>
  void AddTyped(absl::Span<const T> piece);

  const HostArray& wanted_;
  const std::vector<double>& tolerance_;
  const bool nans_have_bits_;
  std::int64_t position_ = 0;
  Difference difference_;
};

// The same for a whole array.
std::optional<Difference> Compare(const HostArray& got, const HostArray& wanted,
                                  const std::vector<double>& tolerance = {},
                                  bool nans_have_bits = false);

// How many values of the type lie between the two; infinite with a NaN, unless
// both have the same bits.
template <typename T>
double UlpDistance(T a, T b);

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_COMPARISON_H_
