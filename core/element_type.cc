// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/element_type.h"

#include "absl/strings/str_cat.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {

const std::vector<ElementType>& AllElementTypes() {
  static const auto* const kTypes = new std::vector<ElementType>{
#define CONCORD_LIST(enumerator, type, name) ElementType::enumerator,
      CONCORD_FOR_EACH_ELEMENT_TYPE(CONCORD_LIST)
#undef CONCORD_LIST
  };
  return *kTypes;
}

absl::string_view Name(ElementType type) {
  switch (type) {
#define CONCORD_NAME(enumerator, cpp_type, name) \
  case ElementType::enumerator:                  \
    return name;
    CONCORD_FOR_EACH_ELEMENT_TYPE(CONCORD_NAME)
#undef CONCORD_NAME
  }
  return "unknown";
}

absl::StatusOr<ElementType> ParseElementType(absl::string_view name) {
  return Guarded([&]() -> absl::StatusOr<ElementType> {
    std::string known;
    for (ElementType type : AllElementTypes()) {
      if (name == Name(type)) return type;
      absl::StrAppend(&known, known.empty() ? "" : ", ", Name(type));
    }
    return InvalidArgumentError("unknown element type '", name,
                                "'; the types are ", known);
  });
}

std::int64_t SizeOf(ElementType type) {
  return Dispatch(type, [](auto tag) {
    return static_cast<std::int64_t>(sizeof(typename decltype(tag)::type));
  });
}

}  // namespace concord
