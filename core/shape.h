// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_SHAPE_H_
#define CONCORD_CORE_SHAPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace concord {

// How many elements an array has in each of its one or two dimensions, and how
// many elements lie from one to the next in each: extents and strides.
class Shape {
 public:
  static constexpr int kMostDimensions = 2;

  // One dimension without gaps.
  Shape(std::int64_t size) : extents_{size, 1}, strides_{1, 1} {}
  // Rows and columns in C order, without gaps.
  Shape(std::int64_t rows, std::int64_t columns)
      : dimensions_(2), extents_{rows, columns}, strides_{columns, 1} {}
  // One or two extents, in C order without gaps.
  explicit Shape(absl::Span<const std::int64_t> extents)
      : Shape(extents.size() == 2 ? Shape(extents[0], extents[1])
                                  : Shape(extents[0])) {}

  // The same extents with gaps, or in another order.
  Shape WithStrides(std::int64_t first, std::int64_t second = 1) const {
    Shape strided = *this;
    strided.strides_[0] = first;
    strided.strides_[1] = second;
    return strided;
  }

  int dimensions() const { return dimensions_; }
  std::int64_t extent(int dimension) const { return extents_[dimension]; }
  std::int64_t stride(int dimension) const { return strides_[dimension]; }
  std::int64_t size() const { return extents_[0] * extents_[1]; }
  std::vector<std::int64_t> extents() const {
    return {extents_, extents_ + dimensions_};
  }

  // No extent is negative, and the bytes of as many elements as there are can
  // be counted.
  bool IsCountable() const {
    // Elements have up to 8 bytes.
    constexpr std::int64_t kMost = INT64_MAX / 8;
    return extents_[0] >= 0 && extents_[1] >= 0 &&
           (extents_[1] == 0 || extents_[0] <= kMost / extents_[1]);
  }
  // In C order, without gaps.
  bool IsContiguous() const {
    return strides_[1] == 1 && (strides_[0] == extents_[1] || extents_[0] <= 1);
  }

  // "[3, 4]", or "[3, 4] with strides [8, 1]".
  std::string ToString() const;

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.dimensions_ == b.dimensions_ && a.extents_[0] == b.extents_[0] &&
           a.extents_[1] == b.extents_[1];
  }
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

 private:
  int dimensions_ = 1;
  std::int64_t extents_[kMostDimensions];
  std::int64_t strides_[kMostDimensions];
};

}  // namespace concord

#endif  // CONCORD_CORE_SHAPE_H_
