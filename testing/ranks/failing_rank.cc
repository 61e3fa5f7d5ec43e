// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// failing_rank HOW: ranks that scan together, of which rank 1 fails.
//
// - memory: it has too little for a large array; then all scan a small one
// - dies: it is killed while the others wait for it
// - leaves: it ends with status 7 while the others wait for it
// - stays: it sleeps while the others wait for it
// - stays where MPI has started: it stops, and the others start MPI
// - stays at the end: it stops when all have scanned

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/core/backend.h"

namespace concord {
namespace {

constexpr std::int64_t kSpareBytes = std::int64_t{64} << 20;
constexpr std::int64_t kLargeBytes = std::int64_t{512} << 20;

// From now on this process gets no more memory than that.
void LimitMemory() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto limit = static_cast<rlim_t>(pages * getpagesize() + kSpareBytes);
  const rlimit limits = {limit, limit};
  setrlimit(RLIMIT_AS, &limits);
}

int ScanSmall(const std::shared_ptr<Backend>& backend) {
  const std::vector<std::int64_t> ones(1000, 1);
  const auto sums = ComputeScan<std::int64_t>(backend, ones);
  std::cout << (sums.ok() ? "the last sum is " + std::to_string(sums->back())
                          : sums.status().ToString())
            << std::endl;
  return sums.ok() ? 0 : 1;
}

// As a program that starts MPI itself.
void StartMpi() {
  void* const library = dlopen("libmpi.so.40", RTLD_LAZY | RTLD_GLOBAL);
  if (library == nullptr) return;
  using Init = int (*)(int*, char***);
  reinterpret_cast<Init>(dlsym(library, "MPI_Init"))(nullptr, nullptr);
}

int Main(const std::string& how) {
  const bool fails = std::getenv("OMPI_COMM_WORLD_RANK") == std::string("1");
  if (fails && how == "stays where MPI has started") {
    StartMpi();
    raise(SIGSTOP);
  }
  const auto backend = OpenBackend("mpi:serial");
  if (!backend.ok()) return std::cout << backend.status() << std::endl, 3;
  if (fails) {
    if (how == "memory") LimitMemory();
    if (how == "dies") kill(getpid(), SIGKILL);
    if (how == "leaves") return 7;
    if (how == "stays") sleep(100);
  }
  if (how == "memory") {
    const auto large = (*backend)->Allocate(ElementType::kUInt8, kLargeBytes);
    std::cout << large.status() << std::endl;
  }
  const int status = ScanSmall(*backend);
  if (fails && how == "stays at the end") raise(SIGSTOP);
  return status;
}

}  // namespace
}  // namespace concord

int main(int argc, char** argv) {
  return concord::Main(argc == 2 ? argv[1] : "");
}
