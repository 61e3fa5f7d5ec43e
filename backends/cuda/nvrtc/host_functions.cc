// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/nvrtc/host_functions.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstddef>
#include <fstream>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/nvrtc/cpp_printer.h"

namespace concord::nvrtc {
namespace {

using expression::Evaluated;
using expression::Function;
using expression::Type;
using expression::Word;

std::string NameOf(std::size_t number) { return absl::StrCat("f", number); }

// What a running function reads, and the first read outside.
struct Reads {
  const Function* function = nullptr;
  absl::Span<const ConstArrayView> tables;
  std::optional<expression::OutsideRead> outside;
};
thread_local Reads reads;

unsigned long long Gather(int table, long long at) {
  const ConstArrayView& view = reads.tables[static_cast<std::size_t>(table)];
  if (at < 0 || at >= view.size()) {
    if (!reads.outside.has_value()) {
      reads.outside = expression::OutsideRead{table, absl::StrCat(at)};
    }
    return 0;
  }
  return expression::Load(view.type(), view.data(), at);
}

// The word as all words of the type are, and any NaN as the quiet NaN.
Word Extended(Type type, Word word) {
  return expression::Dispatch(type, [=](auto tag) {
    using T = typename decltype(tag)::type;
    return expression::Canonical(
        type, expression::ToWord(expression::FromWord<T>(word)));
  });
}

}  // namespace

bool HostFunctions::HasCompiler() {
  return system("command -v c++ > /dev/null") == 0;
}

std::unique_ptr<HostFunctions> HostFunctions::Of(
    const std::vector<Function>& functions, const std::string& prelude) {
  std::string folder = ::testing::TempDir() + "/functionsXXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return nullptr;
  const std::string source = folder + "/f.cc", library = folder + "/f.so";
  std::string text = prelude;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    absl::StrAppend(&text, PrintAsCpp(functions[k], NameOf(k)));
  }
  std::ofstream(source) << text;
  const std::string command = absl::StrCat(
      "c++ -std=c++17 -O1 -fwrapv -ffp-contract=off -w -shared -fPIC -o ",
      library, " ", source);
  if (system(command.c_str()) != 0) return nullptr;
  void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return nullptr;
  return std::unique_ptr<HostFunctions>(new HostFunctions(functions, opened));
}

HostFunctions::~HostFunctions() { dlclose(library_); }

Evaluated HostFunctions::Run(std::size_t number,
                             absl::Span<const Word> arguments,
                             std::int64_t index,
                             absl::Span<const ConstArrayView> tables) const {
  const auto find = [this](const std::string& name) {
    return dlsym(library_, name.c_str());
  };
  auto* const in = static_cast<Word*>(find("concord_arguments"));
  for (std::size_t k = 0; k < arguments.size(); ++k) in[k] = arguments[k];
  *static_cast<std::int64_t*>(find("concord_index")) = index;
  *static_cast<decltype(&Gather)*>(find("concord_gather")) = Gather;
  const Function& function = functions_[number];
  reads = {&function, tables, std::nullopt};
  reinterpret_cast<void (*)()>(find(NameOf(number)))();
  const auto* const out = static_cast<const Word*>(find("concord_results"));
  Evaluated evaluated;
  const std::vector<Type> types = function.ResultTypes();
  for (std::size_t k = 0; k < types.size(); ++k) {
    evaluated.results.push_back(Extended(types[k], out[k]));
  }
  evaluated.outside = reads.outside;
  return evaluated;
}

}  // namespace concord::nvrtc
