// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The functions of NVIDIA's management library that GpuWatch loads, for one
// GPU, or as many as $FAKE_NVML_GPUS says. Their state is in the environment.

#include <cstdlib>
#include <cstring>

namespace {

constexpr unsigned kMostDevices = 4;  // a digit tells them apart
unsigned devices[kMostDevices];

unsigned long long Number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 0);
}

unsigned CountOfDevices() {
  const unsigned long long count = Number("FAKE_NVML_GPUS");
  return count == 0 || count > kMostDevices ? 1 : static_cast<unsigned>(count);
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return static_cast<int>(Number("FAKE_NVML_INIT")); }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
  *handle = &devices[index % kMostDevices];
  return index < CountOfDevices() ? 0 : 2;
}
int nvmlDeviceGetHandleByUUID(const char* name, void** handle) {
  *handle = &devices[0];
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
// Of all GPUs, or of the one whose number ends the variable's name.
int nvmlDeviceGetCurrentClocksThrottleReasons(void* handle,
                                              unsigned long long* reasons) {
  char of_one[] = "FAKE_NVML_REASONS_0";
  of_one[sizeof(of_one) - 2] +=
      static_cast<char>(static_cast<unsigned*>(handle) - devices);
  *reasons = Number("FAKE_NVML_REASONS") | Number(of_one);
  return 0;
}
}
