// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The functions of NVIDIA's management library that GpuWatch loads, for one
// GPU. Its state is in the environment.

#include <cstdlib>
#include <cstring>

namespace {

int device;

unsigned long long Number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 0);
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return static_cast<int>(Number("FAKE_NVML_INIT")); }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
  *handle = &device;
  return index == 0 ? 0 : 2;
}
int nvmlDeviceGetHandleByUUID(const char* name, void** handle) {
  *handle = &device;
  return std::strcmp(name, "GPU-fake") == 0 ? 0 : 2;
}
int nvmlDeviceGetClockInfo(void*, int, unsigned* mhz) {
  *mhz = static_cast<unsigned>(Number("FAKE_NVML_CLOCK"));
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 54;
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*,
                                              unsigned long long* reasons) {
  *reasons = Number("FAKE_NVML_REASONS");
  return 0;
}
}
