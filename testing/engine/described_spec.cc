// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/described_spec.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "concord/core/errors.h"
#include "concord/testing/engine/described_bounds.h"

namespace concord {
namespace {

// That each type has a value between the bounds.
absl::Status CheckBounds(const std::string& what, const DescribedInput& input) {
  const auto text = [](const std::optional<Number>& bound,
                       absl::string_view otherwise) {
    return bound.has_value() ? bound->ToString() : std::string(otherwise);
  };
  for (const ElementType type : input.types) {
    const bool has_some = Dispatch(type, [&](auto tag) {
      return ValuesBetween<typename decltype(tag)::type>(input.least,
                                                         input.most)
          .has_value();
    });
    if (has_some) continue;
    return InvalidArgumentError(
        what, " has values from ", text(input.least, "the least"), " to ",
        text(input.most, "the largest"), ", and ", Name(type), " has none");
  }
  return absl::OkStatus();
}

}  // namespace

// What generic code asks of an algorithm; none of it can be run here.
class DescribedSpec::DescribedAlgorithm : public Algorithm {
 public:
  explicit DescribedAlgorithm(const DescribedSpec& spec) : spec_(spec) {
    for (const DescribedInput& input : spec.description_.inputs) {
      signature_.inputs.push_back(
          {input.name, "", input.types, input.shape, false, ""});
      // Cases are about the types of the input that has a choice.
      if (signature_.case_types.size() < 2) signature_.case_types = input.types;
    }
    for (const DescribedOption& option : spec.description_.options) {
      signature_.options.push_back(option.spec);
      if (option.spec.kind == OptionSpec::Kind::kNumber) {
        signature_.options.back().choices = option.values;
      }
    }
  }

  std::string name() const override { return spec_.name(); }
  const SignatureData& signature() const override { return signature_; }
  std::vector<OptionSpec> options() const override {
    return signature_.options;
  }
  std::vector<ImplementationInfo> implementations() const override {
    return {};
  }
  absl::StatusOr<std::unique_ptr<Runner>> NewRunner(
      std::shared_ptr<Backend>, absl::string_view) const override {
    return UnimplementedError(name(), " is not the library's to run");
  }
  absl::StatusOr<std::vector<OutputSpec>> Plan(
      const OptionMap& options, const Inputs& inputs) const override {
    RETURN_IF_ERROR(spec_.Check(options, inputs));
    return std::vector<OutputSpec>();
  }
  absl::Status PlanWithNumbers(const OptionMap&) const override {
    return absl::OkStatus();
  }

 private:
  const DescribedSpec& spec_;
  SignatureData signature_;
};

DescribedSpec::DescribedSpec(Description description)
    : description_(std::move(description)) {
  const auto add = [&](const std::string& extent) {
    if (NumberIn(extent).has_value() || IsOption(extent) ||
        std::count(extents_.begin(), extents_.end(), extent) > 0) {
      return;
    }
    extents_.push_back(extent);
  };
  // Parts are no size of a case.
  for (const DescribedInput& input : description_.inputs) {
    if (!input.offsets_of.empty()) continue;
    for (const std::string& extent : input.shape) add(extent);
  }
  for (const DescribedInput& input : description_.inputs) add(input.shape[0]);
  algorithm_ = std::make_unique<DescribedAlgorithm>(*this);
}

DescribedSpec::~DescribedSpec() = default;

absl::StatusOr<std::unique_ptr<DescribedSpec>> DescribedSpec::Create(
    Description description) {
  if (description.inputs.empty()) {
    return InvalidArgumentError("a description has no input");
  }
  std::map<std::string, int> known;
  for (const DescribedInput& input : description.inputs) {
    const std::string what = absl::StrCat("the input '", input.name, "'");
    if (++known[input.name] > 1) {
      return InvalidArgumentError(what, " is there twice");
    }
    if (input.types.empty()) return InvalidArgumentError(what, " has no type");
    if (input.shape.empty() || input.shape.size() > Shape::kMostDimensions) {
      return InvalidArgumentError(what, " has ", input.shape.size(),
                                  " dimensions; inputs have 1 or 2");
    }
    for (const std::string& extent : input.shape) {
      if (extent.empty() || NumberIn(extent).value_or(0) < 0) {
        return InvalidArgumentError(what, " has '", extent, "' as an extent");
      }
    }
    RETURN_IF_ERROR(CheckBounds(what, input));
  }
  constexpr std::int64_t kLargest =
      std::numeric_limits<std::int64_t>::max() / kMostOfOtherExtents;
  if (description.largest_size < 1 || description.largest_size > kLargest) {
    return InvalidArgumentError("the largest size is ",
                                description.largest_size,
                                ", and may be from 1 to ", kLargest);
  }
  for (const std::int64_t boundary : description.boundaries) {
    if (boundary >= 0 && boundary <= kLargest) continue;
    return InvalidArgumentError("a boundary is ", boundary,
                                ", which is no size from 0 to ", kLargest);
  }
  for (const DescribedOption& option : description.options) {
    if (++known[option.spec.name] > 1) {
      return InvalidArgumentError("'", option.spec.name, "' is there twice");
    }
  }
  std::unique_ptr<DescribedSpec> spec(
      new DescribedSpec(std::move(description)));
  for (const DescribedInput& input : spec->description_.inputs) {
    RETURN_IF_ERROR(spec->CheckExtentsThatAreOptions(input));
    if (input.offsets_of.empty()) continue;
    RETURN_IF_ERROR(spec->CheckTypesOfOffsets(input));
    const auto& extents = spec->extents_;
    if (input.shape.size() == 1 && input.shape[0] != input.offsets_of &&
        std::count(extents.begin(), extents.end(), input.shape[0]) > 0 &&
        std::count(extents.begin(), extents.end(), input.offsets_of) > 0) {
      continue;
    }
    return InvalidArgumentError("'", input.name, "' cuts '", input.offsets_of,
                                "' into '", input.shape[0],
                                "', and both have to be extents");
  }
  return spec;
}

absl::Status DescribedSpec::CheckExtentsThatAreOptions(
    const DescribedInput& input) const {
  for (const DescribedOption& option : description_.options) {
    if (!IsOption(option.spec.name) || option.spec.least >= 0 ||
        std::count(input.shape.begin(), input.shape.end(), option.spec.name) ==
            0) {
      continue;
    }
    return InvalidArgumentError("the input '", input.name, "' has the option '",
                                option.spec.name, "' as an extent, which is ",
                                option.spec.least, " in some cases");
  }
  return absl::OkStatus();
}

absl::Status DescribedSpec::CheckTypesOfOffsets(
    const DescribedInput& input) const {
  const bool is_first =
      !extents_.empty() && extents_.front() == input.offsets_of;
  const double most = (is_first ? 1.0 : kMostOfOtherExtents) *
                      static_cast<double>(description_.largest_size);
  for (const ElementType type : input.types) {
    const bool has_all = Dispatch(type, [&](auto tag) {
      using Limits = std::numeric_limits<typename decltype(tag)::type>;
      return most < std::ldexp(1.0, Limits::digits);
    });
    if (has_all) continue;
    return InvalidArgumentError("'", input.name, "' cuts '", input.offsets_of,
                                "', which is up to ", most, " and more than ",
                                Name(type), " holds");
  }
  return absl::OkStatus();
}

std::optional<std::int64_t> DescribedSpec::NumberIn(const std::string& extent) {
  std::int64_t number = 0;
  if (!absl::SimpleAtoi(extent, &number)) return std::nullopt;
  return number;
}

bool DescribedSpec::IsOption(const std::string& name) const {
  return std::any_of(description_.options.begin(), description_.options.end(),
                     [&](const DescribedOption& option) {
                       return option.spec.name == name &&
                              option.spec.kind == OptionSpec::Kind::kNumber;
                     });
}

ImplementationInfo DescribedSpec::AsImplementation() const {
  ImplementationInfo info;
  info.algorithm = description_.name;
  info.contract = Contract()
                      .Types(element_types())
                      .AtMost(description_.largest_size)
                      .Boundaries(description_.boundaries);
  return info;
}

absl::StatusOr<DescribedSpec::Extents> DescribedSpec::ExtentsOf(
    const OptionMap& options, const Inputs& inputs) const {
  Extents extents;
  for (const DescribedOption& option : description_.options) {
    if (IsOption(option.spec.name)) {
      extents[option.spec.name] = NumberOption(options, option.spec.name);
    }
  }
  for (const DescribedInput& input : description_.inputs) {
    const auto given = inputs.find(input.name);
    if (given == inputs.end()) {
      return InvalidArgumentError("there is no input '", input.name, "'");
    }
    std::vector<std::int64_t> shape = given->second.shape().extents();
    if (shape.size() != input.shape.size()) {
      return InvalidArgumentError("'", input.name, "' has ", shape.size(),
                                  " dimensions");
    }
    if (!input.offsets_of.empty()) --shape[0];
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int64_t wanted =
          NumberIn(input.shape[d])
              .value_or(
                  extents.emplace(input.shape[d], shape[d]).first->second);
      if (shape[d] == wanted && shape[d] >= 0) continue;
      return InvalidArgumentError("'", input.name, "' has ", shape[d],
                                  " instead of ", wanted, " along ",
                                  input.shape[d]);
    }
  }
  return extents;
}

absl::StatusOr<Expectations> DescribedSpec::Expected(const Case&) const {
  return UnimplementedError("only its caller knows what is right of ", name());
}

std::int64_t DescribedSpec::SizeOfCase(const Case& test_case) const {
  std::int64_t elements = 0;
  for (const auto& [name, array] : test_case.inputs) elements += array.size();
  return elements;
}

}  // namespace concord
