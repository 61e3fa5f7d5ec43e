// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "concord/core/placing.h"

namespace concord {
namespace {

template <typename T>
using BitsOf = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint8_t>>;

template <typename T>
BitsOf<T> Bits(T value) {
  BitsOf<T> bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

template <typename T>
T Sentinel() {
  T value;
  std::memset(&value, kSentinelByte, sizeof(value));
  return value;
}

template <typename T>
bool IsNan(T value) {
  return value != value;
}

// The number of the value when all are counted from the smallest to the
// largest, as a whole number whose differences do not overflow a long double.
template <typename T>
long double Rank(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr auto kSign = BitsOf<T>{1} << (8 * sizeof(T) - 1);
    const BitsOf<T> bits = Bits(value);
    const long double magnitude = bits & ~kSign;
    return (bits & kSign) != 0 ? -magnitude : magnitude;
  } else {
    return value;
  }
}

template <typename T>
double AbsoluteError(T got, T wanted) {
  if (IsNan(got) || IsNan(wanted)) {
    return std::numeric_limits<double>::infinity();
  }
  if (got == wanted) return 0;
  return static_cast<double>(std::fabs(static_cast<long double>(got) -
                                       static_cast<long double>(wanted)));
}

// As a failure file has it: all NaNs of one sign are one word otherwise.
template <typename T>
std::string NanToString(T value) {
  return absl::StrCat("nan:", absl::Hex(Bits(value)));
}

}  // namespace

template <typename T>
double UlpDistance(T a, T b) {
  if (Bits(a) == Bits(b)) return 0;
  if (IsNan(a) || IsNan(b)) return std::numeric_limits<double>::infinity();
  return static_cast<double>(std::fabs(Rank(a) - Rank(b)));
}
#define CONCORD_INSTANTIATE(enumerator, type, name) \
  template double UlpDistance<type>(type a, type b);
CONCORD_FOR_EACH_ELEMENT_TYPE(CONCORD_INSTANTIATE)
#undef CONCORD_INSTANTIATE

std::string Difference::ToString() const {
  return absl::StrCat(
      wrong, " of ", compared, " elements ", wrong == 1 ? "differs" : "differ",
      not_written > 0 ? absl::StrCat(" (", not_written, " never written)") : "",
      ", first [", first, "]: ", got, " instead of ", wanted,
      allowed > 0 ? absl::StrFormat(" within %g", allowed) : "",
      absl::StrFormat("; worst error %g (%g ULP)", worst_absolute, worst_ulp));
}

template <typename T>
void Comparison::AddTyped(absl::Span<const T> piece) {
  const T* wanted = wanted_.data<T>() + position_;
  const std::int64_t count = std::min<std::int64_t>(
      static_cast<std::int64_t>(piece.size()), wanted_.size() - position_);
  difference_.compared += count;
  // Nothing has no address to compare at.
  if (count == 0 ||
      std::memcmp(piece.data(), wanted,
                  static_cast<std::size_t>(count) * sizeof(T)) == 0) {
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (Bits(piece[i]) == Bits(wanted[i])) continue;
    const bool not_written = Bits(piece[i]) == Bits(Sentinel<T>());
    const double allowed = tolerance_.empty() ? 0 : tolerance_[position_ + i];
    const bool are_nans = IsNan(piece[i]) && IsNan(wanted[i]);
    if (!not_written) {
      if (are_nans && !nans_have_bits_) continue;
      if (std::isinf(allowed)) continue;
      // Without a tolerance 0.0 and -0.0 are not the same.
      if (!tolerance_.empty() &&
          AbsoluteError(piece[i], wanted[i]) <= allowed) {
        continue;
      }
    }
    Difference& d = difference_;
    if (d.wrong == 0) {
      d.first = position_ + i;
      d.got = are_nans ? NanToString(piece[i]) : ElementToString(piece[i]);
      d.wanted = are_nans ? NanToString(wanted[i]) : ElementToString(wanted[i]);
      d.allowed = allowed;
    }
    ++d.wrong;
    if (not_written) ++d.not_written;
    d.worst_absolute =
        std::max(d.worst_absolute, AbsoluteError(piece[i], wanted[i]));
    d.worst_ulp = std::max(d.worst_ulp, UlpDistance(piece[i], wanted[i]));
  }
}

void Comparison::Add(const HostArray& piece) {
  Dispatch(wanted_.type(), [&](auto tag) {
    AddTyped(piece.span<typename decltype(tag)::type>());
  });
  position_ = std::min(position_ + piece.size(), wanted_.size());
}

std::optional<Difference> Compare(const HostArray& got, const HostArray& wanted,
                                  const std::vector<double>& tolerance,
                                  bool nans_have_bits) {
  Comparison comparison(wanted, tolerance, nans_have_bits);
  comparison.Add(got);
  return comparison.result();
}

}  // namespace concord
