// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_HOST_ARRAY_H_
#define CONCORD_CORE_HOST_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/element_type.h"

namespace concord {

// Memory that starts on a cache line and is not cleared before its first use.
template <typename T>
class CacheLineAllocator {
 public:
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  CacheLineAllocator() = default;
  template <typename U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), kAlignment));
  }
  void deallocate(T* data, std::size_t) { ::operator delete(data, kAlignment); }
  // Elements that are given no value keep whatever the memory holds.
  template <typename U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }

  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) {
    return true;
  }
  friend bool operator!=(const CacheLineAllocator&, const CacheLineAllocator&) {
    return false;
  }
};

// An array in host memory as a value: it can be copied, compared and saved.
// Cases are made of these. The elements stand in C order.
class HostArray {
 public:
  HostArray() : HostArray(ElementType::kUInt8, {0}) {}

  // Values are unspecified. For shapes that are known to fit: others throw
  // std::bad_alloc.
  HostArray(ElementType type, std::vector<std::int64_t> shape);

  // The same for shapes that come from outside. InvalidArgument: a negative
  // extent. ResourceExhausted: there is no such memory.
  static absl::StatusOr<HostArray> Make(ElementType type,
                                        std::vector<std::int64_t> shape);

  // The elements of a view of host memory.
  static HostArray CopyOf(const ConstArrayView& view);

  // One dimension, with these values.
  template <typename T>
  static HostArray Of(absl::Span<const T> values) {
    HostArray array(ElementTypeOf<T>(),
                    {static_cast<std::int64_t>(values.size())});
    std::copy(values.begin(), values.end(), array.data<T>());
    return array;
  }
  template <typename T>
  static HostArray Of(std::initializer_list<T> values) {
    return Of<T>(absl::Span<const T>(values.begin(), values.size()));
  }

  ElementType type() const { return type_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::int64_t size() const { return size_; }

  template <typename T>
  T* data() {
    return reinterpret_cast<T*>(bytes_.data());
  }
  template <typename T>
  const T* data() const {
    return reinterpret_cast<const T*>(bytes_.data());
  }
  template <typename T>
  absl::Span<T> span() {
    return {data<T>(), static_cast<std::size_t>(size_)};
  }
  template <typename T>
  absl::Span<const T> span() const {
    return {data<T>(), static_cast<std::size_t>(size_)};
  }

  ArrayView view() {
    return {bytes_.data(), type_, Shape(shape_), Memory::Host()};
  }
  ConstArrayView view() const {
    return {bytes_.data(), type_, Shape(shape_), Memory::Host()};
  }

  // The same type, shape and bits.
  friend bool operator==(const HostArray& a, const HostArray& b) {
    return a.type_ == b.type_ && a.shape_ == b.shape_ && a.bytes_ == b.bytes_;
  }
  friend bool operator!=(const HostArray& a, const HostArray& b) {
    return !(a == b);
  }

  // Keeps the first elements, as many as the shape has.
  void Cut(std::vector<std::int64_t> shape);

  // One dimension: everything but the elements [first, last).
  HostArray Without(std::int64_t first, std::int64_t last) const;

  // The element as text that reads back to the same value.
  std::string ToString(std::int64_t index) const;

 private:
  ElementType type_;
  std::vector<std::int64_t> shape_;
  std::int64_t size_;
  std::vector<std::byte, CacheLineAllocator<std::byte>> bytes_;
};

// One value of the element type as text that reads back to the same value.
template <typename T>
std::string ElementToString(T value);

}  // namespace concord

#endif  // CONCORD_CORE_HOST_ARRAY_H_
