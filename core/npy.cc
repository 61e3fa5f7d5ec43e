// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/npy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "concord/core/checked_size.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/signature_data.h"

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

// What a header says, as texts. Those of the file that do not print are
// escaped.
struct Header {
  std::string description;
  std::string fortran_order;
  std::string shape;
};

// Reads a header: a Python dictionary of three keys, each once, whose values
// are strings, words, or tuples and lists of these.
class HeaderReader {
 public:
  HeaderReader(absl::string_view text, const std::string& source)
      : rest_(text), source_(source) {}

  absl::StatusOr<Header> Read() {
    Header header;
    std::map<std::string, std::string*> wanted = {
        {"descr", &header.description},
        {"fortran_order", &header.fortran_order},
        {"shape", &header.shape}};
    if (!Take('{')) return Malformed("it is no dictionary");
    while (!Take('}')) {
      const std::optional<std::string> taken = TakeString();
      if (!taken.has_value()) return Malformed("a key is no string");
      const std::string& key = *taken;
      const auto found = wanted.find(key);
      if (found == wanted.end()) {
        return Malformed(absl::StrCat("'", absl::CHexEscape(key),
                                      "' is no key, or is there twice"));
      }
      if (!Take(':')) {
        return Malformed(absl::StrCat("no ':' after '", key, "'"));
      }
      const std::optional<absl::string_view> value = TakeValue();
      if (!value.has_value()) return Malformed(absl::StrCat("no '", key, "'"));
      *found->second = Shown(*value);
      wanted.erase(found);
      if (!Take(',') && !Next('}')) {
        return Malformed(absl::StrCat("no end of '", key, "'"));
      }
    }
    if (!wanted.empty()) {
      return Malformed(absl::StrCat("no '", wanted.begin()->first, "'"));
    }
    if (!absl::StripAsciiWhitespace(rest_).empty()) {
      return Malformed("something follows the dictionary");
    }
    return header;
  }

 private:
  static bool IsQuote(char c) { return c == '\'' || c == '"'; }

  static std::string Shown(absl::string_view value) {
    std::string shown;
    for (const char c : value) {
      absl::StrAppend(&shown, absl::ascii_isprint(c)
                                  ? std::string(1, c)
                                  : absl::CHexEscape(std::string(1, c)));
    }
    return shown;
  }

  absl::Status Malformed(absl::string_view why) const {
    return Wrong(source_, absl::StrCat("malformed .npy header: ", why));
  }

  bool Next(char mark) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return !rest_.empty() && rest_.front() == mark;
  }

  bool Take(char mark) {
    if (!Next(mark)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // What stands between quotes.
  std::optional<std::string> TakeString() {
    if (!Next('\'') && !Next('"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == absl::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  // A string with its quotes, brackets with all that is between them, or what
  // comes before the next mark of the dictionary.
  std::optional<absl::string_view> TakeValue() {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    std::size_t end = 0;
    int depth = 0;
    for (; end < rest_.size(); ++end) {
      const char c = rest_[end];
      if (IsQuote(c)) {
        end = rest_.find(c, end + 1);
        if (end == absl::string_view::npos) return std::nullopt;
      } else if (absl::StrContains("([", c)) {
        ++depth;
      } else if (absl::StrContains(")]", c) && depth > 0) {
        --depth;
      } else if (depth == 0 && absl::StrContains(",:}", c)) {
        break;
      }
    }
    const absl::string_view value =
        absl::StripAsciiWhitespace(rest_.substr(0, end));
    if (depth > 0 || value.empty()) return std::nullopt;
    rest_.remove_prefix(end);
    return value;
  }

  absl::string_view rest_;
  const std::string& source_;
};

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
                   absl::StrJoin(NamesOf(AllElementTypes()), ", ")));
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
  if (shape.size() == 1 && !absl::StrContains(tuple, ',')) {
    return Wrong(source, absl::StrCat("the shape ", tuple, " is no tuple"));
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
  const int minor = static_cast<unsigned char>(content[1]);
  if (minor != 0) {
    return Wrong(source,
                 absl::StrCat("unknown .npy version ", version, ".", minor));
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
  return Guarded([&]() -> absl::StatusOr<NpyLayout> {
    return Guarded([&]() -> absl::StatusOr<NpyLayout> {
      const char* const begin = head.data();
      ASSIGN_OR_RETURN(absl::string_view header, TakeHeader(head, source));
      const std::int64_t offset = head.data() - begin;

      ASSIGN_OR_RETURN(const Header said, HeaderReader(header, source).Read());
      ASSIGN_OR_RETURN(ElementType type,
                       ParseDescription(said.description, source));
      ASSIGN_OR_RETURN(std::vector<std::int64_t> shape,
                       ParseShape(said.shape, source));
      if (said.fortran_order == "True" && shape.size() > 1) {
        return Wrong(source, "Fortran order; C order is wanted");
      }
      if (said.fortran_order != "True" && said.fortran_order != "False") {
        return Wrong(source,
                     absl::StrCat("malformed .npy header: fortran_order is ",
                                  said.fortran_order));
      }

      // Compared before any memory is taken: the shape may promise anything.
      const absl::StatusOr<std::int64_t> wanted = CheckedBytes(shape, type);
      if (!wanted.ok()) return Wrong(source, wanted.status().message());
      const std::int64_t given = size - offset;
      if (given < *wanted) {
        return Wrong(source,
                     absl::StrCat("truncated: the shape ", said.shape, " of ",
                                  Name(type), " takes ", *wanted,
                                  " bytes, but only ", given, " follow"));
      }
      if (given > *wanted) {
        return Wrong(source,
                     absl::StrCat(given - *wanted, " bytes too many after ",
                                  "the elements of shape ", said.shape));
      }
      return NpyLayout{type, std::move(shape), offset};
    });
  });
}

absl::StatusOr<HostArray> ParseNpy(absl::string_view content,
                                   const std::string& source) {
  return Guarded([&]() -> absl::StatusOr<HostArray> {
    ASSIGN_OR_RETURN(
        NpyLayout layout,
        ParseNpyHeader(content, static_cast<std::int64_t>(content.size()),
                       source));
    ASSIGN_OR_RETURN(HostArray array,
                     HostArray::Make(layout.type, std::move(layout.shape)));
    content.remove_prefix(static_cast<std::size_t>(layout.offset));
    std::copy(content.begin(), content.end(), array.data<char>());
    return array;
  });
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
