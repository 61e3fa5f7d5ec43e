// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/look_and_say/look_and_say_atoms.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace concord::look_and_say {
namespace {

// Inputs with more different atoms than this take longer to plan than to step.
constexpr int kMostAtoms = 1 << 16;
constexpr std::int64_t kMostDigits = std::int64_t{1} << 26;

// From one input to the next this many atoms are kept, enough for the elements.
// More would be wild ones that make every table longer.
constexpr int kMostKept = 1024;

using Bytes = std::vector<std::uint8_t>;

// Appends what is said about `text`, run by run, until there are `enough`
// symbols. Returns how much of the text that was about.
std::size_t Say(absl::string_view text, LookAndSay::Counts counts,
                std::size_t enough, Bytes& said) {
  std::size_t first = 0;
  while (first < text.size() && said.size() < enough) {
    std::size_t end = first + 1;
    while (end < text.size() && text[end] == text[first]) ++end;
    AppendCount(static_cast<std::int64_t>(end - first), counts, said);
    said.push_back(static_cast<std::uint8_t>(text[first]));
    first = end;
  }
  return first;
}

absl::string_view AsText(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The first symbols of a string, of which more may follow.
struct Beginning {
  static constexpr int kMost = 16;

  std::uint8_t symbols[kMost] = {};
  int size = 0;
  bool is_all = false;

  friend bool operator==(const Beginning& a, const Beginning& b) {
    return a.size == b.size && a.is_all == b.is_all &&
           std::memcmp(a.symbols, b.symbols, kMost) == 0;
  }
};

// What the string that begins in this way begins with after a step. Of the last
// run nobody knows where it ends, unless the string ends there. `said` is
// memory for the while.
Beginning Step(absl::string_view begin, bool is_all, LookAndSay::Counts counts,
               Bytes& said) {
  if (!is_all) {
    std::size_t size = begin.size();
    while (size > 0 && begin[size - 1] == begin.back()) --size;
    begin = begin.substr(0, size);
  }
  said.clear();
  const std::size_t about = Say(begin, counts, Beginning::kMost, said);
  Beginning result;
  result.size =
      static_cast<int>(std::min<std::size_t>(said.size(), Beginning::kMost));
  result.is_all =
      is_all && about == begin.size() && said.size() <= Beginning::kMost;
  std::copy_n(said.begin(), result.size, result.symbols);
  return result;
}

// Whether a string that ends in `last` and one that follows it may ever have
// equal symbols at their border, which would then be counted together. "No" is
// a proof. The left one ends in the same symbol for ever, so what matters is
// what the right one begins with. Its first symbols decide what the first ones
// of the next step are; once they have come round to what they were before,
// everything has been seen. (Conway's starting theorem: this happens soon, with
// a period of 1 or 3.)
bool MayMeet(std::uint8_t last, absl::string_view right,
             LookAndSay::Counts counts) {
  // Conway's theorem is about strings of some age; wild ones take longer.
  constexpr int kMostSteps = 40;
  if (static_cast<std::uint8_t>(right.front()) == last) return true;
  Bytes said;
  Beginning history[kMostSteps];
  history[0] = Step(right, /*is_all=*/true, counts, said);
  for (int k = 0;; ++k) {
    const Beginning& now = history[k];
    if (now.size == 0 || now.symbols[0] == last) return true;
    for (const int period : {1, 2, 3}) {
      if (k >= period && history[k - period] == now) return false;
    }
    if (k + 1 == kMostSteps) return true;
    history[k + 1] = Step({reinterpret_cast<const char*>(now.symbols),
                           static_cast<std::size_t>(now.size)},
                          now.is_all, counts, said);
  }
}

// A whole number past 64 bits: digits to the base 10^18, the lowest first.
class LargeNumber {
 public:
  bool is_zero() const { return digits_.empty(); }

  void Add(const LargeNumber& other, std::uint64_t times = 1) {
    unsigned __int128 carry = 0;
    for (std::size_t i = 0; i < other.digits_.size() || carry != 0; ++i) {
      if (i == digits_.size()) digits_.push_back(0);
      carry += digits_[i];
      if (i < other.digits_.size()) {
        carry += static_cast<unsigned __int128>(other.digits_[i]) * times;
      }
      digits_[i] = static_cast<std::uint64_t>(carry % kBase);
      carry /= kBase;
    }
  }

  void AddOne() {
    LargeNumber one;
    one.digits_ = {1};
    Add(one);
  }

  std::string ToString() const {
    if (is_zero()) return "0";
    std::string text = absl::StrCat(digits_.back());
    for (std::size_t i = digits_.size() - 1; i-- > 0;) {
      absl::StrAppendFormat(&text, "%018d", digits_[i]);
    }
    return text;
  }

 private:
  static constexpr std::uint64_t kBase = 1'000'000'000'000'000'000;

  std::vector<std::uint64_t> digits_;
};

// Appends what the atom is after so many steps.
void AppendTerm(const AtomTable& table, int atom, std::int64_t steps,
                Bytes& digits) {
  if (steps == 0) {
    const absl::Span<const std::uint8_t> own = table.DigitsOf(atom);
    digits.insert(digits.end(), own.begin(), own.end());
    return;
  }
  for (const int product : table.DecayOf(atom)) {
    AppendTerm(table, product, steps - 1, digits);
  }
}

}  // namespace

absl::Span<const std::uint8_t> AtomTable::DigitsOf(int atom) const {
  const std::string& digits = digits_[atom];
  return {reinterpret_cast<const std::uint8_t*>(digits.data()), digits.size()};
}

void AtomTable::Clear() {
  ++generation_;
  numbers_.clear();
  digits_.clear();
  total_digits_ = 0;
  products_.clear();
  first_product_ = {0};
  lengths_.clear();
}

// Calls f with the atoms of the text, from left to right, until it returns
// false.
template <typename F>
void AtomTable::ForEachAtom(absl::string_view text, const F& f) {
  std::size_t first = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (MayMeet(static_cast<std::uint8_t>(text[i - 1]), text.substr(i),
                counts_)) {
      continue;
    }
    if (!f(text.substr(first, i - first))) return;
    first = i;
  }
  if (first < text.size()) f(text.substr(first));
}

int AtomTable::Intern(absl::string_view atom) {
  const auto known = numbers_.find({atom.data(), atom.size()});
  if (known != numbers_.end()) return known->second;
  digits_.emplace_back(atom);
  total_digits_ += static_cast<std::int64_t>(atom.size());
  return numbers_.emplace(digits_.back(), size() - 1).first->second;
}

std::optional<std::vector<int>> AtomTable::Split(
    absl::Span<const std::uint8_t> digits) {
  // A call that ran out of memory may have left atoms without their products.
  const bool is_complete =
      first_product_.size() == static_cast<std::size_t>(size()) + 1;
  if (size() > kMostKept || !is_complete) Clear();
  const int known = size();
  std::vector<int> atoms;
  if (static_cast<std::int64_t>(digits.size()) > kMostDigits) {
    return std::nullopt;
  }
  const auto has_room = [this] {
    return size() <= kMostAtoms && total_digits_ <= kMostDigits;
  };
  ForEachAtom({reinterpret_cast<const char*>(digits.data()), digits.size()},
              [&](absl::string_view atom) {
                atoms.push_back(Intern(atom));
                return has_room();
              });
  for (int atom = known; atom < size(); ++atom) {
    if (!has_room()) {
      Clear();
      return std::nullopt;
    }
    Bytes said;
    Say(digits_[atom], counts_, std::numeric_limits<std::size_t>::max(), said);
    ForEachAtom(AsText(said), [&](absl::string_view product) {
      products_.push_back(Intern(product));
      return true;
    });
    first_product_.push_back(static_cast<int>(products_.size()));
  }
  if (size() > known) lengths_.clear();
  return atoms;
}

void AtomTable::PrepareLengths(std::int64_t steps) {
  if (lengths_.empty()) {
    std::vector<std::int64_t> row;
    for (const std::string& digits : digits_) {
      row.push_back(static_cast<std::int64_t>(digits.size()));
    }
    lengths_.push_back(std::move(row));
  }
  while (static_cast<std::int64_t>(lengths_.size()) <= steps) {
    const std::vector<std::int64_t>& before = lengths_.back();
    std::vector<std::int64_t> row(digits_.size(), 0);
    for (int atom = 0; atom < size(); ++atom) {
      for (const int product : DecayOf(atom)) {
        row[atom] = AtomTable::SaturatedSum(row[atom], before[product]);
      }
    }
    // All that grow are too long.
    if (row == before) break;
    lengths_.push_back(std::move(row));
  }
}

std::optional<LookAndSayPlan> LookAndSayPlan::Make(
    absl::Span<const std::uint8_t> in, std::int64_t steps, AtomTable& table) {
  if (steps < kLeastSteps) return std::nullopt;
  std::optional<std::vector<int>> atoms = table.Split(in);
  if (!atoms.has_value()) return std::nullopt;
  table.PrepareLengths(steps);
  LookAndSayPlan plan;
  plan.table_ = &table;
  plan.steps_ = steps;
  plan.atoms_ = *std::move(atoms);
  plan.length_ = 0;
  for (const int atom : plan.atoms_) {
    plan.length_ =
        AtomTable::SaturatedSum(plan.length_, table.LengthOf(atom, steps));
  }
  return plan;
}

std::string LookAndSayPlan::ExactLength() const {
  if (length_ < AtomTable::kTooLong) return absl::StrCat(length_);
  // How often each atom is there, step after step.
  std::vector<LargeNumber> counts(table_->size());
  for (const int atom : atoms_) counts[atom].AddOne();
  for (std::int64_t step = 0; step < steps_; ++step) {
    std::vector<LargeNumber> next(table_->size());
    for (int atom = 0; atom < table_->size(); ++atom) {
      if (counts[atom].is_zero()) continue;
      for (const int product : table_->DecayOf(atom)) {
        next[product].Add(counts[atom]);
      }
    }
    counts = std::move(next);
  }
  LargeNumber length;
  for (int atom = 0; atom < table_->size(); ++atom) {
    length.Add(counts[atom], table_->DigitsOf(atom).size());
  }
  return length.ToString();
}

std::vector<int> LookAndSayPlan::AtomsAfter(std::int64_t steps) const {
  std::vector<bool> there(table_->size(), false);
  for (const int atom : atoms_) there[atom] = true;
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<bool> next(table_->size(), false);
    for (int atom = 0; atom < table_->size(); ++atom) {
      if (!there[atom]) continue;
      for (const int product : table_->DecayOf(atom)) next[product] = true;
    }
    if (next == there) break;
    there = std::move(next);
  }
  std::vector<int> atoms;
  for (int atom = 0; atom < table_->size(); ++atom) {
    if (there[atom]) atoms.push_back(atom);
  }
  return atoms;
}

AtomCursor::AtomCursor(const LookAndSayPlan& plan, std::int64_t remaining,
                       std::int64_t position)
    : table_(plan.table()), remaining_(remaining), skipped_(position) {
  const std::vector<int>& atoms = plan.atoms();
  stack_.push_back({atoms.data(), atoms.data() + atoms.size(), plan.steps()});
  for (;;) {
    Siblings& siblings = stack_.back();
    for (;;) {
      const std::int64_t length =
          table_.LengthOf(*siblings.next, siblings.steps);
      if (skipped_ < length) break;
      skipped_ -= length;
      ++siblings.next;
    }
    if (siblings.steps == remaining_) return;
    const int atom = *siblings.next++;
    Descend(atom, siblings.steps - 1);
  }
}

void AtomBlocks::MakeFor(const LookAndSayPlan& plan, std::int64_t most_steps,
                         std::int64_t most_digits, std::int64_t padding) {
  const AtomTable& table = plan.table();
  const bool same_table = table_ == &table &&
                          generation_ == table.generation() &&
                          static_cast<int>(starts_.size()) == table.size();
  if (same_table && plan_steps_ == plan.steps() &&
      plan_atoms_ == plan.atoms()) {
    return;
  }
  // Until the blocks are there, however this ends.
  plan_steps_ = -1;
  std::int64_t steps = std::min(most_steps, plan.steps());
  const auto total_of = [&](const std::vector<int>& of) {
    std::int64_t total = 0;
    for (const int atom : of) {
      total = AtomTable::SaturatedSum(total, table.LengthOf(atom, steps));
    }
    return total;
  };
  std::vector<int> atoms;
  for (;; --steps) {
    atoms = plan.AtomsAfter(plan.steps() - steps);
    if (total_of(atoms) <= most_digits || steps == 0) break;
  }
  const bool complete = same_table && steps_ == steps &&
                        std::all_of(atoms.begin(), atoms.end(), [&](int atom) {
                          return starts_[atom] >= 0;
                        });
  if (!complete) {
    if (same_table && steps_ == steps) {
      std::vector<int> more = WithKept(
          atoms, table.size(), [&](int atom) { return starts_[atom] >= 0; });
      if (total_of(more) <= most_digits) atoms = std::move(more);
    }
    table_ = nullptr;
    generation_ = table.generation();
    steps_ = steps;
    ++version_;
    digits_.clear();
    starts_.assign(table.size(), -1);
    for (const int atom : atoms) {
      starts_[atom] = static_cast<std::int64_t>(digits_.size());
      AppendTerm(table, atom, steps, digits_);
    }
    digits_.resize(digits_.size() + static_cast<std::size_t>(padding));
    table_ = &table;
  }
  plan_atoms_ = plan.atoms();
  plan_steps_ = plan.steps();
}

}  // namespace concord::look_and_say
