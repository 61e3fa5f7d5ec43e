// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/signature_data.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

absl::Status Overlapping(absl::string_view a, absl::string_view b) {
  return InvalidArgumentError("'", a, "' and '", b, "' share memory");
}

// What nearly all arrays are, seen without a call: then CheckArray finds
// nothing. Calls of a few elements take no longer for being checked.
template <typename Void>
bool IsPlain(const BasicArrayView<Void>& view, Memory memory) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 8;
  const Shape& shape = view.shape();
  const std::int64_t size = shape.extent(0);
  return shape.dimensions() == 1 && shape.stride(0) == 1 && size >= 0 &&
         size <= kMost && (view.data() != nullptr || size == 0) &&
         view.memory() == memory;
}

bool HasItsElements(const ConstArrayView& view) {
  return view.data() != nullptr || view.empty();
}

// Those of `views` that `texts` name, in their order. Refuses any others.
template <typename Text, typename View>
absl::Status PutByNames(absl::string_view what, const std::vector<Text>& texts,
                        const std::map<std::string, View>& views,
                        std::vector<View>& ordered) {
  ordered.clear();
  std::size_t found = 0;
  for (const Text& text : texts) {
    const auto given = views.find(text.name);
    ordered.push_back(given == views.end() ? View() : given->second);
    found += given != views.end();
  }
  if (found == views.size()) return absl::OkStatus();
  for (const auto& view : views) {
    const bool known =
        std::any_of(texts.begin(), texts.end(),
                    [&](const Text& text) { return text.name == view.first; });
    if (known) continue;
    return InvalidArgumentError(
        "there is no ", what, " '", view.first, "'; there are ",
        absl::StrJoin(texts, ", ", [](std::string* out, const Text& text) {
          out->append(text.name);
        }));
  }
  return absl::OkStatus();
}

}  // namespace

const std::vector<ElementType>& ElementTypesOf(const SignatureData& data) {
  return data.case_types.empty() ? data.inputs.front().types : data.case_types;
}

std::int64_t Capacity(const OutputSpec& spec) {
  return std::accumulate(spec.shape.begin(), spec.shape.end(), std::int64_t{1},
                         std::multiplies<std::int64_t>());
}

std::int64_t CapacityBytes(const OutputSpec& spec) {
  return Capacity(spec) * SizeOf(spec.type);
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
  return PutByNames("input", data.inputs, inputs, ordered);
}

absl::Status PutInOrder(const SignatureData& data, const Outputs& outputs,
                        std::vector<ArrayView>& ordered) {
  return PutByNames("output", data.outputs, outputs, ordered);
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
  if (types.size() < 2) return absl::StrJoin(NamesOf(types), "");
  return absl::StrCat(
      absl::StrJoin(NamesOf(types.first(types.size() - 1)), ", "), " or ",
      Name(types.back()));
}

std::vector<std::string> NamesOf(absl::Span<const ElementType> types) {
  std::vector<std::string> names;
  for (const ElementType type : types) names.emplace_back(Name(type));
  return names;
}

absl::Status CheckTypes(absl::string_view name, const ConstArrayView& view,
                        absl::Span<const ElementType> wanted) {
  if (std::find(wanted.begin(), wanted.end(), view.type()) != wanted.end()) {
    return absl::OkStatus();
  }
  return InvalidArgumentError("'", name, "' must have elements of type ",
                              AnyOf(wanted), ", not ", Name(view.type()));
}

absl::Status NoWayFromHost() {
  return Guarded([] {
    return absl::UnimplementedError("no way of its own from host memory");
  });
}

ArrayRule Resolve(const SignatureData& data,
                  const std::vector<std::string>& shape,
                  const std::vector<ElementType>& types) {
  using Kind = ExtentReference::Kind;
  ArrayRule rule;
  for (const ElementType type : types) {
    rule.types |= 1u << static_cast<unsigned>(type);
  }
  for (const std::string& name : shape) {
    ExtentReference& extent = rule.extents[rule.dimensions++];
    if (absl::SimpleAtoi(name, &extent.index)) continue;
    for (std::size_t i = data.inputs.size(); i-- > 0;) {
      const std::vector<std::string>& its = data.inputs[i].shape;
      if (its.size() == 1 && its[0] == name) {
        extent = {Kind::kInput, static_cast<std::int64_t>(i)};
      }
    }
    for (std::size_t i = 0; i < data.extents.size(); ++i) {
      if (data.extents[i].name != name) continue;
      extent = {Kind::kRule, static_cast<std::int64_t>(i)};
      rule.needs_data |= !data.extents[i].data_of.empty();
    }
  }
  return rule;
}

bool HasElements(Views views) {
  return std::all_of(views.begin(), views.end(), HasItsElements);
}

absl::Status CheckElementsFor(const SignatureData& data,
                              absl::string_view output,
                              const std::vector<std::string>& shape,
                              Views inputs) {
  for (const ExtentText& extent : data.extents) {
    if (std::count(shape.begin(), shape.end(), extent.name) == 0) continue;
    for (std::size_t i = 0; i < data.inputs.size(); ++i) {
      const std::string& name = data.inputs[i].name;
      if (HasItsElements(inputs[i]) ||
          std::count(extent.data_of.begin(), extent.data_of.end(), name) == 0) {
        continue;
      }
      return InvalidArgumentError("the size of '", output,
                                  "' depends on elements of '", name,
                                  "', which are not in host memory");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckInputArrays(const SignatureData& data,
                              const std::vector<ArrayRule>& rules, Views inputs,
                              Memory memory, absl::string_view where,
                              bool planned) {
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    const InputSpec& spec = data.inputs[i];
    const ConstArrayView& view = inputs[i];
    if (!view.given()) {
      if (spec.optional) continue;
      return InvalidArgumentError("the input '", spec.name, "' is not given");
    }
    if (!IsPlain(view, memory)) {
      RETURN_IF_ERROR(
          planned && view.data() == nullptr
              ? CheckCountable({spec.name, view.type(), view.shape().extents()})
              : CheckArray(spec.name, view, memory, where));
    }
    if (!rules[i].Allows(view.type())) {
      return CheckTypes(spec.name, view, spec.types);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOutputArray(absl::string_view name, const ArrayView& view,
                              Memory memory, absl::string_view where) {
  if (!view.given()) {
    return InvalidArgumentError("the output '", name, "' is not given");
  }
  if (IsPlain(view, memory)) return absl::OkStatus();
  return CheckArray(name, view, memory, where);
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
