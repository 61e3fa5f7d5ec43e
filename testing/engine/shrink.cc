// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/shrink.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

// Elements that stay different from 0 are worked on one by one only when they
// are few; of many, none tells a reader much.
constexpr std::int64_t kMostSingleValues = 64;

// Of a long array so many ranges of a length are tried, before everything else
// has been: otherwise its single elements would use up all attempts.
constexpr std::int64_t kFewRanges = 256;
constexpr std::int64_t kAllRanges = std::numeric_limits<std::int64_t>::max();

class Shrinker {
 public:
  using Examine = std::function<std::optional<Failure>(const Trial&)>;

  Shrinker(const AlgorithmSpec& spec, Trial trial, Failure failure,
           const Examine& examine, const ShrinkLimits& limits)
      : spec_(spec),
        examine_(examine),
        limits_(limits),
        shrunk_{std::move(trial), std::move(failure)} {}

  Shrunk Run() {
    const std::string label = shrunk_.trial.test_case.label;
    bool changed = false;
    while (!Exhausted()) {
      bool smaller = ShrinkAxes();
      smaller |= ShrinkOptions();
      smaller |= ShrinkValues();
      smaller |= ShrinkCircumstances();
      changed |= smaller;
      if (smaller) continue;
      shrunk_.minimal = most_ranges_ == kAllRanges && !Exhausted();
      if (shrunk_.minimal) break;
      most_ranges_ = kAllRanges;
    }
    if (changed) {
      shrunk_.trial.test_case.label = absl::StrCat("shrunk from ", label);
    }
    return std::move(shrunk_);
  }

 private:
  bool Exhausted() const {
    const std::chrono::duration<double> spent = Clock::now() - start_;
    if (FromFirst(spent.count()) > limits_.seconds) return true;
    if (IsStopped(limits_)) return true;
    const bool small = spec_.SizeOfCase(TheCase()) <= limits_.small_size;
    return shrunk_.attempts >=
           (small ? limits_.attempts_when_small : limits_.attempts);
  }

  bool IsSameWay(const Failure& failure) const {
    const Failure& before = shrunk_.failure;
    if (failure.kind != before.kind) return false;
    return failure.kind != FailureKind::kStatus || failure.code == before.code;
  }

  // Keeps the candidate if it fails in the same way.
  bool Try(const Trial& candidate) {
    if (Exhausted()) return false;
    ++shrunk_.attempts;
    std::optional<Failure> failure = examine_(candidate);
    if (!failure.has_value() || !IsSameWay(*failure)) return false;
    shrunk_.trial = candidate;
    shrunk_.failure = *std::move(failure);
    return true;
  }

  bool TryCase(Case smaller) {
    Trial candidate = shrunk_.trial;
    candidate.test_case = std::move(smaller);
    candidate.request.reset();
    return Try(candidate);
  }

  const Case& TheCase() const { return shrunk_.trial.test_case; }

  bool TryWithout(std::size_t axis, std::int64_t first, std::int64_t last) {
    const std::vector<Axis> axes = spec_.Axes(TheCase());
    if (axis >= axes.size() || first < 0 || first >= last ||
        last > axes[axis].length) {
      return false;
    }
    return TryCase(axes[axis].without(first, last));
  }

  std::int64_t Length(std::size_t axis) const {
    const std::vector<Axis> axes = spec_.Axes(TheCase());
    return axis < axes.size() ? axes[axis].length : 0;
  }

  bool ShrinkAxes() {
    bool smaller = false;
    for (std::size_t axis = 0; axis < spec_.Axes(TheCase()).size(); ++axis) {
      smaller |= TrimEnds(axis);
      smaller |= DropRanges(axis);
    }
    return smaller;
  }

  // Halving steps at the two ends alone: brings a case that fails from some
  // size on down to that size in few attempts.
  bool TrimEnds(std::size_t axis) {
    bool smaller = false;
    for (std::int64_t step = Length(axis); step > 0; step /= 2) {
      while (TryWithout(axis, Length(axis) - step, Length(axis))) {
        smaller = true;
      }
      while (TryWithout(axis, 0, step)) smaller = true;
    }
    return smaller;
  }

  // Any range of a size, for falling sizes.
  bool DropRanges(std::size_t axis) {
    bool smaller = false;
    for (std::int64_t step = Length(axis) / 2; step > 0; step /= 2) {
      if (Length(axis) / step > most_ranges_) break;
      std::int64_t last = Length(axis);
      while (last > 0 && !Exhausted()) {
        const std::int64_t first = std::max<std::int64_t>(0, last - step);
        smaller |= TryWithout(axis, first, last);
        last = std::min(first, Length(axis));
      }
    }
    return smaller;
  }

  bool TryOption(const std::string& name, const std::string& value) {
    Case changed = TheCase();
    changed.options[name] = value;
    return TryCase(std::move(changed));
  }

  bool ShrinkOptions() {
    bool smaller = false;
    const std::vector<OptionSpec> options = spec_.options();
    const absl::StatusOr<OptionMap> defaults = CompleteOptions(options, {});
    for (const OptionSpec& option : options) {
      const auto it = TheCase().options.find(option.name);
      const auto target = defaults->find(option.name);
      if (it == TheCase().options.end() || target == defaults->end() ||
          it->second == target->second) {
        continue;
      }
      if (TryOption(option.name, target->second)) {
        smaller = true;
        continue;
      }
      if (option.kind != OptionSpec::Kind::kNumber) continue;
      smaller |= option.choices.empty() ? ShrinkNumberOption(option)
                                        : ShrinkNumberOfChoices(option);
    }
    return smaller;
  }

  // Toward the least that is allowed, by half as many steps each time.
  bool ShrinkNumberOption(const OptionSpec& option) {
    bool smaller = false;
    std::int64_t value = NumberOption(TheCase().options, option.name);
    for (std::int64_t steps = (value - option.least) / option.step; steps > 0;
         steps /= 2) {
      const std::int64_t less = value - steps * option.step;
      if (less < option.least) continue;
      if (TryOption(option.name, absl::StrCat(less))) {
        value = less;
        smaller = true;
      }
    }
    return smaller;
  }

  // To the least of the choices with which it fails.
  bool ShrinkNumberOfChoices(const OptionSpec& option) {
    const std::int64_t value = NumberOption(TheCase().options, option.name);
    std::set<std::int64_t> choices;
    for (const std::string& choice : option.choices) {
      std::int64_t number;
      if (absl::SimpleAtoi(choice, &number)) choices.insert(number);
    }
    for (const std::int64_t choice : choices) {
      if (choice >= value) return false;
      if (TryOption(option.name, absl::StrCat(choice)) ||
          TryWithoutTheRest(option.name, choice)) {
        return true;
      }
    }
    return false;
  }

  // Where the option is an extent, too: what stands along it goes with it.
  bool TryWithoutTheRest(const std::string& name, std::int64_t length) {
    const std::vector<Axis> axes = spec_.Axes(TheCase());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (axes[i].name != name) continue;
      const std::int64_t rest = axes[i].length - length;
      for (std::int64_t first = std::min(length, most_ranges_); first >= 0;
           --first) {
        if (TryWithout(i, first, first + rest)) return true;
      }
    }
    return false;
  }

  bool ShrinkValues() {
    bool smaller = false;
    std::vector<std::string> names;
    for (const auto& [name, value] : TheCase().inputs) names.push_back(name);
    for (const std::string& name : names) {
      Dispatch(TheCase().inputs.at(name).type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        smaller |= SetRanges<T>(name, T{0});
        smaller |= ShrinkSingleValues<T>(name);
      });
    }
    return smaller;
  }

  // Sets ranges to a value, long ranges first.
  template <typename T>
  bool SetRanges(const std::string& name, T value) {
    bool smaller = false;
    const std::int64_t size = TheCase().inputs.at(name).size();
    for (std::int64_t step = size; step > 0; step /= 2) {
      if (size / step > most_ranges_) break;
      for (std::int64_t first = 0; first < size && !Exhausted();
           first += step) {
        const std::int64_t count = std::min(step, size - first);
        const auto range =
            TheCase().inputs.at(name).span<T>().subspan(first, count);
        if (std::all_of(range.begin(), range.end(),
                        [&](T element) { return element == value; })) {
          continue;
        }
        Case changed = TheCase();
        std::fill_n(changed.inputs.at(name).data<T>() + first, count, value);
        smaller |= TryCase(std::move(changed));
      }
    }
    return smaller;
  }

  template <typename T>
  bool TryValue(const std::string& name, std::int64_t index, T value) {
    Case changed = TheCase();
    changed.inputs.at(name).data<T>()[index] = value;
    return TryCase(std::move(changed));
  }

  template <typename T>
  bool ShrinkSingleValues(const std::string& name) {
    std::vector<std::int64_t> left;
    const auto values = TheCase().inputs.at(name).span<T>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const T value = values[i];
      if (value != T{0} && value != T{1}) {
        left.push_back(static_cast<std::int64_t>(i));
      }
      if (static_cast<std::int64_t>(left.size()) > kMostSingleValues) {
        return false;
      }
    }
    bool smaller = false;
    for (std::int64_t i : left) smaller |= ShrinkSingleValue<T>(name, i);
    return smaller;
  }

  template <typename T>
  bool ShrinkSingleValue(const std::string& name, std::int64_t index) {
    const auto value = [&] {
      return TheCase().inputs.at(name).data<T>()[index];
    };
    if (TryValue<T>(name, index, T{1})) return true;
    const auto minus_one = static_cast<T>(-1);
    if (value() == minus_one) return false;
    if (TryValue<T>(name, index, minus_one)) return true;
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value())) return false;
      if (std::trunc(value()) != value() &&
          TryValue<T>(name, index, std::trunc(value()))) {
        return true;
      }
      if (std::fabs(value()) <= 2) return false;
    } else {
      // Halving ends at 1 or -1, which have been tried.
      if (value() / 2 == T{0} || value() / 2 == T{1} ||
          value() / 2 == minus_one) {
        return false;
      }
    }
    return TryValue<T>(name, index, value() / 2);
  }

  // What is around the case.
  bool ShrinkCircumstances() {
    bool smaller = false;
    for (const Placement& placement : Placements()) {
      if (placement.name == shrunk_.trial.placement) break;
      Trial candidate = shrunk_.trial;
      candidate.placement = placement.name;
      if (Try(candidate)) {
        smaller = true;
        break;
      }
    }
    for (std::size_t i = shrunk_.trial.also_on.size(); i-- > 0;) {
      Trial candidate = shrunk_.trial;
      candidate.also_on.erase(candidate.also_on.begin() + i);
      smaller |= Try(candidate);
    }
    for (int fewer : {1, 2}) {
      if (fewer >= shrunk_.trial.repetitions) break;
      Trial candidate = shrunk_.trial;
      candidate.repetitions = fewer;
      smaller |= Try(candidate);
    }
    return smaller;
  }

  using Clock = std::chrono::steady_clock;

  const AlgorithmSpec& spec_;
  const Examine& examine_;
  const ShrinkLimits limits_;
  const Clock::time_point start_ = Clock::now();
  std::int64_t most_ranges_ = kFewRanges;
  Shrunk shrunk_;
};

}  // namespace

Shrunk Shrink(
    const AlgorithmSpec& spec, Trial trial, Failure failure,
    const std::function<std::optional<Failure>(const Trial&)>& examine,
    const ShrinkLimits& limits) {
  return Shrinker(spec, std::move(trial), std::move(failure), examine, limits)
      .Run();
}

}  // namespace concord
