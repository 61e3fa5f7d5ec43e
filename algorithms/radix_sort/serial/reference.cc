// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/core/element_width.h"
#include "concord/core/registry.h"

namespace concord::radix_sort {
namespace {

constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;

// An element on its way: the key as an unsigned integer, and the value that
// belongs to it, of whatever width.
template <typename Bits>
struct Element {
  Bits key;
  std::uint64_t value;
};

template <typename Bits>
void SortByDigit(const std::vector<Element<Bits>>& in, int shift,
                 std::uint64_t mask, std::vector<Element<Bits>>& out) {
  std::array<std::int64_t, kDigits> next{};
  for (const Element<Bits>& element : in) ++next[element.key >> shift & mask];
  std::int64_t sum = 0;
  for (std::int64_t& place : next) sum += std::exchange(place, sum);
  for (const Element<Bits>& element : in) {
    out[next[element.key >> shift & mask]++] = element;
  }
}

// Calls f(T()) with the unsigned type in which values travel; none have one,
// too, that is not used.
template <typename F>
void DispatchValues(const ConstArrayView& values, F&& f) {
  SizeOf(values.type()) == 8 ? f(std::uint64_t{}) : f(std::uint32_t{});
}

class RadixSortSerial : public RadixSort {
 public:
  absl::Status Compute(ConstArrayView keys_in, ConstArrayView values_in,
                       ArrayView keys_out, ArrayView values_out,
                       const Options& options) override {
    DispatchWidth(keys_in.type(), [&](auto bits) {
      Sort<decltype(bits)>(keys_in, values_in, keys_out, values_out, options);
    });
    return absl::OkStatus();
  }

 private:
  template <typename Bits>
  static void Sort(ConstArrayView keys_in, ConstArrayView values_in,
                   ArrayView keys_out, ArrayView values_out,
                   const Options& options) {
    const auto n = static_cast<std::size_t>(keys_in.size());
    const KeyMap<Bits> map =
        KeyMapOf<Bits>(keys_in.type(), options.order == Order::kDescending);
    std::vector<Element<Bits>> elements(n);
    std::vector<Element<Bits>> sorted(n);
    for (std::size_t i = 0; i < n; ++i) {
      elements[i] = {map.Map(keys_in.data<Bits>()[i]), i};
    }
    if (!values_in.empty()) {
      DispatchValues(values_in, [&](auto value) {
        for (std::size_t i = 0; i < n; ++i) {
          elements[i].value = values_in.data<decltype(value)>()[i];
        }
      });
    }

    const RadixSortBits bits = RadixSortBitsOf(options, keys_in.type());
    for (int shift = bits.first; shift < bits.end; shift += kDigitBits) {
      const int width = std::min(kDigitBits, bits.end - shift);
      SortByDigit(elements, shift, (std::uint64_t{1} << width) - 1, sorted);
      elements.swap(sorted);
    }

    for (std::size_t i = 0; i < n; ++i) {
      keys_out.data<Bits>()[i] = map.Unmap(elements[i].key);
    }
    if (!values_out.empty()) {
      DispatchValues(values_out, [&](auto value) {
        using Value = decltype(value);
        for (std::size_t i = 0; i < n; ++i) {
          values_out.data<Value>()[i] = static_cast<Value>(elements[i].value);
        }
      });
    }
  }
};

const bool kRegistered = Registry<RadixSort>::Get().Add<RadixSortSerial>(
    "serial", "reference", /*rank=*/10, "digit by digit, 8 bits at a time",
    RadixSortContract());

}  // namespace
}  // namespace concord::radix_sort
