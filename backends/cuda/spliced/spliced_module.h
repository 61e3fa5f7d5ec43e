// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_SPLICED_MODULE_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_SPLICED_MODULE_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/spliced/driver_api.h"
#include "concord/backends/cuda/spliced/function_compiler.h"
#include "concord/backends/cuda/spliced/module_cache.h"
#include "concord/backends/cuda/spliced/pass_functions.h"
#include "concord/backends/cuda/spliced/ptx_text.h"

namespace concord::spliced {

// Kernels with places for the functions of a pass.
struct PassTemplate {
  std::string name;
  PtxText text;
  // Whether the words that travel in it have 64 bits.
  bool wide;
};

// The template's PTX with the functions in it, by `compiler` or, where that is
// null, by the emitter of this folder.
absl::StatusOr<std::string> SplicePass(
    const PassTemplate& pass_template, const PassFunctions& functions,
    const FunctionCompiler* compiler = nullptr);

// Everything that machine code of these functions depends on, short. The
// template and what emits the functions stand there by their SHA-256.
std::string ModuleKey(const PassTemplate& pass_template,
                      const PassFunctions& functions,
                      absl::string_view architecture, absl::string_view driver,
                      const FunctionCompiler* compiler = nullptr);

// Whether kernels that lie in no cache are to be compiled.
enum class Compiling { kIfNeeded, kNever };

// The same, and by what functions are compiled before they are put into
// kernels: by the emitter of this folder, or by `compiler`, which outlives all
// users.
struct Compilation {
  // Not explicit: most say only that.
  Compilation(Compiling compiling = Compiling::kIfNeeded,  // NOLINT
              const FunctionCompiler* compiler = nullptr)
      : compiling(compiling), compiler(compiler) {}

  Compiling compiling;
  const FunctionCompiler* compiler;
};

// Kernels on a device, ready to run.
class SplicedModule {
 public:
  // What it took to get it.
  enum class Origin { kMemory, kDisk, kCompiler };

  // Of this program, from an earlier call; from `disk`; or compiled, which
  // takes 20 to 350 ms, and kept in both. A device is one of the backend's,
  // which has been activated. Errors are those of DriverApi and of the
  // compiler, and NotFound where nothing is to be compiled.
  static absl::StatusOr<SplicedModule> Get(
      const PassTemplate& pass_template, const PassFunctions& functions,
      const CudaBackend& backend, const Compilation& how = {},
      const ModuleCache& disk = ModuleCache::FromEnvironment());

  // The next Get goes to the disk. For tests and measurements.
  static void ForgetAll();

  Origin origin() const { return origin_; }

  absl::StatusOr<CUfunction> Kernel(const char* name) const {
    return driver_->Kernel(module_.get(), name);
  }
  const DriverApi& driver() const { return *driver_; }

 private:
  SplicedModule(const DriverApi* driver, std::shared_ptr<CUmod_st> module,
                Origin origin)
      : driver_(driver), module_(std::move(module)), origin_(origin) {}

  const DriverApi* driver_;
  std::shared_ptr<CUmod_st> module_;
  Origin origin_;
};

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_SPLICED_MODULE_H_
