// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_TBB_VALUE_ARRAYS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_TBB_VALUE_ARRAYS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/order.h"
#include "concord/core/array.h"
#include "concord/core/checked_size.h"
#include "concord/core/element_type.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/value_type.h"

namespace concord::sequence {

// Where element `first` of each array is.
template <typename Void, typename View>
std::vector<Void*> PointersAt(absl::Span<const View> views,
                              std::int64_t first) {
  std::vector<Void*> pointers;
  for (const View& view : views) {
    pointers.push_back(view.Slice(first, view.size() - first).data());
  }
  return pointers;
}

// Tuples as an array for each of their values, of n elements each, which are
// unspecified at first. std::bad_alloc: there is no memory for so many.
class ValueArrays {
 public:
  ValueArrays(std::vector<expression::Type> types, std::int64_t n)
      : types_(std::move(types)) {
    for (expression::Type type : types_) {
      const auto bytes = static_cast<std::size_t>(MemoryFor(type, n));
      // Owned before the vector grows, as that may find no memory.
      std::unique_ptr<char[], Free> array(static_cast<char*>(
          ::operator new (bytes, std::align_val_t{kAlignment})));
      arrays_.push_back(std::move(array));
      views_.push_back(
          ArrayView(arrays_.back().get(), StoredAs(type), n, Memory::Host()));
    }
  }

  const std::vector<expression::Type>& types() const { return types_; }
  const std::vector<ArrayView>& views() const { return views_; }
  std::vector<ConstArrayView> const_views() const {
    return std::vector<ConstArrayView>(views_.begin(), views_.end());
  }
  std::vector<void*> pointers() const {
    return PointersAt<void, ArrayView>(views_, 0);
  }

  Tuple Get(std::int64_t i) const {
    Tuple tuple;
    for (std::size_t k = 0; k < types_.size(); ++k) {
      tuple.push_back(expression::LoadValue(types_[k], arrays_[k].get(), i));
    }
    return tuple;
  }
  void Set(std::int64_t i, const Tuple& tuple) {
    for (std::size_t k = 0; k < types_.size(); ++k) {
      expression::StoreValue(types_[k], arrays_[k].get(), i, tuple[k]);
    }
  }

 private:
  // Of vectors.
  static constexpr std::size_t kAlignment = 64;

  // In bytes.
  static std::int64_t MemoryFor(expression::Type type, std::int64_t n) {
    const absl::StatusOr<std::int64_t> bytes =
        CheckedBytes({n}, StoredAs(type));
    if (!bytes.ok()) throw std::bad_alloc();
    return *bytes;
  }

  struct Free {
    void operator()(char* memory) const {
      ::operator delete (memory, std::align_val_t{kAlignment});
    }
  };

  std::vector<expression::Type> types_;
  std::vector<std::unique_ptr<char[], Free>> arrays_;
  std::vector<ArrayView> views_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_TBB_VALUE_ARRAYS_H_
