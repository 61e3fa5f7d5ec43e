// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_ARRAY_H_
#define CONCORD_CORE_ARRAY_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/element_type.h"
#include "concord/core/memory.h"

namespace concord {

// A read-only array: where it is, what its elements are, how many there are,
// and which memory they live in. A view owns nothing and is passed by value.
// The pointer is aligned for the element type and for nothing more.
class ConstArrayView {
 public:
  ConstArrayView(const void* data, ElementType type, std::int64_t size,
                 Memory memory)
      : data_(data), type_(type), size_(size), memory_(memory) {}

  // Borrows a caller's pointer, for example one on a GPU.
  template <typename T>
  ConstArrayView(const T* data, std::int64_t size, Memory memory)
      : ConstArrayView(data, ElementTypeOf<T>(), size, memory) {}

  // Host memory.
  template <typename T>
  ConstArrayView(absl::Span<const T> values)
      : ConstArrayView(values.data(), static_cast<std::int64_t>(values.size()),
                       Memory::Host()) {}

  const void* data() const { return data_; }
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(data_);
  }
  ElementType type() const { return type_; }
  std::int64_t size() const { return size_; }
  std::int64_t bytes() const { return size_ * SizeOf(type_); }
  bool empty() const { return size_ == 0; }
  Memory memory() const { return memory_; }

  // Elements [first, first + count).
  ConstArrayView Slice(std::int64_t first, std::int64_t count) const {
    return {static_cast<const char*>(data_) + first * SizeOf(type_), type_,
            count, memory_};
  }

  // Host memory only.
  template <typename T>
  absl::Span<const T> span() const {
    return {data<T>(), static_cast<std::size_t>(size_)};
  }

 private:
  const void* data_;
  ElementType type_;
  std::int64_t size_;
  Memory memory_;
};

// The same, writable.
class ArrayView {
 public:
  ArrayView(void* data, ElementType type, std::int64_t size, Memory memory)
      : data_(data), type_(type), size_(size), memory_(memory) {}

  template <typename T>
  ArrayView(T* data, std::int64_t size, Memory memory)
      : ArrayView(data, ElementTypeOf<T>(), size, memory) {}

  template <typename T>
  ArrayView(absl::Span<T> values)
      : ArrayView(values.data(), static_cast<std::int64_t>(values.size()),
                  Memory::Host()) {}

  operator ConstArrayView() const { return {data_, type_, size_, memory_}; }

  void* data() const { return data_; }
  template <typename T>
  T* data() const {
    return static_cast<T*>(data_);
  }
  ElementType type() const { return type_; }
  std::int64_t size() const { return size_; }
  std::int64_t bytes() const { return size_ * SizeOf(type_); }
  bool empty() const { return size_ == 0; }
  Memory memory() const { return memory_; }

  ArrayView Slice(std::int64_t first, std::int64_t count) const {
    return {static_cast<char*>(data_) + first * SizeOf(type_), type_, count,
            memory_};
  }

  template <typename T>
  absl::Span<T> span() const {
    return {data<T>(), static_cast<std::size_t>(size_)};
  }

 private:
  void* data_;
  ElementType type_;
  std::int64_t size_;
  Memory memory_;
};

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

}  // namespace concord

#endif  // CONCORD_CORE_ARRAY_H_
