// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdint>

#include "concord/algorithms/sequence/spec/catalogue.h"
#include "concord/algorithms/sequence/spec/plain.h"
#include "concord/algorithms/sequence/spec/plain_columns.h"

namespace concord::sequence {
namespace plain {
namespace {

void AddArithmetic(std::vector<Entry>& entries) {
  entries.push_back(
      {"zip x y |> map (x + y, x - y, x * y, -x)", AllTypes, OfAll([](auto in) {
         const auto& [x, y, n] = in;
         return ColumnsOf(
             n, [x = x, y = y](auto i) { return Add(x[i], y[i]); },
             [x = x, y = y](auto i) { return Subtract(x[i], y[i]); },
             [x = x, y = y](auto i) { return Multiply(x[i], y[i]); },
             [x = x](auto i) { return Negate(x[i]); });
       })});
  entries.push_back(
      {"zip x y |> map (x / y, abs(x), min(x, y), max(x, y))", AllTypes,
       OfAll([](auto in) {
         const auto& [x, y, n] = in;
         return ColumnsOf(
             n, [x = x, y = y](auto i) { return Divide(x[i], y[i]); },
             [x = x](auto i) { return Abs(x[i]); },
             [x = x, y = y](auto i) { return Min(x[i], y[i]); },
             [x = x, y = y](auto i) { return Max(x[i], y[i]); });
       })});
}

void AddBits(std::vector<Entry>& entries) {
  entries.push_back(
      {"zip x y |> map (x % y, x & y, x | y, x ^ y)", Integers,
       OfIntegers([](auto in) {
         using T = typename decltype(in)::Element;
         const auto& [x, y, n] = in;
         return ColumnsOf(
             n, [x = x, y = y](auto i) { return Remainder(x[i], y[i]); },
             [x = x, y = y](auto i) { return static_cast<T>(x[i] & y[i]); },
             [x = x, y = y](auto i) { return static_cast<T>(x[i] | y[i]); },
             [x = x, y = y](auto i) { return static_cast<T>(x[i] ^ y[i]); });
       })});
  entries.push_back(
      {"zip x y |> map (~x, x << y, x >> y, popcount(x))", Integers,
       OfIntegers([](auto in) {
         using T = typename decltype(in)::Element;
         const auto& [x, y, n] = in;
         return ColumnsOf(
             n, [x = x](auto i) { return static_cast<T>(~x[i]); },
             [x = x, y = y](auto i) { return ShiftLeft(x[i], y[i]); },
             [x = x, y = y](auto i) { return ShiftRight(x[i], y[i]); },
             [x = x](auto i) { return Popcount(x[i]); });
       })});
  entries.push_back({"map (clz(x), ctz(x))", Integers, OfIntegers([](auto in) {
                       const auto x = in.x;
                       return ColumnsOf(
                           in.n, [x](auto i) { return LeadingZeros(x[i]); },
                           [x](auto i) { return TrailingZeros(x[i]); });
                     })});
}

void AddComparisons(std::vector<Entry>& entries) {
  entries.push_back({"zip x y |> map (x == y, x != y, x < y, x <= y)", AllTypes,
                     OfAll([](auto in) {
                       const auto& [x, y, n] = in;
                       return ColumnsOf(
                           n, [x = x, y = y](auto i) { return x[i] == y[i]; },
                           [x = x, y = y](auto i) { return x[i] != y[i]; },
                           [x = x, y = y](auto i) { return x[i] < y[i]; },
                           [x = x, y = y](auto i) { return x[i] <= y[i]; });
                     })});
  entries.push_back(
      {"zip x y |> map (x > y, x >= y, x < y && x != 1, !(x < y) || x == 1)",
       AllTypes, OfAll([](auto in) {
         const auto& [x, y, n] = in;
         return ColumnsOf(
             n, [x = x, y = y](auto i) { return x[i] > y[i]; },
             [x = x, y = y](auto i) { return x[i] >= y[i]; },
             [x = x, y = y](auto i) { return x[i] < y[i] && x[i] != 1; },
             [x = x, y = y](auto i) { return !(x[i] < y[i]) || x[i] == 1; });
       })});
}

void AddFloatingPoint(std::vector<Entry>& entries) {
  entries.push_back({"map (sqrt(x), floor(x), ceil(x), trunc(x))", Floats,
                     OfFloats([](auto in) {
                       const auto x = in.x;
                       return ColumnsOf(
                           in.n, [x](auto i) { return std::sqrt(x[i]); },
                           [x](auto i) { return std::floor(x[i]); },
                           [x](auto i) { return std::ceil(x[i]); },
                           [x](auto i) { return std::trunc(x[i]); });
                     })});
  entries.push_back(
      {"zip x y |> map (round(x), isnan(x), fma(x, y, x), x < y ? x : y)",
       Floats, OfFloats([](auto in) {
         const auto& [x, y, n] = in;
         return ColumnsOf(
             n, [x = x](auto i) { return std::nearbyint(x[i]); },
             [x = x](auto i) { return std::isnan(x[i]); },
             [x = x, y = y](auto i) { return std::fma(x[i], y[i], x[i]); },
             [x = x, y = y](auto i) { return x[i] < y[i] ? x[i] : y[i]; });
       })});
}

void AddCasts(std::vector<Entry>& entries) {
  entries.push_back({"map (int8(x), uint8(x), int32(x), uint32(x))", AllTypes,
                     OfAll([](auto in) {
                       const auto x = in.x;
                       return ColumnsOf(
                           in.n,
                           [x](auto i) { return Cast<std::int8_t>(x[i]); },
                           [x](auto i) { return Cast<std::uint8_t>(x[i]); },
                           [x](auto i) { return Cast<std::int32_t>(x[i]); },
                           [x](auto i) { return Cast<std::uint32_t>(x[i]); });
                     })});
  entries.push_back({"map (int64(x), uint64(x), float32(x), float64(x))",
                     AllTypes, OfAll([](auto in) {
                       const auto x = in.x;
                       return ColumnsOf(
                           in.n,
                           [x](auto i) { return Cast<std::int64_t>(x[i]); },
                           [x](auto i) { return Cast<std::uint64_t>(x[i]); },
                           [x](auto i) { return Cast<float>(x[i]); },
                           [x](auto i) { return Cast<double>(x[i]); });
                     })});
  entries.push_back({"map (bool(x), i, clamp(x, 3, 100), x > 1 ? 1 : x)",
                     AllTypes, OfAll([](auto in) {
                       using T = typename decltype(in)::Element;
                       const auto x = in.x;
                       return ColumnsOf(
                           in.n, [x](auto i) { return x[i] != 0; },
                           [](std::int64_t i) { return i; },
                           [x](auto i) { return Min(Max(x[i], T{3}), T{100}); },
                           [x](auto i) { return x[i] > 1 ? T{1} : x[i]; });
                     })});
}

}  // namespace
}  // namespace plain

std::vector<Entry> OperationEntries() {
  std::vector<Entry> entries;
  for (auto* const add :
       {plain::AddArithmetic, plain::AddBits, plain::AddComparisons,
        plain::AddFloatingPoint, plain::AddCasts}) {
    add(entries);
  }
  return entries;
}

}  // namespace concord::sequence
