// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A sort on several GPUs that hides the crossing. Each member partitions its
// stretch by the highest bits of the keys. The host learns how many keys each
// digit has, and tells members which digits are theirs. A member then sorts one
// digit after the other, by the sort of one GPU, to its place in the output,
// while copy engines bring the digits that come next.
//
// Members fetch in the same order, each from the one behind it first: so no
// two of them fetch from the same one.
//
// Keys alone need not keep their order where they are equal, so partitions
// need not. Values, ranges of bits, striped arrays, few keys, and keys that
// crowd in few digits are left to exact_shares.

#include <cuda_runtime.h>

#include <algorithm>
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
    RETURN_IF_ERROR(Count(call, in, bits));
    const auto* const counts = counts_.data<std::uint32_t>();
    if (DigitsCrowd(counts, members, bits)) return SortOtherwise(call);
    const TopDigitPlan plan = PlanTopDigits(counts, out.of, bits);
    RETURN_IF_ERROR(Reserve(plan));
    RETURN_IF_ERROR(backend()->RunTogether(in.set, [&](int i) {
      return PartitionStretch(call, in, plan, bits, i);
    }));
    return backend()->RunTogether(
        out.set, [&](int i) { return SortDigits(call, plan, i); });
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
    // Counts, and then how many keys have room.
    return words_.Reserve<std::uint32_t>(2 * kMostTopDigits);
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

  // Waits for the counts of all members.
  absl::Status Count(const RadixSortCall& call, const Stretches& in, int bits) {
    constexpr std::int64_t kBytes = kMostTopDigits * sizeof(std::uint32_t);
    auto* const counts = counts_.data<std::uint32_t>();
    std::fill_n(counts, backend()->members() * kMostTopDigits, 0u);
    RETURN_IF_ERROR(backend()->RunTogether(in.set, [&](int i) -> absl::Status {
      const CudaBackend& gpu = *backend()->member(i);
      auto* const words = words_.of<std::uint32_t>(i);
      const Span<const Bits> keys = StretchOf(call, in, i);
      RETURN_IF_ERROR(CudaStatus(
          cudaMemsetAsync(words, 0, 2 * kBytes, gpu.stream()), name()));
      constexpr std::int64_t kRow = kCountTopThreads * Vector<Bits>::kLanes;
      RETURN_IF_ERROR(QueueKernel(
          gpu, name(), CountTopDigits<Bits>,
          {std::min<std::int64_t>(
               DivideUp(keys.end, kRow),
               std::int64_t{kCountTopBlocks} * backend()->multiprocessors()),
           kCountTopThreads,
           std::int64_t{sizeof(std::uint32_t)} * kWarpSize << bits},
          keys, DigitOf(call, bits), words));
      return QueueCopy(gpu, words, counts + i * kMostTopDigits, kBytes, name());
    }));
    return backend()->Synchronize();
  }

  // Room for the keys that wait with a member, and for those that come together
  // there. What is given back may be in use by others until then.
  absl::Status Reserve(const TopDigitPlan& plan) {
    const auto bytes_of = [&](int i) {
      return (plan.arriving[i] + plan.waiting[i]) *
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

  absl::Status PartitionStretch(const RadixSortCall& call, const Stretches& in,
                                const TopDigitPlan& plan, int bits,
                                int member) {
    TopDestinations<Bits> to = {};
    for (std::size_t d = 0; d < plan.digits.size(); ++d) {
      const TopDigitPlan::Digit& digit = plan.digits[d];
      to.of[d] = digit.owner == member ? Arrived(digit) + digit.before[member]
                                       : Waiting(plan, digit, member);
    }
    using P = TopPartition;
    const Span<const Bits> keys = StretchOf(call, in, member);
    return QueueKernel(*backend()->member(member), name(),
                       PartitionTopDigits<Bits, P>,
                       {DivideUp(keys.end, P::kTile), P::kThreads,
                        sizeof(TopPartitionMemory<Bits, P>)},
                       keys, DigitOf(call, bits), to,
                       words_.of<std::uint32_t>(member) + kMostTopDigits);
  }

  // Brings the member's digits together, and sorts each as soon as it is there.
  absl::Status SortDigits(const RadixSortCall& call, const TopDigitPlan& plan,
                          int member) {
    const cudaStream_t main = backend()->member(member)->stream();
    CopyStream& copies = copies_[member];
    RETURN_IF_ERROR(copies.Begin(main));
    std::size_t marks = 0;
    absl::Status status;
    ForEachOf(plan, member, [&](const TopDigitPlan::Digit& digit) {
      if (status.ok()) status = Fetch(plan, digit, copies);
      if (status.ok()) status = copies.Mark(marks);
      if (status.ok()) ++marks;
    });
    std::size_t arrived = 0;
    ForEachOf(plan, member, [&](const TopDigitPlan::Digit& digit) {
      if (status.ok()) status = copies.WaitFor(arrived++, main);
      if (status.ok()) status = SortDigit(call, digit);
    });
    // What was queued is waited for, whatever became of the rest.
    if (marks > arrived) status.Update(copies.WaitFor(marks - 1, main));
    return status;
  }

  template <typename F>
  static void ForEachOf(const TopDigitPlan& plan, int member, const F& f) {
    for (const TopDigitPlan::Digit& digit : plan.digits) {
      if (digit.owner == member && digit.size > 0) f(digit);
    }
  }

  absl::Status Fetch(const TopDigitPlan& plan, const TopDigitPlan::Digit& digit,
                     CopyStream& copies) {
    const int members = backend()->members();
    for (int round = 1; round < members; ++round) {
      const int from = (digit.owner + round) % members;
      RETURN_IF_ERROR(copies.Queue(
          Waiting(plan, digit, from), Arrived(digit) + digit.before[from],
          digit.part[from] * static_cast<std::int64_t>(sizeof(Bits))));
    }
    return absl::OkStatus();
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
  // Of each member.
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
               "waits for counts of them; everything else, and keys that crowd "
               "in few values of their "
               "highest bits, are sorted by exact_shares"),
    /*requirement=*/{},
    {OptionSpec::Number("digit",
                        "bits of the digit by which members partition, "
                        "whatever the number of keys; 0 is its own choice",
                        /*default_value=*/0, /*least=*/0,
                        /*most=*/kMostTopBits)});

}  // namespace
}  // namespace concord::radix_sort
