// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/match_parens/tbb/kinds.h"

#include <vector>

namespace concord::match_parens {
namespace {

// Goes through elements with a stack. What closes with nothing on the stack has
// its partner, if any, before these elements.
class StackMachine {
 public:
  StackMachine(const std::uint8_t* in, const Brackets& brackets)
      : in_(in), brackets_(brackets) {}

  // Where the lowest element of the stack is.
  std::int64_t lowest() const { return lowest_; }
  std::int64_t height() const { return height_; }

  // Unmatched closing brackets are kept below the stack, which is empty when
  // there is a new one.
  std::int64_t closing() const { return closing_; }

  // Returns where it stops: at a closing bracket with a wrong partner, at the
  // unmatched closing bracket with the number given, or -1 at the end. `kinds`
  // has room for as many as there are elements.
  std::int64_t Go(std::int64_t first, std::int64_t last, std::uint8_t* kinds,
                  std::int64_t stop_at_closing = -1) {
    // Not in the object, which for all the compiler knows is written to with
    // `kinds`.
    std::int64_t lowest = lowest_, height = height_, closing = closing_;
    const std::uint8_t* const in = in_;
    std::int64_t i = first;
    for (; i < last; ++i) {
      // Opening and closing brackets come in an order that no CPU foresees, so
      // both take the same way; only what has no partner branches off.
      const int code = brackets_.code[in[i]];
      const int closes = -(code < 0);  // all bits
      const std::int64_t top = closing + height;
      kinds[top] = static_cast<std::uint8_t>(code);
      lowest = ((code > 0) & (height == 0)) ? i : lowest;
      const int below = kinds[top > 0 ? top - 1 : 0];
      // In whole numbers, of which the compiler makes one branch and not two.
      const int unmatched = (below + code) | static_cast<int>(height == 0);
      if ((closes & unmatched) != 0) {
        if (height > 0 || closing == stop_at_closing) break;
        kinds[top] = static_cast<std::uint8_t>(-code);
        ++closing;
        continue;
      }
      height += (code > 0) + closes;
    }
    lowest_ = lowest;
    height_ = height;
    closing_ = closing;
    return i < last ? i : -1;
  }

 private:
  const std::uint8_t* const in_;
  const Brackets& brackets_;
  std::int64_t lowest_ = -1;
  std::int64_t height_ = 0;
  std::int64_t closing_ = 0;
};

std::vector<std::uint8_t> RoomFor(const Unmatched& chunk) {
  return std::vector<std::uint8_t>(
      static_cast<std::size_t>(chunk.last - chunk.first));
}

}  // namespace

std::int64_t PlaceOfClosing(const std::uint8_t* in, const Brackets& brackets,
                            const Unmatched& chunk, std::int64_t number,
                            std::uint8_t* room) {
  return StackMachine(in, brackets).Go(chunk.first, chunk.last, room, number);
}

std::int64_t PlaceOfLowest(const std::uint8_t* in, const Brackets& brackets,
                           const Unmatched& chunk, std::uint8_t* room) {
  StackMachine machine(in, brackets);
  machine.Go(chunk.first, chunk.last, room);
  return machine.lowest();
}

Unmatched Unmatched::Of(const std::uint8_t* in, std::int64_t first,
                        std::int64_t last, const Brackets& brackets,
                        std::uint8_t* kinds) {
  StackMachine machine(in, brackets);
  const std::int64_t fault = machine.Go(first, last, kinds);
  return {first,
          last,
          fault,
          kinds,
          machine.closing(),
          kinds + machine.closing(),
          machine.height()};
}

std::int64_t FirstFaultOfChunks(const std::uint8_t* in,
                                const Brackets& brackets,
                                absl::Span<const Unmatched> chunks) {
  // The brackets that are open: of some chunks, from the first to the last, the
  // lowest `open` ones.
  struct Part {
    const Unmatched* chunk;
    std::int64_t open;
  };
  std::vector<Part> stack;
  for (const Unmatched& chunk : chunks) {
    for (std::int64_t k = 0; k < chunk.closing_count; ++k) {
      if (stack.empty() || stack.back().chunk->opening[stack.back().open - 1] !=
                               chunk.closing[k]) {
        return PlaceOfClosing(in, brackets, chunk, k, RoomFor(chunk).data());
      }
      if (--stack.back().open == 0) stack.pop_back();
    }
    if (chunk.fault >= 0) return chunk.fault;
    if (chunk.opening_count > 0) stack.push_back({&chunk, chunk.opening_count});
  }
  if (stack.empty()) return -1;
  const Unmatched& chunk = *stack.front().chunk;
  return PlaceOfLowest(in, brackets, chunk, RoomFor(chunk).data());
}

}  // namespace concord::match_parens
