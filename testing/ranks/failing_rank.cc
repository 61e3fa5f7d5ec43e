// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// failing_rank HOW: ranks that scan together, of which rank 1 fails.
//
// - memory: it has too little for a large array; then all scan a small one
// - text: the same for a large text of rank 0
// - results: the same for the results of a scan on the host
// - examines: the same for what is expected of a scan
// - dies: it is killed while the others wait for it
// - leaves: it ends with status 7 while the others wait for it
// - stays: it sleeps while the others wait for it
// - rests: it says so, and comes three seconds later
// - comes late: the others have given it up, all of what is exchanged being
//   under way
// - sends late: the same where it sends and nobody else does
// - fails before the others come: it has words for them before MPI starts, and
//   the others have not come there after a minute
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
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/algorithm.h"
#include "concord/core/backend.h"
#include "concord/core/call.h"
#include "concord/core/replicas.h"
#include "concord/testing/engine/examiner.h"
#include "concord/testing/engine/recipe.h"
#include "concord/testing/engine/record_check.h"

namespace concord {
namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;
constexpr std::int64_t kLargeBytes = 512 * kMebi;
constexpr std::int64_t kTextBytes = 256 * kMebi;

// Twice as much has to be there for the addresses of the arrays.
constexpr std::int64_t kResultBytes = 48 * kMebi;

// So much that no message is sent before it is wanted, and that its memory goes
// back to the system.
constexpr std::size_t kMessageBytes = 64 * kMebi;

// From now on this process gets no more memory than that.
void LimitMemory(std::int64_t spare) {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto limit = static_cast<rlim_t>(pages * getpagesize() + spare);
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

absl::Status ScanLarge(const std::shared_ptr<Backend>& backend, bool fails) {
  const absl::StatusOr<const Algorithm*> scan = FindAlgorithm("scan");
  if (!scan.ok()) return scan.status();
  const std::vector<std::int64_t> ones(kResultBytes / sizeof(std::int64_t), 1);
  if (fails) LimitMemory(kResultBytes * 5 / 2);
  return RunCall(**scan, backend, "", {},
                 SourcesOf({{"in", absl::MakeConstSpan(ones)}}))
      .status();
}

// What is found where rank 1 has too little for what is expected.
std::string ExamineLarge(bool fails) {
  const absl::StatusOr<Subject> scan = FindSubject("scan/mpi/fixed_order");
  if (!scan.ok()) return scan.status().ToString();
  Recipe recipe;
  recipe.request = {
      kResultBytes / 8, ElementType::kInt64, "uniform",
      scan->spec->OptionCombinations(ElementType::kInt64).front()};
  recipe.backend = "mpi:serial";
  const absl::StatusOr<Trial> trial = CarryOut(recipe, *scan->spec);
  if (!trial.ok()) return trial.status().ToString();
  if (fails) LimitMemory(kResultBytes / 2);
  const std::optional<Failure> found = Examiner(*scan).Examine(*trial);
  return found.has_value() ? found->message : "nothing";
}

// The memory goes when this returns.
absl::Status Exchange(Team& team, bool sends, bool receives) {
  const auto all = static_cast<std::size_t>(team.size());
  std::vector<std::vector<char>> out(all);
  std::vector<std::vector<char>> in(all);
  std::vector<Parcel> parcels;
  std::vector<Slot> slots;
  for (std::size_t r = 0; r < all; ++r) {
    const bool self = static_cast<int>(r) == team.rank();
    out[r].resize(sends && !self ? kMessageBytes : 0);
    // Others wait for what rank 1 sends.
    in[r].resize(receives && !self && (sends || r == 1) ? kMessageBytes : 0);
    parcels.push_back(
        {out[r].data(), static_cast<std::int64_t>(out[r].size())});
    slots.push_back({in[r].data(), static_cast<std::int64_t>(in[r].size())});
  }
  return team.Exchange(parcels, slots);
}

// As a program that ends with this status.
int Fail(absl::string_view message, int exit_status) {
  if (const auto words = LastWords(message, exit_status)) {
    std::cerr << "failing_rank: " << *words << std::endl;
  }
  return exit_status;
}

int ExchangeLate(Backend& backend, bool late, bool all_send) {
  if (late) sleep(9);
  const absl::Status status =
      Exchange(static_cast<TeamBackend&>(backend).team(), all_send || late,
               all_send || !late);
  return status.ok() ? 0 : Fail(status.message(), 1);
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
  if (how == "fails before the others come") {
    if (fails) return Fail("it cannot go on", 4);
    sleep(60);
  }
  const auto backend = OpenBackend("mpi:serial");
  if (!backend.ok()) return std::cout << backend.status() << std::endl, 3;
  if (fails) {
    if (how == "memory") LimitMemory(64 * kMebi);
    // The C library takes some of it for an arena where it finds too little.
    if (how == "text") LimitMemory(kTextBytes * 3 / 4);
    if (how == "dies") kill(getpid(), SIGKILL);
    if (how == "leaves") return 7;
    if (how == "stays") sleep(100);
    if (how == "rests") {
      std::cout << "rank 1 rests" << std::endl;
      sleep(3);
    }
  }
  if (how == "comes late" || how == "sends late") {
    return ExchangeLate(**backend, fails, how == "comes late");
  }
  if (how == "memory") {
    const auto large = (*backend)->Allocate(ElementType::kUInt8, kLargeBytes);
    std::cout << large.status() << std::endl;
  }
  if (how == "text") {
    const std::string text(IsFirstReplica() ? kTextBytes : 0, 'x');
    std::cout << FromFirst(text).status() << std::endl;
  }
  if (how == "results") std::cout << ScanLarge(*backend, fails) << std::endl;
  if (how == "examines") std::cout << ExamineLarge(fails) << std::endl;
  const int status = ScanSmall(*backend);
  if (fails && how == "stays at the end") raise(SIGSTOP);
  return status;
}

}  // namespace
}  // namespace concord

int main(int argc, char** argv) {
  return concord::Main(argc == 2 ? argv[1] : "");
}
