// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A sort on several GPUs that hides the crossing. The host learns from a sample
// how many keys each digit has, the highest bits of a key, and tells members
// which digits are theirs. Each member partitions its stretch by these digits.
// Then it sorts one of its own after the other, by the sort of one GPU, to its
// place in the output, while copy engines bring the digits that come next.
//
// Members fetch in the same order, each from the one behind it first: so no
// two of them fetch from the same one.
//
// Keys alone need not keep their order where they are equal, so partitions
// need not. Values, ranges of bits, striped arrays, few keys, and keys that
// crowd in few digits, or are not as their sample, are left to exact_shares.

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/radix_sort/cuda/run.cuh"
#include "concord/algorithms/radix_sort/gpus/copy_stream.cuh"
#include "concord/algorithms/radix_sort/gpus/stretches.cuh"
#include "concord/algorithms/radix_sort/gpus/top_digit.cuh"
#include "concord/algorithms/radix_sort/gpus/top_digit_plan.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/core/errors.h"

namespace concord::radix_sort {
namespace {

// With fewer keys, exact_shares is as fast: on two H100s it is so with 2^28,
// and not with 2^30.
constexpr std::int64_t LeastTopDigitKeys(int members) {
  return std::int64_t{1} << (members > 2 ? 28 : 30);
}
// Of a stretch: kernels count with 32 bits.
constexpr std::int64_t kMostOfStretch = (std::int64_t{1} << 32) - 1;
// The keys of a digit are spread, as far as they were counted, so that fewer of
// them are worth partitioning than of keys that nobody knows.
constexpr std::int64_t kLeastOfDigit = std::int64_t{1} << 25;

class RadixSortTopDigit : public OnGpus<RadixSort> {
 public:
  using OnGpus<RadixSort>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView keys_in, ConstArrayView values_in,
                       ArrayView keys_out, ArrayView values_out,
                       const Options& options) override {
    if (keys_in.empty()) return absl::OkStatus();
    const int members = backend()->members();
    const RadixSortCall call = {keys_in, values_in, keys_out, values_out,
                                options};
    const Stretches in = Stretches::Of(keys_in, members);
    const Stretches out = Stretches::Of(keys_out, members);
    if (!Suits(call, in, out)) return SortOtherwise(call);
    const int asked = static_cast<int>(tuning("digit"));
    const int bits = asked == 0 ? TopBitsFor(keys_in.size(), members) : asked;
    RETURN_IF_ERROR(Prepare());
    RETURN_IF_ERROR(Sample(call, in, bits));
    const auto* const counts = counts_.data<std::uint32_t>();
    if (DigitsCrowd(counts, members, bits)) return SortOtherwise(call);
    TopDigitPlan plan = PlanTopDigits(counts, steps_.data(), out.of, bits);
    RETURN_IF_ERROR(Reserve(plan));
    RETURN_IF_ERROR(Partition(call, in, plan, bits));
    if (!plan.Complete(counts)) return SortOtherwise(call);
    return SortDigits(call, out, plan);
  }

 private:
  using Bits = std::uint32_t;

  // By what is known before a key is read.
  bool Suits(const RadixSortCall& call, const Stretches& in,
             const Stretches& out) const {
    const ElementType type = call.keys_in.type();
    const RadixSortBits bits = RadixSortBitsOf(call.options, type);
    const auto is_blocked = [&](const ConstArrayView& array) {
      return Locate(array.data(), backend()->members()).layout ==
             GroupLayout::kBlocked;
    };
    if (SizeOf(type) != sizeof(Bits) || !call.values_out.empty() ||
        bits.first != 0 || bits.end != 8 * static_cast<int>(sizeof(Bits)) ||
        (in.set & (in.set - 1)) == 0 || !is_blocked(call.keys_in) ||
        !is_blocked(call.keys_out)) {
      return false;
    }
    for (int i = 0; i < backend()->members(); ++i) {
      if (in.size(i) > kMostOfStretch) return false;
    }
    if (tuning("digit") != 0) return true;
    return !IsFloat(type) && (out.set & (out.set - 1)) != 0 &&
           call.keys_in.size() >= LeastTopDigitKeys(backend()->members());
  }

  absl::Status SortOtherwise(const RadixSortCall& call) {
    if (otherwise_ == nullptr) {
      ASSIGN_OR_RETURN(otherwise_, Registry<RadixSort>::Get().Create(
                                       backend(), "exact_shares"));
    }
    return otherwise_->Run(call.keys_in, call.values_in, call.keys_out,
                           call.values_out, call.options);
  }

  // What does not depend on the keys.
  absl::Status Prepare() {
    const int members = backend()->members();
    for (int i = static_cast<int>(sorts_.size()); i < members; ++i) {
      ASSIGN_OR_RETURN(std::unique_ptr<RadixSort> sort,
                       Registry<RadixSort>::Get().Create(backend()->member(i)));
      RETURN_IF_ERROR(sort->Tune({{"least", absl::StrCat(kLeastOfDigit)}}));
      sorts_.push_back(std::move(sort));
    }
    if (counts_.size() == 0) {
      ASSIGN_OR_RETURN(counts_,
                       backend()->AllocateHost(ElementType::kUInt32,
                                               members * kMostTopDigits));
    }
    return words_.Reserve<std::uint32_t>(kMostTopDigits);
  }

  Span<const Bits> StretchOf(const RadixSortCall& call, const Stretches& in,
                             int member) const {
    return AlignedSpan(call.keys_in.data<Bits>() + in.of[member].begin,
                       in.size(member));
  }

  TopDigit<Bits> DigitOf(const RadixSortCall& call, int bits) const {
    return {KeyMapOf<Bits>(call.keys_in.type(),
                           call.options.order == Order::kDescending),
            bits};
  }

  // Has queue(member) count digits to the member's words, and waits for the
  // counts of all members.
  template <typename F>
  absl::Status Count(const Stretches& in, const F& queue) {
    constexpr std::int64_t kBytes = kMostTopDigits * sizeof(std::uint32_t);
    auto* const counts = counts_.data<std::uint32_t>();
    std::fill_n(counts, backend()->members() * kMostTopDigits, 0u);
    RETURN_IF_ERROR(backend()->RunTogether(in.set, [&](int i) -> absl::Status {
      const CudaBackend& gpu = *backend()->member(i);
      auto* const words = words_.of<std::uint32_t>(i);
      RETURN_IF_ERROR(
          CudaStatus(cudaMemsetAsync(words, 0, kBytes, gpu.stream()), name()));
      RETURN_IF_ERROR(queue(i));
      return QueueCopy(gpu, words, counts + i * kMostTopDigits, kBytes, name());
    }));
    return backend()->Synchronize();
  }

  // Leaves in counts_ how many keys there are, about.
  absl::Status Sample(const RadixSortCall& call, const Stretches& in,
                      int bits) {
    const int members = backend()->members();
    for (int i = 0; i < members; ++i) steps_[i] = SampleStepFor(in.size(i));
    RETURN_IF_ERROR(Count(in, [&](int i) {
      const Span<const Bits> keys = StretchOf(call, in, i);
      const std::int64_t of_block =
          kSampleTopThreads * Vector<Bits>::kLanes * steps_[i];
      return QueueKernel(
          *backend()->member(i), name(), SampleTopDigits<Bits>,
          {std::min<std::int64_t>(
               DivideUp(keys.end, of_block),
               std::int64_t{kSampleTopBlocks} * backend()->multiprocessors()),
           kSampleTopThreads,
           std::int64_t{sizeof(std::uint32_t)} * kWarpSize << bits},
          keys, DigitOf(call, bits), steps_[i], words_.of<std::uint32_t>(i));
    }));
    auto* const counts = counts_.data<std::uint32_t>();
    for (int k = 0; k < members * kMostTopDigits; ++k) {
      const int i = k / kMostTopDigits;
      counts[k] = static_cast<std::uint32_t>(
          std::min(counts[k] * steps_[i], in.size(i)));
    }
    return absl::OkStatus();
  }

  // Room for the keys that wait with a member, and for those that come together
  // there. What is given back may be in use by others until then.
  absl::Status Reserve(const TopDigitPlan& plan) {
    // With a tile's for keys without room.
    const auto bytes_of = [&](int i) {
      return (plan.arriving[i] + plan.waiting[i] + TopPartition::kTile) *
             static_cast<std::int64_t>(sizeof(Bits));
    };
    bool grows = false;
    for (int i = 0; i < backend()->members(); ++i) {
      grows = grows || bytes_of(i) > reserved_[i];
    }
    if (!grows) return absl::OkStatus();
    RETURN_IF_ERROR(backend()->Meet());
    for (int i = 0; i < backend()->members(); ++i) {
      if (bytes_of(i) <= reserved_[i]) continue;
      // Other keys share out a little differently.
      const std::int64_t wanted = bytes_of(i) + bytes_of(i) / 32;
      reserved_[i] = 0;
      RETURN_IF_ERROR(backend()->member(i)->Activate());
      RETURN_IF_ERROR(scratch_[i].Reserve(wanted));
      reserved_[i] = wanted;
    }
    return backend()->Meet();
  }

  Bits* Arrived(const TopDigitPlan::Digit& digit) const {
    return scratch_[digit.owner].data<Bits>() + digit.arrived;
  }
  Bits* Waiting(const TopDigitPlan& plan, const TopDigitPlan::Digit& digit,
                int member) const {
    return scratch_[member].data<Bits>() + plan.arriving[member] +
           digit.waits[member];
  }

  // Leaves in counts_ how many keys there are.
  absl::Status Partition(const RadixSortCall& call, const Stretches& in,
                         const TopDigitPlan& plan, int bits) {
    return Count(in, [&](int i) {
      using P = TopPartition;
      const Span<const Bits> keys = StretchOf(call, in, i);
      return QueueKernel(*backend()->member(i), name(),
                         PartitionTopDigits<Bits, P>,
                         {DivideUp(keys.end, P::kTile), P::kThreads,
                          sizeof(TopPartitionMemory<Bits, P>)},
                         keys, DigitOf(call, bits), DestinationsOf(plan, i),
                         words_.of<std::uint32_t>(i));
    });
  }

  TopDestinations<Bits> DestinationsOf(const TopDigitPlan& plan,
                                       int member) const {
    TopDestinations<Bits> to = {};
    for (std::size_t d = 0; d < plan.digits.size(); ++d) {
      const TopDigitPlan::Digit& digit = plan.digits[d];
      to.of[d] =
          digit.owner == member ? Arrived(digit) : Waiting(plan, digit, member);
      to.room[d] = static_cast<std::uint32_t>(
          std::min(digit.room[member], kMostOfStretch));
    }
    to.nowhere = scratch_[member].data<Bits>() + plan.arriving[member] +
                 plan.waiting[member];
    return to;
  }

  // Brings digits together with the members that sort them, and sorts each as
  // soon as it is there, while the next one comes.
  absl::Status SortDigits(const RadixSortCall& call, const Stretches& out,
                          const TopDigitPlan& plan) {
    std::vector<std::vector<const TopDigitPlan::Digit*>> digits;
    std::size_t most = 0;
    for (int i = 0; i < backend()->members(); ++i) {
      digits.push_back(plan.DigitsOf(i));
      most = std::max(most, digits.back().size());
    }
    const auto fetch = [&](int i, std::size_t k) -> absl::Status {
      if (k >= digits[i].size()) return absl::OkStatus();
      RETURN_IF_ERROR(Fetch(plan, *digits[i][k], copies_[i]));
      return copies_[i].Mark(k);
    };
    const int rounds = static_cast<int>(most) + 1;
    absl::Status status = backend()->RunInRounds(
        out.set, rounds, [&](int i, int round) -> absl::Status {
          const cudaStream_t main = backend()->member(i)->stream();
          if (round == 0) {
            RETURN_IF_ERROR(copies_[i].Begin(main));
            return fetch(i, 0);
          }
          const auto k = static_cast<std::size_t>(round - 1);
          if (k >= digits[i].size()) return absl::OkStatus();
          RETURN_IF_ERROR(fetch(i, k + 1));
          RETURN_IF_ERROR(copies_[i].WaitFor(k, main));
          RETURN_IF_ERROR(Complete(plan, *digits[i][k]));
          return SortDigit(call, *digits[i][k]);
        });
    if (status.ok()) return status;
    // Copies that no member waits for must not meet the next call.
    for (const CopyStream& copies : copies_) {
      status.Update(copies.Synchronize());
    }
    return status;
  }

  absl::Status Fetch(const TopDigitPlan& plan, const TopDigitPlan::Digit& digit,
                     CopyStream& copies) {
    const int members = backend()->members();
    for (int round = 1; round < members; ++round) {
      const int from = (digit.owner + round) % members;
      RETURN_IF_ERROR(copies.Queue(
          Waiting(plan, digit, from), Arrived(digit) + digit.begin[from],
          digit.part[from] * static_cast<std::int64_t>(sizeof(Bits))));
    }
    return absl::OkStatus();
  }

  // Leaves no empty place between the parts of a digit.
  absl::Status Complete(const TopDigitPlan& plan,
                        const TopDigitPlan::Digit& digit) {
    const ArrivedParts parts = plan.PartsOf(digit);
    if (parts.empty() == 0) return absl::OkStatus();
    return QueueKernel(*backend()->member(digit.owner), name(),
                       FillEmptyPlaces<Bits>, {1, kFillThreads}, Arrived(digit),
                       parts);
  }

  absl::Status SortDigit(const RadixSortCall& call,
                         const TopDigitPlan::Digit& digit) {
    const Memory memory = backend()->member(digit.owner)->memory();
    const ElementType type = call.keys_in.type();
    return sorts_[digit.owner]->Run(
        ArrayView(static_cast<void*>(Arrived(digit)), type, digit.size, memory),
        ConstArrayView(),
        ArrayView(static_cast<void*>(call.keys_out.data<Bits>() + digit.first),
                  type, digit.size, memory),
        NoValues(), call.options);
  }

  std::unique_ptr<RadixSort> otherwise_;
  // Of each member. Of its vectors of keys, one out of so many is in the
  // sample.
  std::array<std::int64_t, kMostMembers> steps_ = {};
  std::vector<std::unique_ptr<RadixSort>> sorts_;
  std::vector<CopyStream> copies_ =
      std::vector<CopyStream>(static_cast<std::size_t>(backend()->members()));
  std::vector<Scratch> scratch_ = ScratchOfMembers(*backend());
  std::vector<std::int64_t> reserved_ =
      std::vector<std::int64_t>(static_cast<std::size_t>(backend()->members()));
  MembersScratch words_{backend()};
  // In memory of the host.
  Array counts_;
};

const bool kRegistered = RegisterOnGpus<RadixSortTopDigit>(
    "top_digit", /*rank=*/11,
    "partition by the top digit; each digit crosses while the one before it "
    "is sorted",
    RadixSortContract()
        .AtMost(std::int64_t{1} << 40)
        .Boundaries({TopPartition::kTile})
        .Boundaries(StripeBoundaries())
        .Keeps("memory of each member for its stretch of the input and its "
               "digits of the output, what the sort of one GPU keeps for a "
               "digit, and what exact_shares keeps")
        .Notes("keys of 4 bytes without values, all bits of them, of blocked "
               "arrays, from 2^28 keys on, on two members from 2^30: the host "
               "waits for a sample of them, and for their partition; "
               "everything else, and keys that crowd in few values of their "
               "highest bits, are sorted by exact_shares"),
    /*requirement=*/{},
    {OptionSpec::Number("digit",
                        "bits of the digit by which members partition, "
                        "whatever the number of keys; 0 is its own choice",
                        /*default_value=*/0, /*least=*/0,
                        /*most=*/kMostTopBits)});

}  // namespace
}  // namespace concord::radix_sort
