// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/splicer.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "concord/core/errors.h"

namespace concord::spliced {
namespace {

constexpr absl::string_view kMark = "//CONCORD ";
constexpr absl::string_view kEntry = ".entry ";

// The name in ".visible .entry concord_map(".
absl::string_view NameOfKernel(absl::string_view line, std::size_t entry) {
  absl::string_view name = line.substr(entry + kEntry.size());
  return name.substr(0, name.find('('));
}

// Of "combine %r7, %r5, %r6".
Place Parsed(absl::string_view text) {
  std::vector<std::string> words =
      absl::StrSplit(text, absl::ByAnyChar(" ,\t\r"), absl::SkipEmpty());
  Place place;
  if (words.empty()) return place;
  place.name = words[0];
  place.operands.assign(words.begin() + 1, words.end());
  return place;
}

}  // namespace

absl::StatusOr<std::string> Splice(absl::string_view ptx, FillPlace fill) {
  std::string spliced;
  spliced.reserve(2 * ptx.size());
  std::string kernel_arguments;
  while (!ptx.empty()) {
    const std::size_t end = ptx.find('\n');
    const absl::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(end == absl::string_view::npos ? ptx.size() : end + 1);
    const std::size_t entry = line.find(kEntry);
    const std::size_t mark = line.find(kMark);
    if (mark == absl::string_view::npos) {
      if (entry != absl::string_view::npos) {
        kernel_arguments = absl::StrCat(NameOfKernel(line, entry), "_param_0");
      }
      absl::StrAppend(&spliced, line, "\n");
      continue;
    }
    Place place = Parsed(line.substr(mark + kMark.size()));
    if (kernel_arguments.empty()) {
      return InternalError("a place outside of a kernel: ", line);
    }
    place.kernel_arguments = kernel_arguments;
    ASSIGN_OR_RETURN(const std::string filling, fill(place));
    absl::StrAppend(&spliced, filling);
  }
  return spliced;
}

}  // namespace concord::spliced
