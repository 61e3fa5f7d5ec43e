// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// moving_sum with a mistake, for the tutorial in README.md.

#include "concord/core/registry.h"
#include "moving_sum/moving_sum.h"

namespace example {
namespace {

class Forgetful : public MovingSum::Interface {
 public:
  absl::Status Compute(concord::ConstArrayView in, concord::ArrayView out,
                       const Options& options) override {
    concord::Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::uint64_t sum = 0;
      for (std::int64_t i = 0; i < in.size(); ++i) {
        sum += static_cast<std::uint64_t>(in.data<T>()[i]);
        if (i > options.window) {
          sum -= static_cast<std::uint64_t>(in.data<T>()[i - options.window]);
        }
        out.data<T>()[i] = static_cast<T>(sum);
      }
    });
    return absl::OkStatus();
  }
};

const bool kRegistered =
    concord::Registry<MovingSum::Interface>::Get().Add<Forgetful>(
        "serial", "forgetful", /*rank=*/-1, "one window that slides",
        concord::Contract());

}  // namespace
}  // namespace example
