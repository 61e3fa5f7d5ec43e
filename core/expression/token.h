// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_TOKEN_H_
#define CONCORD_CORE_EXPRESSION_TOKEN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "concord/core/expression/text_error.h"

namespace concord::expression {

// What a text has at most. Functions printed, whose nodes are limited too, have
// fewer, unless their parameters have names of a hundred letters.
inline constexpr std::size_t kMostTextBytes = std::size_t{1} << 18;

struct Token {
  enum Kind { kWord, kNumber, kSymbol, kEnd } kind;
  absl::string_view text;
  std::size_t place;
};

// The words, numbers and symbols of a text, then a kEnd. What is none of these
// goes to `error`. Tokens are views of `text`.
std::vector<Token> Tokenize(absl::string_view text, FirstError& error);

// A way through tokens. After an error all that is left is the end, so that
// whoever reads them comes to an end, too.
class Cursor {
 public:
  explicit Cursor(absl::string_view text)
      : text_(text), tokens_(Tokenize(text, error_)) {}

  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  const Token& Peek(std::size_t ahead = 0) const;
  const Token& Next();
  // Whether the token `ahead` is this symbol or word.
  bool Is(absl::string_view text, std::size_t ahead = 0) const;
  // Whether it is, and then goes on.
  bool Take(absl::string_view text);
  // An error if it is not.
  void Expect(absl::string_view text);
  // "expected WHAT before 'y'", or "... at the end", at the next token.
  void FailExpecting(absl::string_view what);

  std::size_t place() const { return Peek().place; }
  bool ok() const { return error_.ok(); }
  FirstError& error() { return error_; }
  absl::Status status() const { return error_.ToStatus(text_); }

 private:
  absl::string_view text_;
  FirstError error_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_TOKEN_H_
