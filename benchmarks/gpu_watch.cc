// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/benchmarks/watch.h"

namespace concord {
namespace {

// Of NVIDIA's nvml.h, which a machine that builds this need not have.
constexpr int kSuccess = 0;
constexpr int kClockOfMultiprocessors = 1;  // NVML_CLOCK_SM
constexpr int kTemperatureOfGpu = 0;        // NVML_TEMPERATURE_GPU

struct Reason {
  std::uint64_t bit;
  const char* words;
};
constexpr Reason kDisturbances[] = {
    {0x08, "its hardware"},
    {0x20, "heat"},
    {0x40, "heat, by its hardware"},
    {0x80, "a power brake outside"},
};
// Heavy kernels run at this limit all the time: that is noted, and disturbs
// nothing.
constexpr std::uint64_t kPowerLimit = 0x04;

// Which of the machine's GPUs CUDA calls `device`, as a number or a name that
// begins with "GPU-".
std::string VisibleDevice(int device) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return absl::StrCat(device);
  const std::vector<std::string> names = absl::StrSplit(visible, ',');
  return static_cast<std::size_t>(device) < names.size()
             ? names[static_cast<std::size_t>(device)]
             : "";
}

}  // namespace

// The functions of the library that are used here.
class GpuWatch::Library {
 public:
  static std::shared_ptr<Library> Open(const std::string& name) {
    void* const opened = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (opened == nullptr) return nullptr;
    std::shared_ptr<Library> library(new Library(opened));
    const bool is_complete =
        library->Find("nvmlInit_v2", library->init_) &&
        library->Find("nvmlShutdown", library->shutdown_) &&
        library->Find("nvmlDeviceGetHandleByIndex_v2", library->by_index_) &&
        library->Find("nvmlDeviceGetHandleByUUID", library->by_name_) &&
        library->Find("nvmlDeviceGetClockInfo", library->clock_) &&
        library->Find("nvmlDeviceGetTemperature", library->temperature_) &&
        library->Find("nvmlDeviceGetCurrentClocksThrottleReasons",
                      library->reasons_);
    if (!is_complete || library->init_() != kSuccess) return nullptr;
    library->is_initialized_ = true;
    return library;
  }

  ~Library() {
    if (is_initialized_) shutdown_();
    dlclose(opened_);
  }

  void* DeviceNamed(const std::string& name) const {
    void* device = nullptr;
    unsigned index = 0;
    const int status = absl::SimpleAtoi(name, &index)
                           ? by_index_(index, &device)
                           : by_name_(name.c_str(), &device);
    return status == kSuccess ? device : nullptr;
  }

  // 0 where the GPU does not tell.
  unsigned ClockMhz(void* device) const {
    unsigned value = 0;
    return clock_(device, kClockOfMultiprocessors, &value) == kSuccess ? value
                                                                       : 0;
  }
  unsigned Celsius(void* device) const {
    unsigned value = 0;
    return temperature_(device, kTemperatureOfGpu, &value) == kSuccess ? value
                                                                       : 0;
  }
  std::uint64_t Reasons(void* device) const {
    unsigned long long value = 0;
    return reasons_(device, &value) == kSuccess ? value : 0;
  }

 private:
  explicit Library(void* opened) : opened_(opened) {}

  template <typename Function>
  bool Find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(opened_, name));
    return function != nullptr;
  }

  void* const opened_;
  bool is_initialized_ = false;
  int (*init_)() = nullptr;
  int (*shutdown_)() = nullptr;
  int (*by_index_)(unsigned, void**) = nullptr;
  int (*by_name_)(const char*, void**) = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*temperature_)(void*, int, unsigned*) = nullptr;
  int (*reasons_)(void*, unsigned long long*) = nullptr;
};

GpuWatch::GpuWatch(int device, std::shared_ptr<Library> library, void* handle)
    : device_(device), library_(std::move(library)), handle_(handle) {}

GpuWatch::~GpuWatch() = default;

std::unique_ptr<GpuWatch> GpuWatch::Create(int device,
                                           const std::string& library) {
  std::shared_ptr<Library> opened = Library::Open(library);
  const std::string name = VisibleDevice(device);
  if (opened == nullptr || name.empty()) return nullptr;
  void* const handle = opened->DeviceNamed(name);
  if (handle == nullptr) return nullptr;
  return std::unique_ptr<GpuWatch>(
      new GpuWatch(device, std::move(opened), handle));
}

void GpuWatch::Begin() { slowed_before_ = library_->Reasons(handle_); }

Watched GpuWatch::End() {
  Watched watched;
  const std::uint64_t slowed = slowed_before_ | library_->Reasons(handle_);
  for (const Reason& reason : kDisturbances) {
    if ((slowed & reason.bit) == 0) continue;
    watched.disturbed_by.push_back(
        absl::StrCat("cuda:", device_, " was slowed down by ", reason.words));
  }
  const std::string prefix = absl::StrCat("cuda:", device_, ".");
  if (const unsigned clock = library_->ClockMhz(handle_); clock > 0) {
    watched.readings[prefix + "clock_mhz"] = clock;
  }
  if (const unsigned celsius = library_->Celsius(handle_); celsius > 0) {
    watched.readings[prefix + "celsius"] = celsius;
  }
  if ((slowed & kPowerLimit) != 0)
    watched.readings[prefix + "power_limited"] = 1;
  return watched;
}

}  // namespace concord
