// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/program_cache.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "concord/core/errors.h"

namespace concord::sequence {
namespace {

using expression::Parameter;

constexpr const char* kNames[] = {"x", "y", "z", "w"};

// A byte for each input: 0, or one more than its element type.
std::uint32_t TypesOf(Views inputs) {
  std::uint32_t types = 0;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!inputs[k].given()) continue;
    types |= (static_cast<std::uint32_t>(inputs[k].type()) + 1) << (8 * k);
  }
  return types;
}

class Cache {
 public:
  using Entry = std::shared_ptr<const Program>;

  // Null if there is none.
  Entry Find(absl::string_view text, std::uint32_t types) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const Item& item : items_) {
      if (item.types == types && item.text == text) return item.program;
    }
    return nullptr;
  }

  // In place of the oldest one, if there are many.
  void Add(absl::string_view text, std::uint32_t types, Entry program) {
    Item item = {types, std::string(text), std::move(program)};
    const std::lock_guard<std::mutex> lock(mutex_);
    if (items_.size() < kMostCachedPrograms) {
      items_.push_back(std::move(item));
      return;
    }
    // What goes is freed when the lock is.
    std::swap(items_[oldest_], item);
    oldest_ = (oldest_ + 1) % kMostCachedPrograms;
  }

 private:
  struct Item {
    std::uint32_t types;
    std::string text;
    Entry program;
  };

  std::mutex mutex_;
  std::vector<Item> items_;
  std::size_t oldest_ = 0;
};

Cache& TheCache() {
  static auto* const cache = new Cache();
  return *cache;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Program>> ProgramOf(absl::string_view text,
                                                         Views inputs) {
  const std::uint32_t types = TypesOf(inputs);
  if (auto cached = TheCache().Find(text, types)) return cached;
  std::vector<Parameter> columns;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!inputs[k].given()) continue;
    columns.push_back({kNames[k], expression::ValueTypeOf(inputs[k].type())});
  }
  ASSIGN_OR_RETURN(Program parsed, Program::Parse(text, std::move(columns)));
  auto program = std::make_shared<const Program>(std::move(parsed));
  TheCache().Add(text, types, program);
  return program;
}

std::vector<ConstArrayView> ColumnsOf(Views inputs) {
  std::vector<ConstArrayView> columns;
  std::copy_if(inputs.begin(), inputs.end(), std::back_inserter(columns),
               [](const ConstArrayView& input) { return input.given(); });
  return columns;
}

}  // namespace concord::sequence
