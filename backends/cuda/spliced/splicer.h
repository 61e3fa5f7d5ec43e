// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Kernels that were compiled to PTX when Concord was built, with places for
// functions that are known only now. A place is inline assembly that is only a
// comment,
//
//   asm volatile("//CONCORD combine %0, %1, %2" : "=r"(c) : "r"(a), "r"(b));
//
// which nvcc leaves in the PTX, once for each copy that it makes of the code
// around it, with the registers' names: "//CONCORD combine %r7, %r5, %r6". The
// instructions that stand there instead are compiled together with the rest.

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_SPLICER_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_SPLICER_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace concord::spliced {

// What a place begins with, in a line of its own.
inline constexpr absl::string_view kPlaceMark = "//CONCORD ";

struct Place {
  std::string name;
  // Registers and numbers, as nvcc wrote them.
  std::vector<std::string> operands;
  // The first parameter of the kernel in which the place is: an Arguments.
  std::string kernel_arguments;
};

// The place of "combine %r7, %r5, %r6", which is in no kernel.
Place ParsedPlace(absl::string_view text);

// What is to stand at a place.
using FillPlace = absl::FunctionRef<absl::StatusOr<std::string>(const Place&)>;

// The PTX with all of its places filled. Fails where `fill` does. Internal: a
// place outside of a kernel, which no template has.
absl::StatusOr<std::string> Splice(absl::string_view ptx, FillPlace fill);

// What follows the first such directive in a line of its own: "sm_80" for
// ".target" in "\n.target sm_80\n"; "" where there is none.
absl::string_view ValueOfDirective(absl::string_view ptx,
                                   absl::string_view directive);

// The PTX as text of this version, "9.0", if its own is lower.
std::string OfVersion(std::string ptx, absl::string_view version);

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_SPLICER_H_
