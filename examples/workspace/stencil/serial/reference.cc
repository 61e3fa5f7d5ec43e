// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "concord/core/registry.h"
#include "stencil/stencil.h"

namespace example {
namespace {

// The definition of stencil.h.
class StencilSerial : public Stencil {
 public:
  absl::Status Compute(concord::ConstArrayView in, concord::ArrayView out,
                       const Options& options) override {
    concord::Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto weighed = [&](std::int64_t i, std::int64_t weight) {
        const T element = i >= 0 && i < in.size() ? in.data<T>()[i] : T{0};
        return static_cast<std::uint64_t>(weight) *
               static_cast<std::uint64_t>(element);
      };
      for (std::int64_t i = 0; i < in.size(); ++i) {
        out.data<T>()[i] = static_cast<T>(weighed(i - 1, options.left) +
                                          weighed(i, options.centre) +
                                          weighed(i + 1, options.right));
      }
    });
    return absl::OkStatus();
  }
};

const bool kRegistered = concord::Registry<Stencil>::Get().Add<StencilSerial>(
    "serial", "reference", /*rank=*/0, "a loop", concord::Contract());

}  // namespace
}  // namespace example
