// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The passes of the program's plan (plan.h), whose functions are printed as
// CUDA C++ and compiled by NVRTC; what that makes of them is put into the
// kernels of `spliced`, by the same driver's compiler. Scans of a column
// by built-in operators are those of `scan`.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/built_in_scan.h"
#include "concord/algorithms/sequence/cuda/pass_splicer.h"
#include "concord/algorithms/sequence/cuda/sequence_on_cuda.cuh"
#include "concord/algorithms/sequence/pass_compiler.h"
#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/backends/cuda/nvrtc/nvrtc_compiler.h"
#include "concord/core/errors.h"

namespace concord::sequence {
namespace {

class PassByNvrtc : public PassMaker {
 public:
  explicit PassByNvrtc(
      std::shared_ptr<CudaBackend> backend,
      spliced::Compiling compiling = spliced::Compiling::kIfNeeded)
      : backend_(std::move(backend)), compiling_(compiling) {}

  absl::StatusOr<std::unique_ptr<MadePass>> Make(const Pass& pass) override {
    ASSIGN_OR_RETURN(const nvrtc::NvrtcCompiler* const compiler,
                     nvrtc::NvrtcCompiler::Get());
    return PassSplicer(backend_, {compiling_, compiler}).Make(pass);
  }

 private:
  const std::shared_ptr<CudaBackend> backend_;
  const spliced::Compiling compiling_;
};

Requirement NvrtcRequirement() {
  return {
      "NVRTC (libnvrtc.so.13 or .12 of the CUDA toolkit, or the file that "
      "CONCORD_NVRTC names), and what spliced needs: compute capability 8.0 or "
      "later, and a driver with its compiler that is not older than NVRTC and "
      "the toolkit of this program",
      CanCompile<PassByNvrtc>};
}

std::string ExplainPass(const std::shared_ptr<CudaBackend>& backend,
                        const std::string& compiler, const Pass& pass) {
  if (pass.kind == Pass::Kind::kCount || pass.kind == Pass::Kind::kSort) {
    return "without functions";
  }
  if (BuiltInScan::IsAll(pass)) return "a scan of this program's";
  const absl::Status found =
      PassByNvrtc(backend, spliced::Compiling::kNever).Make(pass).status();
  const std::string by = absl::StrCat("its functions as CUDA C++ by ", compiler,
                                      ", its kernel by the driver's compiler");
  if (found.ok()) return absl::StrCat(by, ": it lies in a cache");
  if (absl::IsNotFound(found)) return absl::StrCat(by, ", at the first run");
  return std::string(found.message());
}

// Nothing where there is no NVRTC, or no GPU: others say so.
std::vector<std::string> ExplainPlan(const Plan& plan,
                                     absl::Span<const std::int64_t>) {
  const absl::StatusOr<const nvrtc::NvrtcCompiler*> compiler =
      nvrtc::NvrtcCompiler::Get();
  if (!compiler.ok()) return {};
  const absl::StatusOr<std::shared_ptr<Backend>> backend = OpenBackend("cuda");
  if (!backend.ok()) return {};
  std::vector<std::string> words;
  for (const Pass& pass : plan.passes) {
    words.push_back(ExplainPass(AsCuda(*backend), (*compiler)->Name(), pass));
  }
  return words;
}

const bool kKnown =
    RegisterPassCompiler({"cuda/nvrtc", /*prepare=*/nullptr, ExplainPlan});

const bool kRegistered = RegisterOnCuda<SequenceOnCuda<PassByNvrtc>>(
    "nvrtc", /*rank=*/3,
    "fused passes, whose functions NVRTC compiles from CUDA C++",
    SequenceContract().Keeps(
        "the passes of the last 32 programs, which the first call of each "
        "compiles"),
    NvrtcRequirement());

}  // namespace
}  // namespace concord::sequence
