// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef EXAMPLE_STENCIL_STENCIL_H_
#define EXAMPLE_STENCIL_STENCIL_H_

#include <cstdint>

#include "absl/status/status.h"
#include "concord/core/array.h"
#include "concord/core/implementation.h"
#include "concord/core/signature.h"

namespace example {

// Weighted sums of each element and its two neighbours:
//
//   for i in [0, n): out[i] = left * in[i - 1] + centre * in[i]
//                             + right * in[i + 1]
//
// Elements before the first and behind the last count as 0. Sums wrap modulo
// 2^bits. The default weights give second differences.
class Stencil : public concord::Implementation {
 public:
  static constexpr char kName[] = "stencil";

  struct Options {
    std::int64_t left = 1;
    std::int64_t centre = -2;
    std::int64_t right = 1;
  };

  // in: any number of elements, also none. out: as many, of the same type, and
  // elsewhere. Both live in the backend's memory.
  absl::Status Run(concord::ConstArrayView in, concord::ArrayView out,
                   const Options& options);

  static const concord::Signature<Stencil>& GetSignature();

 protected:
  // Run, when the arguments have been checked.
  virtual absl::Status Compute(concord::ConstArrayView in,
                               concord::ArrayView out,
                               const Options& options) = 0;
};

}  // namespace example

#endif  // EXAMPLE_STENCIL_STENCIL_H_
