// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// For tests: kernels made of places, and whether the assembler takes them.

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_ASSEMBLING_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_ASSEMBLING_H_

#include <string>
#include <vector>

#include "concord/backends/cuda/spliced/pass_functions.h"

namespace concord::spliced {

// Stands before kernels.
inline constexpr char kPtxHead[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n";

// A kernel, of that number, in which one place stands after the other.
std::string KernelOf(int number, const std::vector<std::string>& places);

// Places with operands that KernelOf declares.
struct PlacesOfPass {
  PassFunctions pass;
  bool wide;
  std::vector<std::string> places;
};

// Every place, with values of every type.
std::vector<PlacesOfPass> EveryPlace();

// Whether there is an assembler, ptxas.
bool HasPtxas();

// That it takes this text.
void ExpectAssembles(const std::string& ptx);

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_ASSEMBLING_H_
