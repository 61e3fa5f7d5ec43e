// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "stencil/stencil.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "concord/core/call.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace example {
namespace {

using ::testing::ElementsAre;

const bool kDifferential = concord::AddDifferentialSuite("stencil");

class StencilOn : public ::testing::TestWithParam<std::string> {
 protected:
  template <typename T>
  std::vector<T> Result(const std::vector<T>& in,
                        const Stencil::Options& options) {
    std::vector<T> out(in.size());
    const absl::Status status = concord::RunOnHost<Stencil>(
        concord::Open(GetParam()), /*variant=*/"", options,
        {concord::ConstArrayView(absl::Span<const T>(in))},
        {concord::ArrayView(absl::Span<T>(out))});
    EXPECT_TRUE(status.ok()) << status;
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, StencilOn, concord::CpuBackends(),
                         concord::NameOfParameter);

TEST_P(StencilOn, SecondDifferencesOfSquaresAreTwo) {
  EXPECT_THAT(Result<std::int32_t>({0, 1, 4, 9, 16}, {}),
              ElementsAre(1, 2, 2, 2, -23));
}

TEST_P(StencilOn, SumsWrap) {
  EXPECT_THAT(Result<std::int8_t>({127, 1}, {1, 1, 1}),
              ElementsAre(-128, -128));
}

}  // namespace
}  // namespace example
