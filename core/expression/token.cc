// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/token.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace concord::expression {
namespace {

// Longer ones first.
constexpr absl::string_view kSymbols[] = {
    "->", "|>", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+",
    "-",  "*",  "/",  "%",  "&",  "|",  "^",  "~",  "!",  "<",  ">",
    "=",  "?",  ":",  "(",  ")",  "[",  "]",  "{",  "}",  ",",  ";"};

bool IsDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c));
}
bool IsWordByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// The bytes at the start for which `is` holds.
template <typename Is>
std::size_t Span(absl::string_view text, Is is) {
  return static_cast<std::size_t>(
      std::find_if_not(text.begin(), text.end(), is) - text.begin());
}

// All that a number could be taken for, also if it is none.
std::size_t NumberSpan(absl::string_view text) {
  std::size_t size = 0;
  while (size < text.size()) {
    const char c = text[size];
    const bool exponent_sign =
        (c == '+' || c == '-') && size > 0 &&
        (text[size - 1] == 'e' || text[size - 1] == 'E') &&
        !absl::StartsWithIgnoreCase(text, "0x");
    if (!IsWordByte(c) && c != '.' && !exponent_sign) break;
    ++size;
  }
  return size;
}

// What is wrong with it, or "".
std::string CheckNumber(absl::string_view text) {
  const std::string wrong = absl::StrCat(Quoted(text), " is not a number");
  absl::string_view rest = text;
  const auto is_hex = [](char c) {
    return absl::ascii_isxdigit(static_cast<unsigned char>(c));
  };
  if (absl::StartsWithIgnoreCase(rest, "0x")) {
    rest.remove_prefix(2);
    return rest.empty() || Span(rest, is_hex) < rest.size() ? wrong : "";
  }
  const std::size_t whole = Span(rest, IsDigit);
  if (whole > 1 && rest[0] == '0') {
    return absl::StrCat(Quoted(text), " begins with a 0 too many");
  }
  rest.remove_prefix(whole);
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    rest.remove_prefix(Span(rest, IsDigit));
  }
  if (!rest.empty() && (rest[0] == 'e' || rest[0] == 'E')) {
    rest.remove_prefix(1);
    if (!rest.empty() && (rest[0] == '+' || rest[0] == '-')) {
      rest.remove_prefix(1);
    }
    if (rest.empty()) return wrong;
    rest.remove_prefix(Span(rest, IsDigit));
  }
  return rest.empty() ? "" : wrong;
}

std::string UnknownByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (absl::ascii_isprint(byte)) {
    return absl::StrCat("'", absl::string_view(&c, 1), "' means nothing here");
  }
  return absl::StrCat("a byte of value ", static_cast<int>(byte),
                      " means nothing here");
}

}  // namespace

std::vector<Token> Tokenize(absl::string_view text, FirstError& error) {
  std::vector<Token> tokens;
  if (text.size() > kMostTextBytes) {
    error.Set(0, absl::StrCat("a text has at most ", kMostTextBytes,
                              " bytes, this has ", text.size()));
  }
  std::size_t at = 0;
  const auto add = [&](Token::Kind kind, std::size_t size) {
    tokens.push_back({kind, text.substr(at, size), at});
    at += size;
  };
  while (error.ok() && at < text.size()) {
    const absl::string_view rest = text.substr(at);
    if (absl::ascii_isspace(static_cast<unsigned char>(rest[0]))) {
      ++at;
    } else if (IsDigit(rest[0]) ||
               (rest[0] == '.' && rest.size() > 1 && IsDigit(rest[1]))) {
      const std::size_t size = NumberSpan(rest);
      const std::string wrong = CheckNumber(rest.substr(0, size));
      if (!wrong.empty()) error.Set(at, wrong);
      add(Token::kNumber, size);
    } else if (IsWordByte(rest[0])) {
      add(Token::kWord, Span(rest, IsWordByte));
    } else {
      const auto* const symbol = std::find_if(
          std::begin(kSymbols), std::end(kSymbols),
          [rest](absl::string_view s) { return absl::StartsWith(rest, s); });
      if (symbol == std::end(kSymbols)) {
        error.Set(at, UnknownByte(rest[0]));
      } else {
        add(Token::kSymbol, symbol->size());
      }
    }
  }
  at = text.size();
  add(Token::kEnd, 0);
  return tokens;
}

const Token& Cursor::Peek(std::size_t ahead) const {
  return ok() ? tokens_[std::min(at_ + ahead, tokens_.size() - 1)]
              : tokens_.back();
}

const Token& Cursor::Next() {
  const Token& token = Peek();
  ++at_;
  return token;
}

bool Cursor::Is(absl::string_view text, std::size_t ahead) const {
  const Token& token = Peek(ahead);
  return token.kind != Token::kEnd && token.text == text;
}

bool Cursor::Take(absl::string_view text) {
  if (!Is(text)) return false;
  ++at_;
  return true;
}

void Cursor::Expect(absl::string_view text) {
  if (!Take(text)) FailExpecting(absl::StrCat("'", text, "'"));
}

void Cursor::FailExpecting(absl::string_view what) {
  const Token& token = Peek();
  const std::string where = token.kind == Token::kEnd
                                ? " at the end"
                                : absl::StrCat(" before ", Quoted(token.text));
  error_.Set(token.place, absl::StrCat("expected ", what, where));
}

}  // namespace concord::expression
