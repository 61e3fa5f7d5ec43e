// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_TEXT_H_
#define CONCORD_TOOLS_CONCORD_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace concord {

// How wide the output of commands may become.
constexpr int kLineWidth = 100;

// --- Numbers as people read them ---

std::string WithThousands(std::int64_t number);  // "1,048,576"
std::string HumanSeconds(double seconds);        // "12.3 ms"
std::string HumanBytes(double bytes);            // "4.19 MB"
std::string HumanRate(double bytes_per_second);  // "41.2 GB/s"
std::string HumanRatio(double ratio);            // "31.2x"
std::string HumanShare(double share);            // "74 %"

// "1 element", "2 elements": `plural` loses its last letter for one.
std::string Counted(std::int64_t number, absl::string_view plural);

// --- Lines ---

// `text` as it stands, but for what would act on a terminal: control characters
// are escaped, and bytes that are no UTF-8. Line feeds stay.
std::string Printable(absl::string_view text);

// Breaks `text` at spaces into lines of at most kLineWidth, each but the first
// after `indent` spaces. Ends with a line feed.
std::string Wrapped(absl::string_view text, int indent = 0);

enum class Colour { kRed, kGreen, kBold };

// `text` in colour when standard output is a terminal and NO_COLOR is not set.
std::string Painted(absl::string_view text, Colour colour);

// Columns that line up. A column that is `optional` is left out, the last
// first, when the table would be wider than kLineWidth.
class Table {
 public:
  enum class Align { kLeft, kRight };

  void AddColumn(std::string title, Align align, bool optional = false);
  // As many cells as there are columns. `below` is whole lines that follow.
  void AddRow(std::vector<std::string> cells, std::string below = "");

  std::string ToString() const;

 private:
  struct Column {
    std::string title;
    Align align;
    bool optional;
  };
  struct Row {
    std::vector<std::string> cells;
    std::string below;
  };

  int WidthOf(std::size_t column) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// --- Progress ---

// One line on standard error that is overwritten by the next one and goes away
// at the end. Nothing at all where standard error is no terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { Show(""); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(absl::string_view line);

 private:
  const bool on_terminal_;
};

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_TEXT_H_
