// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How cases of a description are drawn.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "concord/core/distributions.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"
#include "concord/testing/engine/described_bounds.h"
#include "concord/testing/engine/described_spec.h"

namespace concord {
namespace {

// What is drawn comes to lie between the bounds. `spread`: floats are uniform
// in [-1, 1), and stay so.
template <typename T>
void Confine(const DescribedInput& input, bool spread, absl::Span<T> values) {
  // There are some, as Create has made sure.
  const auto [least, most] = *ValuesBetween<T>(input.least, input.most);
  spread = spread && input.least.has_value() && input.most.has_value();
  for (T& value : values) {
    if constexpr (std::is_floating_point_v<T>) {
      if (spread) {
        // Their difference may be more than T holds.
        const T share = (value + T{1}) / 2;
        value = least * (T{1} - share) + most * share;
      }
      // Also where it is NaN.
      if (!(value >= least)) value = least;
      if (value > most) value = most;
    } else {
      if (value >= least && value <= most) continue;
      const std::uint64_t width =
          static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
      value = static_cast<T>(static_cast<std::uint64_t>(least) +
                             static_cast<std::uint64_t>(value) % (width + 1));
    }
  }
}

// Offsets that cut `size` elements: at random, or into parts of one length as
// far as it goes.
template <typename T>
void Cut(std::int64_t size, Random& random, absl::Span<T> offsets) {
  const auto parts = static_cast<std::int64_t>(offsets.size()) - 1;
  const bool equal = parts > 0 && random.Below(4) == 0;
  for (std::int64_t i = 0; i <= parts; ++i) {
    offsets[i] = static_cast<T>(
        i == parts ? size
        : equal    ? size / parts * i
                   : static_cast<std::int64_t>(random.Below(size + 1)));
  }
  offsets[0] = parts == 0 ? static_cast<T>(size) : T{0};
  std::sort(offsets.begin(), offsets.end());
}

// What is cut into no parts has no elements, and may be parts of something
// itself.
void EmptyWhatHasNoParts(const std::vector<DescribedInput>& inputs,
                         DescribedSpec::Extents& extents) {
  // Each turn reaches what the one before has emptied the parts of.
  for (std::size_t turn = 0; turn < inputs.size(); ++turn) {
    for (const DescribedInput& input : inputs) {
      if (input.offsets_of.empty() || extents.at(input.shape[0]) > 0) continue;
      extents.at(input.offsets_of) = 0;
    }
  }
}

// Of more combinations of options than that, so many are picked; ten switches
// have as many. Each of them meets each size.
constexpr std::size_t kMostCombinations = 1024;

std::vector<OptionMap> AllCombinations(
    const std::vector<DescribedOption>& options) {
  std::vector<OptionMap> combinations(1);
  for (const DescribedOption& option : options) {
    std::vector<OptionMap> extended;
    for (const OptionMap& combination : combinations) {
      for (const std::string& value : option.values) {
        extended.push_back(combination);
        extended.back()[option.spec.name] = value;
      }
    }
    combinations = std::move(extended);
  }
  return combinations;
}

// `count` values, at random but for the first, which are all that there are.
std::vector<std::string> Mixed(std::vector<std::string> values,
                               std::size_t count, Random& random) {
  const std::size_t all = values.size();
  for (std::size_t i = all; i > 1; --i) {
    std::swap(values[i - 1], values[random.Below(i)]);
  }
  while (values.size() < count) values.push_back(values[random.Below(all)]);
  return values;
}

std::vector<OptionMap> SomeCombinations(
    const std::vector<DescribedOption>& options, std::size_t count) {
  Random random(1);
  std::vector<OptionMap> combinations(count);
  for (const DescribedOption& option : options) {
    const std::vector<std::string> values = Mixed(option.values, count, random);
    for (std::size_t i = 0; i < count; ++i) {
      combinations[i][option.spec.name] = values[i];
    }
  }
  return combinations;
}

}  // namespace

std::vector<OptionMap> DescribedSpec::OptionCombinations(ElementType) const {
  std::size_t most = kMostCombinations;
  for (const DescribedOption& option : description_.options) {
    most = std::max(most, option.values.size());
  }
  std::size_t count = 1;
  for (const DescribedOption& option : description_.options) {
    count *= option.values.size();
    if (count > most) return SomeCombinations(description_.options, most);
  }
  return AllCombinations(description_.options);
}

// The extents of an input's array.
std::vector<std::int64_t> DescribedSpec::ShapeOf(const DescribedInput& input,
                                                 const Extents& extents) {
  std::vector<std::int64_t> shape;
  for (const std::string& name : input.shape) {
    const std::optional<std::int64_t> number = NumberIn(name);
    shape.push_back(number.has_value() ? *number : extents.at(name));
  }
  if (!input.offsets_of.empty()) ++shape[0];
  return shape;
}

DescribedSpec::Extents DescribedSpec::DrawExtents(const CaseRequest& request,
                                                  Random& random) const {
  Extents extents;
  for (const DescribedOption& option : description_.options) {
    if (!IsOption(option.spec.name)) continue;
    extents[option.spec.name] = NumberOption(request.options, option.spec.name);
  }
  // Those beside the first are of any magnitude, as far as there is room.
  const std::int64_t room = std::max<std::int64_t>(
      1, kMostOfOtherExtents * largest_size() / (request.size + 1));
  const double magnitude = std::log2(static_cast<double>(room) + 1);
  for (const std::string& extent : extents_) {
    const auto drawn =
        static_cast<std::int64_t>(std::exp2(magnitude * random.Unit()));
    // Elements are in some part.
    const bool is_parts = std::any_of(
        description_.inputs.begin(), description_.inputs.end(),
        [&](const DescribedInput& input) {
          return !input.offsets_of.empty() && input.shape[0] == extent;
        });
    extents[extent] = is_parts ? drawn : drawn - 1;
  }
  if (!extents_.empty()) extents[extents_.front()] = request.size;
  // The first extent may be one of parts.
  EmptyWhatHasNoParts(description_.inputs, extents);
  return extents;
}

absl::StatusOr<HostArray> DescribedSpec::DrawArray(const DescribedInput& input,
                                                   const CaseRequest& request,
                                                   const Extents& extents,
                                                   Random& random) const {
  const bool has_type =
      std::count(input.types.begin(), input.types.end(), request.type) > 0;
  const ElementType type = has_type ? request.type : input.types.front();
  const std::vector<std::string> known = DistributionsFor(type);
  const bool is_known =
      std::count(known.begin(), known.end(), request.distribution) > 0;
  const std::string distribution =
      is_known ? request.distribution : known.front();
  const std::vector<std::int64_t> shape = ShapeOf(input, extents);
  ASSIGN_OR_RETURN(HostArray array, HostArray::Make(type, shape));
  ASSIGN_OR_RETURN(const HostArray drawn,
                   Draw(distribution, type, array.size(), random.Bits()));
  return Dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const absl::Span<T> values = array.span<T>();
    std::copy_n(drawn.data<T>(), values.size(), values.data());
    if (!input.offsets_of.empty()) {
      Cut<T>(extents.at(input.offsets_of), random, values);
    } else if (input.least.has_value() || input.most.has_value()) {
      Confine<T>(input, distribution == "uniform", values);
    }
    return std::move(array);
  });
}

absl::StatusOr<Case> DescribedSpec::MakeFrom(const CaseRequest& request) const {
  Random random(request.seed);
  const Extents extents = DrawExtents(request, random);
  Case made;
  made.label = ToString(request);
  made.type = request.type;
  made.options = request.options;
  for (const DescribedInput& input : description_.inputs) {
    ASSIGN_OR_RETURN(HostArray array,
                     DrawArray(input, request, extents, random));
    made.inputs.emplace(input.name, std::move(array));
  }
  return made;
}

}  // namespace concord
