// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/run_length_encode/run_length_cases.h"

#include <algorithm>
#include <cstring>

#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/core/distributions.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord::run_length_encode {
namespace {

constexpr absl::string_view kDistributions[] = {"long_runs", "short_runs",
                                                "tile_runs", "mixed_runs"};

std::int64_t LengthOfRun(absl::string_view distribution, Random& random) {
  if (distribution == "long_runs") {
    return 1 + static_cast<std::int64_t>(random.Below(2000));
  }
  if (distribution == "short_runs") {
    return 1 + static_cast<std::int64_t>(random.Below(4));
  }
  if (distribution == "tile_runs") {
    const std::int64_t power = std::int64_t{1} << random.Below(15);
    return std::max<std::int64_t>(
        power - 1 + static_cast<std::int64_t>(random.Below(3)), 1);
  }
  return random.Below(1000) == 0
             ? 1 + static_cast<std::int64_t>(random.Below(100'000))
             : 1;
}

}  // namespace

std::vector<std::string> RunDistributions(ElementType type) {
  std::vector<std::string> names(std::begin(kDistributions),
                                 std::end(kDistributions));
  for (const std::string& name : DistributionsFor(type)) names.push_back(name);
  return names;
}

absl::StatusOr<HostArray> DrawRuns(absl::string_view distribution,
                                   ElementType type, std::int64_t size,
                                   std::uint64_t seed) {
  if (std::find(std::begin(kDistributions), std::end(kDistributions),
                distribution) == std::end(kDistributions)) {
    return Draw(distribution, type, size, seed);
  }
  constexpr std::int64_t kValues = 1000;
  ASSIGN_OR_RETURN(HostArray values, Draw("uniform", type, kValues, seed));
  HostArray drawn(type, {size});
  Random random(seed);
  Dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::int64_t first = 0; first < size;) {
      const std::int64_t length =
          std::min(LengthOfRun(distribution, random), size - first);
      std::fill_n(drawn.data<T>() + first, length,
                  values.data<T>()[random.Below(kValues)]);
      first += length;
    }
  });
  return drawn;
}

HostRuns RunsOf(const HostArray& in, ElementType length_type) {
  const std::int64_t width = SizeOf(in.type());
  const char* const bytes = in.data<char>();
  // The first elements of the runs, the last run first.
  std::vector<std::int64_t> starts;
  for (std::int64_t i = in.size() - 1; i >= 0; --i) {
    if (i == 0 || std::memcmp(bytes + i * width, bytes + (i - 1) * width,
                              static_cast<std::size_t>(width)) != 0) {
      starts.push_back(i);
    }
  }
  const auto count = static_cast<std::int64_t>(starts.size());
  HostRuns runs = {HostArray(in.type(), {count}),
                   HostArray(length_type, {count})};
  std::int64_t end = in.size();
  for (std::int64_t k = count - 1; k >= 0; --k) {
    const std::int64_t start = starts[static_cast<std::size_t>(count - 1 - k)];
    std::memcpy(runs.values.data<char>() + k * width, bytes + start * width,
                static_cast<std::size_t>(width));
    if (length_type == ElementType::kInt32) {
      runs.lengths.data<std::int32_t>()[k] =
          static_cast<std::int32_t>(end - start);
    } else {
      runs.lengths.data<std::int64_t>()[k] = end - start;
    }
    end = start;
  }
  return runs;
}

std::int64_t CountRuns(const HostArray& in) {
  return DispatchRunLengths(
      in.type(), ElementType::kInt64, [&](auto word, auto) {
        const auto x = in.view().data<typename decltype(word)::type>();
        std::int64_t runs = in.size() > 0 ? 1 : 0;
        for (std::int64_t i = 1; i < in.size(); ++i) runs += x[i] != x[i - 1];
        return runs;
      });
}

}  // namespace concord::run_length_encode
