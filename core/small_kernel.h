// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_SMALL_KERNEL_H_
#define CONCORD_CORE_SMALL_KERNEL_H_

#include "absl/status/status.h"
#include "concord/core/array.h"
#include "concord/core/implementation.h"
#include "concord/core/signature.h"

namespace concord {

// The interface of an algorithm of one input and one output that needs no class
// of its own: a struct describes it, and small_kernel_family (tools/bazel)
// makes the rest. Its header has
//
//   struct Difference {
//     static constexpr char kName[] = "difference";
//     struct Options { std::int64_t lag = 1; };
//
//     // Everything but Calls.
//     static concord::Signature<concord::SmallKernel<Difference>> Describe() {
//       return concord::Signature<concord::SmallKernel<Difference>>("...")
//           .Number("lag", "how far apart", &Options::lag, 1, 1000)
//           .Input({"in", "the elements"})
//           .Output({"out", "the differences", concord::SameTypeAs{0}, {"n"}});
//     }
//
//     // What is right, computed plainly: the results, whose bits all
//     // implementations have to give, where any NaN does for any other, or an
//     // Expectation (core/spec.h) with the error allowed.
//     template <typename T>
//     static std::vector<T> Expected(absl::Span<const T> in, const Options&);
//   };
//
// An implementation derives from SmallKernel<Difference>, overrides Compute,
// and registers itself with Registry<SmallKernel<Difference>>.
template <typename Description>
class SmallKernel : public Implementation {
 public:
  static constexpr const auto& kName = Description::kName;
  using Options = typename Description::Options;

  absl::Status Run(ConstArrayView in, ArrayView out, const Options& options) {
    return GetSignature().Run(*this, {in}, {out}, options);
  }

  static const Signature<SmallKernel>& GetSignature() {
    static const auto* const signature =
        new Signature<SmallKernel>(Description::Describe().Calls(
            [](SmallKernel& kernel, Views in, MutableViews out,
               const Options& options) {
              return kernel.Compute(in[0], out[0], options);
            }));
    return *signature;
  }

 protected:
  // Run, when the arguments have been checked.
  virtual absl::Status Compute(ConstArrayView in, ArrayView out,
                               const Options& options) = 0;
};

}  // namespace concord

#endif  // CONCORD_CORE_SMALL_KERNEL_H_
