// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_GPUS_GROUP_LAUNCH_CUH_
#define CONCORD_BACKENDS_GPUS_GROUP_LAUNCH_CUH_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/gpus/gpus_backend.h"
#include "concord/backends/gpus/group_exchange.cuh"
#include "concord/backends/gpus/group_memory.h"
#include "concord/core/errors.h"

namespace concord {

// Sizes at which arrays reach another member, in elements of each size.
inline std::vector<std::int64_t> StripeBoundaries() {
  std::vector<std::int64_t> boundaries = {kGranuleBytes};
  for (const std::int64_t stripes : {1, 2, 3}) {
    for (const std::int64_t size : {4, 8}) {
      boundaries.push_back(stripes * kGranuleBytes / size);
    }
  }
  return boundaries;
}

// The members for which f(member) is true, as RunTogether takes them.
inline std::uint32_t SetOf(int members, absl::FunctionRef<bool(int)> f) {
  std::uint32_t set = 0;
  for (int i = 0; i < members; ++i) set |= f(i) ? 1u << i : 0;
  return set;
}

// Queues a part of a job with each member that has units of an array that lies
// at `array`: queue(member, share), where share_of(place, member) is a Share or
// an UnevenShare of an array at that place.
template <typename ShareOfMember, typename Queue>
absl::Status QueueShares(GpusBackend& backend, const void* array,
                         const ShareOfMember& share_of, const Queue& queue) {
  const int members = backend.members();
  const GroupPlace place = Locate(array, members).place;
  return backend.RunTogether(
      SetOf(members, [&](int i) { return share_of(place, i).count > 0; }),
      [&](int i) { return queue(i, share_of(place, i)); });
}

// The same by units of so many bytes, which divide a stripe.
template <typename Queue>
absl::Status QueueShares(GpusBackend& backend, const void* array,
                         std::int64_t unit_bytes, std::int64_t units,
                         const Queue& queue) {
  return QueueShares(
      backend, array,
      [&](const GroupPlace& place, int member) {
        return ShareOf(place, unit_bytes, units, member);
      },
      queue);
}

// An array of the group's as one of the member's, who reaches it all the same.
template <typename View>
View ForMember(const GpusBackend& backend, int member, const View& array) {
  if (!array.given()) return View();
  return View(array.data(), array.type(), array.shape(),
              backend.member(member)->memory());
}

// How an array is shared out among members of which each needs to know what
// precedes its part.
struct GroupCut {
  Located located;
  std::int64_t element_bytes;
  std::int64_t size;
  // The members that have elements of it, where it is cut into stretches.
  std::uint32_t set;

  static GroupCut Of(const ConstArrayView& in, int members) {
    GroupCut cut = {Locate(in.data(), members), SizeOf(in.type()), in.size(),
                    0};
    cut.set = SetOf(members, [&](int i) { return !cut.StretchOf(i).empty(); });
    return cut;
  }

  Stretch StretchOf(int member) const {
    return concord::StretchOf(located.place, element_bytes, size, member);
  }
  // The member's stretch of an array as long.
  template <typename View>
  View PartOf(const View& array, int member) const {
    const Stretch stretch = StretchOf(member);
    return array.Slice(stretch.begin, stretch.end - stretch.begin);
  }
  // Whether members can go through it together: nobody has to wait for all of
  // another one's stretch.
  bool TakesOnePass() const {
    return located.layout == GroupLayout::kStriped || (set & (set - 1)) == 0;
  }
};

// Queues a copy on a member's stream, from and to wherever it reaches. What is
// in ordinary memory of the host has been read when this returns.
inline absl::Status QueueCopy(const CudaBackend& member, const void* from,
                              void* to, std::int64_t bytes,
                              absl::string_view what) {
  return CudaStatus(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes),
                                    cudaMemcpyDefault, member.stream()),
                    "a copy to or from a member for ", what);
}

// Scratch memory of each member's own.
inline std::vector<Scratch> ScratchOfMembers(const GpusBackend& backend) {
  std::vector<Scratch> scratch;
  for (int i = 0; i < backend.members(); ++i) {
    scratch.emplace_back(backend.member(i));
  }
  return scratch;
}

// Scratch memory of each member that others write to as well, kept from call to
// call.
class MembersScratch {
 public:
  explicit MembersScratch(std::shared_ptr<GpusBackend> backend)
      : backend_(std::move(backend)), scratch_(ScratchOfMembers(*backend_)) {}

  // Room for so many T with each member.
  template <typename T>
  absl::Status Reserve(std::int64_t count) {
    const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(T));
    if (failed_calls_.AnyNew()) bytes_ = 0;
    if (bytes <= bytes_) return absl::OkStatus();
    bytes_ = 0;  // whatever fails meanwhile
    // The zeroes come behind all earlier work, and before all that follows.
    RETURN_IF_ERROR(backend_->Meet());
    for (int i = 0; i < backend_->members(); ++i) {
      RETURN_IF_ERROR(backend_->member(i)->Activate());
      RETURN_IF_ERROR(scratch_[i].Reserve(bytes));
    }
    bytes_ = bytes;
    return backend_->Meet();
  }

  template <typename T>
  T* of(int member) const {
    return scratch_[member].data<T>();
  }

 private:
  const std::shared_ptr<GpusBackend> backend_;
  std::vector<Scratch> scratch_;
  std::int64_t bytes_ = 0;
  FailedCalls failed_calls_;
};

// The memory of each member in which the others tell it something, kept from
// call to call.
class MembersWords {
 public:
  explicit MembersWords(std::shared_ptr<GpusBackend> backend)
      : backend_(std::move(backend)), scratch_(ScratchOfMembers(*backend_)) {}

  // Goes before each call: room for `own_bytes` of a member's own and so many
  // words, all zero when they are new, and a new flag.
  absl::Status Prepare(std::int64_t own_bytes, std::int64_t words) {
    own_bytes = DivideUp(own_bytes, kLine) * kLine;
    const bool repeats = ++call_ == kCallsBetweenZeroes;
    if (repeats) call_ = 1;
    if (!failed_calls_.AnyNew() && !repeats && own_bytes <= own_bytes_ &&
        words <= words_) {
      return absl::OkStatus();
    }
    return SetUp(std::max(own_bytes, own_bytes_), std::max(words, words_));
  }

  std::uint32_t flag() const { return FlagOfCall(call_); }

  // A counter, alone in its cache line.
  template <typename T>
  T* counter(int member) const {
    return scratch_[member].data<T>();
  }
  // Words for a value of each member.
  std::uint64_t* members(int member) const {
    return scratch_[member].data<std::uint64_t>(kLine);
  }
  template <typename T>
  T* own(int member) const {
    return scratch_[member].data<T>(kHead);
  }
  std::uint64_t* words(int member) const {
    return scratch_[member].data<std::uint64_t>(kHead + own_bytes_);
  }

 private:
  static constexpr std::int64_t kLine = 128;
  static constexpr std::int64_t kHead =
      kLine + kMostMembers * kMostWords *
                  static_cast<std::int64_t>(sizeof(std::uint64_t));
  static_assert(kHead % kLine == 0);

  // All zero, with every member. Nothing where one is refused it, so that less
  // can be asked for afterwards.
  absl::Status SetUp(std::int64_t own_bytes, std::int64_t words) {
    own_bytes_ = words_ = -1;
    // The zeroes come behind all earlier work, and before all that follows.
    RETURN_IF_ERROR(backend_->Meet());
    for (int i = 0; i < backend_->members(); ++i) {
      RETURN_IF_ERROR(backend_->member(i)->Activate());
      RETURN_IF_ERROR(scratch_[i].Reserve(
          kHead + own_bytes +
          words * static_cast<std::int64_t>(sizeof(std::uint64_t))));
      RETURN_IF_ERROR(scratch_[i].Clear());
    }
    RETURN_IF_ERROR(backend_->Meet());
    own_bytes_ = own_bytes;
    words_ = words;
    return absl::OkStatus();
  }

  const std::shared_ptr<GpusBackend> backend_;
  std::vector<Scratch> scratch_;
  // What there is room for; -1 until every member has it.
  std::int64_t own_bytes_ = -1;
  std::int64_t words_ = -1;
  std::uint32_t call_ = 0;
  FailedCalls failed_calls_;
};

// Runs jobs on the pipeline of a group's members, and keeps what they need from
// call to call.
class GroupLauncher {
 public:
  explicit GroupLauncher(std::shared_ptr<GpusBackend> backend)
      : backend_(std::move(backend)), words_(backend_) {}

  // One job, in one pass, by all members that have tiles of its `in`.
  template <typename Job>
  absl::Status RunInOnePass(const Job& job, absl::string_view what) {
    const auto tiles = TilesOf(job);
    const GroupPlace place = Locate(job.in.base, backend_->members()).place;
    const auto share_of = [&](int i) {
      return ShareOf(place, kTileBytes<Job>, tiles, i);
    };
    const std::uint32_t set = SetOf(
        backend_->members(), [&](int i) { return share_of(i).count > 0; });
    const bool alone = (set & (set - 1)) == 0;
    const std::int64_t runs =
        alone ? 0 : share_of(0).RunOf(static_cast<std::uint32_t>(tiles));
    const std::int64_t tile_words = tiles * kWordsOf<typename Job::Aggregate>;
    RETURN_IF_ERROR(
        Prepare<Job>(tile_words + runs * kWordsOf<typename Job::Prefix>, what));
    return backend_->RunTogether(set, [&](int i) {
      GroupWords words = WordsOf(i);
      words.runs = words.tiles + tile_words;
      for (int k = 0; k < backend_->members() && !alone; ++k) {
        if ((set >> k & 1) == 0) continue;
        words.runs_of[words.listeners++] = words_.words(k) + tile_words;
      }
      return Launch(i, job, tiles, {words, share_of(i)}, what);
    });
  }

  // A job for each member's stretch, `job_of(member)`; those without elements
  // are left out. `tell(member, behind)` queues what tells the members behind,
  // of whom there are some, what the stretch amounts to, as the job's Prefix.
  // It goes before.
  template <typename JobOf, typename Tell>
  absl::Status RunByStretches(std::uint32_t set, const JobOf& job_of,
                              const Tell& tell, absl::string_view what) {
    using Job = decltype(job_of(0));
    std::int64_t most_tiles = 0;
    int first = 0;
    while ((set >> first & 1) == 0) ++first;
    for (int i = first; i < backend_->members(); ++i) {
      if (set >> i & 1) most_tiles = std::max(most_tiles, TilesOf(job_of(i)));
    }
    RETURN_IF_ERROR(
        Prepare<Job>(most_tiles * kWordsOf<typename Job::Aggregate>, what));
    RETURN_IF_ERROR(backend_->RunTogether(set, [&](int i) {
      const Audience behind = BehindMember<Job>(i, set);
      return behind.listeners > 0 ? tell(i, behind) : absl::OkStatus();
    }));
    return backend_->RunTogether(set, [&](int i) {
      const Job job = job_of(i);
      const std::int64_t tiles = TilesOf(job);
      GroupWords words = WordsOf(i);
      words.first = static_cast<std::uint32_t>(first);
      const GroupPlace alone = {{tiles * kTileBytes<Job>, 1}, 0};
      return Launch(i, job, tiles,
                    {words, ShareOf(alone, kTileBytes<Job>, tiles, 0)}, what);
    });
  }

 private:
  // The members of the set behind this one, and where it tells them what its
  // stretch amounts to.
  template <typename Job>
  Audience BehindMember(int author, std::uint32_t set) const {
    Audience behind = {};
    behind.flag = words_.flag();
    for (int i = author + 1; i < backend_->members(); ++i) {
      if ((set >> i & 1) == 0) continue;
      behind.of[behind.listeners++] =
          words_.members(i) + author * kWordsOf<typename Job::Prefix>;
    }
    return behind;
  }

  template <typename Job>
  static constexpr std::int64_t kTileBytes =
      PipelineLayout<Job>::kTileElements* static_cast<std::int64_t>(
          sizeof(typename Job::Element));

  template <typename Job>
  static std::int64_t TilesOf(const Job& job) {
    return DivideUp(job.in.end, PipelineLayout<Job>::kTileElements);
  }

  // So many words, and the kernel loaded on every device: loading one later
  // could wait for a kernel that waits for it.
  template <typename Job>
  absl::Status Prepare(std::int64_t words, absl::string_view what) {
    RETURN_IF_ERROR(words_.Prepare(0, words));
    const auto kernel = RunGroupPipeline<Job>;
    const auto* const key = reinterpret_cast<const void*>(kernel);
    if (prepared_.count(key) > 0) return absl::OkStatus();
    for (int i = 0; i < backend_->members(); ++i) {
      RETURN_IF_ERROR(backend_->member(i)->Activate());
      RETURN_IF_ERROR(
          AllowSharedMemory(kernel, PipelineLayout<Job>::kSharedBytes, what));
    }
    prepared_.insert(key);
    return absl::OkStatus();
  }

  // With no listeners, and nothing that precedes.
  GroupWords WordsOf(int i) const {
    GroupWords words = {};
    words.tiles = words_.words(i);
    words.totals = words_.members(i);
    words.first = words.own = static_cast<std::uint32_t>(i);
    words.flag = words_.flag();
    words.patience = backend_->patience();
    return words;
  }

  // At most one wave, so that all blocks of all members run at the same time.
  template <typename Job>
  absl::Status Launch(int i, const Job& job, std::int64_t tiles,
                      const typename GroupExchange<Job>::Launch& launch,
                      absl::string_view what) {
    using L = PipelineLayout<Job>;
    const auto blocks =
        std::min<std::int64_t>(launch.share.count, backend_->multiprocessors());
    return CudaStatus(
        LaunchKernel(backend_->member(i)->stream(), RunGroupPipeline<Job>,
                     {blocks, L::kThreads, L::kSharedBytes}, job,
                     static_cast<std::uint32_t>(tiles),
                     words_.counter<unsigned long long>(i), launch),
        "launch of ", what);
  }

  const std::shared_ptr<GpusBackend> backend_;
  MembersWords words_;
  std::set<const void*> prepared_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_GROUP_LAUNCH_CUH_
