// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Functions of the user's (core/expression) as CUDA C++. The text is C++17
// without any header, so a compiler for the host takes it, too: that is how
// tests prove it on machines without a GPU.

#ifndef CONCORD_BACKENDS_CUDA_NVRTC_CPP_PRINTER_H_
#define CONCORD_BACKENDS_CUDA_NVRTC_CPP_PRINTER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "concord/core/expression/function.h"

namespace concord::nvrtc {

// Types and operations: stands once before any number of functions.
//
// Functions are kernels of NVRTC's, whose parameters, index, tables and results
// are places (spliced/splicer.h); cpp_values.cc lists them. For other
// compilers, they are C functions without parameters that read and write
//
//   uint64 concord_arguments[16], concord_results[16];   as Word, but that
//                                              integers need not be extended
//   int64 concord_index;
//   uint64 (*concord_gather)(int table, int64 at);
std::string CppPrelude();

// One statement for each node. `name`: of the function in C++.
//
//   CONCORD_FUNCTION(f) {
//     const int32 v0 = Parameter<int32, 0>();
//     const int32 v1 = Constant<int32>(0xfffffffffffffffdull);  // -3
//     const int32 v2 = Multiply<int32>(v0, v1);
//     Result<int32, 0>(v2);
//   }
std::string PrintAsCpp(const expression::Function& function,
                       absl::string_view name);

}  // namespace concord::nvrtc

#endif  // CONCORD_BACKENDS_CUDA_NVRTC_CPP_PRINTER_H_
