// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_WATCH_H_
#define CONCORD_BENCHMARKS_WATCH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace concord {

// What the machine did while something was measured.
struct Watched {
  // In words; empty when nothing disturbed it.
  std::vector<std::string> disturbed_by;
  // Such as {"gpu_clock_mhz", 1980}.
  std::map<std::string, double> readings;
};

// Looks after what else happens on the machine. It reads counters before and
// after, and never while something is timed.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void Begin() = 0;
  // Since Begin.
  virtual Watched End() = 0;
};

// The processors: the time that a virtual machine did not get ("steal"), that
// other programs used, and that this thread waited for a processor. Of several
// replicas, none tells the others from other programs: that is left out.
class CpuWatch : public Watch {
 public:
  // `proc`: where counters are.
  explicit CpuWatch(std::string proc = "/proc") : proc_(std::move(proc)) {}

  void Begin() override { before_ = Read(); }
  Watched End() override;

 private:
  struct Counters {
    bool has_ticks = false;
    // Of all processors together.
    std::int64_t ticks = 0;
    std::int64_t busy = 0;
    std::int64_t stolen = 0;
    double own = 0;  // of this process, in the same unit
    bool has_waits = false;
    double waited = 0;  // seconds, of this thread
    double clock = 0;   // seconds
  };
  Counters Read() const;

  const std::string proc_;
  Counters before_;
};

inline constexpr char kNvidiaManagementLibrary[] = "libnvidia-ml.so.1";

// A GPU, by NVIDIA's management library, which is loaded when the first watch
// is made: its clock, its temperature, and why it is slower than it could be.
class GpuWatch : public Watch {
 public:
  // Null where there is no such library or device. `device` is CUDA's number.
  static std::unique_ptr<GpuWatch> Create(
      int device, const std::string& library = kNvidiaManagementLibrary);
  ~GpuWatch() override;

  void Begin() override;
  Watched End() override;

 private:
  class Library;
  GpuWatch(int device, std::shared_ptr<Library> library, void* handle);

  const int device_;
  const std::shared_ptr<Library> library_;
  void* const handle_;
  std::uint64_t slowed_before_ = 0;
};

// All that can be watched of a run on these backends, such as "tbb", "cuda:1"
// and "gpus:0+1", of which each member is watched.
std::unique_ptr<Watch> WatchMachine(
    const std::vector<std::string>& backends,
    const std::string& library = kNvidiaManagementLibrary);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_WATCH_H_
