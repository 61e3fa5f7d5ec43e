// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A GPU that has too little memory for a call, less and less too little: each
// time the call says so, and the same instance then computes as if nothing had
// happened. For each implementation on GPUs, as long as it is new and when it
// has run before.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/backends/gpus/gpus_backend.h"
#include "concord/core/backend.h"
#include "concord/core/call.h"
#include "concord/core/spec.h"
#include "concord/testing/support/every_algorithm.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

// Lets every device of a backend have so many bytes beside what is in use.
class Scarcity {
 public:
  Scarcity(Backend& backend, std::int64_t bytes) {
    pools_.push_back(&backend.pool());
    if (auto* const group = dynamic_cast<GpusBackend*>(&backend)) {
      for (int i = 0; i < group->members(); ++i) {
        pools_.push_back(&group->member(i)->pool());
      }
    }
    for (MemoryPool* const pool : pools_) {
      pool->set_limit(pool->bytes_in_use() + bytes);
    }
  }
  ~Scarcity() {
    for (MemoryPool* const pool : pools_) {
      pool->set_limit(MemoryPool::kUnlimited);
    }
  }
  Scarcity(const Scarcity&) = delete;
  Scarcity& operator=(const Scarcity&) = delete;

 private:
  std::vector<MemoryPool*> pools_;
};

// A case whose arrays lie on the devices.
class PlacedCase {
 public:
  PlacedCase(const AlgorithmSpec& spec, Backend& backend,
             const CaseRequest& how)
      : case_(ValueOf(spec.Generate(how))),
        call_(ValueOf(Call::Place(backend, ValueOf(spec.OutputsOf(case_)),
                                  SourcesOf(InputsOf(case_)), {},
                                  InBackendMemory()))) {}

  absl::Status Run(Runner& runner) const {
    absl::Status status = runner.Configure(case_.options);
    return status.ok() ? call_.Launch(runner) : status;
  }
  Results results() const { return ValueOf(call_.GetResults()); }

 private:
  const Case case_;
  Call call_;
};

class ScarceDeviceMemory
    : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    backend_ = OpenOrSkip(std::get<1>(GetParam()));
    spec_ = *FindSpec(std::get<0>(GetParam()));
  }

  std::unique_ptr<Runner> New(const ImplementationInfo& info) {
    return ValueOf(spec_->NewRunner(backend_, info.variant));
  }

  // `before` is run first, where it is not null.
  void Examine(const ImplementationInfo& info, const PlacedCase& placed,
               const PlacedCase* before) {
    ASSERT_EQ(placed.Run(*New(info)), absl::OkStatus());
    const Results right = placed.results();
    bool has_failed = true;
    for (std::int64_t bytes = 0; has_failed;
         bytes = std::max<std::int64_t>(16 * bytes, 64)) {
      SCOPED_TRACE(absl::StrCat(bytes, " bytes left",
                                before == nullptr ? "" : ", not the first"));
      const std::unique_ptr<Runner> runner = New(info);
      if (before != nullptr) {
        ASSERT_EQ(before->Run(*runner), absl::OkStatus());
      }
      absl::Status status;
      {
        const Scarcity scarcity(*backend_, bytes);
        status = placed.Run(*runner);
      }
      has_failed = !status.ok();
      if (has_failed) {
        EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted)
            << status;
      }
      ASSERT_EQ(placed.Run(*runner), absl::OkStatus());
      const Results again = placed.results();
      if (info.contract.determinism == Determinism::kNone) continue;
      ASSERT_TRUE(again == right);
    }
  }

  std::shared_ptr<Backend> backend_;
  const AlgorithmSpec* spec_ = nullptr;
};

TEST_P(ScarceDeviceMemory, IsAStatusAndLeavesNothingBehind) {
  for (const ImplementationInfo& info : spec_->implementations()) {
    if (info.backend != backend_->info().name) continue;
    if (!info.RefusalOn(*backend_).empty()) continue;
    // For keys of this type the sort has most ways.
    const ElementType type = info.contract.Allows(ElementType::kUInt64)
                                 ? ElementType::kUInt64
                                 : info.contract.element_types.back();
    const auto placed = [&](std::int64_t size) {
      return PlacedCase(*spec_, *backend_,
                        {std::min(size, info.contract.max_size), type,
                         spec_->Distributions(type).front(),
                         spec_->OptionCombinations(type).front(),
                         /*seed=*/1});
    };
    const PlacedCase small = placed(30);
    const PlacedCase large = placed(spec_->largest_size());
    SCOPED_TRACE(info.name());
    Examine(info, large, nullptr);
    Examine(info, large, &small);
    if (HasFatalFailure()) return;
  }
}

std::string NameOf(
    const testing::TestParamInfo<std::tuple<std::string, std::string>>& info) {
  std::string name =
      absl::StrCat(std::get<0>(info.param), "_", std::get<1>(info.param));
  std::replace(name.begin(), name.end(), '+', '_');
  return TestName(name);
}

INSTANTIATE_TEST_SUITE_P(Every, ScarceDeviceMemory,
                         testing::Combine(testing::ValuesIn(EveryAlgorithm()),
                                          testing::Values("cuda", "gpus:0+0")),
                         NameOf);

}  // namespace
}  // namespace concord
