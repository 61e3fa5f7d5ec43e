// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/distributions.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>

#include "absl/strings/str_join.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord {
namespace {

template <typename T>
T Uniform(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>) {
    // A whole number of 2^-23 or 2^-52 in [-1, 1): exact in the type.
    constexpr int kDigits = std::numeric_limits<T>::digits;
    const auto steps = static_cast<std::int64_t>(bits >> (64 - kDigits));
    return static_cast<T>(steps) /
               static_cast<T>(std::int64_t{1} << (kDigits - 1)) -
           T{1};
  } else {
    return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
  }
}

template <typename T>
T NearOne(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>) {
    const T unit = (Uniform<T>(bits) + T{1}) / T{2};  // [0, 1)
    return bits % 2 == 0 ? T{1} + unit : T{1} / (T{1} + unit);
  } else {
    return bits % 16 == 0 ? static_cast<T>(-1) : T{1};
  }
}

template <typename T>
T Extreme(std::uint64_t bits) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    const std::array<T, 8> values = {
        Limits::lowest(),     Limits::max(), Limits::min(), -Limits::min(),
        Limits::denorm_min(), T{0},          T{1},          T{-1}};
    return values[bits % values.size()];
  } else {
    const std::array<T, 5> values = {Limits::min(), Limits::max(), T{0}, T{1},
                                     static_cast<T>(-1)};
    return values[bits % values.size()];
  }
}

// The quiet NaN of std::numeric_limits, the one that x86 computes, one with a
// payload, and one that signals.
template <typename T>
T Nan(std::uint64_t bits) {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr int kFraction = std::numeric_limits<T>::digits - 1;
  constexpr Word kSign = Word{1} << (8 * sizeof(T) - 1);
  constexpr Word kInfinity = (kSign - 1) >> kFraction << kFraction;
  constexpr Word kQuiet = kInfinity | Word{1} << (kFraction - 1);
  constexpr std::array<Word, 4> kWords = {kQuiet, kSign | kQuiet, kQuiet | 5432,
                                          kSign | kInfinity | 1234};
  const Word word = kWords[bits % kWords.size()];
  T value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

template <typename T>
T Special(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    const std::array<T, 4> values = {Limits::infinity(), -Limits::infinity(),
                                     T{0}, -T{0}};
    // Rare enough that whole stretches are free of NaN.
    const std::uint64_t choice = bits % 256;
    if (choice == 0) return Nan<T>(bits >> 32);
    if (choice == 1) return values[(bits >> 32) % 2];
    if (choice < 64) return values[2 + choice % 2];
    return static_cast<T>(static_cast<int>((bits >> 32) % 9) - 4);
  } else {
    return Uniform<T>(bits);
  }
}

template <typename T>
void FillFrom(absl::Span<T> out, std::uint64_t seed,
              T (*value)(std::uint64_t)) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = value(RandomBits(seed, i));
  }
}

template <typename T>
T Small(std::uint64_t bits) {
  return static_cast<T>(bits >> 62);
}

template <typename T>
void Fill(absl::string_view name, std::uint64_t seed, absl::Span<T> out) {
  if (name == "small") return FillFrom(out, seed, &Small<T>);
  if (name == "near_one") return FillFrom(out, seed, &NearOne<T>);
  if (name == "extremes") return FillFrom(out, seed, &Extreme<T>);
  if (name == "special") return FillFrom(out, seed, &Special<T>);
  if (name == "zero" || name == "negative_zero") {
    std::fill(out.begin(), out.end(), name == "zero" ? T{0} : -T{0});
    return;
  }
  if (name == "equal" || name == "alternating") {
    const T values[] = {Uniform<T>(RandomBits(seed, 0)),
                        Uniform<T>(RandomBits(seed, name == "equal" ? 0 : 1))};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[i % 2];
    return;
  }
  FillFrom(out, seed, &Uniform<T>);
  if (name == "ascending") std::sort(out.begin(), out.end());
  if (name == "descending")
    std::sort(out.begin(), out.end(), std::greater<T>());
}

}  // namespace

const std::vector<std::string>& DistributionNames() {
  static const auto* const names = new std::vector<std::string>{
      "uniform",  "small",     "near_one",     "equal",
      "zero",     "ascending", "descending",   "alternating",
      "extremes", "special",   "negative_zero"};
  return *names;
}

std::vector<std::string> DistributionsFor(ElementType type) {
  std::vector<std::string> names = DistributionNames();
  if (IsFloat(type)) return names;
  for (const char* name : {"special", "negative_zero"}) {
    names.erase(std::find(names.begin(), names.end(), name));
  }
  return names;
}

absl::StatusOr<HostArray> Draw(absl::string_view distribution, ElementType type,
                               std::int64_t size, std::uint64_t seed) {
  const std::vector<std::string> names = DistributionsFor(type);
  if (std::find(names.begin(), names.end(), distribution) == names.end()) {
    return InvalidArgumentError("no distribution '", distribution, "' of ",
                                Name(type), "; there are ",
                                absl::StrJoin(names, ", "));
  }
  HostArray array(type, {size});
  Dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    Fill<T>(distribution, seed, array.span<T>());
  });
  return array;
}

}  // namespace concord
