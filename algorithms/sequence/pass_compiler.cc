// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/pass_compiler.h"

#include <utility>

namespace concord::sequence {
namespace {

std::vector<PassCompiler>& Compilers() {
  static auto* const kCompilers = new std::vector<PassCompiler>;
  return *kCompilers;
}

}  // namespace

bool RegisterPassCompiler(PassCompiler compiler) {
  Compilers().push_back(std::move(compiler));
  return true;
}

const std::vector<PassCompiler>& PassCompilers() { return Compilers(); }

}  // namespace concord::sequence
