// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/watch.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <numeric>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

// Shares from which on a time is no longer that of the program alone: a
// fraction of what most changes of a kernel amount to.
constexpr double kMostStolen = 0.02;
constexpr double kMostWaiting = 0.03;
// Others on other processors disturb less: they share caches and memory.
constexpr double kMostOthers = 0.10;

// The system counts in ticks of a hundredth of a second. Fewer say nothing.
constexpr std::int64_t kLeastTicks = 20;

// Of a group of GPUs.
constexpr int kMostMembers = 8;

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) * 1e-6;
}

// Several watches as one.
class AllWatches : public Watch {
 public:
  explicit AllWatches(std::vector<std::unique_ptr<Watch>> watches)
      : watches_(std::move(watches)) {}

  void Begin() override {
    for (const std::unique_ptr<Watch>& watch : watches_) watch->Begin();
  }
  Watched End() override {
    Watched all;
    for (const std::unique_ptr<Watch>& watch : watches_) {
      const Watched one = watch->End();
      all.disturbed_by.insert(all.disturbed_by.end(), one.disturbed_by.begin(),
                              one.disturbed_by.end());
      all.readings.insert(one.readings.begin(), one.readings.end());
    }
    return all;
  }

 private:
  const std::vector<std::unique_ptr<Watch>> watches_;
};

// What is no device is left out; so are, later, devices that are not there.
std::vector<int> GpusOf(absl::string_view spec) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(spec, absl::MaxSplits(':', 1));
  const auto& [name, argument] = parts;
  if (name == "cuda" && argument.empty()) return {0};
  if (name != "cuda" && name != "gpus") return {};
  const absl::string_view members = argument.substr(0, argument.find('@'));
  std::vector<int> devices;
  if (members.empty() || members == "all") {
    devices.resize(kMostMembers);
    std::iota(devices.begin(), devices.end(), 0);
    return devices;
  }
  for (const absl::string_view member : absl::StrSplit(members, '+')) {
    int device = 0;
    if (absl::SimpleAtoi(member, &device)) devices.push_back(device);
  }
  return devices;
}

}  // namespace

CpuWatch::Counters CpuWatch::Read() const {
  Counters counters;
  counters.clock = std::chrono::duration<double>(
                       std::chrono::steady_clock::now().time_since_epoch())
                       .count();
  std::ifstream stat(absl::StrCat(proc_, "/stat"));
  std::string cpu;
  std::int64_t user = 0, nice = 0, system = 0, idle = 0, io_wait = 0;
  std::int64_t interrupts = 0, soft_interrupts = 0, stolen = 0;
  if (stat >> cpu >> user >> nice >> system >> idle >> io_wait >> interrupts >>
      soft_interrupts >> stolen) {
    counters.has_ticks = cpu == "cpu";
    counters.busy = user + nice + system + interrupts + soft_interrupts;
    counters.stolen = stolen;
    counters.ticks = counters.busy + idle + io_wait + stolen;
  }
  rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    counters.own = (SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime)) *
                   static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  // Nanoseconds on a processor, and waiting for one.
  std::ifstream schedule(absl::StrCat(proc_, "/thread-self/schedstat"));
  double ran = 0;
  double waited = 0;
  if (schedule >> ran >> waited) {
    counters.has_waits = true;
    counters.waited = waited * 1e-9;
  }
  return counters;
}

Watched CpuWatch::End() {
  const Counters after = Read();
  Watched watched;
  const auto note = [&](const char* reading, double share, double most,
                        const char* words) {
    watched.readings[reading] = share;
    if (share >= most) watched.disturbed_by.push_back(words);
  };
  const std::int64_t ticks = after.ticks - before_.ticks;
  if (before_.has_ticks && after.has_ticks && ticks >= kLeastTicks) {
    const auto all = static_cast<double>(ticks);
    note("stolen_share",
         static_cast<double>(after.stolen - before_.stolen) / all, kMostStolen,
         "the host of this virtual machine took processors away");
    // The other replicas of this host are no other programs, and nobody here
    // knows what they used.
    if (ReplicaCount() == 1) {
      const double others = static_cast<double>(after.busy - before_.busy) -
                            (after.own - before_.own);
      note("others_share", std::max(0.0, others / all), kMostOthers,
           "other programs used the processors");
    }
  }
  const double seconds = after.clock - before_.clock;
  if (before_.has_waits && after.has_waits && seconds > 0) {
    note("waited_share", (after.waited - before_.waited) / seconds,
         kMostWaiting, "the program waited for a processor");
  }
  return watched;
}

std::unique_ptr<Watch> WatchMachine(const std::vector<std::string>& backends,
                                    const std::string& library) {
  std::vector<std::unique_ptr<Watch>> watches;
  watches.push_back(std::make_unique<CpuWatch>());
  // Of several backends on one GPU, one watch.
  std::map<int, std::unique_ptr<Watch>> gpus;
  for (const std::string& spec : backends) {
    for (const int device : GpusOf(spec)) {
      if (gpus.count(device) == 0) {
        gpus[device] = GpuWatch::Create(device, library);
      }
    }
  }
  for (auto& [device, watch] : gpus) {
    if (watch != nullptr) watches.push_back(std::move(watch));
  }
  return std::make_unique<AllWatches>(std::move(watches));
}

}  // namespace concord
