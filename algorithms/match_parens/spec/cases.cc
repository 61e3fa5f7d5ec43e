// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/match_parens/spec/cases.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord::match_parens {
namespace {

// Codes: k opens kind k, -k closes it, 0 is no bracket. They are what int8
// elements are.
class Writer {
 public:
  Writer(absl::Span<std::int8_t> out, int kinds, std::uint64_t seed)
      : out_(out), kinds_(kinds), random_(seed) {}

  std::int8_t AnyKind() {
    return static_cast<std::int8_t>(1 + random_.Below(kinds_));
  }
  std::size_t AnyPlace() { return random_.Below(out_.size()); }

  // Elements [first, last); of ten of them so many are no brackets.
  void Balanced(std::size_t first, std::size_t last, unsigned blank_tenths) {
    std::vector<std::int8_t> open;
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t left = last - i;
      if (left == open.size()) {
        out_[i] = Close(open);
      } else if (left == open.size() + 1 ||
                 (blank_tenths > 0 && random_.Below(10) < blank_tenths)) {
        out_[i] = 0;
      } else if (open.empty() || random_.Bits() >> 63 != 0) {
        open.push_back(AnyKind());
        out_[i] = open.back();
      } else {
        out_[i] = Close(open);
      }
    }
  }

  void Deep() {
    const std::size_t half = out_.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
      out_[i] = AnyKind();
      out_[out_.size() - 1 - i] = static_cast<std::int8_t>(-out_[i]);
    }
    if (out_.size() % 2 != 0) out_[half] = 0;
  }

  void Flat() {
    for (std::size_t i = 0; i + 1 < out_.size(); i += 2) {
      out_[i] = AnyKind();
      out_[i + 1] = static_cast<std::int8_t>(-out_[i]);
    }
    if (out_.size() % 2 != 0) out_.back() = 0;
  }

  void Random() {
    for (std::int8_t& code : out_) {
      code = random_.Bits() >> 63 != 0 ? AnyKind()
                                       : static_cast<std::int8_t>(-AnyKind());
    }
  }

  void ExchangeTwoClosing() {
    const auto next = [&](std::size_t from) {
      while (from < out_.size() && out_[from] >= 0) ++from;
      return from;
    };
    const std::size_t a = next(AnyPlace());
    const std::size_t b = next(a + 1);
    if (b < out_.size()) std::swap(out_[a], out_[b]);
  }

  void Edges() {
    constexpr std::size_t kEvery = 256;
    Flat();
    std::size_t edge = AnyPlace() / kEvery * kEvery;
    if (edge > 0 && random_.Below(2) == 0) --edge;
    out_[edge] = static_cast<std::int8_t>(-AnyKind());
  }

 private:
  static std::int8_t Close(std::vector<std::int8_t>& open) {
    const auto kind = static_cast<std::int8_t>(-open.back());
    open.pop_back();
    return kind;
  }

  const absl::Span<std::int8_t> out_;
  const int kinds_;
  class Random random_;
};

void Write(absl::string_view distribution, Writer& writer,
           absl::Span<std::int8_t> out) {
  const std::size_t n = out.size();
  if (distribution == "deep") return writer.Deep();
  if (distribution == "flat") return writer.Flat();
  if (distribution == "random") return writer.Random();
  if (distribution == "sparse") return writer.Balanced(0, n, 9);
  if (distribution == "edges") return writer.Edges();
  if (distribution == "fault_at_end") {
    writer.Balanced(0, n - 1, 0);
    out[n - 1] = static_cast<std::int8_t>(-writer.AnyKind());
    return;
  }
  if (distribution == "never_closed") {
    const std::size_t at = writer.AnyPlace();
    writer.Balanced(0, at, 0);
    out[at] = writer.AnyKind();
    writer.Balanced(at + 1, n, 0);
    return;
  }
  writer.Balanced(0, n, 0);
  if (distribution == "crossing") writer.ExchangeTwoClosing();
  if (distribution == "one_wrong") {
    const std::size_t at = writer.AnyPlace();
    out[at] = static_cast<std::int8_t>(out[at] > 0 ? -writer.AnyKind()
                                                   : writer.AnyKind());
  }
}

}  // namespace

const std::vector<std::string>& MatchParensDistributions() {
  // The first one serves the tests of the largest size: it ends by closing what
  // has been opened all along.
  static const auto* const names = new std::vector<std::string>{
      "balanced", "fault_at_end", "sparse",   "deep",         "flat",
      "random",   "one_wrong",    "crossing", "never_closed", "edges"};
  return *names;
}

absl::StatusOr<HostArray> DrawBrackets(absl::string_view distribution,
                                       ElementType type, std::int64_t size,
                                       const std::string& kinds,
                                       std::uint64_t seed) {
  const std::vector<std::string>& names = MatchParensDistributions();
  if (std::find(names.begin(), names.end(), distribution) == names.end()) {
    return InvalidArgumentError("no distribution '", distribution,
                                "'; there are ", absl::StrJoin(names, ", "));
  }
  HostArray drawn(type, {size});
  if (size == 0) return drawn;
  const absl::Span<std::int8_t> codes(drawn.data<std::int8_t>(),
                                      static_cast<std::size_t>(size));
  Writer writer(codes, static_cast<int>(kinds.size() / 2), seed);
  Write(distribution, writer, codes);
  if (type == ElementType::kUInt8) {
    for (std::int8_t& code : codes) {
      const int kind = code < 0 ? -code : code;
      code = static_cast<std::int8_t>(
          code == 0 ? 'x' : kinds[2 * (kind - 1) + (code < 0)]);
    }
  }
  return drawn;
}

std::vector<Case> MatchParensSpecialCases() {
  std::vector<Case> cases;
  const auto add = [&](const char* kinds, absl::string_view text) {
    Case made;
    made.label = absl::StrCat("'", text, "' of ", kinds);
    made.type = ElementType::kUInt8;
    made.options = {{"kinds", kinds}};
    made.inputs.emplace(
        "in",
        HostArray::Of<std::uint8_t>(absl::Span<const std::uint8_t>(
            reinterpret_cast<const std::uint8_t*>(text.data()), text.size())));
    cases.push_back(std::move(made));
  };
  add("()", "");
  add("()", "no brackets");
  add("()", "(");
  add("()", ")");
  add("()", "()(())");
  add("()", "())(");
  add("()", "(()");
  add("()", "()((");
  // One less and one more than a bracket, and their negatives.
  add("()", "('*)\xa8\xa9");
  add("()[]{}", "([{}])");
  add("()[]{}", "([)]");
  // Alike in number at each depth, but not in order.
  add("()[]", "(][)");
  add("()[]", "([");
  add("()[]", "[()](");
  add("<>", "<(>)");

  const auto add_numbers = [&](const char* kinds,
                               std::initializer_list<std::int8_t> numbers) {
    Case made;
    made.label = absl::StrCat(numbers.size(), " numbers, of ", kinds);
    made.type = ElementType::kInt8;
    made.options = {{"kinds", kinds}};
    made.inputs.emplace("in", HostArray::Of<std::int8_t>(numbers));
    cases.push_back(std::move(made));
  };
  add_numbers("()", {1, 0, 1, -1, -1});
  add_numbers("()", {1, 2, -2, -128, 127, -1, -1});
  add_numbers("()[]", {1, 2, -2, -1, 3, -3});
  add_numbers("()[]", {1, 2, -1, -2});
  return cases;
}

}  // namespace concord::match_parens
