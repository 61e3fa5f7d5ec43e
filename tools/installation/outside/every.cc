// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The same as every.c.

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "calls.h"
#include "concord/core/algorithm.h"
#include "concord/core/backend.h"
#include "concord/core/call.h"

namespace {

concord::ElementType TypeOf(const input& from) {
  const char* const kinds[] = {"int", "uint", "float"};
  return *concord::ParseElementType(kinds[from.code] +
                                    std::to_string(from.bits));
}

absl::Status Run(const std::shared_ptr<concord::Backend>& backend,
                 const call& what) {
  const auto algorithm = concord::FindAlgorithm(what.algorithm);
  if (!algorithm.ok()) return algorithm.status();
  concord::Sources sources;
  for (std::size_t i = 0; i < what.inputs; ++i) {
    const input& from = what.given[i];
    const concord::Shape shape(absl::MakeConstSpan(
        from.shape, static_cast<std::size_t>(from.dimensions)));
    sources[from.name] =
        std::make_shared<concord::ArraySource>(concord::ConstArrayView(
            from.data, TypeOf(from), shape, concord::Memory::Host()));
  }
  std::map<std::string, concord::HostArraySink> results;
  concord::Sinks sinks;
  for (const concord::OutputText& text : (*algorithm)->signature().outputs) {
    sinks[text.name] = &results[text.name];
  }
  auto made =
      concord::Call::Create(**algorithm, backend, "", {}, sources, sinks);
  if (!made.ok()) return made.status();
  absl::Status status = made->Launch();
  if (status.ok()) status = made->Finish();
  if (!status.ok()) return status;
  for (const concord::OutputText& text : (*algorithm)->signature().outputs) {
    concord::HostArraySink& result = results[text.name];
    if (!result.taken()) continue;
    const concord::ConstArrayView view = result.value().view();
    std::printf("%s %s ", what.algorithm, text.name.c_str());
    for (std::int64_t k = 0; k < view.bytes(); ++k) {
      std::printf("%02x", view.data<unsigned char>()[k]);
    }
    std::printf("\n");
  }
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  const auto backend = concord::OpenBackend(argc > 1 ? argv[1] : "");
  if (!backend.ok()) return std::cerr << backend.status() << "\n", 1;
  for (const call& what : calls) {
    const absl::Status status = Run(*backend, what);
    if (!status.ok()) {
      return std::cerr << what.algorithm << ": " << status << "\n", 1;
    }
  }
}
