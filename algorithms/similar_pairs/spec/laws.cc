// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/algorithms/similar_pairs/spec/cases.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord::similar_pairs {
namespace {

struct Found {
  std::int64_t i, j;
  double distance;

  friend bool operator==(const Found& a, const Found& b) {
    return a.i == b.i && a.j == b.j && a.distance == b.distance;
  }
  friend bool operator<(const Found& a, const Found& b) {
    return a.i != b.i ? a.i < b.i : a.j < b.j;
  }
};

absl::StatusOr<std::vector<Found>> PairsOf(const Law::Run& run,
                                           Case test_case) {
  test_case.options["output-distances"] = "yes";
  ASSIGN_OR_RETURN(const Results results, run(test_case));
  const HostArray& pairs = results.at("pairs");
  const HostArray& distances = results.at("distances");
  std::vector<Found> found;
  for (std::int64_t p = 0; p < distances.size(); ++p) {
    found.push_back({pairs.data<std::int64_t>()[2 * p],
                     pairs.data<std::int64_t>()[2 * p + 1],
                     distances.data<double>()[p]});
  }
  return found;
}

absl::Status MustEqual(const std::vector<Found>& got,
                       const std::vector<Found>& wanted) {
  if (got == wanted) return absl::OkStatus();
  const auto [a, b] =
      std::mismatch(got.begin(), got.end(), wanted.begin(), wanted.end());
  const auto text = [](auto it, auto end) {
    return it == end
               ? std::string("none")
               : absl::StrFormat("(%d, %d) at %g", it->i, it->j, it->distance);
  };
  return InternalError("pair ", a - got.begin(), " is ", text(a, got.end()),
                       " instead of ", text(b, wanted.end()));
}

std::vector<std::int64_t> FirstRows(std::int64_t rows) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

absl::Status CheckOrder(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(const std::vector<Found> found, PairsOf(run, test_case));
  const std::int64_t rows = RowsOf(test_case);
  for (std::size_t p = 0; p < found.size(); ++p) {
    const auto [i, j, distance] = found[p];
    if (i < 0 || i >= j || j >= rows || (p > 0 && !(found[p - 1] < found[p]))) {
      return InternalError("pair ", p, " is (", i, ", ", j, ")");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckPermutation(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(std::vector<Found> wanted, PairsOf(run, test_case));
  // The second half before the first.
  std::vector<std::int64_t> order = FirstRows(RowsOf(test_case));
  std::rotate(order.begin(), order.begin() + order.size() / 2, order.end());
  std::vector<std::int64_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<std::int64_t>(i);
  }
  for (Found& found : wanted) {
    std::tie(found.i, found.j) = std::minmax(place[found.i], place[found.j]);
  }
  std::sort(wanted.begin(), wanted.end());
  ASSIGN_OR_RETURN(const std::vector<Found> got,
                   PairsOf(run, WithRows(test_case, order)));
  return MustEqual(got, wanted);
}

absl::Status CheckFirstRows(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(std::vector<Found> wanted, PairsOf(run, test_case));
  const std::int64_t rows = RowsOf(test_case) * 2 / 3;
  wanted.erase(
      std::remove_if(wanted.begin(), wanted.end(),
                     [rows](const Found& found) { return found.j >= rows; }),
      wanted.end());
  ASSIGN_OR_RETURN(const std::vector<Found> got,
                   PairsOf(run, WithRows(test_case, FirstRows(rows))));
  return MustEqual(got, wanted);
}

absl::Status CheckDuplicates(const Law::Run& run, const Case& test_case) {
  const std::int64_t rows = RowsOf(test_case);
  std::vector<std::int64_t> twice = FirstRows(rows);
  twice.insert(twice.end(), twice.begin(), twice.begin() + rows);
  ASSIGN_OR_RETURN(const std::vector<Found> found,
                   PairsOf(run, WithRows(test_case, twice)));
  const HostArray& in = test_case.inputs.at("in");
  const std::int64_t dim = NumberOption(test_case.options, "dim");
  for (std::int64_t i = 0; i < rows; ++i) {
    const bool finite = Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* const row = in.data<T>() + i * dim;
      return std::all_of(row, row + dim, [](T value) {
        return std::isfinite(static_cast<double>(value));
      });
    });
    const Found wanted = {i, rows + i, 0};
    const auto at = std::lower_bound(found.begin(), found.end(), wanted);
    const bool is_there = at != found.end() && *at == wanted;
    if (is_there != finite) {
      return InternalError("sketch ", i, " and its copy are ",
                           is_there ? "" : "not ", "a pair at 0");
    }
  }
  return absl::OkStatus();
}

// With the limit at a distance that there is, the pairs up to it remain. So the
// limit is inclusive, and raising it only adds.
absl::Status CheckLimit(const Law::Run& run, const Case& test_case) {
  // From here on float64 does not have the distances of integers.
  constexpr double kRounded = 0x1p53;
  ASSIGN_OR_RETURN(const std::vector<Found> found, PairsOf(run, test_case));
  std::vector<double> distances;
  for (const Found& pair : found) {
    if (pair.distance < kRounded) distances.push_back(pair.distance);
  }
  if (distances.empty()) return absl::OkStatus();
  const auto middle = distances.begin() + distances.size() / 2;
  std::nth_element(distances.begin(), middle, distances.end());
  std::vector<Found> wanted;
  for (const Found& pair : found) {
    if (pair.distance <= *middle) wanted.push_back(pair);
  }
  Case lower = test_case;
  lower.options["distance2"] = absl::StrFormat("%.17g", *middle);
  ASSIGN_OR_RETURN(const std::vector<Found> got, PairsOf(run, lower));
  return MustEqual(got, wanted);
}

const bool kRegistered = RegisterLaws<SimilarPairs>({
    {"order", "0 <= i < j, each pair once, in order of i and then of j",
     CheckOrder},
    {"permutation", "rows in another order have the same pairs",
     CheckPermutation},
    {"first_rows", "whether two are similar is a matter of no third",
     CheckFirstRows},
    {"duplicates", "a sketch of finite numbers and its copy are a pair at 0",
     CheckDuplicates},
    {"limit", "with a lower limit, the pairs up to it remain", CheckLimit},
});

}  // namespace
}  // namespace concord::similar_pairs
