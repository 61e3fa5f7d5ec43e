// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// By atoms (J. H. Conway, "The weird and wonderful chemistry of audioactive
// decay", 1986): no step is made, and every digit is written once. Each warp
// has a stretch of the result to write. It goes down the tree of atoms to the
// one whose digits the stretch starts with, copies them from a table of blocks
// that stays in the second-level cache, and goes down again for the next one.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/look_and_say/look_and_say.h"
#include "algorithms/look_and_say/look_and_say_atoms.h"
#include "algorithms/look_and_say/look_and_say_cuda_steps.h"
#include "algorithms/look_and_say/look_and_say_cuda_tree.cuh"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_status.h"
#include "backends/cuda/scratch.cuh"
#include "backends/cuda/vector.cuh"
#include "backends/cuda/warp.cuh"
#include "core/registry.h"

namespace concord {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarpSize;

// What a warp writes.
constexpr int64_t kStretch = int64_t{16} << 10;

// The blocks of the 92 elements are 1.8 MB after 28 steps, 13 KB long on
// average: so long that the way down to them, about as many instructions as it
// takes to copy 8 KB, does not count, and small enough to stay in the cache.
constexpr int64_t kBlockSteps = 28;
constexpr int64_t kMostBlockDigits = int64_t{4} << 20;

// The host lists about so many atoms at the top, in some ten microseconds.
constexpr std::size_t kTops = 1024;

// The 16 bytes at any address, of which nothing outside the aligned words that
// hold them is read. All lanes have the same `shift`, the address modulo 16.
__device__ __forceinline__ uint4 LoadShifted(const uint8_t* from,
                                             uint32_t shift) {
  const auto* const aligned = reinterpret_cast<const uint4*>(from - shift);
  const uint4 low = __ldg(aligned);
  if (shift == 0) return low;
  const uint4 high = __ldg(aligned + 1);
  const uint32_t bits = shift % 4 * 8;
  uint32_t words[8] = {low.x,  low.y,  low.z,  low.w,
                       high.x, high.y, high.z, high.w};
  // Moves words down by as many places as the shift has whole words.
  if (shift & 8) {
#pragma unroll
    for (int i = 0; i < 6; ++i) words[i] = words[i + 2];
  }
  if (shift & 4) {
#pragma unroll
    for (int i = 0; i < 5; ++i) words[i] = words[i + 1];
  }
  return make_uint4(__funnelshift_r(words[0], words[1], bits),
                    __funnelshift_r(words[1], words[2], bits),
                    __funnelshift_r(words[2], words[3], bits),
                    __funnelshift_r(words[3], words[4], bits));
}

// to[0, size) = from[0, size), by a warp.
__device__ __forceinline__ void CopyByWarp(uint8_t* to, const uint8_t* from,
                                           int64_t size) {
  const int64_t head = min(
      size,
      static_cast<int64_t>(-reinterpret_cast<uintptr_t>(to) % kVectorBytes));
  const int64_t vectors = (size - head) / kVectorBytes;
  const int64_t tail = head + vectors * kVectorBytes;
  if (LaneId() < head) to[LaneId()] = from[LaneId()];
  if (LaneId() < size - tail) to[tail + LaneId()] = from[tail + LaneId()];
  const uint32_t shift =
      reinterpret_cast<uintptr_t>(from + head) % kVectorBytes;
  auto* const target = reinterpret_cast<uint4*>(to + head);
#pragma unroll 4
  for (int64_t i = LaneId(); i < vectors; i += kWarpSize) {
    target[i] = LoadShifted(from + head + i * kVectorBytes, shift);
  }
}

// Stretches start at multiples of their length in memory, except for the first.
__global__ void __launch_bounds__(kThreads)
    WriteStretches(AtomTree tree, uint8_t* out, int64_t size, int64_t shift) {
  const int64_t stretch = blockIdx.x * int64_t{kWarps} + WarpId();
  int64_t position = max(stretch * kStretch - shift, int64_t{0});
  const int64_t end = min((stretch + 1) * kStretch - shift, size);
  while (position < end) {
    const BlockPlace block = FindBlock(tree, position);
    const int64_t skipped = position - block.first;
    const int64_t count = min(block.size - skipped, end - position);
    CopyByWarp(out + position, block.digits + skipped, count);
    position += count;
  }
}

// Arrays of the host, one behind the other, on their way to the device.
class Parcel {
 public:
  template <typename T>
  int64_t Add(const std::vector<T>& values) {
    const int64_t at = static_cast<int64_t>(bytes_.size());
    const auto* const first = reinterpret_cast<const char*>(values.data());
    bytes_.insert(bytes_.end(), first, first + values.size() * sizeof(T));
    bytes_.resize((bytes_.size() + kVectorBytes - 1) / kVectorBytes *
                  kVectorBytes);
    return at;
  }

  absl::Status Send(CudaBackend& backend, Scratch& scratch) const {
    absl::Status status = scratch.Reserve(static_cast<int64_t>(bytes_.size()));
    if (!status.ok()) return status;
    return CudaStatus(
        cudaMemcpyAsync(scratch.data(), bytes_.data(), bytes_.size(),
                        cudaMemcpyHostToDevice, backend.stream()),
        "sending the atoms of look_and_say/cuda/atoms");
  }

 private:
  std::vector<char> bytes_;
};

// What is known of atoms with one kind of counts, here and on the device.
class DeviceAtoms {
 public:
  DeviceAtoms(std::shared_ptr<CudaBackend> backend, LookAndSay::Counts counts)
      : backend_(std::move(backend)),
        table_(counts),
        tables_memory_(backend_),
        tops_memory_(backend_) {}

  AtomTable& table() { return table_; }

  // Everything that it takes to write the digits [from, from + size) of the
  // plan's term.
  absl::StatusOr<AtomTree> TreeFor(const LookAndSayPlan& plan, int64_t from,
                                   int64_t size) {
    blocks_.MakeFor(plan, kBlockSteps, kMostBlockDigits,
                    /*padding=*/kVectorBytes);
    std::vector<int64_t> ends;
    std::vector<int32_t> atoms;
    int64_t top = plan.steps();
    int64_t skipped;
    for (;; top = std::max(top - 2, blocks_.steps())) {
      skipped = ListTops(plan, top, from, size, ends, atoms);
      if (ends.size() >= kTops || top == blocks_.steps()) break;
    }
    Parcel parcel;
    const int64_t ends_at = parcel.Add(ends);
    const int64_t atoms_at = parcel.Add(atoms);
    absl::Status status = parcel.Send(*backend_, tops_memory_);
    if (status.ok()) status = SendTables(top - blocks_.steps());
    if (!status.ok()) return status;

    AtomTree tree = tree_;
    tree.top_ends =
        reinterpret_cast<const int64_t*>(tops_memory_.data() + ends_at);
    tree.top_atoms =
        reinterpret_cast<const int32_t*>(tops_memory_.data() + atoms_at);
    tree.tops = static_cast<int32_t>(ends.size());
    tree.skipped = skipped;
    tree.levels = static_cast<int32_t>(top - blocks_.steps());
    return tree;
  }

 private:
  // The atoms with `top` steps to make, and where their digits end in the part
  // that starts at `from`. Returns how many of the first one's lie before it.
  int64_t ListTops(const LookAndSayPlan& plan, int64_t top, int64_t from,
                   int64_t size, std::vector<int64_t>& ends,
                   std::vector<int32_t>& atoms) const {
    ends.clear();
    atoms.clear();
    AtomCursor cursor(plan, top, from);
    for (int64_t end = -cursor.skipped(); end < size;) {
      const int atom = cursor.Next();
      const int64_t length = table_.LengthOf(atom, top);
      end = length > AtomTable::kTooLong - size ? size : end + length;
      ends.push_back(end);
      atoms.push_back(atom);
    }
    return cursor.skipped();
  }

  // The tables of the tree, unless they are there already.
  absl::Status SendTables(int64_t levels) {
    if (sent_version_ == blocks_.version() && sent_levels_ >= levels &&
        sent_size_ == table_.size()) {
      return absl::OkStatus();
    }
    std::vector<int32_t> first_product = {0};
    std::vector<int32_t> products;
    std::vector<int64_t> sizes;
    for (int atom = 0; atom < table_.size(); ++atom) {
      for (const int product : table_.DecayOf(atom)) {
        products.push_back(product);
      }
      first_product.push_back(static_cast<int32_t>(products.size()));
      sizes.push_back(table_.LengthOf(atom, blocks_.steps()));
    }
    std::vector<int64_t> product_ends;
    for (int64_t level = 0; level < levels; ++level) {
      for (int atom = 0; atom < table_.size(); ++atom) {
        int64_t end = 0;
        for (const int product : table_.DecayOf(atom)) {
          const int64_t length =
              table_.LengthOf(product, blocks_.steps() + level);
          end = length > AtomTable::kTooLong - end ? AtomTable::kTooLong
                                                   : end + length;
          product_ends.push_back(end);
        }
      }
    }
    Parcel parcel;
    const int64_t first_product_at = parcel.Add(first_product);
    const int64_t products_at = parcel.Add(products);
    const int64_t product_ends_at = parcel.Add(product_ends);
    const int64_t starts_at = parcel.Add(blocks_.starts());
    const int64_t sizes_at = parcel.Add(sizes);
    const int64_t blocks_at = parcel.Add(
        std::vector<uint8_t>(blocks_.digits().begin(), blocks_.digits().end()));
    absl::Status status = parcel.Send(*backend_, tables_memory_);
    if (!status.ok()) return status;
    const char* const base = tables_memory_.data();
    tree_.first_product =
        reinterpret_cast<const int32_t*>(base + first_product_at);
    tree_.products = reinterpret_cast<const int32_t*>(base + products_at);
    tree_.product_count = static_cast<int32_t>(products.size());
    tree_.product_ends =
        reinterpret_cast<const int64_t*>(base + product_ends_at);
    tree_.block_starts = reinterpret_cast<const int64_t*>(base + starts_at);
    tree_.block_sizes = reinterpret_cast<const int64_t*>(base + sizes_at);
    tree_.blocks = reinterpret_cast<const uint8_t*>(base + blocks_at);
    sent_version_ = blocks_.version();
    sent_levels_ = levels;
    sent_size_ = table_.size();
    return absl::OkStatus();
  }

  std::shared_ptr<CudaBackend> backend_;
  AtomTable table_;
  AtomBlocks blocks_;
  Scratch tables_memory_;
  Scratch tops_memory_;
  // What the device has.
  AtomTree tree_ = {};
  int64_t sent_version_ = -1;
  int64_t sent_levels_ = -1;
  int sent_size_ = -1;
};

class LookAndSayCuda : public LookAndSay {
 public:
  explicit LookAndSayCuda(std::shared_ptr<CudaBackend> backend)
      : backend_(backend),
        steps_(backend, kWhere, NewLookbackStepper(backend)),
        decimal_(backend, Counts::kDecimal),
        symbol_(backend, Counts::kSymbol) {}

  absl::Status Run(ConstArrayView in, ArrayView out,
                   const Options& options) override {
    if (options.steps < LookAndSayPlan::kLeastSteps) {
      return steps_.Run(in, out, options);
    }
    absl::Status status =
        CheckLookAndSayArguments(in, out, options, backend_->memory(), kWhere);
    if (status.ok()) status = backend_->Activate();
    if (!status.ok()) return status;
    std::vector<uint8_t> seed(static_cast<std::size_t>(in.size()));
    status = backend_->Copy(in, ArrayView(absl::MakeSpan(seed)));
    if (!status.ok()) return status;
    DeviceAtoms& atoms =
        options.counts == Counts::kDecimal ? decimal_ : symbol_;
    const std::optional<LookAndSayPlan> plan =
        LookAndSayPlan::Make(seed, options.steps, atoms.table());
    if (!plan.has_value()) return steps_.Run(in, out, options);
    if (options.length_only) {
      return WriteLengthOnDevice(*backend_, plan->ExactLength(), out);
    }
    status = CheckSize("out", out, PartOf(plan->length(), options));
    if (!status.ok() || out.empty()) return status;
    absl::StatusOr<AtomTree> tree =
        atoms.TreeFor(*plan, options.from, out.size());
    if (!tree.ok()) return tree.status();

    auto* const to = out.data<uint8_t>();
    const auto shift =
        static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % kVectorBytes);
    const int64_t stretches = (out.size() + shift + kStretch - 1) / kStretch;
    const int64_t blocks = (stretches + kWarps - 1) / kWarps;
    WriteStretches<<<static_cast<unsigned>(blocks), kThreads, 0,
                     backend_->stream()>>>(*tree, to, out.size(), shift);
    return LaunchStatus(kWhere);
  }

 private:
  static constexpr char kWhere[] = "look_and_say/cuda/atoms";

  std::shared_ptr<CudaBackend> backend_;
  DeviceSteps steps_;
  DeviceAtoms decimal_;
  DeviceAtoms symbol_;
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kUInt8};
  contract.boundaries = {kStretch, kWarps * kStretch};
  contract.notes = absl::StrCat(
      "step by step, as cuda/lookback, below ", LookAndSayPlan::kLeastSteps,
      " steps and for inputs of very many different atoms");
  return contract;
}

const bool kRegistered = Registry<LookAndSay>::Get().Add(
    "cuda", "atoms", /*rank=*/10,
    "Conway's decomposition: blocks from tables, every digit written once",
    MakeContract(), [](std::shared_ptr<Backend> backend) {
      return std::make_unique<LookAndSayCuda>(AsCuda(std::move(backend)));
    });

}  // namespace
}  // namespace concord
