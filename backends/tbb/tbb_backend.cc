// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/tbb_backend.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/version.h>

#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "concord/backends/tbb/available_cpus.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/core/environment.h"
#include "concord/core/errors.h"
#include "concord/core/fills.h"

#if defined(__SANITIZE_THREAD__)
// What oneTBB's own templates read and write is put in order within the
// library, where ThreadSanitizer does not look; and so is what the library
// itself hands from thread to thread and frees.
extern "C" const char* __tsan_default_suppressions() {
  return "race_top:^tbb::detail\n"
         "race_top:^void tbb::detail\n"
         "race_top:concord::TbbBackend::ForEach\n"
         "called_from_lib:libtbb.so\n";
}
#endif

namespace concord {
namespace {

// A spec that asks for more threads than this is taken for a slip.
constexpr int kMostThreads = 1024;

// oneTBB keeps to the CPUs that it found unless it is allowed more threads, and
// takes the least of all such permissions that are in force. One for the whole
// process, wide enough, leaves the count to each backend's arena.
void AllowAnyNumberOfThreads() {
  static const oneapi::tbb::global_control permission(
      oneapi::tbb::global_control::max_allowed_parallelism, kMostThreads);
  static_cast<void>(permission);
}

Facts FactsOf(int threads) {
  return {{"cpu", CpuModel()},
          {"threads", absl::StrCat(threads)},
          {"vector_instructions", std::string(Name(kSimdTarget))},
          {"tbb", TBB_runtime_version()}};
}

BackendStatus Probe() {
  BackendStatus status;
  status.name = "tbb";
  const int threads = AvailableCpus();
  status.devices = {{absl::StrCat("tbb:", threads), FactsOf(threads)}};
  status.variations = {"tbb:1", "tbb:3"};
  return status;
}

// What is opened by name can fill, too.
class FillingBackend : public TbbBackend, public Fills {
 public:
  using TbbBackend::TbbBackend;

  absl::Status Fill(ArrayView data) override {
    // Enough for a thread to forget what taking it costs.
    constexpr std::int64_t kGrain = std::int64_t{512} << 10;
    char* const bytes = data.data<char>();
    ForEachRange(
        data.bytes(), kGrain, [&](std::int64_t first, std::int64_t last) {
          std::memset(bytes + first, 0, static_cast<std::size_t>(last - first));
        });
    return absl::OkStatus();
  }
};

absl::StatusOr<std::shared_ptr<Backend>> Open(absl::string_view argument) {
  RETURN_IF_ERROR(CheckNamedSimdTarget());
  int threads = AvailableCpus();
  if (!argument.empty() && (!absl::SimpleAtoi(argument, &threads) ||
                            threads < 1 || threads > kMostThreads)) {
    return InvalidArgumentError("backend 'tbb:", argument,
                                "': the number of threads is ",
                                "a whole number from 1 to ", kMostThreads);
  }
  return std::make_shared<FillingBackend>(threads);
}

const bool kRegistered =
    RegisterBackend({"tbb", /*rank=*/10, Probe, Open,
                     absl::StrCat("oneTBB ", TBB_runtime_version())});
const bool kChecked = RegisterEnvironmentCheck(CheckNamedSimdTarget);

}  // namespace

TbbBackend::TbbBackend(int threads)
    : HostBackend({"tbb", absl::StrCat("tbb:", threads), "", FactsOf(threads)}),
      threads_(threads),
      arena_(threads) {
  AllowAnyNumberOfThreads();
}

absl::Status TbbBackend::ReadChecked(ConstArrayView data) {
  ParallelRead(*this, data.data(), data.bytes());
  return absl::OkStatus();
}

absl::Status TbbBackend::CopyChecked(ConstArrayView from, ArrayView to) {
  if (Overlap(from, to)) return HostBackend::CopyChecked(from, to);
  ParallelCopy(*this, to.data(), from.data(), from.bytes());
  return absl::OkStatus();
}

}  // namespace concord
