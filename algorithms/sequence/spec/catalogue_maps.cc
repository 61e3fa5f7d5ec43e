// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Six maps and what may follow them: many stages that fusion makes one pass of.
// The benchmarks time them, so they are as large as asked.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/spec/catalogue.h"
#include "concord/algorithms/sequence/spec/plain.h"
#include "concord/algorithms/sequence/spec/plain_columns.h"

namespace concord::sequence {
namespace plain {
namespace {

// The others have no 0xffff, or would tell nothing more.
bool IsInt32(ElementType type) { return type == ElementType::kInt32; }

template <typename T>
T SixMaps(T x) {
  const T odd = Add(Multiply<T>(x, 2), T{1});
  const T mixed = Multiply<T>(static_cast<T>(odd ^ 0x55), 3);
  return static_cast<T>(Subtract(mixed, T{7}) & static_cast<T>(0xffff));
}

template <typename F>
Entry WithSixMaps(const char* then, F plain) {
  return {absl::StrCat("map x * 2 |> map x + 1 |> map x ^ 0x55 |> map x * 3 |> "
                       "map x - 7 |> map x & 0xffff",
                       then),
          IsInt32, OfIntegers(std::move(plain)), /*is_quick=*/true};
}

}  // namespace
}  // namespace plain

std::vector<Entry> SixMapEntries() {
  using plain::SixMaps;
  return {plain::WithSixMaps("",
                             [](auto in) {
                               const auto x = in.x;
                               return plain::ColumnsOf(
                                   in.n, [x](auto i) { return SixMaps(x[i]); });
                             }),
          plain::WithSixMaps(" |> reduce a + b",
                             [](auto in) {
                               using T = typename decltype(in)::Element;
                               T sum = 0;
                               for (const T x : in.x) {
                                 sum = plain::Add(sum, SixMaps(x));
                               }
                               return plain::Row(sum);
                             }),
          plain::WithSixMaps(
              " |> scan a + b",
              [](auto in) {
                using T = typename decltype(in)::Element;
                T sum = 0;
                const auto x = in.x;
                return plain::ColumnsOf(in.n, [x, sum](auto i) mutable {
                  return sum = plain::Add<T>(sum, SixMaps(x[i]));
                });
              }),
          plain::WithSixMaps(" |> filter (x & 7) < 6", [](auto in) {
            std::vector<typename decltype(in)::Element> kept;
            for (const auto x : in.x) {
              const auto mapped = SixMaps(x);
              if ((mapped & 7) < 6) kept.push_back(mapped);
            }
            return Columns{plain::ArrayOf(kept)};
          })};
}

}  // namespace concord::sequence
