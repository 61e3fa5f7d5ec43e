// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How cases from a description are made smaller.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/testing/engine/described_spec.h"

namespace concord {
namespace {

// An array without the rows or columns [first, last).
HostArray Without(const HostArray& array, std::size_t dimension,
                  std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> shape = array.shape();
  shape[dimension] -= last - first;
  HostArray smaller(array.type(), shape);
  const std::int64_t bytes = SizeOf(array.type());
  const std::int64_t rows = dimension == 0 ? 1 : array.shape()[0];
  const std::int64_t row = dimension == 0 ? array.size() : array.shape()[1];
  const std::int64_t unit =
      bytes * (dimension == 0 && shape.size() == 2 ? shape[1] : 1);
  const char* from = array.data<char>();
  char* to = smaller.data<char>();
  for (std::int64_t i = 0; i < rows; ++i) {
    to = std::copy(from, from + first * unit, to);
    to = std::copy(from + last * unit, from + row * bytes, to);
    from += row * bytes;
  }
  return smaller;
}

}  // namespace

void DescribedSpec::Remove(const std::string& extent, std::int64_t first,
                           std::int64_t last, Case& test_case) const {
  for (const DescribedInput& input : description_.inputs) {
    HostArray& array = test_case.inputs.at(input.name);
    if (input.offsets_of == extent) {
      Dispatch(array.type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (T& offset : array.span<T>()) {
          const auto at = static_cast<std::int64_t>(offset);
          offset = static_cast<T>(at - (std::clamp(at, first, last) - first));
        }
      });
    }
    if (!input.offsets_of.empty() && input.shape[0] == extent) {
      // With a part goes what is in it, and the offset at its end.
      std::int64_t from = 0;
      std::int64_t to = 0;
      Dispatch(array.type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        from = static_cast<std::int64_t>(array.data<T>()[first]);
        to = static_cast<std::int64_t>(array.data<T>()[last]);
      });
      Remove(input.offsets_of, from, to, test_case);
      array = Without(array, 0, first + 1, last + 1);
      continue;
    }
    for (std::size_t d = 0; d < input.shape.size(); ++d) {
      if (input.shape[d] == extent) array = Without(array, d, first, last);
    }
  }
  if (IsOption(extent)) {
    test_case.options[extent] =
        absl::StrCat(NumberOption(test_case.options, extent) - (last - first));
  }
}

std::vector<Axis> DescribedSpec::Axes(const Case& test_case) const {
  const absl::StatusOr<Extents> extents =
      ExtentsOf(test_case.options, InputsOf(test_case));
  if (!extents.ok()) return {};
  std::vector<Axis> axes;
  for (const auto& [extent, length] : *extents) {
    if (IsOption(extent) &&
        std::none_of(description_.inputs.begin(), description_.inputs.end(),
                     [name = extent](const DescribedInput& input) {
                       return std::count(input.shape.begin(), input.shape.end(),
                                         name) > 0;
                     })) {
      continue;  // a number like any other
    }
    axes.push_back({extent, length,
                    [this, test_case, name = extent](std::int64_t first,
                                                     std::int64_t last) {
                      Case smaller = test_case;
                      Remove(name, first, last, smaller);
                      return smaller;
                    }});
  }
  return axes;
}

}  // namespace concord
