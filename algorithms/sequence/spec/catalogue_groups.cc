// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "concord/algorithms/sequence/spec/catalogue.h"
#include "concord/algorithms/sequence/spec/plain.h"
#include "concord/algorithms/sequence/spec/plain_columns.h"

namespace concord::sequence {
namespace plain {
namespace {

// Any NaN comes after all numbers.
struct KeyBefore {
  template <typename T>
  bool operator()(T a, T b) const {
    return IsNan(b) ? !IsNan(a) : Before(a, b);
  }
};

// What a map of keys to one value each is as columns.
template <typename Groups>
Columns OfGroups(const Groups& groups) {
  const auto n = static_cast<std::int64_t>(groups.size());
  auto key = groups.begin();
  auto value = groups.begin();
  return ColumnsOf(
      n, [key](std::int64_t) mutable { return (key++)->first; },
      [value](std::int64_t) mutable { return (value++)->second; });
}

void AddSorts(std::vector<Entry>& entries) {
  entries.push_back({"sort_by x", AllTypes, OfAll([](auto in) {
                       using T = typename decltype(in)::Element;
                       std::vector<T> x(in.x.begin(), in.x.end());
                       std::stable_sort(x.begin(), x.end(), KeyBefore());
                       return Columns{ArrayOf(x)};
                     }),
                     /*is_quick=*/true});
  entries.push_back(
      {"zip x y |> map x, y -> (x, y, i) |> sort_by x, y, i -> y", AllTypes,
       OfAll([](auto in) {
         const auto [x, y, n] = in;
         std::vector<std::int64_t> at(static_cast<std::size_t>(n));
         for (std::int64_t i = 0; i < n; ++i) at[i] = i;
         std::stable_sort(at.begin(), at.end(),
                          [y = y](std::int64_t a, std::int64_t b) {
                            return KeyBefore()(y[a], y[b]);
                          });
         return ColumnsOf(
             n, [x = x, at](auto i) { return x[at[i]]; },
             [y = y, at](auto i) { return y[at[i]]; },
             [at](auto i) { return at[i]; });
       })});
  entries.push_back(
      {"sort_by x < y[i] |> take 100", AllTypes, OfAll([](auto in) {
         using T = typename decltype(in)::Element;
         std::vector<T> sorted, behind;
         for (std::int64_t i = 0; i < in.n; ++i) {
           (in.x[i] < in.y[i] ? behind : sorted).push_back(in.x[i]);
         }
         sorted.insert(sorted.end(), behind.begin(), behind.end());
         if (sorted.size() > 100) sorted.resize(100);
         return Columns{ArrayOf(sorted)};
       })});
}

void AddHistograms(std::vector<Entry>& entries) {
  entries.push_back({"histogram x", AllTypes, OfAll([](auto in) {
                       using T = typename decltype(in)::Element;
                       std::map<T, std::int64_t, KeyBefore> counts;
                       for (const T x : in.x) ++counts[x];
                       return OfGroups(counts);
                     })});
  entries.push_back({"histogram int8(x) |> filter x, n -> n > 1", AllTypes,
                     OfAll([](auto in) {
                       std::map<std::int8_t, std::int64_t> counts, several;
                       for (const auto x : in.x) ++counts[Cast<std::int8_t>(x)];
                       for (const auto& [key, count] : counts) {
                         if (count > 1) several.emplace(key, count);
                       }
                       return OfGroups(several);
                     })});
  entries.push_back(
      {"map x > 0 |> histogram x |> count", AllTypes, OfAll([](auto in) {
         const auto positive = std::count_if(in.x.begin(), in.x.end(),
                                             [](auto x) { return x > 0; });
         return Row(std::int64_t{positive > 0} + (positive < in.n));
       })});
}

void AddGroupReductions(std::vector<Entry>& entries) {
  entries.push_back({"zip x y |> group_reduce (int8(x), y) by a + b", Integers,
                     OfIntegers([](auto in) {
                       using T = typename decltype(in)::Element;
                       std::map<std::int8_t, T> sums;
                       for (std::int64_t i = 0; i < in.n; ++i) {
                         T& sum = sums[Cast<std::int8_t>(in.x[i])];
                         sum = Add(sum, in.y[i]);
                       }
                       return OfGroups(sums);
                     })});
  entries.push_back(
      {"group_reduce uint8(x) by max(a, b) from 3", AllTypes,
       OfAll([](auto in) {
         using T = typename decltype(in)::Element;
         std::map<std::uint8_t, T> most;
         for (const T x : in.x) {
           T& value = most.emplace(Cast<std::uint8_t>(x), 3).first->second;
           value = Max(value, x);
         }
         return OfGroups(most);
       })});
  // The last element of each group, and where the first one is.
  entries.push_back(
      {"map (x, i) |> group_reduce x, i -> (x > 1, x, i) by (v, j), (w, k) -> "
       "(w, j)",
       AllTypes, OfAll([](auto in) {
         using T = typename decltype(in)::Element;
         std::map<bool, std::int64_t> first, last;
         for (std::int64_t i = 0; i < in.n; ++i) {
           first.emplace(in.x[i] > 1, i);
           last[in.x[i] > 1] = i;
         }
         std::map<bool, T> values;
         for (const auto& [key, i] : last) values[key] = in.x[i];
         Columns columns = OfGroups(values);
         columns.push_back(OfGroups(first).back());
         return columns;
       })});
}

}  // namespace
}  // namespace plain

std::vector<Entry> GroupEntries() {
  std::vector<Entry> entries;
  plain::AddSorts(entries);
  plain::AddHistograms(entries);
  plain::AddGroupReductions(entries);
  return entries;
}

}  // namespace concord::sequence
