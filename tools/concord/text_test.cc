// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/concord/text.h"

#include <limits>
#include <string>

#include "gtest/gtest.h"

namespace concord {
namespace {

TEST(TextTest, ThousandsAreSeparated) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(999), "999");
  EXPECT_EQ(WithThousands(1000), "1,000");
  EXPECT_EQ(WithThousands(-123456), "-123,456");
  EXPECT_EQ(WithThousands(1234567890), "1,234,567,890");
}

TEST(TextTest, NumbersHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(HumanSeconds(0), "0.00 ns");
  // Of what did not run.
  EXPECT_EQ(HumanSeconds(std::numeric_limits<double>::infinity()), "-");
  EXPECT_EQ(HumanSeconds(1.234e-6), "1.23 us");
  EXPECT_EQ(HumanSeconds(0.0999), "99.9 ms");
  EXPECT_EQ(HumanSeconds(0.99951), "1.00 s");
  EXPECT_EQ(HumanSeconds(123.4), "123 s");
  EXPECT_EQ(HumanSeconds(4567), "4,567 s");
  EXPECT_EQ(HumanBytes(17), "17 bytes");
  EXPECT_EQ(HumanBytes(4194304), "4.19 MB");
  EXPECT_EQ(HumanRate(41.2e9), "41.2 GB/s");
  EXPECT_EQ(HumanRate(4.24e12), "4.24 TB/s");
  EXPECT_EQ(HumanRatio(31.23), "31.2x");
  EXPECT_EQ(HumanShare(0.741), "74 %");
  EXPECT_EQ(HumanShare(0.0123), "1.2 %");
  EXPECT_EQ(HumanShare(0.0002), "< 0.1 %");
}

TEST(TextTest, OneIsSingular) {
  EXPECT_EQ(Counted(1, "elements"), "1 element");
  EXPECT_EQ(Counted(0, "elements"), "0 elements");
  EXPECT_EQ(Counted(1410, "sequences"), "1,410 sequences");
}

TEST(TextTest, LongLinesAreBrokenAtSpaces) {
  EXPECT_EQ(Wrapped("short"), "short\n");
  EXPECT_EQ(Wrapped("    indented", 4), "    indented\n");
  const std::string word(60, 'x');
  EXPECT_EQ(Wrapped(word + " " + word, 2), word + "\n  " + word + "\n");
  // A word of its own width stays whole.
  const std::string path(150, 'p');
  EXPECT_EQ(Wrapped("see " + path), "see\n" + path + "\n");
}

TEST(TextTest, ColumnsLineUp) {
  Table table;
  table.AddColumn("NAME", Table::Align::kLeft);
  table.AddColumn("TIME", Table::Align::kRight);
  table.AddRow({"a", "1.00 ms"});
  table.AddRow({"longer", "12.0 ms"}, "    below\n");
  EXPECT_EQ(table.ToString(),
            "NAME       TIME\n"
            "a       1.00 ms\n"
            "longer  12.0 ms\n"
            "    below\n");
}

TEST(TextTest, ColoursTakeNoRoom) {
  Table table;
  table.AddColumn("A", Table::Align::kLeft);
  table.AddColumn("B", Table::Align::kLeft);
  table.AddRow({"\x1b[31mno\x1b[0m", "x"});
  EXPECT_EQ(table.ToString(), "A   B\n\x1b[31mno\x1b[0m  x\n");
}

TEST(TextTest, OptionalColumnsGoWhenTheLineIsFull) {
  Table table;
  table.AddColumn("FIRST", Table::Align::kLeft);
  table.AddColumn("SECOND", Table::Align::kLeft, /*optional=*/true);
  table.AddColumn("THIRD", Table::Align::kLeft, /*optional=*/true);
  table.AddRow({std::string(80, 'x'), "y", "1234567890123"});
  EXPECT_EQ(table.ToString(), "FIRST" + std::string(77, ' ') + "SECOND\n" +
                                  std::string(80, 'x') + "  y\n");
}

TEST(TextTest, WhatWouldActOnATerminalIsEscaped) {
  EXPECT_EQ(Printable("a\x1b[2Jb\r\x7f"), "a\\x1b[2Jb\\x0d\\x7f");
  EXPECT_EQ(Printable("two\nlines"), "two\nlines");
  EXPECT_EQ(Printable("\xc3\xa4 \xc2\xb5 \xc2"), "\xc3\xa4 \xc2\xb5 \\xc2");
  for (const char* character : {"\xe2\x82\xac", "\xf0\x9f\x98\x80"}) {
    EXPECT_EQ(Printable(character), character);
  }
  EXPECT_EQ(Printable("\xc2\x9b"), "\\x9b");
  // No UTF-8: a byte alone, half a character, 0x1b and '/' in more bytes than
  // they need, half of a pair, and beyond the last character.
  EXPECT_EQ(Printable("\x9b[2J"), "\\x9b[2J");
  EXPECT_EQ(Printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(Printable("\xc0\x9b"), "\\xc0\\x9b");
  EXPECT_EQ(Printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(Printable(std::string(1, '\0')), "\\x00");
}

}  // namespace
}  // namespace concord
