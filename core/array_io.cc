// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/array_io.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/core/guarded.h"
#include "concord/core/mapped_file.h"
#include "concord/core/npy.h"
#include "concord/core/output_file.h"

namespace concord {
namespace {

// How much of something that is not a number is worth showing.
constexpr std::size_t kShownOfWord = 24;

// Calls `f(word, line)` for each word until one is refused.
template <typename F>
absl::Status ForEachWord(absl::string_view content, F f) {
  std::int64_t line = 1;
  std::size_t begin = 0;
  while (begin < content.size()) {
    if (absl::ascii_isspace(content[begin])) {
      line += content[begin++] == '\n';
      continue;
    }
    std::size_t end = begin;
    while (end < content.size() && !absl::ascii_isspace(content[end])) ++end;
    RETURN_IF_ERROR(f(content.substr(begin, end - begin), line));
    begin = end;
  }
  return absl::OkStatus();
}

// "-0", "-000".
bool IsNegativeZero(absl::string_view word) {
  return absl::ConsumePrefix(&word, "-") && !word.empty() &&
         word.find_first_not_of('0') == absl::string_view::npos;
}

template <typename T>
bool ParseNumber(absl::string_view word, T* value) {
  if constexpr (std::is_same_v<T, float>) {
    if (!absl::SimpleAtof(word, value)) return false;
  } else if constexpr (std::is_same_v<T, double>) {
    if (!absl::SimpleAtod(word, value)) return false;
  } else if constexpr (sizeof(T) == 1) {
    std::int32_t wide;
    if (!absl::SimpleAtoi(word, &wide) ||
        wide < std::numeric_limits<T>::min() ||
        wide > std::numeric_limits<T>::max()) {
      return false;
    }
    *value = static_cast<T>(wide);
    return true;
  } else {
    // Without a sign absl takes no "-0", which is a number of every type.
    if (std::is_unsigned_v<T> && IsNegativeZero(word)) word.remove_prefix(1);
    return absl::SimpleAtoi(word, value);
  }
  if constexpr (std::is_floating_point_v<T>) {
    // Too large a number has become infinite; only "inf" may be that.
    return !std::isinf(*value) ||
           !std::any_of(word.begin(), word.end(), absl::ascii_isdigit);
  }
}

bool IsWhole(absl::string_view word) {
  if (absl::StartsWith(word, "-") || absl::StartsWith(word, "+")) {
    word.remove_prefix(1);
  }
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), absl::ascii_isdigit);
}

// Why `word` is not a `type`.
absl::Status Refuse(absl::string_view word, std::int64_t line, ElementType type,
                    const std::string& source) {
  const absl::string_view shown = word.substr(0, kShownOfWord);
  if (!std::all_of(word.begin(), word.end(), absl::ascii_isprint)) {
    return InvalidArgumentError(source, ": neither .npy nor text: line ", line,
                                " holds the bytes \"", absl::CHexEscape(shown),
                                "\"");
  }
  double number;
  std::string reason = absl::StrCat("is out of range for ", Name(type));
  if (!absl::SimpleAtod(word, &number)) {
    reason = "is not a number";
  } else if (!IsFloat(type) && !IsWhole(word)) {
    reason = absl::StrCat("is not a whole number, as ", Name(type), " wants");
  }
  return InvalidArgumentError(source, ": line ", line, ": '", shown, "' ",
                              reason);
}

absl::StatusOr<HostArray> ParseText(absl::string_view content,
                                    const std::string& source,
                                    ElementType type) {
  return Dispatch(type, [&](auto tag) -> absl::StatusOr<HostArray> {
    using T = typename decltype(tag)::type;
    std::vector<T> values;
    RETURN_IF_ERROR(
        ForEachWord(content, [&](absl::string_view word, std::int64_t line) {
          T value;
          if (!ParseNumber(word, &value)) {
            return Refuse(word, line, type, source);
          }
          values.push_back(value);
          return absl::OkStatus();
        }));
    return HostArray::Of<T>(values);
  });
}

// What the words themselves say.
ElementType GuessType(absl::string_view content) {
  const absl::Status all_whole =
      ForEachWord(content, [](absl::string_view word, std::int64_t) {
        return IsWhole(word) ? absl::OkStatus() : absl::UnknownError("");
      });
  return all_whole.ok() ? ElementType::kInt64 : ElementType::kFloat64;
}

// OpenArray, which may throw.
absl::StatusOr<std::shared_ptr<const Source>> Open(
    const std::string& path, std::optional<ElementType> text_type) {
  absl::StatusOr<MappedFile> mapped = MappedFile::Open(path);
  if (mapped.ok() && LooksLikeNpy(mapped->content())) {
    const absl::string_view content = mapped->content();
    ASSIGN_OR_RETURN(
        NpyLayout layout,
        ParseNpyHeader(content, static_cast<std::int64_t>(content.size()),
                       path));
    // NumPy aligns the elements; others need not.
    if (layout.offset % SizeOf(layout.type) == 0) {
      auto owner = std::make_shared<MappedFile>(*std::move(mapped));
      const ConstArrayView view(owner->content().data() + layout.offset,
                                layout.type, Shape(layout.shape),
                                Memory::Host());
      return std::make_shared<ArraySource>(view, owner);
    }
  }
  ASSIGN_OR_RETURN(HostArray array, ReadArray(path, text_type));
  auto owner = std::make_shared<const HostArray>(std::move(array));
  return std::make_shared<ArraySource>(owner->view(), owner);
}

}  // namespace

absl::StatusOr<HostArray> ReadArray(const std::string& path,
                                    std::optional<ElementType> text_type) {
  return Guarded([&]() -> absl::StatusOr<HostArray> {
    ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
    const std::string source = SourceName(path);
    if (content.empty() && absl::EndsWith(path, ".npy")) {
      return InvalidArgumentError(
          source, ": the file is empty; a .npy header is wanted");
    }
    return ParseArray(content, source, text_type);
  });
}

absl::StatusOr<HostArray> ParseArray(absl::string_view content,
                                     const std::string& source,
                                     std::optional<ElementType> text_type) {
  return Guarded([&] {
    if (LooksLikeNpy(content)) return ParseNpy(content, source);
    return ParseText(content, source,
                     text_type.has_value() ? *text_type : GuessType(content));
  });
}

absl::StatusOr<std::shared_ptr<const Source>> OpenArray(
    const std::string& path, std::optional<ElementType> text_type) {
  return Guarded([&] { return Open(path, text_type); });
}

absl::Status WriteArray(OutputFile& file, const std::string& path,
                        const HostArray& array) {
  return Guarded([&] {
    if (!absl::EndsWith(path, ".npy")) return file.Write(FormatText(array));
    absl::Status status = file.Write(NpyHeader(array.type(), array.shape()));
    const auto bytes = static_cast<std::size_t>(array.view().bytes());
    if (status.ok()) status = file.Write({array.data<char>(), bytes});
    return status;
  });
}

absl::Status WriteArray(const std::string& path, const HostArray& array) {
  return Guarded([&]() -> absl::Status {
    ASSIGN_OR_RETURN(OutputFile file, OutputFile::Open(path));
    RETURN_IF_ERROR(WriteArray(file, path, array));
    return file.Commit();
  });
}

std::string FormatNpy(const HostArray& array) {
  const auto bytes = static_cast<std::size_t>(array.view().bytes());
  return absl::StrCat(NpyHeader(array.type(), array.shape()),
                      absl::string_view(array.data<char>(), bytes));
}

std::string FormatText(const HostArray& array) {
  const std::int64_t row = array.shape().size() == 2 ? array.shape()[1] : 1;
  std::string text;
  Dispatch(array.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const values = array.data<T>();
    for (std::int64_t i = 0; i < array.size(); ++i) {
      absl::StrAppend(&text, ElementToString(values[i]),
                      (i + 1) % row == 0 ? "\n" : " ");
    }
  });
  return text;
}

}  // namespace concord
