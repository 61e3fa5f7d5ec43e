// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/choices.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "concord/core/cache_folder.h"
#include "concord/core/errors.h"
#include "concord/core/hash.h"
#include "concord/core/version.h"

namespace concord {
namespace {

// A text of lines:
//   concord choices 1
//   machine 0.1.0; serial cpu=...; tbb:8 cpu=... threads=8
//   measured 2026-11-23T02:00:00Z
//   scan int32 cpu 0 serial/reference 8192 tbb/one_pass
//   ...
//   checksum 0123456789abcdef
constexpr absl::string_view kHead = "concord choices 1\n";
constexpr absl::string_view kChecksum = "checksum ";

constexpr DataPlace kAllPlaces[kPlaces] = {DataPlace::kCpu, DataPlace::kHost,
                                           DataPlace::kDevice};

std::string Checksum(absl::string_view text) {
  return absl::StrCat(absl::Hex(HashOf(text), absl::kZeroPad16));
}

bool ParsePlace(absl::string_view text, DataPlace& place) {
  for (const DataPlace known : kAllPlaces) {
    if (Name(known) != text) continue;
    place = known;
    return true;
  }
  return false;
}

bool ParseStep(absl::string_view from, absl::string_view name,
               ChoiceStep& step) {
  const std::vector<std::string> parts = absl::StrSplit(name, '/');
  if (parts.size() != 2 || !absl::SimpleAtoi(from, &step.from)) return false;
  step.backend = parts[0];
  step.variant = parts[1];
  return true;
}

bool ParseLine(absl::string_view line, Choices& choices) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  constexpr std::size_t kKeyWords = 3;
  if (words.size() < kKeyWords + 2 || words.size() % 2 == 0) return false;
  const absl::StatusOr<ElementType> type = ParseElementType(words[1]);
  DataPlace place = DataPlace::kCpu;
  if (!type.ok() || !ParsePlace(words[2], place)) return false;
  std::vector<ChoiceStep>& steps =
      choices.steps[{std::string(words[0]), *type, place}];
  for (std::size_t i = kKeyWords; i < words.size(); i += 2) {
    ChoiceStep step;
    if (!ParseStep(words[i], words[i + 1], step)) return false;
    const bool in_order =
        steps.empty() ? step.from == 0 : step.from > steps.back().from;
    if (!in_order) return false;
    steps.push_back(std::move(step));
  }
  return true;
}

}  // namespace

absl::string_view Name(DataPlace place) {
  switch (place) {
    case DataPlace::kCpu:
      return "cpu";
    case DataPlace::kHost:
      return "host";
    case DataPlace::kDevice:
      return "device";
  }
  __builtin_unreachable();
}

std::string MachineOf(absl::Span<const BackendStatus> statuses) {
  std::string machine = kVersion;
  for (const BackendStatus& status : statuses) {
    if (!status.available()) continue;
    for (const Device& device : status.devices) {
      absl::StrAppend(
          &machine, "; ", device.spec, " ",
          absl::StrJoin(device.facts, " ", absl::PairFormatter("=")));
    }
  }
  for (char& c : machine) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = ' ';
  }
  return machine;
}

std::string ChoicesFile(absl::string_view machine) {
  const std::string folder = CacheFolder();
  return folder.empty()
             ? ""
             : absl::StrCat(folder, "/", Checksum(machine), ".choices");
}

std::string ToText(const Choices& choices, absl::string_view machine) {
  std::string text = absl::StrCat(kHead, "machine ", machine, "\nmeasured ",
                                  choices.measured, "\n");
  for (const auto& [key, steps] : choices.steps) {
    const auto& [algorithm, type, place] = key;
    absl::StrAppend(&text, algorithm, " ", Name(type), " ", Name(place));
    for (const ChoiceStep& step : steps) {
      absl::StrAppend(&text, " ", step.from, " ", step.backend, "/",
                      step.variant);
    }
    absl::StrAppend(&text, "\n");
  }
  return absl::StrCat(text, kChecksum, Checksum(text), "\n");
}

absl::StatusOr<Choices> ParseChoices(absl::string_view text,
                                     absl::string_view machine) {
  if (!absl::ConsumePrefix(&text, kHead)) {
    return InvalidArgumentError(
        "it is no table of choices that this version "
        "reads");
  }
  const std::size_t end = text.rfind(kChecksum);
  if (end == absl::string_view::npos ||
      text.substr(end) !=
          absl::StrCat(kChecksum,
                       Checksum(absl::StrCat(kHead, text.substr(0, end))),
                       "\n")) {
    return InvalidArgumentError("it is damaged: its checksum is wrong");
  }
  std::vector<absl::string_view> lines =
      absl::StrSplit(text.substr(0, end), '\n', absl::SkipEmpty());
  if (lines.size() < 2 || !absl::ConsumePrefix(&lines[0], "machine ") ||
      !absl::ConsumePrefix(&lines[1], "measured ")) {
    return InvalidArgumentError("it is damaged: its head is incomplete");
  }
  if (lines[0] != machine) {
    return InvalidArgumentError("it is of another machine or version: ",
                                lines[0]);
  }
  Choices choices;
  choices.measured = std::string(lines[1]);
  for (std::size_t i = 2; i < lines.size(); ++i) {
    if (ParseLine(lines[i], choices)) continue;
    return InvalidArgumentError("it is damaged: '", lines[i], "'");
  }
  return choices;
}

absl::StatusOr<Choices> LoadChoices(const std::string& path,
                                    absl::string_view machine) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) {
    return NotFoundError(path, " does not exist");
  }
  std::ifstream file;
  if (std::filesystem::is_regular_file(status)) {
    file.open(path, std::ios::binary);
  }
  if (!file.is_open()) return InvalidArgumentError("it cannot be read");
  const std::string text((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  return ParseChoices(text, machine);
}

}  // namespace concord
