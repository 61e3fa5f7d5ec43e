// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A seed draws the same cases on every machine and by every compiler: benchmark
// runs that others repeat and lines that replay a failure rest on that. What
// the seeds 1 and 2 draw is recorded in testing/drawn_cases.txt. A line changes
// only when a distribution is meant to draw something else from now on, which
// makes older records of it useless.

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "concord/core/options.h"
#include "concord/core/spec.h"

namespace concord {
namespace {

// FNV-1a, by Fowler, Noll and Vo.
class Hash {
 public:
  void Add(const void* data, std::int64_t size) {
    const auto* const bytes = static_cast<const unsigned char*>(data);
    for (std::int64_t i = 0; i < size; ++i) {
      value_ = (value_ ^ bytes[i]) * 0x100000001b3;
    }
  }
  void Add(absl::string_view text) {
    Add(text.data(), static_cast<std::int64_t>(text.size()));
  }
  std::string ToString() const {
    return absl::StrCat(absl::Hex(value_, absl::kZeroPad16));
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

// Options count where they are not at their defaults, so that one more option
// of an algorithm changes no line.
void AddCase(const AlgorithmSpec& spec, const Case& test_case, Hash& hash) {
  const OptionMap defaults = *CompleteOptions(spec.options(), {});
  for (const auto& [name, value] : test_case.options) {
    if (value == defaults.at(name)) continue;
    hash.Add(absl::StrCat(name, "=", value, "\n"));
  }
  for (const auto& [name, array] : test_case.inputs) {
    hash.Add(
        absl::StrCat(name, " ", Name(array.type()), " ", array.size(), "\n"));
    hash.Add(array.view().data(), array.view().bytes());
  }
}

// "reduce uniform" to the hash of its cases of all types.
std::map<std::string, std::string> DrawnCases() {
  std::map<std::string, Hash> hashes;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    for (const ElementType type : spec->element_types()) {
      for (const std::string& distribution : spec->Distributions(type)) {
        Hash& hash = hashes[absl::StrCat(spec->name(), " ", distribution)];
        for (const std::uint64_t seed : {1, 2}) {
          const absl::StatusOr<Case> drawn =
              spec->Generate({300, type, distribution, {}, seed});
          EXPECT_TRUE(drawn.ok()) << drawn.status();
          if (drawn.ok()) AddCase(*spec, *drawn, hash);
        }
      }
    }
  }
  std::map<std::string, std::string> drawn;
  for (const auto& [name, hash] : hashes) drawn[name] = hash.ToString();
  return drawn;
}

std::map<std::string, std::string> RecordedCases() {
  std::ifstream file("testing/drawn_cases.txt");
  EXPECT_TRUE(file.is_open());
  std::map<std::string, std::string> recorded;
  for (std::string line; std::getline(file, line);) {
    const std::size_t space = line.rfind(' ');
    if (line.empty() || line[0] == '#' || space == line.npos) continue;
    recorded[line.substr(0, space)] = line.substr(space + 1);
  }
  return recorded;
}

TEST(DrawnCases, AreTheRecordedOnes) {
  const std::map<std::string, std::string> drawn = DrawnCases();
  const std::map<std::string, std::string> recorded = RecordedCases();
  std::string lines;
  for (const auto& [name, hash] : drawn) {
    const auto at = recorded.find(name);
    if (at == recorded.end() || at->second != hash) {
      absl::StrAppend(&lines, name, " ", hash, "\n");
    }
  }
  EXPECT_TRUE(lines.empty()) << "drawn_cases.txt lacks these lines:\n" << lines;
  for (const auto& [name, hash] : recorded) {
    EXPECT_EQ(drawn.count(name), 1) << name << " is drawn no more";
  }
}

}  // namespace
}  // namespace concord
