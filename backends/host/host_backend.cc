// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/host/host_backend.h"

#include <chrono>
#include <cstring>
#include <fstream>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "concord/backends/host/host_pool.h"

namespace concord {
namespace {

class SteadyTimer : public Timer {
 public:
  absl::Status Start() override {
    start_ = Clock::now();
    return absl::OkStatus();
  }
  absl::Status Stop() override {
    stop_ = Clock::now();
    return absl::OkStatus();
  }
  absl::StatusOr<double> Seconds() override {
    return std::chrono::duration<double>(stop_ - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  Clock::time_point stop_;
};

}  // namespace

HostBackend::HostBackend(BackendInfo info)
    : Backend(std::move(info), std::make_shared<HostPool>()) {}

absl::Status HostBackend::CopyChecked(ConstArrayView from, ArrayView to) {
  std::memmove(to.data(), from.data(), static_cast<std::size_t>(from.bytes()));
  return absl::OkStatus();
}

absl::Status HostBackend::ReadOnce(ConstArrayView data) {
  const auto* bytes = data.data<std::uint8_t>();
  // The volatile sum keeps the loop from being optimised away.
  volatile std::uint8_t sum =
      std::accumulate(bytes, bytes + data.bytes(), std::uint8_t{0});
  static_cast<void>(sum);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Timer>> HostBackend::NewTimer() {
  return std::make_unique<SteadyTimer>();
}

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!absl::StartsWith(line, "model name")) continue;
    const std::pair<std::string, std::string> field =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    return std::string(absl::StripAsciiWhitespace(field.second));
  }
  return "unknown CPU";
}

}  // namespace concord
