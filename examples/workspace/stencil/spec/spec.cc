// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "concord/core/errors.h"
#include "stencil/stencil.h"

namespace example {
namespace {

using concord::Case;
using concord::HostArray;
using concord::OptionMap;

// Adds the elements times `weight`, each `by` places further on, to the sums.
template <typename T>
void AddShifted(absl::Span<const T> in, std::int64_t by, std::int64_t weight,
                std::vector<std::uint64_t>& sums) {
  const auto n = static_cast<std::int64_t>(in.size());
  for (std::int64_t i = std::max<std::int64_t>(0, -by); i < std::min(n, n - by);
       ++i) {
    sums[i + by] +=
        static_cast<std::uint64_t>(weight) * static_cast<std::uint64_t>(in[i]);
  }
}

class StencilSpec : public concord::SpecOf<Stencil> {
 public:
  std::vector<OptionMap> OptionCombinations(
      concord::ElementType) const override {
    return {{{"left", "1"}, {"centre", "-2"}, {"right", "1"}},
            {{"left", "-9"}, {"centre", "0"}, {"right", "9"}},
            {{"left", "0"}, {"centre", "1"}, {"right", "0"}}};
  }

  // In another way than the kernels: the whole array, three times.
  absl::StatusOr<concord::Expectations> Expected(
      const Case& test_case) const override {
    ASSIGN_OR_RETURN(const Options options, Parse(test_case.options));
    const HostArray& in = test_case.inputs.at("in");
    HostArray out(in.type(), in.shape());
    concord::Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::vector<std::uint64_t> sums(in.size());
      AddShifted(in.span<T>(), 1, options.left, sums);
      AddShifted(in.span<T>(), 0, options.centre, sums);
      AddShifted(in.span<T>(), -1, options.right, sums);
      std::transform(sums.begin(), sums.end(), out.data<T>(),
                     [](std::uint64_t sum) { return static_cast<T>(sum); });
    });
    concord::Expectations expected;
    expected["out"].value = std::move(out);
    return expected;
  }
};

HostArray Reversed(HostArray array) {
  concord::Dispatch(array.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::reverse(array.data<T>(), array.data<T>() + array.size());
  });
  return array;
}

absl::Status CheckReversal(const concord::Law::Run& run,
                           const Case& test_case) {
  Case mirrored = test_case;
  std::swap(mirrored.options.at("left"), mirrored.options.at("right"));
  mirrored.inputs.at("in") = Reversed(test_case.inputs.at("in"));
  ASSIGN_OR_RETURN(const concord::Results one, run(test_case));
  ASSIGN_OR_RETURN(const concord::Results other, run(mirrored));
  return Reversed(other.at("out")) == one.at("out")
             ? absl::OkStatus()
             : concord::InternalError("the mirrored sums are others");
}

const bool kRegistered =
    concord::RegisterSpec(new StencilSpec) &&
    concord::RegisterLaws<Stencil>(
        {{"reversal",
          "elements from the last to the first, with the weights exchanged, "
          "give the sums from the last to the first",
          CheckReversal}});

}  // namespace
}  // namespace example
