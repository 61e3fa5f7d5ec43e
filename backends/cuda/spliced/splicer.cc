// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/splicer.h"

#include <cstddef>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "concord/core/errors.h"

namespace concord::spliced {
namespace {

constexpr absl::string_view kEntry = ".entry ";

// The name in ".visible .entry concord_map(".
absl::string_view NameOfKernel(absl::string_view line, std::size_t entry) {
  absl::string_view name = line.substr(entry + kEntry.size());
  return name.substr(0, name.find('('));
}

// {9, 0} of "9.0".
std::pair<int, int> NumbersOf(absl::string_view version) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(version, absl::MaxSplits('.', 1));
  std::pair<int, int> numbers = {0, 0};
  if (!absl::SimpleAtoi(parts.first, &numbers.first) ||
      !absl::SimpleAtoi(parts.second, &numbers.second)) {
    return {0, 0};
  }
  return numbers;
}

}  // namespace

Place ParsedPlace(absl::string_view text) {
  std::vector<std::string> words =
      absl::StrSplit(text, absl::ByAnyChar(" ,\t\r"), absl::SkipEmpty());
  Place place;
  if (words.empty()) return place;
  place.name = words[0];
  place.operands.assign(words.begin() + 1, words.end());
  return place;
}

absl::string_view ValueOfDirective(absl::string_view ptx,
                                   absl::string_view directive) {
  const std::string begin = absl::StrCat("\n", directive, " ");
  const std::size_t at = ptx.find(begin);
  if (at == absl::string_view::npos) return "";
  const absl::string_view rest = ptx.substr(at + begin.size());
  return rest.substr(0, rest.find_first_of(" ,\r\n"));
}

std::string OfVersion(std::string ptx, absl::string_view version) {
  const absl::string_view own = ValueOfDirective(ptx, ".version");
  if (own.empty() || NumbersOf(own) >= NumbersOf(version)) return ptx;
  const auto at = static_cast<std::size_t>(own.data() - ptx.data());
  return ptx.replace(at, own.size(), version.data(), version.size());
}

absl::StatusOr<std::string> Splice(absl::string_view ptx, FillPlace fill) {
  std::string spliced;
  spliced.reserve(2 * ptx.size());
  std::string kernel_arguments;
  while (!ptx.empty()) {
    const std::size_t end = ptx.find('\n');
    const absl::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(end == absl::string_view::npos ? ptx.size() : end + 1);
    const std::size_t entry = line.find(kEntry);
    const std::size_t mark = line.find(kPlaceMark);
    if (mark == absl::string_view::npos) {
      if (entry != absl::string_view::npos) {
        kernel_arguments = absl::StrCat(NameOfKernel(line, entry), "_param_0");
      }
      absl::StrAppend(&spliced, line, "\n");
      continue;
    }
    Place place = ParsedPlace(line.substr(mark + kPlaceMark.size()));
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
