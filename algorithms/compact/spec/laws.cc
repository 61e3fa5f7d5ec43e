// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/spec/plain_predicate.h"
#include "concord/core/errors.h"
#include "concord/core/law_checks.h"
#include "concord/core/spec.h"

namespace concord::compact {
namespace {

absl::StatusOr<Results> ResultsFor(const Law::Run& run, Case test_case,
                                   HostArray in) {
  test_case.inputs.at("in") = std::move(in);
  return run(test_case);
}

absl::Status CheckCount(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(Predicate keep,
                   ParsePredicate(test_case.options.at("keep")));
  ASSIGN_OR_RETURN(Results results, run(test_case));
  const HostArray& in = test_case.inputs.at("in");
  const std::int64_t wanted = Dispatch(in.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const absl::Span<const T> values = in.span<T>();
    return static_cast<std::int64_t>(
        std::count_if(values.begin(), values.end(), PlainPredicate<T>(keep)));
  });
  return MustEqual(results.at("count"), HostArray::Of<std::int64_t>({wanted}),
                   "count");
}

// Elements as their bits, sorted.
std::vector<std::uint64_t> SortedBits(const HostArray& array) {
  const auto width = static_cast<std::size_t>(SizeOf(array.type()));
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(array.size()));
  for (std::size_t i = 0; i < bits.size(); ++i) {
    std::memcpy(&bits[i], array.data<char>() + i * width, width);
  }
  std::sort(bits.begin(), bits.end());
  return bits;
}

absl::Status CheckPartition(const Law::Run& run, const Case& test_case) {
  Case with_rejected = test_case;
  with_rejected.options["output-rejected"] = "yes";
  ASSIGN_OR_RETURN(Results results, run(with_rejected));
  const HostArray both =
      Concatenation(results.at("out"), results.at("rejected"));
  if (SortedBits(both) == SortedBits(test_case.inputs.at("in"))) {
    return absl::OkStatus();
  }
  return InternalError("kept and rejected elements are not the input");
}

absl::Status CheckIndices(const Law::Run& run, const Case& test_case) {
  Case with_indices = test_case;
  with_indices.options["output-indices"] = "yes";
  ASSIGN_OR_RETURN(Results results, run(with_indices));
  const HostArray& in = test_case.inputs.at("in");
  const HostArray& indices = results.at("indices");
  HostArray gathered(in.type(), {indices.size()});
  const std::int64_t width = SizeOf(in.type());
  std::int64_t before = -1;
  for (std::int64_t k = 0; k < indices.size(); ++k) {
    const std::int64_t i = indices.data<std::int64_t>()[k];
    if (i <= before || i >= in.size()) {
      return InternalError("indices[", k, "] is ", i, " after ", before);
    }
    before = i;
    std::copy_n(in.data<char>() + i * width, width,
                gathered.data<char>() + k * width);
  }
  return MustEqual(results.at("out"), gathered, "out");
}

absl::Status CheckIdempotence(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(Results once, run(test_case));
  ASSIGN_OR_RETURN(Results twice, ResultsFor(run, test_case, once.at("out")));
  return MustEqual(twice.at("out"), once.at("out"), "out");
}

absl::Status CheckConcatenation(const Law::Run& run, const Case& test_case) {
  const HostArray& in = test_case.inputs.at("in");
  const std::int64_t cut = in.size() / 3;
  ASSIGN_OR_RETURN(Results whole, run(test_case));
  ASSIGN_OR_RETURN(Results front,
                   ResultsFor(run, test_case, in.Without(cut, in.size())));
  ASSIGN_OR_RETURN(Results back,
                   ResultsFor(run, test_case, in.Without(0, cut)));
  return MustEqual(whole.at("out"),
                   Concatenation(front.at("out"), back.at("out")), "out");
}

const bool kRegistered = RegisterLaws<Compact>({
    {"count", "count is the number of elements that satisfy the predicate",
     CheckCount},
    {"partition", "kept ++ rejected is a permutation of the input",
     CheckPartition},
    {"indices", "kept[k] = in[indices[k]], and the indices ascend",
     CheckIndices},
    {"idempotence", "compact(compact(x)) = compact(x)", CheckIdempotence},
    {"concatenation", "compact(x ++ y) = compact(x) ++ compact(y)",
     CheckConcatenation},
});

}  // namespace
}  // namespace concord::compact
