// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/npy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "concord/core/checked_size.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "elements are copied from and to files as they are");

constexpr absl::string_view kMagic("\x93NUMPY", 6);

// NumPy lets the elements start at a multiple of this.
constexpr std::size_t kAlignment = 64;

absl::Status Wrong(const std::string& source, absl::string_view what) {
  return InvalidArgumentError(source, ": ", what);
}

// "i4" for int32: NumPy's letter and the width in bytes.
std::string TypeCode(ElementType type) {
  return Dispatch(type, [](auto tag) {
    using T = typename decltype(tag)::type;
    const char* letter = "f";
    if (std::numeric_limits<T>::is_integer) {
      letter = std::numeric_limits<T>::is_signed ? "i" : "u";
    }
    return absl::StrCat(letter, sizeof(T));
  });
}

// The text of the value of `key` in a Python dictionary that holds strings,
// words, and tuples of numbers.
std::optional<absl::string_view> ValueOf(absl::string_view dictionary,
                                         absl::string_view key) {
  for (const char* quote : {"'", "\""}) {
    const std::string quoted = absl::StrCat(quote, key, quote);
    const std::size_t found = dictionary.find(quoted);
    if (found == absl::string_view::npos) continue;
    absl::string_view rest = absl::StripLeadingAsciiWhitespace(
        dictionary.substr(found + quoted.size()));
    if (!absl::ConsumePrefix(&rest, ":")) continue;
    rest = absl::StripLeadingAsciiWhitespace(rest);
    if (rest.empty()) return std::nullopt;
    // Strings and tuples end with their own mark, words before the next comma.
    const char first = rest.front();
    const std::size_t end = first == '(' ? rest.find(')')
                            : first == '\'' || first == '"'
                                ? rest.find(first, 1)
                                : rest.find_first_of(",}");
    if (end == absl::string_view::npos) return std::nullopt;
    const bool has_mark = first == '(' || first == '\'' || first == '"';
    return absl::StripAsciiWhitespace(rest.substr(0, end + has_mark));
  }
  return std::nullopt;
}

absl::StatusOr<ElementType> ParseDescription(absl::string_view description,
                                             const std::string& source) {
  if (description.size() < 4 ||
      (description.front() != '\'' && description.front() != '"')) {
    return Wrong(source, absl::StrCat("unsupported element type ", description,
                                      ": a structured one, it seems"));
  }
  const char order = description[1];
  const absl::string_view code = description.substr(2, description.size() - 3);
  for (ElementType type : AllElementTypes()) {
    if (code != TypeCode(type)) continue;
    if (order == '>' && SizeOf(type) > 1) {
      return Wrong(source, absl::StrCat("big-endian elements (", description,
                                        "); little endian is wanted"));
    }
    if (absl::StrContains("<>|=", order)) return type;
  }
  return Wrong(
      source,
      absl::StrCat("unsupported element type ", description, "; the types are ",
                   absl::StrJoin(AllElementTypes(), ", ",
                                 [](std::string* out, ElementType t) {
                                   absl::StrAppend(out, Name(t));
                                 })));
}

absl::StatusOr<std::vector<std::int64_t>> ParseShape(
    absl::string_view tuple, const std::string& source) {
  std::vector<std::int64_t> shape;
  absl::string_view inside = tuple;
  if (!absl::ConsumePrefix(&inside, "(") ||
      !absl::ConsumeSuffix(&inside, ")")) {
    return Wrong(source, absl::StrCat("the shape ", tuple, " is no tuple"));
  }
  inside = absl::StripAsciiWhitespace(inside);
  absl::ConsumeSuffix(&inside, ",");
  if (!inside.empty()) {
    for (absl::string_view text : absl::StrSplit(inside, ',')) {
      std::int64_t extent;
      if (!absl::SimpleAtoi(text, &extent)) {
        return Wrong(source, absl::StrCat("the shape ", tuple,
                                          " holds something that is not a "
                                          "64-bit number"));
      }
      shape.push_back(extent);
    }
  }
  if (shape.empty() || shape.size() > 2) {
    return Wrong(source,
                 absl::StrCat("the shape ", tuple, " has ", shape.size(),
                              " dimensions; 1 or 2 are wanted"));
  }
  return shape;
}

// Takes the header off the front of `content`, which starts with the magic.
absl::StatusOr<absl::string_view> TakeHeader(absl::string_view& content,
                                             const std::string& source) {
  const absl::Status cut_off =
      Wrong(source, "truncated within the .npy header");
  content.remove_prefix(std::min(content.size(), kMagic.size()));
  if (content.size() < 2) return cut_off;
  const int version = static_cast<unsigned char>(content[0]);
  if (version < 1 || version > 3) {
    return Wrong(source, absl::StrCat("unknown .npy version ", version));
  }
  content.remove_prefix(2);
  const std::size_t width = version == 1 ? 2 : 4;
  if (content.size() < width) return cut_off;
  std::uint32_t length = 0;
  std::memcpy(&length, content.data(), width);
  content.remove_prefix(width);
  if (content.size() < length) return cut_off;
  const absl::string_view header = content.substr(0, length);
  content.remove_prefix(length);
  return header;
}

}  // namespace

bool LooksLikeNpy(absl::string_view content) {
  return !content.empty() &&
         content.substr(0, kMagic.size()) == kMagic.substr(0, content.size());
}

absl::StatusOr<NpyLayout> ParseNpyHeader(absl::string_view head,
                                         std::int64_t size,
                                         const std::string& source) {
  const char* const begin = head.data();
  ASSIGN_OR_RETURN(absl::string_view header, TakeHeader(head, source));
  const std::int64_t offset = head.data() - begin;

  const auto description = ValueOf(header, "descr");
  const auto fortran_order = ValueOf(header, "fortran_order");
  const auto tuple = ValueOf(header, "shape");
  for (const auto& [name, value] : {std::pair("descr", description),
                                    {"fortran_order", fortran_order},
                                    {"shape", tuple}}) {
    if (value.has_value()) continue;
    return Wrong(source,
                 absl::StrCat("malformed .npy header: no '", name, "'"));
  }
  ASSIGN_OR_RETURN(ElementType type, ParseDescription(*description, source));
  ASSIGN_OR_RETURN(std::vector<std::int64_t> shape, ParseShape(*tuple, source));
  if (*fortran_order == "True" && shape.size() > 1) {
    return Wrong(source, "Fortran order; C order is wanted");
  }
  if (*fortran_order != "True" && *fortran_order != "False") {
    return Wrong(source,
                 absl::StrCat("malformed .npy header: fortran_order is ",
                              *fortran_order));
  }

  // Compared before any memory is taken: the shape may promise anything.
  const absl::StatusOr<std::int64_t> wanted = CheckedBytes(shape, type);
  if (!wanted.ok()) return Wrong(source, wanted.status().message());
  const std::int64_t given = size - offset;
  if (given < *wanted) {
    return Wrong(source, absl::StrCat("truncated: the shape ", *tuple, " of ",
                                      Name(type), " takes ", *wanted,
                                      " bytes, but only ", given, " follow"));
  }
  if (given > *wanted) {
    return Wrong(source, absl::StrCat(given - *wanted, " bytes too many after ",
                                      "the elements of shape ", *tuple));
  }
  return NpyLayout{type, std::move(shape), offset};
}

absl::StatusOr<HostArray> ParseNpy(absl::string_view content,
                                   const std::string& source) {
  ASSIGN_OR_RETURN(
      NpyLayout layout,
      ParseNpyHeader(content, static_cast<std::int64_t>(content.size()),
                     source));
  ASSIGN_OR_RETURN(HostArray array,
                   HostArray::Make(layout.type, std::move(layout.shape)));
  content.remove_prefix(static_cast<std::size_t>(layout.offset));
  std::copy(content.begin(), content.end(), array.data<char>());
  return array;
}

std::string NpyHeader(ElementType type, const std::vector<std::int64_t>& shape,
                      std::int64_t least) {
  const std::string dictionary = absl::StrCat(
      "{'descr': '", SizeOf(type) == 1 ? "|" : "<", TypeCode(type),
      "', 'fortran_order': False, 'shape': (", absl::StrJoin(shape, ", "),
      shape.size() == 1 ? "," : "", "), }");
  const std::size_t before = kMagic.size() + 4;
  const std::size_t end =
      std::max(before + dictionary.size() + 1, static_cast<std::size_t>(least));
  const std::size_t aligned = (end + kAlignment - 1) / kAlignment * kAlignment;
  const auto length = static_cast<std::uint16_t>(aligned - before);
  std::string header(kMagic);
  header.append(
      {1, 0, static_cast<char>(length & 0xff), static_cast<char>(length >> 8)});
  header += dictionary;
  header.append(aligned - header.size() - 1, ' ');
  header += '\n';
  return header;
}

}  // namespace concord
