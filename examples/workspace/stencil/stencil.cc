// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "stencil/stencil.h"

#include "concord/core/algorithm.h"

namespace example {

const concord::Signature<Stencil>& Stencil::GetSignature() {
  using concord::ElementType;
  static const auto* const signature = new concord::Signature<Stencil>(
      concord::Signature<Stencil>("weighted sums of neighbours")
          .Number("left", "weight of the element before", &Options::left, -9, 9)
          .Number("centre", "weight of the element", &Options::centre, -9, 9)
          .Number("right", "weight of the element behind", &Options::right, -9,
                  9)
          .Input(
              {"in",
               "the elements",
               {ElementType::kInt8, ElementType::kInt32, ElementType::kInt64}})
          .Output({"out", "the sums", concord::SameTypeAs{0}, {"n"}})
          .Calls([](Stencil& stencil, concord::Views in,
                    concord::MutableViews out, const Options& options) {
            return stencil.Compute(in[0], out[0], options);
          }));
  return *signature;
}

absl::Status Stencil::Run(concord::ConstArrayView in, concord::ArrayView out,
                          const Options& options) {
  return GetSignature().Run(*this, {in}, {out}, options);
}

const bool kRegistered = concord::RegisterAlgorithm<Stencil>();

}  // namespace example
