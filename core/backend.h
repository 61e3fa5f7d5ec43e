// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_BACKEND_H_
#define CONCORD_CORE_BACKEND_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/array.h"
#include "concord/core/memory_pool.h"

namespace concord {

// How far a backend gets on this machine. Each stage presupposes those before
// it; the first that fails is the one that is reported.
enum class BackendStage {
  kNotCompiled,     // this program was built without it
  kLibraryMissing,  // a library that it loads at run time is not there
  kDriverTooOld,    // the driver does not know this runtime
  kNoDevice,        // there is no such device
  kNoPeerAccess,    // two of its devices cannot reach each other's memory
  kNoCodeForArch,   // this program has no code that the device can run
  kOutOfMemory,     // the device has no memory left to begin with
  kOk,
};

// "not_compiled", "library_missing", ...
absl::string_view Name(BackendStage stage);

// Facts about a device for people and provenance, such as {"cores", "8"}.
using Facts = std::vector<std::pair<std::string, std::string>>;

struct Device {
  std::string spec;  // opens it: "cuda:1"
  Facts facts;
};

struct BackendStatus {
  std::string name;
  BackendStage stage = BackendStage::kOk;
  // Why it is not available, in words; empty when it is.
  std::string reason;
  std::vector<Device> devices;
  // Further specs whose results must be those of the plain name, such as
  // "tbb:1" and "tbb:3"; tests run them all.
  std::vector<std::string> variations = {};
  // What it is built on, such as "oneTBB 2021.8.0"; "" when that is nothing.
  std::string library = {};

  bool available() const { return stage == BackendStage::kOk; }
  // Where it is not: "no_device: there is no GPU".
  std::string WhyNot() const;
};

struct BackendInfo {
  std::string name;  // "tbb"
  std::string spec;  // "tbb:8": always complete, whatever was asked for
  // How it came to be this backend: "asked for by name", "auto: cuda is not
  // available (no_device: ...)".
  std::string chosen_because;
  Facts facts;
};

// Measures what a backend executes between Start and Stop: with events on a
// GPU's stream, with a steady clock on the CPU.
class Timer {
 public:
  virtual ~Timer() = default;
  virtual absl::Status Start() = 0;
  // Marks the end; does not wait.
  virtual absl::Status Stop() = 0;
  // Waits for the end and returns the seconds from Start to Stop.
  virtual absl::StatusOr<double> Seconds() = 0;
};

// Where code runs and memory lives. Opened with OpenBackend; the work given to
// one backend runs in order. Calls into one backend, and into implementations
// that share it, are made by one thread at a time.
class Backend {
 public:
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  const BackendInfo& info() const { return info_; }
  Memory memory() const { return pool_->memory(); }
  MemoryPool& pool() { return *pool_; }

  // An array of this backend's memory; values are unspecified.
  absl::StatusOr<Array> Allocate(ElementType type, std::int64_t size) {
    return pool_->Allocate(type, size);
  }

  // An array in host memory from which, and to which, copies are fastest:
  // page-locked where a GPU copies. By default as any other host memory.
  // Errors are those of Allocate.
  virtual absl::StatusOr<Array> AllocateHost(ElementType type,
                                             std::int64_t size);

  // Copies all of `from` to `to`, which has the same type and size, and may
  // overlap it. Each of the two lives in this backend's memory or in the
  // host's. When Copy returns, host memory that was read may be reused and host
  // memory that was written is complete; a copy within this backend's own
  // memory is queued like other work.
  absl::Status Copy(ConstArrayView from, ArrayView to);

  // Reads every byte of `data`, in this backend's memory, once, as fast as the
  // backend can: the ceiling for algorithms that only read.
  absl::Status ReadOnce(ConstArrayView data);

  // Makes this backend's device the current one of the calling thread, where
  // there is such a thing.
  virtual absl::Status Activate() { return absl::OkStatus(); }

  // Waits for all work given to the backend; reports its failures.
  virtual absl::Status Synchronize() = 0;

  absl::StatusOr<std::unique_ptr<Timer>> NewTimer();

  // Another backend on the same memory, which runs what has no implementation
  // for this one: one GPU of several. Null, as by default, where there is none.
  virtual std::shared_ptr<Backend> stand_in() { return nullptr; }

 protected:
  Backend(BackendInfo info, std::shared_ptr<MemoryPool> pool)
      : info_(std::move(info)), pool_(std::move(pool)) {}

  // The arrays have been checked.
  virtual absl::Status CopyChecked(ConstArrayView from, ArrayView to) = 0;
  virtual absl::Status ReadChecked(ConstArrayView data) = 0;

  // What these two throw is a status of Copy's and ReadOnce's, and what this
  // throws is one of NewTimer's.
  virtual absl::StatusOr<std::unique_ptr<Timer>> MakeTimer() = 0;

  // The same by way of an array beside them, for backends that copy bytes in
  // any order, where the two overlap.
  absl::Status CopyByTheSide(ConstArrayView from, ArrayView to);

 private:
  friend absl::StatusOr<std::shared_ptr<Backend>> OpenBackend(
      absl::string_view spec);

  BackendInfo info_;
  std::shared_ptr<MemoryPool> pool_;
};

// What a backend's folder registers about itself.
struct BackendProvider {
  std::string name;
  // `auto` takes the available backend of the highest rank.
  int rank = 0;
  std::function<BackendStatus()> probe;
  // `argument` is what follows the colon in the spec, "" when there is none.
  std::function<absl::StatusOr<std::shared_ptr<Backend>>(
      absl::string_view argument)>
      open;
  std::string library = {};  // as in BackendStatus
};

// Stands at the bottom of a backend's file:
//   const bool kRegistered = RegisterBackend({"serial", 0, Probe, Open});
bool RegisterBackend(BackendProvider provider);

// Every backend of this program, by rising rank. Those that cannot run are in
// it, too. Throws std::bad_alloc where there is no memory for the list.
std::vector<BackendStatus> ListBackends();

// Opens `serial`, `tbb`, `tbb:8` (threads), `cuda`, `cuda:1` (device),
// `gpus:0+1` or `gpus:all@striped` (backends/gpus/README.md), `mpi`,
// `mpi:tbb:2` or `mpi:cuda` (README.md), `auto`, or `auto:tbb`, which is `auto`
// among those that compute where arrays of `tbb` lie. An explicit name gives
// that backend or an error; only `auto` may choose. An empty spec stands for
// $CONCORD_BACKEND, or `auto` without it.
//
// InvalidArgument: no such backend, or an argument that it does not take.
// Unavailable: it exists but cannot run here; the message has stage and reason.
absl::StatusOr<std::shared_ptr<Backend>> OpenBackend(absl::string_view spec);

// InvalidArgument: what a call says that is given a null pointer for a backend.
absl::Status NoBackendError();

}  // namespace concord

#endif  // CONCORD_CORE_BACKEND_H_
