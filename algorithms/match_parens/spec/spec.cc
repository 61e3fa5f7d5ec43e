// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/match_parens/match_parens.h"
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

// What is drawn:
//
//   balanced      nested at random, about sqrt(n) deep
//   fault_at_end  balanced, but the last bracket is one closing bracket more
//   sparse        the same, nine tenths of it no brackets
//   deep          first all opening brackets, then all closing ones
//   flat          pairs, one after the other
//   random        brackets without any order: a fault soon
//   one_wrong     balanced but for one bracket, which is any other
//   crossing      balanced but for two closing brackets that changed places
//   never_closed  balanced but for one opening bracket more, somewhere
//   edges         flat, with a wrong closing bracket right before or behind a
//                 multiple of 256 elements
HostArray DrawBrackets(absl::string_view distribution, ElementType type,
                       std::int64_t size, const std::string& kinds,
                       std::uint64_t seed) {
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

// The loop of match_parens.h, with the kinds alone on the stack: the position
// of its lowest element is where it last was empty.
std::int64_t ExpectedFault(absl::Span<const std::uint8_t> in,
                           const Brackets& brackets) {
  std::vector<std::uint8_t> kinds;
  std::int64_t lowest = -1;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const int code = brackets.code[in[i]];
    if (code > 0) {
      if (kinds.empty()) lowest = static_cast<std::int64_t>(i);
      kinds.push_back(static_cast<std::uint8_t>(code));
    } else if (code < 0) {
      if (kinds.empty() || kinds.back() != -code) {
        return static_cast<std::int64_t>(i);
      }
      kinds.pop_back();
    }
  }
  return kinds.empty() ? -1 : lowest;
}

class MatchParensSpec : public SpecOf<MatchParens> {
 public:
  std::vector<std::string> Distributions(ElementType) const override {
    // The first one serves the tests of the largest size: it ends by closing
    // what has been opened all along.
    return {"balanced", "fault_at_end", "sparse",   "deep",         "flat",
            "random",   "one_wrong",    "crossing", "never_closed", "edges"};
  }
  std::vector<OptionMap> OptionCombinations(ElementType) const override {
    return {{{"kinds", "()"}}, {{"kinds", "()[]{}"}}, {{"kinds", "<>"}}};
  }

  absl::StatusOr<HostArray> DrawInput(
      const CaseRequest& request) const override {
    const std::string& kinds = request.options.at("kinds");
    RETURN_IF_ERROR(BracketsOf(Options{kinds}, request.type).status());
    return DrawBrackets(request.distribution, request.type, request.size, kinds,
                        request.seed);
  }

  std::vector<Case> SpecialCases() const override;

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    ASSIGN_OR_RETURN(Brackets brackets, BracketsOf(options, test_case.type));
    Expectations expected;
    expected["fault"].value = HostArray::Of<std::int64_t>(
        {ExpectedFault(BytesOf(test_case), brackets)});
    return expected;
  }

  // Nothing behind a wrong closing bracket has to be read.
  Floor FloorOf(const Case& test_case) const override {
    Floor floor = SpecOf::FloorOf(test_case);
    const absl::StatusOr<Options> options = Parse(test_case.options);
    if (!options.ok()) return floor;
    const absl::StatusOr<Brackets> brackets =
        BracketsOf(*options, test_case.type);
    if (!brackets.ok()) return floor;
    const absl::Span<const std::uint8_t> bytes = BytesOf(test_case);
    const std::int64_t fault = ExpectedFault(bytes, *brackets);
    if (fault >= 0 && brackets->code[bytes[fault]] < 0) {
      floor.bytes_read = fault + 1;
    }
    return floor;
  }

  std::vector<PresetRows> preset_rows() const override {
    return {{"applications", 2, {}, {}, {"balanced", "fault_at_end"}}};
  }

 private:
  static absl::Span<const std::uint8_t> BytesOf(const Case& test_case) {
    const HostArray& in = test_case.inputs.at("in");
    return {in.data<std::uint8_t>(), static_cast<std::size_t>(in.size())};
  }
};

std::vector<Case> MatchParensSpec::SpecialCases() const {
  std::vector<Case> cases;
  const auto add = [&](const char* kinds, absl::string_view text) {
    cases.push_back(MakeCase(
        absl::StrCat("'", text, "' of ", kinds), {{"kinds", kinds}},
        HostArray::Of<std::uint8_t>(absl::Span<const std::uint8_t>(
            reinterpret_cast<const std::uint8_t*>(text.data()), text.size()))));
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
    cases.push_back(
        MakeCase(absl::StrCat(numbers.size(), " numbers, of ", kinds),
                 {{"kinds", kinds}}, HostArray::Of<std::int8_t>(numbers)));
  };
  add_numbers("()", {1, 0, 1, -1, -1});
  add_numbers("()", {1, 2, -2, -128, 127, -1, -1});
  add_numbers("()[]", {1, 2, -2, -1, 3, -3});
  add_numbers("()[]", {1, 2, -1, -2});
  return cases;
}

const bool kRegistered = RegisterSpec(new MatchParensSpec);

}  // namespace
}  // namespace concord::match_parens
