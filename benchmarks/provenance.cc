// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/provenance.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "concord/core/version.h"

namespace concord {
namespace {

// What a command prints on standard output; "" when it fails.
std::string OutputOf(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string output;
  char buffer[256];
  while (std::fgets(buffer, sizeof(buffer), pipe) != nullptr) output += buffer;
  if (pclose(pipe) != 0) return "";
  return std::string(absl::StripAsciiWhitespace(output));
}

// Of the checkout that `folder`, a word of the shell, is in; "" without one.
std::string CommitOf(const std::string& folder) {
  return OutputOf(absl::StrCat(
      "git -C ", folder,
      " describe --always --abbrev=40 --exclude='*' --dirty 2>/dev/null"));
}

// Of Concord's sources, where they are those of a dependency. An archive may
// have been unpacked inside of some other checkout.
std::string CommitOfDependency() {
  const std::string folder = "'" CONCORD_CHECKOUT "'";
  const bool is_checkout =
      !OutputOf(absl::StrCat("git -C ", folder,
                             " ls-files CONTRIBUTING.md 2>/dev/null"))
           .empty();
  return is_checkout ? CommitOf(folder) : "";
}

// As commit and dirty of Provenance.
void AddCommit(absl::string_view prefix, const std::string& commit,
               Facts& facts) {
  absl::string_view hash = commit;
  const bool dirty = absl::ConsumeSuffix(&hash, "-dirty");
  facts.emplace_back(absl::StrCat(prefix, "commit"),
                     hash.empty() ? "unknown" : std::string(hash));
  facts.emplace_back(absl::StrCat(prefix, "dirty"), hash.empty() ? "unknown"
                                                    : dirty      ? "yes"
                                                                 : "no");
}

std::string FirstLineOf(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "0-3,8": what the program is pinned to, or all.
std::string AllowedCpus() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    absl::string_view rest = line;
    if (absl::ConsumePrefix(&rest, "Cpus_allowed_list:")) {
      return std::string(absl::StripAsciiWhitespace(rest));
    }
  }
  return "unknown";
}

std::string Compiler() {
#if defined(__clang__)
  return absl::StrCat("clang++ ",
                      absl::StripAsciiWhitespace(__clang_version__));
#else
  return absl::StrCat("g++ ", __VERSION__);
#endif
}

// What the compiler was allowed to use without asking the CPU.
std::string InstructionSet() {
#if defined(__AVX512F__)
  return "avx512";
#elif defined(__AVX2__)
  return "avx2";
#elif defined(__x86_64__)
  return "x86-64 baseline";
#else
  return "baseline";
#endif
}

std::string OperatingSystem() {
  utsname name;
  if (uname(&name) != 0) return "unknown";
  return absl::StrCat(name.sysname, " ", name.release, " ", name.machine);
}

}  // namespace

std::string Commit() {
  if (const char* stamped = std::getenv("CONCORD_COMMIT")) return stamped;
  if (std::getenv("BUILD_WORKSPACE_DIRECTORY") == nullptr) return "";
  return CommitOf("\"$BUILD_WORKSPACE_DIRECTORY\"");
}

Facts BuildFacts() {
  std::vector<std::string> backends;
  std::vector<std::string> libraries;
  for (const BackendStatus& status : ListBackends()) {
    if (status.stage == BackendStage::kNotCompiled) continue;
    backends.push_back(status.name);
    if (!status.library.empty()) libraries.push_back(status.library);
  }
  // With CUB and Thrust; none without CUDA.
  const std::string cccl = CONCORD_CCCL_VERSION;
  if (!cccl.empty()) libraries.push_back(absl::StrCat("CCCL ", cccl));
  libraries.push_back(absl::StrCat("Abseil ", ABSL_LTS_RELEASE_VERSION));
  Facts facts = {{"version", kVersion}};
  AddCommit("", Commit(), facts);
  if (!absl::string_view(CONCORD_CHECKOUT).empty()) {
    AddCommit("concord_", CommitOfDependency(), facts);
  }
  const Facts built_with = {
      {"compiler", Compiler()},
      {"flags", CONCORD_FLAGS},
      {"compilation_mode", CONCORD_COMPILATION_MODE},
      {"instruction_set", InstructionSet()},
      {"cuda_flags", CONCORD_CUDA_FLAGS},
      {"backends", absl::StrJoin(backends, ", ")},
      {"libraries", absl::StrJoin(libraries, ", ")},
  };
  facts.insert(facts.end(), built_with.begin(), built_with.end());
  return facts;
}

Facts Provenance(absl::Span<const std::shared_ptr<Backend>> backends) {
  Facts facts = BuildFacts();
  facts.emplace_back("operating_system", OperatingSystem());
  facts.emplace_back("cpus_online",
                     absl::StrCat(sysconf(_SC_NPROCESSORS_ONLN)));
  facts.emplace_back("cpus_allowed", AllowedCpus());
  const std::string driver = FirstLineOf("/proc/driver/nvidia/version");
  if (!driver.empty()) facts.emplace_back("gpu_driver", driver);
  for (const std::shared_ptr<Backend>& backend : backends) {
    for (const auto& [name, value] : backend->info().facts) {
      facts.emplace_back(absl::StrCat(backend->info().spec, ".", name), value);
    }
  }
  return facts;
}

}  // namespace concord
