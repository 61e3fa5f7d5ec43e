// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/read_pass.cuh"
#include "concord/backends/cuda/stream_backend.h"
#include "concord/backends/gpus/group.h"
#include "concord/backends/gpus/group_memory.h"
#include "concord/backends/gpus/group_spec.h"
#include "concord/backends/gpus/group_words.cuh"
#include "concord/backends/gpus/share_passes.cuh"
#include "concord/backends/patience.h"
#include "concord/core/errors.h"
#include "concord/core/fills.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

// How long a kernel waits for another member, when CONCORD_PATIENCE does not
// say otherwise. Nothing that works takes as long.
constexpr double kUsualPatience = 10;

// The name of a group's memory lives as long as the program.
Memory MemoryNamed(const std::string& name) {
  static auto* const mutex = new std::mutex();
  static auto* const names = new std::set<std::string>();
  const std::lock_guard<std::mutex> lock(*mutex);
  return Memory(names->insert(name).first->c_str());
}

// Who gave up waiting for whom, as kernels leave it in page-locked memory.
class Health {
 public:
  static absl::StatusOr<std::shared_ptr<Health>> Create(const GroupSpec& spec) {
    void* word = nullptr;
    RETURN_IF_ERROR(
        CudaStatus(cudaHostAlloc(&word, sizeof(std::uint32_t),
                                 cudaHostAllocPortable | cudaHostAllocMapped),
                   "a word that all members reach"));
    return std::shared_ptr<Health>(
        new Health(spec, static_cast<std::uint32_t*>(word)));
  }
  ~Health() { TryCuda(cudaFreeHost(word_)); }
  Health(const Health&) = delete;
  Health& operator=(const Health&) = delete;

  Patience patience() const {
    return {word_, static_cast<std::uint64_t>(seconds_ * 1e9)};
  }

  absl::Status status() const {
    const std::uint32_t word = *static_cast<volatile std::uint32_t*>(word_);
    if (word == 0) return absl::OkStatus();
    return absl::DeadlineExceededError(
        absl::StrCat(spec_.name(), ": ", Member(word & 0xff), " waited ",
                     seconds_, " seconds for ", Member(word >> 8),
                     "; this backend takes no more work"));
  }

 private:
  Health(const GroupSpec& spec, std::uint32_t* word)
      : spec_(spec), seconds_(PatienceSeconds(kUsualPatience)), word_(word) {
    *word_ = 0;
  }

  std::string Member(std::uint32_t number) const {
    const std::uint32_t member = number - 1;
    return absl::StrCat("member ", member, " (cuda:", spec_.devices[member],
                        ")");
  }

  const GroupSpec spec_;
  const double seconds_;
  std::uint32_t* const word_;
};

// A member's stream, and an event on it for what the others wait for.
struct Member {
  std::shared_ptr<CudaBackend> backend;
  std::shared_ptr<CUevent_st> reached;
  // A word for passes that only read.
  Array sink;
};

absl::StatusOr<std::shared_ptr<CUevent_st>> NewEvent() {
  cudaEvent_t event = nullptr;
  RETURN_IF_ERROR(CudaStatus(
      cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "an event"));
  return std::shared_ptr<CUevent_st>(
      event, [](cudaEvent_t e) { TryCuda(cudaEventDestroy(e)); });
}

// On a member's stream, behind its part of a call.
template <typename = void>
__global__ void SayDone(std::uint64_t* door, std::uint32_t flag) {
  TellValue(door, flag, std::uint32_t{1});
}

// On the first member's stream: one that nothing came of is noticed here,
// before its part of a result is taken for one.
template <typename = void>
__global__ void AwaitDone(const std::uint64_t* doors, std::uint32_t set,
                          std::uint32_t flag,
                          const __grid_constant__ Patience patience) {
  for (std::uint32_t member = 1; set >> member != 0; ++member) {
    if (set >> member & 1) {
      AwaitValue<std::uint32_t>(doors + member, flag, patience, 0, member);
    }
  }
}

class Group : public GpusBackend, public Fills {
 public:
  Group(BackendInfo info, std::shared_ptr<Health> health,
        std::shared_ptr<CudaBackend> leader, std::vector<Member> members,
        Array done, int multiprocessors)
      : GpusBackend(std::move(info), leader->pool().shared_from_this()),
        health_(std::move(health)),
        leader_(std::move(leader)),
        members_(std::move(members)),
        multiprocessors_(multiprocessors),
        done_(std::move(done)) {}

  int members() const override { return static_cast<int>(members_.size()); }
  const std::shared_ptr<CudaBackend>& member(int index) const override {
    return members_[index].backend;
  }
  int multiprocessors() const override { return multiprocessors_; }
  Patience patience() const override { return health_->patience(); }
  void set_unanswering(int member) override { unanswering_ = member; }

  absl::Status Meet() override {
    for (int i = 1; i < members(); ++i) RETURN_IF_ERROR(WaitFor(i, 1));
    RETURN_IF_ERROR(WaitFor(0, ~0u));
    return leader_->Activate();
  }

  absl::Status RunInRounds(
      std::uint32_t set, int rounds,
      absl::FunctionRef<absl::Status(int, int)> queue) override {
    const std::uint32_t others = set & ~1u;
    const std::uint32_t flag = FlagOfCall(++calls_);
    RETURN_IF_ERROR(WaitFor(0, others));
    absl::Status status;
    const auto for_each = [&](absl::FunctionRef<absl::Status(int)> act) {
      for (int i = 0; i < members() && status.ok(); ++i) {
        if ((set >> i & 1) == 0 || i == unanswering_) continue;
        status = member(i)->Activate();
        // Nothing is thrown past what is queued already: it is waited for.
        if (status.ok()) status = Guarded([&] { return act(i); });
      }
    };
    for (int round = 0; round < rounds; ++round) {
      for_each([&](int i) { return queue(i, round); });
    }
    // Not before all is queued: streams of one GPU may share a queue of the
    // hardware, where the end of one member's part would be waited for by
    // another part, which it may be waiting for.
    for_each([&](int i) {
      return i > 0 ? SayThatItIsDone(i, flag) : absl::OkStatus();
    });
    // What was queued is waited for, whatever became of the rest.
    for (int i = 1; i < members(); ++i) {
      if (others >> i & 1) status.Update(WaitFor(i, 1));
    }
    status.Update(leader_->Activate());
    if (!status.ok() || others == 0) return status;
    return QueueKernel(*leader_, "waiting for the members of a group",
                       AwaitDone<>, {1, kWarpSize}, done(), others, flag,
                       patience());
  }

  absl::Status Activate() override { return leader_->Activate(); }
  absl::Status Synchronize() override { return leader_->Synchronize(); }
  absl::StatusOr<Array> AllocateHost(ElementType type,
                                     std::int64_t size) override {
    return leader_->AllocateHost(type, size);
  }
  absl::Status Fill(ArrayView data) override {
    char* const bytes = data.data<char>();
    const std::int64_t in_vectors =
        AreAligned(bytes, nullptr) ? data.bytes() / kVector * kVector : 0;
    if (in_vectors > 0) RETURN_IF_ERROR(PassOver(nullptr, bytes, in_vectors));
    RETURN_IF_ERROR(leader_->Activate());
    const auto rest = static_cast<std::size_t>(data.bytes() - in_vectors);
    return CudaStatus(
        cudaMemsetAsync(bytes + in_vectors, 0, rest, leader_->stream()),
        "filling an array");
  }
  std::shared_ptr<Backend> stand_in() override { return leader_; }

 protected:
  absl::Status CopyChecked(ConstArrayView from, ArrayView to) override {
    if (Overlap(from, to)) return CopyByTheSide(from, to);
    // From the host, or to it, one copy engine is as fast as the way there.
    const bool inside = !from.memory().is_host() && !to.memory().is_host();
    const std::int64_t in_vectors =
        inside && AreAligned(from.data(), to.data())
            ? from.bytes() / kVector * kVector / SizeOf(from.type())
            : 0;
    if (in_vectors > 0) {
      RETURN_IF_ERROR(
          PassOver(from.data(), to.data(), in_vectors * SizeOf(from.type())));
    }
    const std::int64_t rest = from.size() - in_vectors;
    if (rest == 0) return absl::OkStatus();
    return leader_->Copy(from.Slice(in_vectors, rest),
                         to.Slice(in_vectors, rest));
  }
  absl::Status ReadChecked(ConstArrayView data) override {
    const WholeVectors vectors = WholeVectors::In(data.data(), data.bytes());
    return PassOver(vectors.first, nullptr, vectors.count * kVector);
  }
  absl::StatusOr<std::unique_ptr<Timer>> MakeTimer() override {
    return leader_->NewTimer();
  }

 private:
  static constexpr std::int64_t kVector = sizeof(uint4);

  static bool AreAligned(const void* a, const void* b) {
    return (reinterpret_cast<std::uintptr_t>(a) |
            reinterpret_cast<std::uintptr_t>(b)) %
               kVector ==
           0;
  }

  // Each member copies what of `from` lies with it, or reads it; without
  // `from`, it fills what of `to` lies with it.
  absl::Status PassOver(const void* from, void* to, std::int64_t bytes) {
    const GroupPlace place =
        Locate(from != nullptr ? from : to, members()).place;
    const std::int64_t units = (bytes + kPassBytes - 1) / kPassBytes;
    std::uint32_t set = 0;
    for (int i = 0; i < members(); ++i) {
      if (ShareOf(place, kPassBytes, units, i).count > 0) set |= 1u << i;
    }
    return RunTogether(set, [&](int i) {
      const Share share = ShareOf(place, kPassBytes, units, i);
      return QueueKernel(*member(i), "a pass over a group's array",
                         PassOverShare<>, {share.count, kPassThreads},
                         static_cast<const uint4*>(from),
                         static_cast<uint4*>(to), bytes / kVector, share,
                         members_[i].sink.data<unsigned>());
    });
  }

  // Where each member says that it is done, in the first one's memory.
  std::uint64_t* done() const { return done_.data<std::uint64_t>(); }

  absl::Status SayThatItIsDone(int index, std::uint32_t flag) {
    return QueueKernel(*member(index), "the end of a member's part", SayDone<>,
                       {1, 1}, done() + index, flag);
  }

  // The members in the set wait for what is queued on this one.
  absl::Status WaitFor(int index, std::uint32_t set) {
    if ((set & ~(1u << index)) == 0) return absl::OkStatus();
    // Not Activate: after a member has given up, too, what the others have
    // queued is waited for.
    RETURN_IF_ERROR(
        CudaStatus(cudaSetDevice(member(index)->device()), "a member"));
    const cudaEvent_t reached = members_[index].reached.get();
    RETURN_IF_ERROR(CudaStatus(
        cudaEventRecord(reached, member(index)->stream()), "an event"));
    for (int i = 0; i < members(); ++i) {
      if (i == index || (set >> i & 1) == 0) continue;
      RETURN_IF_ERROR(CudaStatus(
          cudaStreamWaitEvent(member(i)->stream(), reached, 0), "an event"));
    }
    return absl::OkStatus();
  }

  const std::shared_ptr<Health> health_;
  const std::shared_ptr<CudaBackend> leader_;
  const std::vector<Member> members_;
  const int multiprocessors_;
  const Array done_;
  std::uint32_t calls_ = 0;
  int unanswering_ = -1;
};

// Every device once.
std::vector<int> Distinct(const std::vector<int>& devices) {
  const std::set<int> distinct(devices.begin(), devices.end());
  return {distinct.begin(), distinct.end()};
}

// A member's backend: its stream, and memory that lies with it.
// `leading` is the stream behind which all work of the group is done.
absl::StatusOr<Member> MakeMember(const GroupSpec& spec, int index,
                                  const std::shared_ptr<Health>& health,
                                  std::shared_ptr<CUstream_st> stream,
                                  std::shared_ptr<CUstream_st> leading) {
  const int device = spec.devices[index];
  const std::string name =
      absl::StrCat("member ", index, " (cuda:", device, ") of ", spec.name());
  auto pool = std::make_shared<GroupPool>(
      MemoryNamed(name), std::vector<int>{device}, Distinct(spec.devices),
      GroupLayout::kBlocked,
      std::vector<std::shared_ptr<CUstream_st>>{std::move(leading), stream});
  Member member;
  ASSIGN_OR_RETURN(member.backend,
                   MakeStreamBackend({{"cuda", name, "", {}},
                                      device,
                                      std::move(stream),
                                      std::move(pool),
                                      [health] { return health->status(); }}));
  ASSIGN_OR_RETURN(member.reached, NewEvent());
  ASSIGN_OR_RETURN(member.sink,
                   member.backend->Allocate(ElementType::kUInt32, 1));
  return member;
}

// Of the group's arrays: an ordinary backend on the first member.
absl::StatusOr<std::shared_ptr<CudaBackend>> MakeLeader(
    const GroupSpec& spec, const std::shared_ptr<Health>& health,
    std::shared_ptr<CUstream_st> leading) {
  const std::string name = spec.name();
  const std::string stands_in =
      absl::StrCat("on one member, cuda:", spec.devices[0], ", of ", name);
  auto pool = std::make_shared<GroupPool>(
      MemoryNamed(name), spec.devices, Distinct(spec.devices), spec.layout,
      std::vector<std::shared_ptr<CUstream_st>>{leading});
  RETURN_IF_ERROR(UseCudaDevice(spec.devices[0]));
  return MakeStreamBackend(
      {{"cuda", name, stands_in, {{"stands_in", stands_in}}},
       spec.devices[0],
       std::move(leading),
       std::move(pool),
       [health] { return health->status(); }});
}

// How many multiprocessors of its device each member has at least.
int MultiprocessorsOf(const GroupSpec& spec,
                      const std::vector<Member>& members) {
  int least = members[0].backend->multiprocessors();
  for (const Member& member : members) {
    const auto times = static_cast<int>(std::count(
        spec.devices.begin(), spec.devices.end(), member.backend->device()));
    least = std::min(least, member.backend->multiprocessors() / times);
  }
  return std::max(least, 1);
}

}  // namespace

absl::StatusOr<std::shared_ptr<GpusBackend>> MakeGroup(const GroupSpec& spec) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Health> health, Health::Create(spec));
  std::vector<Member> members;
  std::shared_ptr<CUstream_st> leading;
  for (std::size_t i = 0; i < spec.devices.size(); ++i) {
    RETURN_IF_ERROR(UseCudaDevice(spec.devices[i]));
    ASSIGN_OR_RETURN(std::shared_ptr<CUstream_st> stream, NewStream());
    if (i == 0) leading = stream;
    ASSIGN_OR_RETURN(Member member,
                     MakeMember(spec, static_cast<int>(i), health,
                                std::move(stream), leading));
    members.push_back(std::move(member));
  }
  ASSIGN_OR_RETURN(std::shared_ptr<CudaBackend> leader,
                   MakeLeader(spec, health, leading));
  ASSIGN_OR_RETURN(Array done, members[0].backend->Allocate(
                                   ElementType::kUInt64, kMostMembers));
  RETURN_IF_ERROR(CudaStatus(
      cudaMemsetAsync(done.data<void>(), 0,
                      kMostMembers * sizeof(std::uint64_t), leading.get()),
      "clearing the doors of a group"));
  Facts facts = {
      {"members", absl::StrCat(members.size())},
      {"layout", spec.layout == GroupLayout::kStriped ? "striped" : "blocked"}};
  const Facts& of_first = members[0].backend->info().facts;
  facts.insert(facts.end(), of_first.begin(), of_first.end());
  const int multiprocessors = MultiprocessorsOf(spec, members);
  return std::make_shared<Group>(BackendInfo{"gpus", spec.name(), "", facts},
                                 health, std::move(leader), std::move(members),
                                 std::move(done), multiprocessors);
}

}  // namespace concord
