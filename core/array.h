// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_ARRAY_H_
#define CONCORD_CORE_ARRAY_H_

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/element_type.h"
#include "concord/core/memory.h"
#include "concord/core/shape.h"

namespace concord {

// An array: where it is, what its elements are, its shape, and which memory it
// lives in. A view owns nothing and is passed by value. The pointer is aligned
// for the element type and for nothing more. `Void` is void, or const void for
// an array that is only read.
template <typename Void>
class BasicArrayView {
  template <typename T>
  using Pointer = std::conditional_t<std::is_const_v<Void>, const T*, T*>;
  template <typename T>
  using Span = absl::Span<std::remove_pointer_t<Pointer<T>>>;

 public:
  // Stands for an array that is not given.
  BasicArrayView() : BasicArrayView(nullptr, {}, 0, Memory::Host()) {
    given_ = false;
  }

  BasicArrayView(Void* data, ElementType type, Shape shape, Memory memory)
      : data_(data), type_(type), shape_(shape), memory_(memory) {}

  // Borrows a caller's pointer, for example one on a GPU.
  template <typename T, typename = std::enable_if_t<
                            !std::is_void_v<T> &&
                            std::is_convertible_v<T*, Void*>>>
  BasicArrayView(T* data, Shape shape, Memory memory)
      : BasicArrayView(data, ElementTypeOf<std::remove_const_t<T>>(), shape,
                       memory) {}

  // Host memory.
  template <typename T,
            typename = std::enable_if_t<std::is_convertible_v<T*, Void*>>>
  BasicArrayView(absl::Span<T> values)
      : BasicArrayView(values.data(), static_cast<std::int64_t>(values.size()),
                       Memory::Host()) {}

  // What may be written may be read.
  template <typename Other,
            typename = std::enable_if_t<std::is_const_v<Void> &&
                                        !std::is_const_v<Other>>>
  BasicArrayView(const BasicArrayView<Other>& other)
      : data_(other.data()),
        type_(other.type()),
        given_(other.given()),
        shape_(other.shape()),
        memory_(other.memory()) {}

  Void* data() const { return data_; }
  template <typename T>
  Pointer<T> data() const {
    return static_cast<Pointer<T>>(data_);
  }
  bool given() const { return given_; }
  ElementType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return shape_.size(); }
  std::int64_t bytes() const { return size() * SizeOf(type_); }
  bool empty() const { return size() == 0; }
  Memory memory() const { return memory_; }

  // The elements [first, first + count) of an array without gaps.
  BasicArrayView Slice(std::int64_t first, std::int64_t count) const {
    return {data<char>() + first * SizeOf(type_), type_, count, memory_};
  }

  // Host memory only.
  template <typename T>
  Span<T> span() const {
    return {data<T>(), static_cast<std::size_t>(size())};
  }

 private:
  Void* data_;
  ElementType type_;
  bool given_ = true;
  Shape shape_;
  Memory memory_;
};

using ConstArrayView = BasicArrayView<const void>;
using ArrayView = BasicArrayView<void>;

// Type and shape alone, for what looks at no element, such as a plan.
inline ConstArrayView WithoutElements(ElementType type, Shape shape) {
  return ConstArrayView(nullptr, type, std::move(shape), Memory::Host());
}

// An array that owns its memory, which it gives back to the pool it came from.
// Made by Backend::Allocate; it may outlive the backend. Move-only.
class Array {
 public:
  // No memory and no elements.
  Array() : view_(nullptr, ElementType::kUInt8, 0, Memory::Host()) {}
  // `owner` frees the memory when the last copy of it goes.
  Array(ArrayView view, std::shared_ptr<void> owner)
      : view_(view), owner_(std::move(owner)) {}

  Array(Array&&) = default;
  Array& operator=(Array&&) = default;

  ArrayView view() const { return view_; }
  template <typename T>
  T* data() const {
    return view_.data<T>();
  }
  ElementType type() const { return view_.type(); }
  std::int64_t size() const { return view_.size(); }

 private:
  ArrayView view_;
  std::shared_ptr<void> owner_;
};

// Ok when `view`, the argument called `name`, has this element type, size or
// memory; otherwise InvalidArgument that says what was wanted and given.
// `where` names the implementation.
absl::Status CheckType(absl::string_view name, const ConstArrayView& view,
                       ElementType wanted);
absl::Status CheckSize(absl::string_view name, const ConstArrayView& view,
                       std::int64_t wanted);
absl::Status CheckMemory(absl::string_view name, const ConstArrayView& view,
                         Memory wanted, absl::string_view where);
// Memory as above, and that the view is one at all: extents that can be
// counted, an address where there are elements, no gaps.
absl::Status CheckArray(absl::string_view name, const ConstArrayView& view,
                        Memory wanted, absl::string_view where);

// Whether they share a byte.
bool Overlap(const ConstArrayView& a, const ConstArrayView& b);

}  // namespace concord

#endif  // CONCORD_CORE_ARRAY_H_
