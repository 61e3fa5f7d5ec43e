// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/nvrtc/nvrtc_api.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/backends/cuda/spliced/symbols.h"
#include "concord/core/errors.h"

typedef struct _nvrtcProgram* nvrtcProgram;

namespace concord::nvrtc {
namespace {

// Of nvrtc.h, whose numbers never change.
constexpr int kSuccess = 0;
constexpr int kInvalidOption = 5;

constexpr int kOldestVersion = 12;

std::vector<std::string> UsualFiles() {
  if (const char* const file = std::getenv("CONCORD_NVRTC")) {
    return *file == '\0' ? std::vector<std::string>()
                         : std::vector<std::string>{file};
  }
  return {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
          "/usr/local/cuda/lib64/libnvrtc.so"};
}

}  // namespace

struct Nvrtc::Functions {
  int (*nvrtcVersion)(int*, int*);
  int (*nvrtcCreateProgram)(nvrtcProgram*, const char*, const char*, int,
                            const char* const*, const char* const*);
  int (*nvrtcDestroyProgram)(nvrtcProgram*);
  int (*nvrtcCompileProgram)(nvrtcProgram, int, const char* const*);
  int (*nvrtcGetProgramLogSize)(nvrtcProgram, std::size_t*);
  int (*nvrtcGetProgramLog)(nvrtcProgram, char*);
  int (*nvrtcGetPTXSize)(nvrtcProgram, std::size_t*);
  int (*nvrtcGetPTX)(nvrtcProgram, char*);
  const char* (*nvrtcGetErrorString)(int);
};

absl::StatusOr<Nvrtc> Nvrtc::Open(const std::vector<std::string>& files) {
  // For as long as the program runs.
  void* library = nullptr;
  for (const std::string& file : files) {
    library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) {
    return UnavailableError(
        "there is no NVRTC, which comes with CUDA: ",
        files.empty() ? "CONCORD_NVRTC is empty" : absl::StrJoin(files, ", "),
        files.empty() ? "" : " cannot be opened");
  }
  auto functions = std::make_shared<Functions>();
  spliced::Symbols symbols(library);
#define CONCORD_FIND(name) symbols.Find(functions->name, #name)
  CONCORD_FIND(nvrtcVersion);
  CONCORD_FIND(nvrtcCreateProgram);
  CONCORD_FIND(nvrtcDestroyProgram);
  CONCORD_FIND(nvrtcCompileProgram);
  CONCORD_FIND(nvrtcGetProgramLogSize);
  CONCORD_FIND(nvrtcGetProgramLog);
  CONCORD_FIND(nvrtcGetPTXSize);
  CONCORD_FIND(nvrtcGetPTX);
  CONCORD_FIND(nvrtcGetErrorString);
#undef CONCORD_FIND
  if (symbols.missing() != nullptr)
    return UnavailableError("NVRTC has no ", symbols.missing());
  int major = 0, minor = 0;
  functions->nvrtcVersion(&major, &minor);
  if (major < kOldestVersion) {
    return UnavailableError("NVRTC is that of CUDA ", major, ".", minor, "; ",
                            kOldestVersion, " or later is needed");
  }
  return Nvrtc(std::move(functions));
}

absl::StatusOr<const Nvrtc*> Nvrtc::Get() {
  static const auto* const kOpened =
      new absl::StatusOr<Nvrtc>(Open(UsualFiles()));
  if (!kOpened->ok()) return kOpened->status();
  return &**kOpened;
}

std::string Nvrtc::Version() const {
  int major = 0, minor = 0;
  functions_->nvrtcVersion(&major, &minor);
  return absl::StrCat(major, ".", minor);
}

absl::StatusOr<std::string> Nvrtc::Compile(const std::string& source,
                                           absl::string_view architecture,
                                           absl::string_view what) const {
  nvrtcProgram program = nullptr;
  int result = functions_->nvrtcCreateProgram(
      &program, source.c_str(), "functions.cu", 0, nullptr, nullptr);
  const auto destroy = [this](nvrtcProgram made) {
    functions_->nvrtcDestroyProgram(&made);
  };
  const std::unique_ptr<_nvrtcProgram, decltype(destroy)> owner(program,
                                                                destroy);
  const std::string target =
      absl::StrCat("--gpu-architecture=compute_", architecture);
  const char* const options[] = {target.c_str(),    "--std=c++17",
                                 "--fmad=false",    "--ftz=false",
                                 "--prec-div=true", "--prec-sqrt=true"};
  if (result == kSuccess) {
    result = functions_->nvrtcCompileProgram(
        program, static_cast<int>(std::size(options)), options);
  }
  // Texts end with a 0 that counts.
  std::string text;
  std::size_t size = 0;
  const auto get = [&](auto get_size, auto get_text) {
    if (get_size(program, &size) != kSuccess || size == 0) return;
    text.resize(size);
    get_text(program, text.data());
    text.pop_back();
  };
  if (result == kSuccess) {
    get(functions_->nvrtcGetPTXSize, functions_->nvrtcGetPTX);
    if (!text.empty()) return text;
  }
  if (program != nullptr) {
    get(functions_->nvrtcGetProgramLogSize, functions_->nvrtcGetProgramLog);
  }
  const std::string message =
      absl::StrCat("NVRTC ", Version(), " on ", what, ": ",
                   functions_->nvrtcGetErrorString(result), "\n", text);
  return result == kInvalidOption ? absl::UnavailableError(message)
                                  : absl::InternalError(message);
}

}  // namespace concord::nvrtc
