// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_TEXT_ERROR_H_
#define CONCORD_CORE_EXPRESSION_TEXT_ERROR_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace concord::expression {

// 'text', cut where it is long.
std::string Quoted(absl::string_view text);

// The first thing that is wrong with a text, and where. What follows from it is
// not said.
class FirstError {
 public:
  bool ok() const { return ok_; }
  // `place`: a byte of the text, or its size for the end.
  void Set(std::size_t place, std::string message) {
    if (!ok_) return;
    ok_ = false;
    place_ = place;
    message_ = std::move(message);
  }

  const std::string& message() const { return message_; }

  // InvalidArgument with line, column and the line itself:
  //
  //   line 1, column 7: 2.5 is not an int32
  //     map x * 2.5 |> reduce a + b
  //             ^
  //
  // Columns count characters of UTF-8. Of a long line it shows what is around
  // the place.
  absl::Status ToStatus(absl::string_view text) const;

 private:
  bool ok_ = true;
  std::size_t place_ = 0;
  std::string message_;
};

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_TEXT_ERROR_H_
