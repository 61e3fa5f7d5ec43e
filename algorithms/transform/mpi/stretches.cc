// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Each rank transforms what becomes its stretch of the output. Elements move
// only where the input is cut elsewhere, as when they have another size.

#include <memory>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/transform/transform.h"
#include "concord/backends/mpi/moved_input.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::transform {
namespace {

class TransformTeam : public OnTeam<Transform> {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    Ranges stretches;
    const absl::Status status = Prepare(in, out, stretches);
    RETURN_IF_ERROR(backend().team().AgreeOn(
        absl::StrCat("transform op=", static_cast<int>(options.op),
                     " scale=", options.scale.ToString(),
                     " offset=", options.offset.ToString(),
                     " constant=", options.constant.ToString(), " of ",
                     in.size(), " ", Name(in.type()), " to ", Name(out.type())),
        status));
    ASSIGN_OR_RETURN(const ConstArrayView values, input_.Fetch(backend()));
    return local_->Run(values, backend().Here(out, backend().Mine(stretches)),
                       options);
  }

 private:
  // Whatever can fail on one rank alone.
  absl::Status Prepare(ConstArrayView in, ArrayView out, Ranges& stretches) {
    ASSIGN_OR_RETURN(stretches, backend().Stretches(out));
    if (local_ == nullptr) {
      ASSIGN_OR_RETURN(local_,
                       Registry<Transform>::Get().Create(backend().local()));
    }
    return input_.Prepare(backend(), in, stretches);
  }

  MovedInput input_;
  std::unique_ptr<Transform> local_;
};

const bool kRegistered = Registry<Transform>::Get().Add<TransformTeam>(
    "mpi", "stretches", /*rank=*/10, "each rank its stretch of the output",
    Contract()
        .InPlace()
        .SpecialValues("IEEE 754; casts to integers saturate, NaN becomes 0; a "
                       "NaN result is the quiet NaN, but abs only clears the "
                       "sign bit")
        .Notes("an input that is cut elsewhere than the output is moved first, "
               "to scratch memory of its size"));

}  // namespace
}  // namespace concord::transform
