// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Conway's decomposition. Where a string can be cut so that the two parts never
// meet again, however many steps are made, each part has a future of its own:
//
//   steps(left right) = steps(left) steps(right)
//
// A part that cannot be cut further is an atom. A step turns it into others,
// and after at most 24 steps there is nothing left but the 92 "elements" and
// two more for each digit past 3, whatever the start (Conway's cosmological
// theorem). So a term is a tree: atoms, what they decay into, and so on. Its
// length takes a table of a hundred columns, and any part of it can be written
// on its own.
//
// Nothing here rests on the theorem, nor on a list of elements: cuts are made
// where they are proven (see `MayMeet` in the source), and the table holds what
// comes up. It is small because the theorem is true.
//
// Source: J. H. Conway, "The weird and wonderful chemistry of audioactive
// decay" (1986).

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_LOOK_AND_SAY_ATOMS_H_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_LOOK_AND_SAY_ATOMS_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/algorithms/look_and_say/look_and_say.h"

namespace concord::look_and_say {

// Atoms and what becomes of them. May be kept from one input to the next.
class AtomTable {
 public:
  // Any length that int64 does not hold.
  static constexpr std::int64_t kTooLong =
      std::numeric_limits<std::int64_t>::max();
  // Of lengths.
  static constexpr std::int64_t SaturatedSum(std::int64_t a, std::int64_t b) {
    return a > kTooLong - b ? kTooLong : a + b;
  }

  explicit AtomTable(LookAndSay::Counts counts) : counts_(counts) {}

  // The atoms of `digits` from left to right. The table then has all that they
  // decay into. Nothing where these are too many: such an input is better taken
  // step by step.
  std::optional<std::vector<int>> Split(absl::Span<const std::uint8_t> digits);

  int size() const { return static_cast<int>(digits_.size()); }
  // Changes whenever atoms are numbered anew.
  std::int64_t generation() const { return generation_; }
  absl::Span<const std::uint8_t> DigitsOf(int atom) const;
  // The atoms that it is after one step, from left to right.
  absl::Span<const int> DecayOf(int atom) const {
    return absl::MakeConstSpan(products_).subspan(
        first_product_[atom], first_product_[atom + 1] - first_product_[atom]);
  }

  // Makes LengthOf ready for up to so many steps.
  void PrepareLengths(std::int64_t steps);
  // The digits of an atom after so many steps, or kTooLong.
  std::int64_t LengthOf(int atom, std::int64_t steps) const {
    const auto last = static_cast<std::int64_t>(lengths_.size()) - 1;
    return lengths_[steps < last ? steps : last][atom];
  }

 private:
  void Clear();
  template <typename F>
  void ForEachAtom(absl::string_view text, const F& f);
  int Intern(absl::string_view atom);

  LookAndSay::Counts counts_;
  std::int64_t generation_ = 0;
  // By atom; the keys of the map are views of these, which stay where they are.
  std::deque<std::string> digits_;
  std::unordered_map<std::string_view, int> numbers_;
  std::int64_t total_digits_ = 0;
  // The products of atom a are products_[first_product_[a]] and so on.
  std::vector<int> products_;
  std::vector<int> first_product_ = {0};
  // By steps and atom; from the last row on nothing changes any more.
  std::vector<std::vector<std::int64_t>> lengths_;
};

// An input that is to make so many steps, as atoms.
class LookAndSayPlan {
 public:
  // Under 20 steps a term is no more than some 300 times as long as the input,
  // and to look for atoms would take longer than the steps.
  static constexpr std::int64_t kLeastSteps = 20;

  // Nothing where it is better to go step by step. `table` outlives the plan,
  // and is not used for another one meanwhile.
  static std::optional<LookAndSayPlan> Make(absl::Span<const std::uint8_t> in,
                                            std::int64_t steps,
                                            AtomTable& table);

  const AtomTable& table() const { return *table_; }
  std::int64_t steps() const { return steps_; }
  const std::vector<int>& atoms() const { return atoms_; }

  // Of the term after all steps, or AtomTable::kTooLong.
  std::int64_t length() const { return length_; }
  // The same as a decimal number, however long.
  std::string ExactLength() const;

  // The atoms that there are, somewhere in the term, after so many steps.
  std::vector<int> AtomsAfter(std::int64_t steps) const;

 private:
  const AtomTable* table_;
  std::int64_t steps_;
  std::vector<int> atoms_;
  std::int64_t length_;
};

// Goes through the atoms of a plan's term that are left with `remaining` steps
// to make, from a place in the final term on.
class AtomCursor {
 public:
  // The first atom is the one whose digits, after all steps, have that at
  // `position`, which the term has.
  AtomCursor(const LookAndSayPlan& plan, std::int64_t remaining,
             std::int64_t position);

  // How many of the first atom's digits lie before the position.
  std::int64_t skipped() const { return skipped_; }

  // The next atom; -1 after the last.
  int Next() {
    while (!stack_.empty()) {
      Siblings& siblings = stack_.back();
      if (siblings.next == siblings.end) {
        stack_.pop_back();
        continue;
      }
      const int atom = *siblings.next++;
      if (siblings.steps == remaining_) return atom;
      Descend(atom, siblings.steps - 1);
    }
    return -1;
  }

 private:
  // Atoms that were made together and have so many steps to make.
  struct Siblings {
    const int* next;
    const int* end;
    std::int64_t steps;
  };

  void Descend(int atom, std::int64_t steps) {
    const absl::Span<const int> products = table_.DecayOf(atom);
    stack_.push_back(
        {products.data(), products.data() + products.size(), steps});
  }

  const AtomTable& table_;
  std::int64_t remaining_;
  std::int64_t skipped_;
  std::vector<Siblings> stack_;
};

// The atoms, which are in order, and those of the table of so many that were
// kept for earlier inputs, in order: inputs that come by turns are to find all
// that they need.
template <typename IsKept>
std::vector<int> WithKept(const std::vector<int>& atoms, int table_size,
                          const IsKept& is_kept) {
  std::vector<int> all;
  for (int atom = 0; atom < table_size; ++atom) {
    if (is_kept(atom) || std::binary_search(atoms.begin(), atoms.end(), atom)) {
      all.push_back(atom);
    }
  }
  return all;
}

// What atoms have become after some steps: the blocks that terms are put
// together from. May be kept from one plan to the next on the same table.
class AtomBlocks {
 public:
  // Blocks for the end of the plan: of the largest number of steps, at most
  // `most_steps`, with which they have no more than `most_digits` in all. There
  // are `padding` readable bytes behind each of them.
  void MakeFor(const LookAndSayPlan& plan, std::int64_t most_steps,
               std::int64_t most_digits, std::int64_t padding);

  std::int64_t steps() const { return steps_; }
  absl::Span<const std::uint8_t> digits() const { return digits_; }
  // Where in digits() the block of an atom starts; its length is that of the
  // table. -1 for atoms that do not come up.
  const std::vector<std::int64_t>& starts() const { return starts_; }
  // Changes whenever the blocks do.
  std::int64_t version() const { return version_; }

 private:
  const AtomTable* table_ = nullptr;
  std::int64_t generation_ = -1;
  std::int64_t steps_ = -1;
  std::vector<std::uint8_t> digits_;
  std::vector<std::int64_t> starts_;
  std::int64_t version_ = 0;
  // The plan for which that is known to be all.
  std::vector<int> plan_atoms_;
  std::int64_t plan_steps_ = -1;
};

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_LOOK_AND_SAY_ATOMS_H_
