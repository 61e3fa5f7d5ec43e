// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/spliced_module.h"

#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "concord/backends/cuda/spliced/emitter_version.h"
#include "concord/backends/cuda/spliced/splicer.h"
#include "concord/core/errors.h"

namespace concord::spliced {
namespace {

// Enough for a program that runs some functions again and again; one that never
// repeats any must not fill the device.
constexpr std::size_t kMostInMemory = 256;

// Modules by what they are, of the whole program.
class MemoryCache {
 public:
  static MemoryCache& Get() {
    // Never destroyed: the driver may be gone by then.
    static auto* const kCache = new MemoryCache;
    return *kCache;
  }

  std::shared_ptr<CUmod_st> Find(const std::string& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = modules_.find(key);
    return found == modules_.end() ? nullptr : found->second;
  }
  void Store(const std::string& key, std::shared_ptr<CUmod_st> module) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (modules_.size() >= kMostInMemory) modules_.clear();
    modules_[key] = std::move(module);
  }
  void Clear() {
    const std::lock_guard<std::mutex> lock(mutex_);
    modules_.clear();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<CUmod_st>> modules_;
};

}  // namespace

std::string ModuleKey(const PassTemplate& pass_template,
                      const PassFunctions& functions,
                      absl::string_view architecture, absl::string_view driver,
                      const FunctionCompiler* compiler) {
  std::string key = absl::StrCat(
      "template ", pass_template.name, " ", pass_template.text.sha256,
      "\nemitter ", EmitterVersion(), "\n", functions.Canonical(), "sm_",
      architecture, "\ndriver ", driver, "\n");
  if (compiler != nullptr) {
    absl::StrAppend(&key, "compiler ", compiler->Name(), " ",
                    compiler->Version(), "\n");
  }
  return key;
}

absl::StatusOr<std::string> SplicePass(const PassTemplate& pass_template,
                                       const PassFunctions& functions,
                                       const FunctionCompiler* compiler) {
  if (pass_template.text.ptx.empty()) {
    return UnavailableError("this program has no kernels '", pass_template.name,
                            "': it was built without CUDA");
  }
  const absl::string_view ptx = pass_template.text.ptx;
  std::unique_ptr<PassCode> code;
  if (compiler != nullptr) {
    const absl::string_view target = ValueOfDirective(ptx, ".target");
    ASSIGN_OR_RETURN(
        code, compiler->Compile(functions, absl::StripPrefix(target, "sm_")));
  }
  ASSIGN_OR_RETURN(std::string spliced, Splice(ptx, [&](const Place& place) {
                     return FillPlaceOfPass(functions, pass_template.wide,
                                            place, code.get());
                   }));
  return code == nullptr ? spliced
                         : OfVersion(std::move(spliced), code->PtxVersion());
}

absl::StatusOr<SplicedModule> SplicedModule::Get(
    const PassTemplate& pass_template, const PassFunctions& functions,
    const CudaBackend& backend, const Compilation& how,
    const ModuleCache& disk) {
  ASSIGN_OR_RETURN(const DriverApi* const driver, DriverApi::Get());
  const std::string memory_key =
      absl::StrCat(backend.device(), " ", pass_template.name, " ",
                   how.compiler == nullptr ? "" : how.compiler->Name(), "\n",
                   functions.Canonical());
  if (std::shared_ptr<CUmod_st> module = MemoryCache::Get().Find(memory_key)) {
    return SplicedModule(driver, std::move(module), Origin::kMemory);
  }
  const std::string& what = pass_template.name;
  const std::string key =
      ModuleKey(pass_template, functions, absl::StrCat(backend.architecture()),
                driver->Version(), how.compiler);
  Origin origin = Origin::kDisk;
  std::shared_ptr<CUmod_st> module;
  if (const std::optional<std::string> code = disk.Find(key)) {
    // What the driver does not take after all is compiled again.
    absl::StatusOr<std::shared_ptr<CUmod_st>> loaded =
        driver->Load(*code, what);
    if (loaded.ok()) module = *std::move(loaded);
  }
  if (module == nullptr && how.compiling == Compiling::kNever) {
    return absl::NotFoundError(absl::StrCat(what, " lies in no cache"));
  }
  if (module == nullptr) {
    origin = Origin::kCompiler;
    ASSIGN_OR_RETURN(const std::string ptx,
                     SplicePass(pass_template, functions, how.compiler));
    ASSIGN_OR_RETURN(const std::string code, driver->Compile(ptx, what));
    ASSIGN_OR_RETURN(module, driver->Load(code, what));
    // Without a file, the next program compiles it again.
    disk.Store(key, code).IgnoreError();
  }
  MemoryCache::Get().Store(memory_key, module);
  return SplicedModule(driver, std::move(module), origin);
}

void SplicedModule::ForgetAll() { MemoryCache::Get().Clear(); }

}  // namespace concord::spliced
