// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/value_type.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <system_error>

#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "concord/core/operators.h"

namespace concord::expression {
namespace {

// The fewest digits that are read as the same number.
template <typename T>
std::string ShortestText(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  constexpr int kEnough = std::numeric_limits<T>::max_digits10;
  char text[32];
  char* end = text;
  for (int digits = 1; digits <= kEnough; ++digits) {
    end = std::to_chars(std::begin(text), std::end(text), value,
                        std::chars_format::general, digits)
              .ptr;
    T read = 0;
    // Not a number that overflows to the largest one.
    const absl::from_chars_result result = absl::from_chars(text, end, read);
    if (result.ec == std::errc() && read == value) break;
  }
  return {text, end};
}

}  // namespace

const std::vector<Type>& AllTypes() {
  static const auto* const kTypes = new std::vector<Type>{
#define CONCORD_LIST(enumerator, type, name) Type::enumerator,
      CONCORD_FOR_EACH_VALUE_TYPE(CONCORD_LIST)
#undef CONCORD_LIST
  };
  return *kTypes;
}

absl::string_view Name(Type type) {
  switch (type) {
#define CONCORD_NAME(enumerator, cpp_type, name) \
  case Type::enumerator:                         \
    return name;
    CONCORD_FOR_EACH_VALUE_TYPE(CONCORD_NAME)
#undef CONCORD_NAME
  }
  return "unknown";
}

std::string WithArticle(Type type) {
  const absl::string_view name = Name(type);
  return absl::StrCat(name.front() == 'i' ? "an " : "a ", name);
}

std::optional<Type> TypeNamed(absl::string_view name) {
  for (Type type : AllTypes()) {
    if (name == Name(type)) return type;
  }
  return std::nullopt;
}

Type ValueTypeOf(ElementType type) {
  return Dispatch(type, [](auto tag) {
    return ValueTypeOf<typename decltype(tag)::type>();
  });
}

ElementType StoredAs(Type type) {
  return Dispatch(type, [](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bool>) {
      return ElementType::kUInt8;
    } else {
      return ElementTypeOf<T>();
    }
  });
}

Word Canonical(Type type, Word word) {
  if (!IsFloat(type)) return word;
  return Dispatch(type, [word](auto tag) {
    using T = typename decltype(tag)::type;
    return ToWord(CanonicalNan(FromWord<T>(word)));
  });
}

Word Load(ElementType type, const void* elements, std::int64_t index) {
  return Dispatch(type, [=](auto tag) {
    using T = typename decltype(tag)::type;
    return ToWord(static_cast<const T*>(elements)[index]);
  });
}

void Store(ElementType type, void* elements, std::int64_t index, Word word) {
  Dispatch(type, [=](auto tag) {
    using T = typename decltype(tag)::type;
    static_cast<T*>(elements)[index] = FromWord<T>(word);
  });
}

std::string ToString(Type type, Word word) {
  return Dispatch(type, [word](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    const T value = FromWord<T>(word);
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_floating_point_v<T>) {
      return ShortestText(value);
    } else {
      // Bytes are numbers here, not characters.
      return absl::StrCat(+value);
    }
  });
}

std::string ToString(const std::vector<Type>& types,
                     const std::vector<Word>& words) {
  if (types.size() == 1) return ToString(types[0], words[0]);
  std::string text = "(";
  for (std::size_t k = 0; k < types.size(); ++k) {
    absl::StrAppend(&text, k == 0 ? "" : ", ", ToString(types[k], words[k]));
  }
  return text + ")";
}

}  // namespace concord::expression
