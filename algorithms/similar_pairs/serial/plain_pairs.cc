// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/similar_pairs/serial/plain_pairs.h"

#include <vector>

#include "concord/core/guarded.h"

namespace concord::similar_pairs {
namespace {

template <typename T>
class PlainPairs : public BlockPairs {
 public:
  explicit PlainPairs(const SimilarPairs::Options& options)
      : options_(options) {}

  absl::Status Hold(const Block& block) override {
    held_ = block;
    return absl::OkStatus();
  }

  absl::StatusOr<std::int64_t> Find(const Block& other,
                                    const Take& take) override {
    const bool behind = other.first >= held_.first;
    const Block& a = behind ? held_ : other;
    const Block& b = behind ? other : held_;
    return Guarded([&]() -> absl::StatusOr<std::int64_t> {
      std::int64_t count = 0;
      std::int64_t sketch = a.first;
      std::vector<Neighbour> neighbours;
      const auto take_all = [&] {
        const auto size = static_cast<std::int64_t>(neighbours.size());
        if (size > 0) take(sketch, count, neighbours);
        count += size;
        neighbours.clear();
      };
      ForPlainPairs<T>(a, b, options_.distance2, options_.dim,
                       [&](std::int64_t i, std::int64_t j, double distance2) {
                         if (i != sketch) take_all();
                         sketch = i;
                         neighbours.push_back({j, distance2});
                       });
      take_all();
      return count;
    });
  }

 private:
  const SimilarPairs::Options options_;
  Block held_;
};

}  // namespace

std::unique_ptr<BlockPairs> NewPlainPairs(
    ElementType type, const SimilarPairs::Options& options) {
  return DispatchSketches(type, [&](auto tag) -> std::unique_ptr<BlockPairs> {
    return std::make_unique<PlainPairs<decltype(tag)>>(options);
  });
}

}  // namespace concord::similar_pairs
