// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/errors.h"
#include "concord/core/signature_data.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace concord {
namespace {

bool Overlap(const ConstArrayView& a, const ConstArrayView& b) {
  const auto* const a_begin = a.data<char>();
  const auto* const b_begin = b.data<char>();
  const std::less<const char*> before;
  return !a.empty() && !b.empty() && before(a_begin, b_begin + b.bytes()) &&
         before(b_begin, a_begin + a.bytes());
}

absl::Status Overlapping(absl::string_view a, absl::string_view b) {
  return InvalidArgumentError("'", a, "' and '", b, "' share memory");
}

}  // namespace

std::int64_t Capacity(const OutputSpec& spec) {
  return std::accumulate(spec.shape.begin(), spec.shape.end(), std::int64_t{1},
                         std::multiplies<std::int64_t>());
}

absl::Status CheckCountable(const OutputSpec& spec) {
  if (Shape(spec.shape).IsCountable()) return absl::OkStatus();
  return InvalidArgumentError("'", spec.name, "' would have the shape [",
                              absl::StrJoin(spec.shape, ", "),
                              "], more than can be counted");
}

std::vector<OutputSpec> SizesFirst(std::vector<OutputSpec> specs) {
  std::stable_partition(specs.begin(), specs.end(), [](const OutputSpec& spec) {
    return spec.size_in.empty();
  });
  return specs;
}

absl::Status PutInOrder(const SignatureData& data, const Inputs& inputs,
                        std::vector<ConstArrayView>& ordered) {
  ordered.clear();
  std::size_t found = 0;
  for (const InputSpec& spec : data.inputs) {
    const auto given = inputs.find(spec.name);
    ordered.push_back(given == inputs.end() ? ConstArrayView() : given->second);
    found += given != inputs.end();
  }
  if (found == inputs.size()) return absl::OkStatus();
  for (const auto& input : inputs) {
    const bool known = std::any_of(
        data.inputs.begin(), data.inputs.end(),
        [&](const InputSpec& spec) { return spec.name == input.first; });
    if (known) continue;
    return InvalidArgumentError("there is no input '", input.first, "'");
  }
  return absl::OkStatus();
}

void PutInOrder(const SignatureData& data, const Outputs& outputs,
                std::vector<ArrayView>& ordered) {
  ordered.clear();
  for (const OutputText& text : data.outputs) {
    const auto given = outputs.find(text.name);
    ordered.push_back(given == outputs.end() ? ArrayView() : given->second);
  }
}

Inputs ByName(const SignatureData& data, Views inputs) {
  Inputs named;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].given()) named.emplace(data.inputs[i].name, inputs[i]);
  }
  return named;
}

Outputs ByName(const SignatureData& data, MutableViews outputs) {
  Outputs named;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].given()) named.emplace(data.outputs[i].name, outputs[i]);
  }
  return named;
}

std::vector<OutputSpec> WithoutAbsentSizes(std::vector<OutputSpec> specs) {
  for (OutputSpec& spec : specs) {
    const bool is_there = std::any_of(
        specs.begin(), specs.end(),
        [&](const OutputSpec& other) { return other.name == spec.size_in; });
    if (!is_there) spec.size_in.clear();
  }
  return specs;
}

std::vector<OutputSpec> SpecsOf(const SignatureData& data,
                                MutableViews outputs) {
  std::vector<OutputSpec> specs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].given()) continue;
    const OutputText& text = data.outputs[i];
    specs.push_back({text.name, outputs[i].type(), outputs[i].shape().extents(),
                     text.in_place_of, text.size_in});
  }
  return WithoutAbsentSizes(std::move(specs));
}

std::string AnyOf(absl::Span<const ElementType> types) {
  const auto append = [](std::string* out, ElementType type) {
    absl::StrAppend(out, Name(type));
  };
  if (types.size() < 2) return absl::StrJoin(types, "", append);
  return absl::StrCat(
      absl::StrJoin(types.first(types.size() - 1), ", ", append), " or ",
      Name(types.back()));
}

absl::Status CheckTypes(absl::string_view name, const ConstArrayView& view,
                        absl::Span<const ElementType> wanted) {
  if (std::find(wanted.begin(), wanted.end(), view.type()) != wanted.end()) {
    return absl::OkStatus();
  }
  return InvalidArgumentError("'", name, "' must have elements of type ",
                              AnyOf(wanted), ", not ", Name(view.type()));
}

absl::Status CheckOverlap(const SignatureData& data, Views inputs,
                          MutableViews outputs) {
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (!outputs[o].given()) continue;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].given() || !Overlap(inputs[i], outputs[o])) continue;
      const bool in_place =
          data.outputs[o].in_place_of == data.inputs[i].name &&
          inputs[i].data() == outputs[o].data() &&
          inputs[i].bytes() == outputs[o].bytes();
      if (!in_place) {
        return Overlapping(data.inputs[i].name, data.outputs[o].name);
      }
    }
    for (std::size_t other = 0; other < o; ++other) {
      if (outputs[other].given() && Overlap(outputs[other], outputs[o])) {
        return Overlapping(data.outputs[other].name, data.outputs[o].name);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace concord
