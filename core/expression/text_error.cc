// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/text_error.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace concord::expression {
namespace {

// Bytes of a line that are shown on each side of the place.
constexpr std::size_t kShown = 60;

// All bytes of a character in UTF-8 but the first.
bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

std::size_t CountCharacters(absl::string_view text) {
  return text.size() - static_cast<std::size_t>(
                           std::count_if(text.begin(), text.end(), Continues));
}

// One character for each character, so that the caret stands right; a terminal
// is spared what it would obey.
std::string Printable(absl::string_view text) {
  std::string shown;
  for (char c : text) {
    if (Continues(c)) continue;
    const auto byte = static_cast<unsigned char>(c);
    shown += byte >= 0x80 ? '?' : absl::ascii_isprint(byte) ? c : ' ';
  }
  return shown;
}

}  // namespace

std::string Quoted(absl::string_view text) {
  constexpr std::size_t kMost = 40;
  if (text.size() <= kMost) return absl::StrCat("'", text, "'");
  return absl::StrCat("'", text.substr(0, kMost), "...'");
}

absl::Status FirstError::ToStatus(absl::string_view text) const {
  const std::size_t place = std::min(place_, text.size());
  const absl::string_view before = text.substr(0, place);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t start = lines == 0 ? 0 : before.rfind('\n') + 1;
  const std::size_t end = std::min(text.find('\n', place), text.size());
  const std::size_t first = place - start > kShown ? place - kShown : start;
  const std::size_t last = std::min(end, place + kShown);
  const absl::string_view left = first > start ? "..." : "";
  const std::string shown_before =
      absl::StrCat(left, Printable(text.substr(first, place - first)));
  return absl::InvalidArgumentError(absl::StrCat(
      "line ", lines + 1, ", column ",
      CountCharacters(text.substr(start, place - start)) + 1, ": ", message_,
      "\n  ", shown_before, Printable(text.substr(place, last - place)),
      last < end ? "..." : "", "\n  ", std::string(shown_before.size(), ' '),
      "^"));
}

}  // namespace concord::expression
