// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The passes of the program's plan (plan.h): interpreted at once, and spliced
// when their machine code lies in a cache, or when compiling them pays
// (tiered/tier_rule.h). Results are the same bits either way.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/built_in_scan.h"
#include "concord/algorithms/sequence/cuda/pass_interpreter.h"
#include "concord/algorithms/sequence/cuda/pass_splicer.h"
#include "concord/algorithms/sequence/cuda/sequence_on_cuda.cuh"
#include "concord/algorithms/sequence/pass_compiler.h"
#include "concord/algorithms/sequence/pass_maker.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/algorithms/sequence/tiered/tier_rule.h"
#include "concord/algorithms/sequence/tiered/tiered_pass.h"
#include "concord/core/errors.h"

namespace concord::sequence {
namespace {

class CudaTiers : public Tiers {
 public:
  explicit CudaTiers(const std::shared_ptr<CudaBackend>& backend)
      : backend_(backend),
        interpreter_(backend),
        finder_(backend, spliced::Compiling::kNever),
        compiler_(backend, spliced::Compiling::kIfNeeded) {}

  absl::StatusOr<std::unique_ptr<MadePass>> Interpreted(
      const Pass& pass) override {
    return interpreter_.Make(pass);
  }
  absl::StatusOr<std::unique_ptr<MadePass>> Found(const Pass& pass) override {
    return finder_.Make(pass);
  }
  absl::StatusOr<std::unique_ptr<MadePass>> Compiled(
      const Pass& pass) override {
    return compiler_.Make(pass);
  }
  int multiprocessors() const override { return backend_->multiprocessors(); }
  std::string device() const override {
    return absl::StrCat(backend_->device());
  }

 private:
  const std::shared_ptr<CudaBackend> backend_;
  PassInterpreter interpreter_;
  PassSplicer finder_, compiler_;
};

class TieredMaker : public PassMaker {
 public:
  explicit TieredMaker(const std::shared_ptr<CudaBackend>& backend)
      : tiers_(backend) {}

  absl::StatusOr<std::unique_ptr<MadePass>> Make(const Pass& pass) override {
    if (BuiltInScan::IsAll(pass)) return tiers_.Interpreted(pass);
    ASSIGN_OR_RETURN(const JitMode mode, JitModeFromEnvironment());
    return std::make_unique<TieredPass>(tiers_, pass, mode);
  }

 private:
  CudaTiers tiers_;
};

// Others are no kernels of the user's.
bool HasFunctions(const Pass& pass) {
  return pass.kind != Pass::Kind::kCount && pass.kind != Pass::Kind::kSort;
}

absl::Status Prepare(const std::shared_ptr<Backend>& backend,
                     const Plan& plan) {
  ASSIGN_OR_RETURN(const JitMode mode, JitModeFromEnvironment());
  if (mode == JitMode::kNever) return absl::OkStatus();
  const std::shared_ptr<CudaBackend> cuda = AsCuda(backend);
  PassSplicer compiler(cuda, spliced::Compiling::kIfNeeded);
  for (const Pass& pass : plan.passes) {
    if (!HasFunctions(pass)) continue;
    RETURN_IF_ERROR(compiler.Make(pass).status());
  }
  return absl::OkStatus();
}

std::string ExplainPass(Tiers& tiers, const Pass& pass, std::int64_t elements,
                        JitMode mode) {
  if (!HasFunctions(pass)) return "without functions";
  if (BuiltInScan::IsAll(pass)) return "a scan of this program's";
  return ExplainTier(tiers, pass, elements, mode);
}

std::vector<std::string> ExplainPlan(const Plan& plan,
                                     absl::Span<const std::int64_t> elements) {
  const auto say = [&](const absl::Status& why) {
    return std::vector<std::string>(plan.passes.size(),
                                    std::string(why.message()));
  };
  const absl::StatusOr<std::shared_ptr<Backend>> backend = OpenBackend("cuda");
  if (!backend.ok()) return say(backend.status());
  const absl::StatusOr<JitMode> mode = JitModeFromEnvironment();
  if (!mode.ok()) return say(mode.status());
  CudaTiers tiers(AsCuda(*backend));
  std::vector<std::string> words;
  for (std::size_t k = 0; k < plan.passes.size(); ++k) {
    words.push_back(ExplainPass(tiers, plan.passes[k], elements[k], *mode));
  }
  return words;
}

const bool kKnown = RegisterPassCompiler({"cuda", Prepare, ExplainPlan});

const bool kRegistered = RegisterOnCuda<SequenceOnCuda<TieredMaker>>(
    "tiered", /*rank=*/20,
    "fused passes, interpreted until compiling them pays",
    SequenceContract()
        .Boundaries({512, 1024, 2048, 4096, 8192})
        .Keeps("the passes of the last 32 programs, each of which is compiled "
               "by the call that makes it pay, or by Sequence::Prepare")
        .Notes("CONCORD_JIT=always compiles at once, never does not"));

}  // namespace
}  // namespace concord::sequence
