// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/host_array.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "concord/core/checked_size.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {

template <typename T>
std::string ElementToString(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    // Where printf would take the point from the locale.
    char text[32];
    const auto [end, error] = std::to_chars(
        std::begin(text), std::end(text), value, std::chars_format::general,
        std::numeric_limits<T>::max_digits10);
    return {text, end};
  } else {
    return absl::StrCat(value);
  }
}
#define CONCORD_INSTANTIATE(enumerator, type, name) \
  template std::string ElementToString<type>(type value);
CONCORD_FOR_EACH_ELEMENT_TYPE(CONCORD_INSTANTIATE)
#undef CONCORD_INSTANTIATE

HostArray HostArray::CopyOf(const ConstArrayView& view) {
  const Shape& shape = view.shape();
  HostArray copy(view.type(), shape.extents());
  if (shape.IsContiguous()) {
    std::copy_n(view.data<char>(), view.bytes(), copy.data<char>());
    return copy;
  }
  const std::int64_t bytes = SizeOf(view.type());
  char* to = copy.data<char>();
  for (std::int64_t i = 0; i < shape.extent(0); ++i) {
    for (std::int64_t j = 0; j < shape.extent(1); ++j) {
      const std::int64_t place = i * shape.stride(0) + j * shape.stride(1);
      to = std::copy_n(view.data<char>() + place * bytes, bytes, to);
    }
  }
  return copy;
}

void HostArray::Cut(std::vector<std::int64_t> shape) {
  shape_ = std::move(shape);
  size_ = Shape(shape_).size();
  bytes_.resize(static_cast<std::size_t>(size_ * SizeOf(type_)));
}

HostArray::HostArray(ElementType type, std::vector<std::int64_t> shape)
    : type_(type), shape_(std::move(shape)) {
  const absl::StatusOr<std::int64_t> bytes = CheckedBytes(shape_, type);
  if (!bytes.ok()) throw std::bad_alloc();
  size_ = *bytes / SizeOf(type);
  bytes_.resize(static_cast<std::size_t>(*bytes));
}

absl::StatusOr<HostArray> HostArray::Make(ElementType type,
                                          std::vector<std::int64_t> shape) {
  // There may be no memory for the message either.
  return Guarded([&]() -> absl::StatusOr<HostArray> {
    ASSIGN_OR_RETURN(const std::int64_t bytes, CheckedBytes(shape, type));
    try {
      return HostArray(type, std::move(shape));
    } catch (const std::bad_alloc&) {
      return ResourceExhaustedError("out of host memory: ", bytes,
                                    " bytes wanted");
    }
  });
}

HostArray HostArray::Without(std::int64_t first, std::int64_t last) const {
  HostArray rest(type_, {size_ - (last - first)});
  const std::int64_t width = SizeOf(type_);
  auto out = std::copy(bytes_.begin(), bytes_.begin() + first * width,
                       rest.bytes_.begin());
  std::copy(bytes_.begin() + last * width, bytes_.end(), out);
  return rest;
}

std::string HostArray::ToString(std::int64_t index) const {
  return Dispatch(type_, [&](auto tag) {
    return ElementToString(data<typename decltype(tag)::type>()[index]);
  });
}

}  // namespace concord
