// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Whether a case is one of its description.

#include <algorithm>
#include <string>

#include "absl/strings/str_join.h"
#include "concord/core/errors.h"
#include "concord/testing/engine/described_bounds.h"
#include "concord/testing/engine/described_spec.h"

namespace concord {
namespace {

template <typename T>
absl::Status CheckOffsets(const std::string& name, absl::Span<const T> offsets,
                          std::int64_t size) {
  if (offsets.front() != T{0} || static_cast<double>(offsets.back()) != size ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    return InvalidArgumentError("'", name, "' does not ascend from 0 to ",
                                size);
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status CheckValues(const DescribedInput& input,
                         absl::Span<const T> values) {
  // There are some, as Create has made sure.
  const auto [least, most] = *ValuesBetween<T>(input.least, input.most);
  for (const T value : values) {
    // A NaN is on the wrong side of both.
    if (input.least.has_value() && !(value >= least)) {
      return InvalidArgumentError("'", input.name, "' has a value under ",
                                  input.least->ToString());
    }
    if (input.most.has_value() && !(value <= most)) {
      return InvalidArgumentError("'", input.name, "' has a value over ",
                                  input.most->ToString());
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status DescribedSpec::CheckOptions(const OptionMap& options) const {
  ASSIGN_OR_RETURN(const OptionMap complete,
                   CompleteOptions(algorithm_->options(), options));
  for (const DescribedOption& option : description_.options) {
    const std::string& value = complete.at(option.spec.name);
    if (std::count(option.values.begin(), option.values.end(), value) > 0) {
      continue;
    }
    return InvalidArgumentError("the option '", option.spec.name, "' is ",
                                value, " and has the values ",
                                absl::StrJoin(option.values, ", "));
  }
  return absl::OkStatus();
}

absl::Status DescribedSpec::Check(const OptionMap& options,
                                  const Inputs& inputs) const {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(const Extents extents, ExtentsOf(options, inputs));
  for (const DescribedInput& input : description_.inputs) {
    const ConstArrayView& view = inputs.at(input.name);
    RETURN_IF_ERROR(CheckTypes(input.name, view, input.types));
    RETURN_IF_ERROR(Dispatch(view.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const absl::Span<const T> values(view.data<T>(),
                                       static_cast<std::size_t>(view.size()));
      return input.offsets_of.empty()
                 ? CheckValues<T>(input, values)
                 : CheckOffsets<T>(input.name, values,
                                   extents.at(input.offsets_of));
    }));
  }
  return absl::OkStatus();
}

}  // namespace concord
