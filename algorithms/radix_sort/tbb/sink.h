// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Where sorted elements are written.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_SINK_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_SINK_H_

#include <cstdint>

#include "concord/algorithms/radix_sort/tbb/elements.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/core/array.h"

namespace concord::radix_sort {

// The caller's outputs. For elements of every kind there is.
template <typename Element>
class ElementSink {
 public:
  ElementSink(ArrayView keys, ArrayView values, bool descending)
      : keys_(keys),
        values_(values),
        descending_(descending),
        // Values are streamed when keys are: it is the same question.
        stream_(keys.bytes() + values.bytes() >= kStreamingBytes) {}

  // Writes elements[0, count) to the places from `first` on.
  void Store(std::int64_t first, const Element* elements,
             std::int64_t count) const;

  // To be called before another thread is told that the stores are done.
  void Finish() const {
    if (stream_) FinishStreaming();
  }

 private:
  template <typename Bits>
  void StoreKeys(std::int64_t first, const Element* elements,
                 std::int64_t count) const;
  void StoreValues(std::int64_t first, const Element* elements,
                   std::int64_t count) const;
  template <typename T, typename Project>
  void StoreEach(T* out, const Element* elements, std::int64_t count,
                 const Project& project) const;

  ArrayView keys_;
  ArrayView values_;
  bool descending_;
  bool stream_;
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_SINK_H_
