// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the host knows of atoms, on its way to the device.

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_ATOMS_CUH_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_ATOMS_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/algorithms/look_and_say/cuda/tree.cuh"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/errors.h"

namespace concord::look_and_say {

// Arrays of the host, one behind the other in whole vectors, to be sent
// together.
class Parcel {
 public:
  template <typename T>
  std::int64_t Add(const T* values, std::size_t count) {
    const auto at = static_cast<std::int64_t>(bytes_.size());
    const auto* const first = reinterpret_cast<const char*>(values);
    bytes_.insert(bytes_.end(), first, first + count * sizeof(T));
    bytes_.resize((bytes_.size() + kVectorBytes - 1) / kVectorBytes *
                  kVectorBytes);
    return at;
  }
  template <typename T>
  std::int64_t Add(const std::vector<T>& values) {
    return Add(values.data(), values.size());
  }

  absl::Status Send(CudaBackend& backend, Scratch& scratch) const {
    RETURN_IF_ERROR(scratch.Reserve(static_cast<std::int64_t>(size())));
    return CudaStatus(cudaMemcpyAsync(scratch.data(), bytes_.data(), size(),
                                      cudaMemcpyHostToDevice, backend.stream()),
                      "sending the atoms of look_and_say/cuda/atoms");
  }

  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<char> bytes_;
};

// The atoms with one kind of counts, on one device.
class DeviceAtoms {
 public:
  // So many bytes before a block and behind it are readable.
  static constexpr std::int64_t kPadding = 2 * kVectorBytes;

  // Of plans that `table` outlives. A block of the device's threads has room
  // for `near_digits` of the blocks.
  DeviceAtoms(std::shared_ptr<CudaBackend> backend, const AtomTable& table,
              std::int64_t near_digits)
      : backend_(std::move(backend)),
        table_(table),
        near_digits_(near_digits),
        tables_memory_(backend_),
        tops_memory_(backend_) {}

  // Everything that it takes to write the digits [from, from + size) of the
  // plan's term. Few tops go to `listed`, and `tree.tops` has no arrays then.
  absl::StatusOr<AtomTree> TreeFor(const LookAndSayPlan& plan,
                                   std::int64_t from, std::int64_t size,
                                   ListedTops& listed) {
    const AtomBlocks& blocks = BlocksFor(plan);
    const std::int64_t wanted =
        LevelSteps(plan.steps() - blocks.steps(), plan.atoms().size());
    if (sent_blocks_ != &blocks || sent_version_ != blocks.version() ||
        sent_generation_ != table_.generation() ||
        sent_size_ != table_.size() || wanted_level_steps_ != wanted) {
      // Until all has been listed and sent, whatever fails meanwhile.
      sent_version_ = -1;
      wanted_level_steps_ = wanted;
      ListProducts();
      sent_levels_ = -1;
    }
    // From the top down, until the way from there is short.
    std::vector<std::int64_t> ends;
    std::vector<std::int32_t> atoms;
    std::int64_t levels = (plan.steps() - blocks.steps()) / level_steps_;
    std::int64_t skipped;
    for (;; --levels) {
      skipped = ListTops(plan, blocks.steps() + levels * level_steps_, from,
                         size, ends, atoms);
      if (ends.size() >= kTops || levels == 0) break;
    }
    absl::Status status;
    if (sent_levels_ < levels) status = SendTables(blocks, levels);
    if (!status.ok()) return status;

    AtomTree tree = tree_;
    tree.levels = static_cast<std::int32_t>(levels);
    ASSIGN_OR_RETURN(tree.tops, PlaceTops(blocks, ends, atoms, listed));
    tree.tops.first = -skipped;
    return tree;
  }

 private:
  // The blocks of the 92 elements after 20 steps are 217 KB, which Hopper's
  // shared memory just holds, and on average 1.5 KB long.
  static constexpr std::int64_t kNearSteps = 20;
  // Blocks after fewer steps are so short that longer ones out of the
  // second-level cache win. It holds the 1.8 MB after 28 steps.
  static constexpr std::int64_t kLeastNearSteps = 18;
  static constexpr std::int64_t kFarSteps = 28;
  static constexpr std::int64_t kFarDigits = std::int64_t{4} << 20;

  // An atom becomes 14 in so many steps, on average, and a warp looks at 32 at
  // once. Fewer levels would have more tops, which the host lists.
  static constexpr std::int64_t kMostLevelSteps = 10;
  // Wild atoms get levels of fewer steps, so that their products are no more.
  static constexpr std::int64_t kMostProducts = 1 << 16;

  // The host lists at least so many atoms at the top, if there are, and mostly
  // no more than 14 times as many, in a microsecond for each twenty.
  static constexpr std::size_t kTops = 16;

  const AtomBlocks& BlocksFor(const LookAndSayPlan& plan) {
    near_blocks_.MakeFor(plan, kNearSteps, near_digits_, kPadding);
    if (near_blocks_.steps() >= kLeastNearSteps) return near_blocks_;
    far_blocks_.MakeFor(plan, kFarSteps, kFarDigits, kPadding);
    return far_blocks_;
  }

  // Appends the atoms that one becomes in so many steps, from left to right.
  void AppendProducts(int atom, std::int64_t steps,
                      std::vector<std::int32_t>& products) const {
    if (steps == 0) {
      products.push_back(atom);
      return;
    }
    for (const int product : table_.DecayOf(atom)) {
      AppendProducts(product, steps - 1, products);
    }
  }

  // The steps of a level, of which there are to be so many from the input to
  // the blocks. Those that are left over are the host's. That matters where the
  // input is long; for all others the tables stay the same.
  static std::int64_t LevelSteps(std::int64_t steps, std::size_t atoms) {
    if (atoms < kTops || steps == 0) return kMostLevelSteps;
    return steps / ((steps + kMostLevelSteps - 1) / kMostLevelSteps);
  }

  // Lists what each atom is after the steps of a level.
  void ListProducts() {
    for (level_steps_ = wanted_level_steps_;;
         level_steps_ = (level_steps_ + 1) / 2) {
      first_product_ = {0};
      products_.clear();
      for (int atom = 0; atom < table_.size(); ++atom) {
        AppendProducts(atom, level_steps_, products_);
        first_product_.push_back(static_cast<std::int32_t>(products_.size()));
        if (level_steps_ > 1 && products_.size() > kMostProducts) break;
      }
      if (level_steps_ == 1 || products_.size() <= kMostProducts) return;
    }
  }

  std::vector<Products> ProductsOf(
      const std::vector<std::int32_t>& atoms) const {
    std::vector<Products> products;
    products.reserve(atoms.size());
    for (const std::int32_t atom : atoms) {
      products.push_back({first_product_[atom],
                          first_product_[atom + 1] - first_product_[atom]});
    }
    return products;
  }

  static std::vector<std::int32_t> BlocksOf(
      const AtomBlocks& blocks, const std::vector<std::int32_t>& atoms) {
    std::vector<std::int32_t> starts;
    starts.reserve(atoms.size());
    for (const std::int32_t atom : atoms) {
      starts.push_back(static_cast<std::int32_t>(blocks.starts()[atom]));
    }
    return starts;
  }

  // The atoms with `top` steps to make that have digits in the wanted part, and
  // where they end. Returns how many of the first one's lie before it.
  std::int64_t ListTops(const LookAndSayPlan& plan, std::int64_t top,
                        std::int64_t from, std::int64_t size,
                        std::vector<std::int64_t>& ends,
                        std::vector<std::int32_t>& atoms) const {
    ends.clear();
    atoms.clear();
    AtomCursor cursor(plan, top, from);
    for (std::int64_t end = 0; end - cursor.skipped() < size;) {
      const int atom = cursor.Next();
      end = AtomTable::SaturatedSum(end, table_.LengthOf(atom, top));
      ends.push_back(end);
      atoms.push_back(atom);
    }
    return cursor.skipped();
  }

  // Where the device finds them, but for where the first one starts. A copy
  // takes 2 microseconds on an H100; what travels with the launch, nothing.
  absl::StatusOr<Siblings> PlaceTops(const AtomBlocks& blocks,
                                     const std::vector<std::int64_t>& ends,
                                     const std::vector<std::int32_t>& atoms,
                                     ListedTops& listed) {
    const std::vector<Products> products = ProductsOf(atoms);
    const std::vector<std::int32_t> starts = BlocksOf(blocks, atoms);
    Siblings tops = {};
    tops.count = static_cast<std::int32_t>(ends.size());
    listed.count = 0;
    if (tops.count <= ListedTops::kMost) {
      listed.count = tops.count;
      std::copy(ends.begin(), ends.end(), listed.ends);
      std::copy(products.begin(), products.end(), listed.products);
      std::copy(starts.begin(), starts.end(), listed.blocks);
      return tops;
    }
    Parcel parcel;
    const std::int64_t ends_at = parcel.Add(ends);
    const std::int64_t products_at = parcel.Add(products);
    const std::int64_t blocks_at = parcel.Add(starts);
    RETURN_IF_ERROR(parcel.Send(*backend_, tops_memory_));
    const char* const base = tops_memory_.data();
    tops.ends = reinterpret_cast<const std::int64_t*>(base + ends_at);
    tops.products = reinterpret_cast<const Products*>(base + products_at);
    tops.blocks = reinterpret_cast<const std::int32_t*>(base + blocks_at);
    return tops;
  }

  absl::Status SendTables(const AtomBlocks& blocks, std::int64_t levels) {
    sent_levels_ = -1;
    std::vector<std::int64_t> product_ends;
    for (std::int64_t level = 0; level < levels; ++level) {
      const std::int64_t steps = blocks.steps() + level * level_steps_;
      for (int atom = 0; atom < table_.size(); ++atom) {
        std::int64_t end = 0;
        for (std::int32_t i = first_product_[atom];
             i < first_product_[atom + 1]; ++i) {
          end = AtomTable::SaturatedSum(end,
                                        table_.LengthOf(products_[i], steps));
          product_ends.push_back(end);
        }
      }
    }
    Parcel parcel;
    const std::int64_t product_ends_at = parcel.Add(product_ends);
    const std::int64_t products_at = parcel.Add(ProductsOf(products_));
    const std::int64_t product_blocks_at =
        parcel.Add(BlocksOf(blocks, products_));
    parcel.Add(std::vector<char>(kPadding));
    const std::int64_t table_at =
        parcel.Add(blocks.digits().data(), blocks.digits().size());
    RETURN_IF_ERROR(parcel.Send(*backend_, tables_memory_));
    const char* const base = tables_memory_.data();
    tree_.product_count = static_cast<std::int32_t>(products_.size());
    tree_.product_ends =
        reinterpret_cast<const std::int64_t*>(base + product_ends_at);
    tree_.products = reinterpret_cast<const Products*>(base + products_at);
    tree_.product_blocks =
        reinterpret_cast<const std::int32_t*>(base + product_blocks_at);
    tree_.table = reinterpret_cast<const std::uint8_t*>(base + table_at);
    tree_.table_size = static_cast<std::int32_t>(
        static_cast<std::int64_t>(parcel.size()) - table_at);
    sent_blocks_ = &blocks;
    sent_version_ = blocks.version();
    sent_generation_ = table_.generation();
    sent_size_ = table_.size();
    sent_levels_ = levels;
    return absl::OkStatus();
  }

  std::shared_ptr<CudaBackend> backend_;
  const AtomTable& table_;
  const std::int64_t near_digits_;
  AtomBlocks near_blocks_;
  AtomBlocks far_blocks_;
  std::int64_t wanted_level_steps_ = -1;
  std::int64_t level_steps_ = -1;
  std::vector<std::int32_t> first_product_;
  std::vector<std::int32_t> products_;
  Scratch tables_memory_;
  Scratch tops_memory_;
  // What the device has.
  AtomTree tree_ = {};
  const AtomBlocks* sent_blocks_ = nullptr;
  std::int64_t sent_version_ = -1;
  std::int64_t sent_generation_ = -1;
  int sent_size_ = -1;
  std::int64_t sent_levels_ = -1;
};

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_ATOMS_CUH_
