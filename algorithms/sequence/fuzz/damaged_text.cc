// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/fuzz/damaged_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/sequence/random_program.h"
#include "concord/core/expression/token.h"
#include "concord/core/random.h"

namespace concord::sequence {
namespace {

using Tokens = std::vector<std::string>;

const Tokens& Words() {
  static const auto* const words = new Tokens{
      "map",    "filter",  "reduce",    "scan",        "scan_before",
      "count",  "last",    "take",      "slice",       "sort_by",
      "zip",    "concat",  "tabulate",  "from",        "histogram",
      "by",     "min",     "unchecked", "max",         "group_reduce",
      "x",      "y",       "z",         "w",           "i",
      "a",      "b",       "|>",        "->",          ";",
      ",",      "=",       "(",         ")",           "{",
      "}",      "[",       "]",         "?",           ":",
      "+",      "-",       "*",         "/",           "%",
      "&",      "|",       "^",         "<<",          ">>",
      "&&",     "||",      "!",         "~",           "==",
      "<",      ">=",      "clamp",     "sqrt",        "fma",
      "abs",    "isnan",   "popcount",  "int8",        "int64",
      "uint64", "float32", "float64",   "bool",        "select",
      "true",   "nan",     "inf",       "0",           "1",
      "2.5",    "x + 1",   "a + b",     "x > int32(0)"};
  return *words;
}

const Tokens& HugeNumbers() {
  static const auto* const numbers =
      new Tokens{"2147483648",
                 "9223372036854775807",
                 "9223372036854775808",
                 "18446744073709551615",
                 "18446744073709551616",
                 "1e308",
                 "1e309",
                 "1e-400",
                 "1e99999999999999999999",
                 "0x" + std::string(17, 'f'),
                 std::string(400, '9'),
                 "0." + std::string(400, '0') + "1",
                 "1." + std::string(5000, '3'),
                 std::string(20000, '7')};
  return *numbers;
}

std::string Repeated(absl::string_view part, std::uint64_t times) {
  std::string text;
  for (std::uint64_t k = 0; k < times; ++k) absl::StrAppend(&text, part);
  return text;
}

class Damager {
 public:
  explicit Damager(std::uint64_t seed) : random_(seed) {}

  std::string Run() {
    const std::uint64_t kind = random_.Below(2000);
    if (kind < 2) return Extreme();
    if (kind < 100) return Bytes(1 + random_.Below(100));
    if (kind < 400) return AnyWords();
    return Damaged();
  }

 private:
  const std::string& OneOf(const Tokens& tokens) {
    return tokens[random_.Below(tokens.size())];
  }

  std::string Bytes(std::uint64_t count) {
    std::string bytes;
    for (std::uint64_t k = 0; k < count; ++k) {
      bytes += static_cast<char>(random_.Below(256));
    }
    return bytes;
  }

  std::string AnyWords() {
    std::string text;
    const std::uint64_t count = 1 + random_.Below(15);
    for (std::uint64_t k = 0; k < count; ++k) {
      absl::StrAppend(&text, OneOf(Words()), " ");
    }
    return text;
  }

  // The tokens of a program that is right.
  Tokens Valid() {
    const std::string text = RandomProgram(random_.Bits());
    expression::FirstError error;
    Tokens tokens;
    for (const auto& token : expression::Tokenize(text, error)) {
      tokens.emplace_back(token.text);
    }
    return tokens;
  }

  std::string Damaged() {
    Tokens tokens = Valid();
    const std::uint64_t changes = random_.Below(4);
    for (std::uint64_t k = 0; k < changes; ++k) Change(tokens);
    return absl::StrJoin(tokens, " ");
  }

  void Change(Tokens& tokens) {
    const std::uint64_t at = random_.Below(tokens.size());
    const std::uint64_t count =
        std::min(1 + random_.Below(6), tokens.size() - at);
    const auto place = tokens.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = place + static_cast<std::ptrdiff_t>(count);
    switch (random_.Below(8)) {
      case 0:
        // Never all of them: the text's end is a token, too.
        if (count < tokens.size()) tokens.erase(place, end);
        break;
      case 1: {
        const Tokens copy(place, end);
        tokens.insert(place, copy.begin(), copy.end());
        break;
      }
      case 2:
        std::swap(*place, tokens[random_.Below(tokens.size())]);
        break;
      case 3:
        *place = OneOf(HugeNumbers());
        break;
      case 4:
        *place = Bytes(1 + random_.Below(3));
        break;
      case 5: {
        const Tokens other = Valid();
        *place = OneOf(other);
        break;
      }
      case 6: {
        const std::uint64_t depth = 1 + random_.Below(250);
        *place = Repeated("(", depth) + *place + Repeated(")", depth);
        break;
      }
      default:
        *place = OneOf(Words());
    }
  }

  // Of so many parts that it is at a limit of the language, or far beyond it.
  std::string Extreme() {
    constexpr std::uint64_t kCounts[] = {199,   200,   201,    255,    256,
                                         4'095, 4'096, 20'000, 100'000};
    const std::uint64_t n = kCounts[random_.Below(std::size(kCounts))];
    switch (random_.Below(16)) {
      case 0:
        return absl::StrCat("map ", Repeated("(", n), "x", Repeated(")", n));
      case 1:
        return absl::StrCat("map ", Repeated("(", n));
      case 2:
        return absl::StrCat("map x", Repeated("+x", n));
      case 3:
        return absl::StrCat("map x", Repeated("*x+i", n));
      case 4:
        return absl::StrCat("map ", Repeated("-", n), "x");
      case 5:
        return absl::StrCat("filter ", Repeated("!", n), "true");
      case 6:
        return absl::StrCat("map ", Repeated("x>x?x:", n), "x");
      case 7:
        return absl::StrCat("map ", Repeated("x?", n));
      case 8:
        return absl::StrCat("map ", Repeated("min(x,", n), "x",
                            Repeated(")", n));
      case 9:
        return absl::StrCat("map ", Repeated("y[", n), "x", Repeated("]", n));
      case 10:
        return absl::StrCat("x", Repeated("|>map -x", n));
      case 11:
        return absl::StrCat("zip x", Repeated(" x", n));
      case 12:
        return absl::StrCat("map (x", Repeated(",x", n), ")");
      case 13:
        return Names(n);
      case 14:
        return absl::StrCat("map z", Repeated("/z-z", n));
      default:
        return absl::StrCat("reduce ", Repeated("a", n), ", b -> b");
    }
  }

  // Functions with as many parts, each of two of those before it.
  static std::string Names(std::uint64_t n) {
    std::string text = "map { d0 = x; d1 = x + 1; ";
    for (std::uint64_t k = 2; k < n && text.size() < 200'000; ++k) {
      absl::StrAppend(&text, "d", k, "=d", k - 1, "*d", k - 2, ";");
    }
    return text + "d1 }";
  }

  Random random_;
};

}  // namespace

std::string DamagedText(std::uint64_t seed) { return Damager(seed).Run(); }

}  // namespace concord::sequence
