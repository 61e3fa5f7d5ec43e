// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/concord/text.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "concord/core/replicas.h"
#include "concord/core/terminal.h"

namespace concord {
namespace {

constexpr absl::string_view kBetweenColumns = "  ";

std::string ThreeDigits(double value) {
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return absl::StrFormat("%.*f", decimals, value);
}

// `value` in the largest of the units that leaves at least 1 before the point.
// Each unit is 1000 of the one before it; `value` counts the first.
std::string InUnits(double value, const std::vector<const char*>& units) {
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return absl::StrCat(ThreeDigits(value), " ", units[unit]);
}

// Escape sequences, which begin with ESC and end with 'm', take no room.
int VisibleWidth(absl::string_view text) {
  int width = 0;
  bool in_escape = false;
  for (char c : text) {
    in_escape = in_escape || c == '\x1b';
    width += !in_escape;
    in_escape = in_escape && c != 'm';
  }
  return width;
}

// One of UTF-8. No bytes: what stands there is none.
struct Character {
  std::size_t bytes = 0;
  std::uint32_t code = 0;
};

// `text` is not empty.
Character FirstCharacter(absl::string_view text) {
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto byte = [&](std::size_t k) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[k]));
  };
  if (byte(0) < 0x80) return {1, byte(0)};
  const std::size_t bytes = byte(0) < 0xc0   ? 0
                            : byte(0) < 0xe0 ? 2
                            : byte(0) < 0xf0 ? 3
                            : byte(0) < 0xf8 ? 4
                                             : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t code = byte(0) & (0x7fu >> bytes);
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(k) & 0x3f);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kLeast[bytes] || code > 0x10ffff || is_surrogate) return {};
  return {bytes, code};
}

}  // namespace

std::string WithThousands(std::int64_t number) {
  std::string digits = absl::StrCat(number);
  for (int i = static_cast<int>(digits.size()) - 3; i > (number < 0); i -= 3) {
    digits.insert(static_cast<std::size_t>(i), ",");
  }
  return digits;
}

std::string HumanSeconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 999.5) return InUnits(seconds * 1e9, {"ns", "us", "ms", "s"});
  return absl::StrCat(WithThousands(static_cast<std::int64_t>(seconds)), " s");
}

std::string HumanBytes(double bytes) {
  if (bytes < 1000) return absl::StrFormat("%.0f bytes", bytes);
  return InUnits(bytes, {"bytes", "kB", "MB", "GB", "TB"});
}

std::string HumanRate(double bytes_per_second) {
  return InUnits(bytes_per_second, {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"});
}

std::string HumanRatio(double ratio) {
  return absl::StrCat(ThreeDigits(ratio), "x");
}

std::string HumanShare(double share) {
  if (share < 0.0005) return "< 0.1 %";
  return absl::StrFormat("%.*f %%", share < 0.1 ? 1 : 0, 100 * share);
}

std::string Counted(std::int64_t number, absl::string_view plural) {
  if (number == 1) plural.remove_suffix(1);
  return absl::StrCat(WithThousands(number), " ", plural);
}

std::string Printable(absl::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Character next = FirstCharacter(text);
    const bool is_control = (next.code < 0x20 && next.code != '\n') ||
                            (next.code >= 0x7f && next.code < 0xa0);
    if (next.bytes == 0 || is_control) {
      const unsigned code =
          next.bytes == 0 ? static_cast<unsigned char>(text[0]) : next.code;
      absl::StrAppendFormat(&shown, "\\x%02x", code);
    } else {
      absl::StrAppend(&shown, text.substr(0, next.bytes));
    }
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  return shown;
}

std::string Wrapped(absl::string_view text, int indent) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  std::string lines;
  std::string line(text.substr(0, begin));
  bool starts = true;
  for (absl::string_view word : absl::StrSplit(text.substr(begin), ' ')) {
    if (!starts && VisibleWidth(line) + 1 + VisibleWidth(word) > kLineWidth) {
      absl::StrAppend(&lines, line, "\n");
      line.assign(static_cast<std::size_t>(indent), ' ');
      starts = true;
    }
    absl::StrAppend(&line, starts ? "" : " ", word);
    starts = false;
  }
  return absl::StrCat(lines, line, "\n");
}

std::string Painted(absl::string_view text, Colour colour) {
  static const bool has_colours = OutputHasColours();
  if (!has_colours) return std::string(text);
  const char* const code = colour == Colour::kRed     ? "31"
                           : colour == Colour::kGreen ? "32"
                                                      : "1";
  return absl::StrCat("\x1b[", code, "m", text, "\x1b[0m");
}

void Table::AddColumn(std::string title, Align align, bool optional) {
  columns_.push_back({std::move(title), align, optional});
}

void Table::AddRow(std::vector<std::string> cells, std::string below) {
  rows_.push_back({std::move(cells), std::move(below)});
}

int Table::WidthOf(std::size_t column) const {
  int width = VisibleWidth(columns_[column].title);
  for (const Row& row : rows_) {
    width = std::max(width, VisibleWidth(row.cells[column]));
  }
  return width;
}

std::string Table::ToString() const {
  std::vector<int> widths;
  int total = -static_cast<int>(kBetweenColumns.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(WidthOf(i));
    total += widths[i] + static_cast<int>(kBetweenColumns.size());
  }
  std::vector<bool> shown(columns_.size(), true);
  for (std::size_t i = columns_.size(); i-- > 0 && total > kLineWidth;) {
    if (!columns_[i].optional) continue;
    shown[i] = false;
    total -= widths[i] + static_cast<int>(kBetweenColumns.size());
  }
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!shown[i]) continue;
      const std::string cell = cell_of(i);
      const std::string padding(
          static_cast<std::size_t>(widths[i] - VisibleWidth(cell)), ' ');
      const bool right = columns_[i].align == Align::kRight;
      absl::StrAppend(&text, text.empty() ? "" : kBetweenColumns,
                      right ? padding : "", cell, right ? "" : padding);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return absl::StrCat(text, "\n");
  };
  std::string text = line(
      [&](std::size_t i) { return Painted(columns_[i].title, Colour::kBold); });
  for (const Row& row : rows_) {
    absl::StrAppend(&text, line([&](std::size_t i) { return row.cells[i]; }),
                    row.below);
  }
  return text;
}

ProgressLine::ProgressLine()
    : on_terminal_(isatty(STDERR_FILENO) && IsFirstReplica()) {}

void ProgressLine::Show(absl::string_view line) {
  if (!on_terminal_) return;
  // Back to the first column, and clear what stood there.
  const std::string text =
      absl::StrCat("\r\x1b[K", line.substr(0, kLineWidth - 1));
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace concord
