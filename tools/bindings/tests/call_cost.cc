// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the C interface adds to a call: the scan of ten elements from C, and by
// the same arrays and names from C++.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "concord/core/algorithm.h"
#include "concord/core/backend.h"
#include "concord/tools/bindings/concord.h"

namespace concord {
namespace {

constexpr std::int64_t kSize = 10;

void FromCpp(benchmark::State& state) {
  const std::shared_ptr<Backend> backend = *OpenBackend("serial");
  const Algorithm& scan = **FindAlgorithm("scan");
  const std::unique_ptr<Runner> runner = *scan.NewRunner(backend, "");
  std::vector<std::int32_t> values(kSize, 1);
  std::vector<std::int32_t> sums(kSize);
  bool ok = runner->Configure({}).ok();
  for (auto _ : state) {
    ok &=
        runner
            ->Run(
                {{"in", ConstArrayView(values.data(), kSize, Memory::Host())}},
                {{"out", ArrayView(sums.data(), kSize, Memory::Host())}})
            .ok();
    ok &= backend->Synchronize().ok();
  }
  if (!ok) state.SkipWithError("the scan failed");
}
BENCHMARK(FromCpp);

void FromC(benchmark::State& state) {
  concord_backend* backend = nullptr;
  concord_kernel* kernel = nullptr;
  bool ok = concord_backend_open("serial", &backend) == nullptr;
  ok &= concord_kernel_create(backend, "scan", "", nullptr, 0, &kernel) ==
        nullptr;
  std::vector<std::int32_t> values(kSize, 1);
  std::vector<std::int32_t> sums(kSize);
  const concord_type type = {CONCORD_INT, 32, 1};
  const concord_device host = {CONCORD_CPU, 0};
  const concord_array in = {"in", values.data(), host,    1,
                            type, &kSize,        nullptr, 0};
  const concord_array out = {"out", sums.data(), host,    1,
                             type,  &kSize,      nullptr, 0};
  for (auto _ : state) {
    ok &= concord_kernel_run(kernel, &in, 1, &out, 1) == nullptr;
  }
  if (!ok) state.SkipWithError("the scan failed");
  concord_kernel_free(kernel);
  concord_backend_free(backend);
}
BENCHMARK(FromC);

}  // namespace
}  // namespace concord

BENCHMARK_MAIN();
