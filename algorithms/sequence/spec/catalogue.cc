// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/spec/catalogue.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "concord/algorithms/sequence/spec/plain.h"
#include "concord/algorithms/sequence/spec/plain_columns.h"

namespace concord::sequence {
namespace plain {
namespace {

void AddFilters(std::vector<Entry>& entries) {
  // First of all what shows that something is left out: two columns that say
  // where each element is, and how many there are.
  entries.push_back(
      {"filter x != 3 |> map (x + x, i)", AllTypes, OfAll([](auto in) {
         using T = typename decltype(in)::Element;
         std::vector<T> kept;
         for (const T x : in.x) {
           if (x != 3) kept.push_back(Add(x, x));
         }
         const auto n = static_cast<std::int64_t>(kept.size());
         return Columns{ArrayOf(kept),
                        Column(n, [](std::int64_t i) { return i; })};
       }),
       /*is_quick=*/true});
  entries.push_back({"x", AllTypes, OfAll([](auto in) {
                       const auto x = in.x;
                       return ColumnsOf(in.n, [x](auto i) { return x[i]; });
                     }),
                     /*is_quick=*/true});
  entries.push_back({"filter x > 0 |> count", AllTypes, OfAll([](auto in) {
                       std::int64_t count = 0;
                       for (const auto x : in.x) count += x > 0;
                       return Row(count);
                     })});
  entries.push_back({"zip x y |> filter x < y", AllTypes, OfAll([](auto in) {
                       using T = typename decltype(in)::Element;
                       std::vector<T> low, high;
                       for (std::int64_t i = 0; i < in.n; ++i) {
                         if (!(in.x[i] < in.y[i])) continue;
                         low.push_back(in.x[i]);
                         high.push_back(in.y[i]);
                       }
                       return Columns{ArrayOf(low), ArrayOf(high)};
                     })});
  entries.push_back({"filter x != x", AllTypes, OfAll([](auto in) {
                       using T = typename decltype(in)::Element;
                       std::vector<T> nans;
                       std::copy_if(in.x.begin(), in.x.end(),
                                    std::back_inserter(nans), IsNan<T>);
                       return Columns{ArrayOf(nans)};
                     })});
  entries.push_back({"filter x == x |> take 10", AllTypes, OfAll([](auto in) {
                       using T = typename decltype(in)::Element;
                       std::vector<T> first;
                       for (const T x : in.x) {
                         if (x == x && first.size() < 10) first.push_back(x);
                       }
                       return Columns{ArrayOf(first)};
                     })});
}

// With gathers, and from nothing at all.
void AddMaps(std::vector<Entry>& entries) {
  entries.push_back({"slice 3, 100 |> map v -> v - x[i - int64(i > 0)]",
                     AllTypes, OfAll([](auto in) {
                       const auto x = in.x;
                       const auto n =
                           std::clamp<std::int64_t>(in.n - 3, 0, 100);
                       return ColumnsOf(n, [x](auto i) {
                         return Subtract(x[3 + i], x[i > 0 ? i - 1 : 0]);
                       });
                     })});
  entries.push_back({"map { at = i / 2; y[at] }", AllTypes, OfAll([](auto in) {
                       const auto y = in.y;
                       return ColumnsOf(in.n, [y](auto i) { return y[i / 2]; });
                     })});
  entries.push_back({"tabulate i * i - 3 * i, 1000", AllTypes, OfAll([](auto) {
                       return ColumnsOf(
                           1000, [](std::int64_t i) { return i * i - 3 * i; });
                     })});
  entries.push_back(
      {"first = tabulate 7 * i + 5, 1; all = map int64(x); concat first all "
       "|> last",
       AllTypes, OfAll([](auto in) {
         return Row(in.n == 0 ? std::int64_t{5}
                              : Cast<std::int64_t>(in.x[in.n - 1]));
       })});
}

// What a compiler must not take for something shorter.
void AddWhatIsNotShorter(std::vector<Entry>& entries) {
  // Rounded twice.
  entries.push_back(
      {"zip x y |> map x / 3 * y + x", Floats, OfFloats([](auto in) {
         using T = typename decltype(in)::Element;
         const auto x = in.x, y = in.y;
         return ColumnsOf(in.n, [x, y](auto i) {
           return Add<T>(Multiply<T>(Divide<T>(x[i], T{3}), y[i]), x[i]);
         });
       })});
  entries.push_back({"map float64(int8(x))", AllTypes, OfAll([](auto in) {
                       const auto x = in.x;
                       return ColumnsOf(in.n, [x](auto i) {
                         return Cast<double>(Cast<std::int8_t>(x[i]));
                       });
                     })});
}

void AddReductions(std::vector<Entry>& entries) {
  entries.push_back({"map 2 * x + 1 |> reduce a + b", AllTypes,
                     OfIntegers([](auto in) {
                       using T = typename decltype(in)::Element;
                       T sum = 0;
                       for (const T x : in.x) {
                         sum = Add(sum, Add(Multiply(T{2}, x), T{1}));
                       }
                       return Row(sum);
                     }),
                     /*is_quick=*/true});
  entries.push_back({"zip x y |> map x * y |> reduce a + b", AllTypes,
                     OfIntegers([](auto in) {
                       using T = typename decltype(in)::Element;
                       T sum = 0;
                       for (std::int64_t i = 0; i < in.n; ++i) {
                         sum = Add(sum, Multiply(in.x[i], in.y[i]));
                       }
                       return Row(sum);
                     })});
  entries.push_back(
      {"reduce max(a, b) |> map x / 2", AllTypes, OfAll([](auto in) {
         using T = typename decltype(in)::Element;
         T most = Lowest<T>();
         for (const T x : in.x) most = Max(most, x);
         return Row(Divide(most, T{2}));
       })});
  entries.push_back({"reduce a * b from 3", AllTypes, OfIntegers([](auto in) {
                       using T = typename decltype(in)::Element;
                       T product = 3;
                       for (const T x : in.x) product = Multiply(product, x);
                       return Row(product);
                     })});
  entries.push_back({"map isnan(x) ? 0 : x |> reduce max(a, b)", Floats,
                     OfFloats([](auto in) {
                       using T = typename decltype(in)::Element;
                       T most = Lowest<T>();
                       for (const T x : in.x) {
                         most = Max(most, IsNan(x) ? T{0} : x);
                       }
                       return Row(most);
                     })});
  // The largest, and where it is first, if it is positive.
  entries.push_back(
      {"map (x, i) |> reduce (v, j), (w, k) -> (max(v, w), v < w "
       "? k : j) from (0, -1)",
       Integers, OfIntegers([](auto in) {
         using T = typename decltype(in)::Element;
         T most = 0;
         std::int64_t place = -1;
         for (std::int64_t i = 0; i < in.n; ++i) {
           if (in.x[i] > most) {
             most = in.x[i];
             place = i;
           }
         }
         return Row(most, place);
       })});
}

void AddScans(std::vector<Entry>& entries) {
  entries.push_back({"scan a + b", AllTypes, OfIntegers([](auto in) {
                       using T = typename decltype(in)::Element;
                       T sum = 0;
                       const auto x = in.x;
                       return ColumnsOf(in.n, [x, sum](auto i) mutable {
                         return sum = Add<T>(sum, x[i]);
                       });
                     }),
                     /*is_quick=*/true});
  // What follows an operator, of its type: nothing else would tell that it is
  // left out.
  entries.push_back(
      {"scan a + b |> map x - 7", AllTypes, OfIntegers([](auto in) {
         using T = typename decltype(in)::Element;
         T sum = 0;
         const auto x = in.x;
         return ColumnsOf(in.n, [x, sum](auto i) mutable {
           sum = Add<T>(sum, x[i]);
           return Subtract(sum, T{7});
         });
       })});
  entries.push_back({"scan_before max(a, b)", AllTypes, OfAll([](auto in) {
                       using T = typename decltype(in)::Element;
                       T most = Lowest<T>();
                       const auto x = in.x;
                       return ColumnsOf(in.n, [x, most](auto i) mutable {
                         return std::exchange(most, Max<T>(most, x[i]));
                       });
                     })});
  entries.push_back(
      {"concat x y |> scan min(a, b)", AllTypes, OfAll([](auto in) {
         using T = typename decltype(in)::Element;
         std::vector<T> least(in.x.begin(), in.x.end());
         least.insert(least.end(), in.y.begin(), in.y.end());
         for (std::size_t i = 1; i < least.size(); ++i) {
           least[i] = Min(least[i - 1], least[i]);
         }
         return Columns{ArrayOf(least)};
       })});
  entries.push_back({"filter x > 0 |> scan max(a, b) |> filter x > 5", AllTypes,
                     OfAll([](auto in) {
                       using T = typename decltype(in)::Element;
                       std::vector<T> kept;
                       T most = 0;
                       for (const T x : in.x) {
                         if (!(x > 0)) continue;
                         most = std::max(most, x);
                         if (most > 5) kept.push_back(most);
                       }
                       return Columns{ArrayOf(kept)};
                     })});
}

void AddScansOfPairs(std::vector<Entry>& entries) {
  entries.push_back({"zip x y |> scan (a, b), (c, d) -> (c, max(b, d))",
                     AllTypes, OfAll([](auto in) {
                       using T = typename decltype(in)::Element;
                       const auto& [x, y, n] = in;
                       T most = Lowest<T>();
                       return ColumnsOf(
                           n, [x = x](auto i) { return x[i]; },
                           [y = y, most](auto i) mutable {
                             return most = Max<T>(most, y[i]);
                           });
                     })});
  // t -> t * p + q, one after the other.
  entries.push_back({"zip x y |> scan (p, q), (u, v) -> (p * u, q * u + v)",
                     Integers, OfIntegers([](auto in) {
                       using T = typename decltype(in)::Element;
                       std::vector<T> slope, shift;
                       for (std::int64_t i = 0; i < in.n; ++i) {
                         const T p = i == 0 ? T{1} : slope.back();
                         const T q = i == 0 ? T{0} : shift.back();
                         slope.push_back(Multiply(p, in.x[i]));
                         shift.push_back(Add(Multiply(q, in.x[i]), in.y[i]));
                       }
                       return Columns{ArrayOf(slope), ArrayOf(shift)};
                     })});
  entries.push_back(
      {"map (x, x) |> scan_before (a, b), (c, d) -> (min(a, c), max(b, d))",
       AllTypes, OfAll([](auto in) {
         using T = typename decltype(in)::Element;
         const auto x = in.x;
         return ColumnsOf(
             in.n,
             [x, least = Highest<T>()](auto i) mutable {
               return std::exchange(least, Min<T>(least, x[i]));
             },
             [x, most = Lowest<T>()](auto i) mutable {
               return std::exchange(most, Max<T>(most, x[i]));
             });
       })});
  // Elements that are as large as any before them.
  entries.push_back(
      {"tops = scan max(a, b); zip x tops |> filter x == y |> count", AllTypes,
       OfAll([](auto in) {
         using T = typename decltype(in)::Element;
         T most = Lowest<T>();
         std::int64_t count = 0;
         for (const T x : in.x) {
           most = Max(most, x);
           count += x == most;
         }
         return Row(count);
       })});
}

// The programs of the article, and its first one as a single operator.
void AddArticle(std::vector<Entry>& entries) {
  entries.push_back(
      {"sums = scan a + b; lows = sums |> scan_before min(a, b) from 0; "
       "zip sums lows |> map x - y |> reduce max(a, b)",
       Integers, OfIntegers([](auto in) {
         using T = typename decltype(in)::Element;
         T sum = 0;
         T low = 0;
         T best = Lowest<T>();
         for (const T x : in.x) {
           sum = Add(sum, x);
           best = std::max(best, Subtract(sum, low));
           low = std::min(low, sum);
         }
         return Row(best);
       })});
  entries.push_back(
      {"map { v = int64(x); (v, v, v, v) } |> reduce (s, p, f, b), (t, q, g, "
       "c) -> (s + t, max(p, s + q), max(g, t + f), max(b, max(c, f + q))) "
       "from (0, -1000000000000000, -1000000000000000, -1000000000000000)",
       NarrowIntegers, OfIntegers([](auto in) {
         constexpr std::int64_t kNone = -1'000'000'000'000'000;
         std::int64_t sum = 0, front = kNone, back = kNone, best = kNone;
         for (const std::int64_t x : in.x) {
           sum += x;
           front = std::max(front, sum);
           back = std::max(x, back + x);
           best = std::max(best, back);
         }
         return Row(sum, front, back, best);
       })});
  entries.push_back(
      {"map { d = x > 0 ? int32(1) : -1; (d, min(d, 0)) } |> reduce (s, m), "
       "(t, n) -> (s + t, min(m, s + n)) from (0, 0)",
       AllTypes, OfAll([](auto in) {
         std::int32_t depth = 0;
         std::int32_t least = 0;
         for (const auto x : in.x) {
           depth += x > 0 ? 1 : -1;
           least = std::min(least, depth);
         }
         return Row(depth, least);
       })});
}

}  // namespace
}  // namespace plain

const std::vector<Entry>& Catalogue() {
  static const auto* const catalogue = [] {
    auto* const entries = new std::vector<Entry>();
    for (auto* const add :
         {plain::AddFilters, plain::AddMaps, plain::AddWhatIsNotShorter,
          plain::AddReductions, plain::AddScans, plain::AddScansOfPairs,
          plain::AddArticle}) {
      add(*entries);
    }
    for (auto* const part : {OperationEntries, GroupEntries, SixMapEntries}) {
      for (Entry& entry : part()) entries->push_back(std::move(entry));
    }
    return entries;
  }();
  return *catalogue;
}

const Entry* FindEntry(absl::string_view text, ElementType type) {
  for (const Entry& entry : Catalogue()) {
    if (entry.text == text && entry.is_for(type)) return &entry;
  }
  return nullptr;
}

}  // namespace concord::sequence
