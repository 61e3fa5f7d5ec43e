// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// std::copy_if, sequential and with the parallel policy of libstdc++, which
// runs on oneTBB.

#include <algorithm>
#include <execution>
#include <string>

#include "concord/algorithms/compact/compact.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/benchmarks/peers/peer.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

// Calls copy(first, last, result, keep) and stores how many it kept.
template <typename Copy>
absl::Status CompactBy(const std::string& name, const ConstArrayView& in,
                       const Compact::Outputs& outputs,
                       const Compact::Options& options, const Copy& copy) {
  if (outputs.indices.has_value() || outputs.rejected.has_value()) {
    return UnimplementedError(name, " gives the kept elements alone");
  }
  return compact::DispatchCompact(
      in, outputs, options.keep,
      [&](const auto& range, const auto& arrays) -> absl::Status {
        using Word = typename std::decay_t<decltype(arrays)>::Word;
        const auto run = [&](const auto& keep) {
          Word* const end =
              copy(arrays.in, arrays.in + arrays.size, arrays.kept, keep);
          SetCounts(arrays, end - arrays.kept);
        };
        if (options.keep.kind == Predicate::Kind::kNonzero &&
            !IsFloat(in.type())) {
          run([](Word x) { return x != 0; });
        } else {
          run([range](Word x) { return range.Keeps(x); });
        }
        return absl::OkStatus();
      });
}

class StdCopyIf : public Compact {
 public:
  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                       const Options& options) override {
    return CompactBy(name(), in, outputs, options,
                     [](auto first, auto last, auto result, auto keep) {
                       return std::copy_if(first, last, result, keep);
                     });
  }
};

class StdParallelCopyIf : public OnTbb<Compact> {
 public:
  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                       const Options& options) override {
    absl::Status status;
    backend().Execute([&] {
      status = CompactBy(name(), in, outputs, options,
                         [](auto first, auto last, auto result, auto keep) {
                           return std::copy_if(std::execution::par, first, last,
                                               result, keep);
                         });
    });
    return status;
  }
};

const bool kRegistered =
    AddPeer<Compact, StdCopyIf>("serial", "std_copy_if", "std::copy_if",
                                compact::CompactContract()) &&
    AddPeer<Compact, StdParallelCopyIf>("tbb", "std_copy_if",
                                        "std::copy_if(std::execution::par)",
                                        compact::CompactContract());

}  // namespace
}  // namespace concord
