// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/bindings/c/backend.h"

#include <cstdlib>
#include <string>

#include "absl/strings/strip.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/core/chooser.h"
#include "concord/core/errors.h"
#include "concord/tools/bindings/c/array.h"
#include "concord/tools/bindings/c/status.h"

namespace concord::bindings {
namespace {

// Before it is opened: MPI starts but once. "" is what the environment names,
// "auto:tbb" a kind of "tbb".
absl::Status CheckMemoryHasName(absl::string_view name) {
  std::string backend(name);
  if (backend.empty()) {
    const char* const variable = std::getenv("CONCORD_BACKEND");
    backend = variable == nullptr ? "" : variable;
  }
  absl::string_view kind = backend;
  while (absl::ConsumePrefix(&kind, "auto:")) {
  }
  kind = kind.substr(0, kind.find(':'));
  if (kind != "gpus" && kind != "mpi") return absl::OkStatus();
  return UnimplementedError(
      "the arrays of backend ", kind,
      " lie in memory that C has no name for; from C++ and on the command line "
      "it can be used");
}

absl::StatusOr<concord_backend*> NewBackend(std::shared_ptr<Backend> backend) {
  ASSIGN_OR_RETURN(const concord_device device, ToC(backend->memory()));
  return new concord_backend{
      std::make_shared<SharedBackend>(std::move(backend), device)};
}

absl::StatusOr<concord_backend*> Open(absl::string_view name) {
  RETURN_IF_ERROR(CheckMemoryHasName(name));
  ASSIGN_OR_RETURN(std::shared_ptr<Backend> backend, OpenBackend(name));
  return NewBackend(std::move(backend));
}

absl::StatusOr<concord_backend*> OpenOnStream(absl::string_view name,
                                              void* stream) {
  RETURN_IF_ERROR(CheckMemoryHasName(name));
  // Says what is wrong with a name, and which GPU a right one means.
  ASSIGN_OR_RETURN(std::shared_ptr<Backend> named, OpenBackend(name));
  if (named->info().name != "cuda") {
    return InvalidArgumentError("backend ", named->info().spec,
                                " has no streams; only cuda has");
  }
  const int device = AsCuda(named)->device();
  ASSIGN_OR_RETURN(std::shared_ptr<Backend> backend,
                   WrapCudaStream(static_cast<cudaStream_t>(stream), device));
  if (const Chooser* const chooser = Chooser::Of(named)) {
    backend = Chooser::Attach(std::move(backend), chooser->choices());
  }
  return NewBackend(std::move(backend));
}

}  // namespace
}  // namespace concord::bindings

using concord::bindings::Do;
using concord::bindings::Give;
using concord::bindings::NotNull;

concord_status* concord_backend_open(const char* name,
                                     concord_backend** backend) {
  return Give("backend", backend, [&] {
    return concord::bindings::Open(concord::bindings::TextOf(name));
  });
}

concord_status* concord_backend_open_on_stream(const char* name, void* stream,
                                               concord_backend** backend) {
  return Give("backend", backend, [&] {
    return concord::bindings::OpenOnStream(concord::bindings::TextOf(name),
                                           stream);
  });
}

concord_status* concord_backend_name(const concord_backend* backend,
                                     const char** name) {
  return Give("name", name, [&]() -> absl::StatusOr<const char*> {
    RETURN_IF_ERROR(NotNull({{"backend", backend}}));
    return backend->shared->backend()->info().spec.c_str();
  });
}

concord_status* concord_backend_device(const concord_backend* backend,
                                       concord_device* device) {
  return Give("device", device, [&]() -> absl::StatusOr<concord_device> {
    RETURN_IF_ERROR(NotNull({{"backend", backend}}));
    return backend->shared->device();
  });
}

concord_status* concord_backend_synchronize(concord_backend* backend) {
  return Do([&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull({{"backend", backend}}));
    const auto turn = backend->shared->TakeTurn();
    return backend->shared->backend()->Synchronize();
  });
}

void concord_backend_free(concord_backend* backend) { delete backend; }
