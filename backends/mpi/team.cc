// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/team.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "concord/backends/patience.h"
#include "concord/core/errors.h"
#include "concord/core/hash.h"

namespace concord {
namespace {

// Long enough for the slowest call of a busy machine.
constexpr double kUsualPatience = 300;

constexpr auto kWaitedInVain =
    static_cast<std::int64_t>(absl::StatusCode::kDeadlineExceeded);

// What a member that failed tells afterwards.
struct Words {
  char text[512];
};

// Whether a message says whose it is, as those do that members have agreed on
// before.
bool NamesRank(absl::string_view text, int size) {
  if (!absl::ConsumePrefix(&text, "rank ")) return false;
  const std::size_t digits = text.find_first_not_of("0123456789");
  return digits != 0 && digits != absl::string_view::npos &&
         absl::StartsWith(text.substr(digits),
                          absl::StrCat(" of ", size, ": "));
}

// The lowest rank that failed, or the end. Whoever has waited in vain may have
// waited for one that knows why.
template <typename Announcements>
auto FirstFailed(const Announcements& all) {
  const auto knows_why =
      std::find_if(all.begin(), all.end(), [](const auto& member) {
        return member.code != 0 && member.code != kWaitedInVain;
      });
  if (knows_why != all.end()) return knows_why;
  return std::find_if(all.begin(), all.end(),
                      [](const auto& member) { return member.code != 0; });
}

Words WordsOf(absl::string_view text) {
  Words words = {};
  text.copy(words.text, sizeof(words.text) - 1);
  return words;
}

}  // namespace

double TeamPatience() { return PatienceSeconds(kUsualPatience); }

absl::Status Team::Meet() { return AgreeOn("a meeting", absl::OkStatus()); }

absl::Status Team::Agree(const absl::Status& mine) {
  return AgreeOn("the end of a step", mine);
}

absl::Status Team::AgreeOn(absl::string_view call, const absl::Status& mine) {
  return Announce(call, mine, 0).status();
}

absl::StatusOr<std::vector<std::int64_t>> Team::AgreeOnSizes(
    absl::string_view call, std::int64_t bytes) {
  ASSIGN_OR_RETURN(const std::vector<Announcement> all,
                   Announce(call, absl::OkStatus(), bytes));
  std::vector<std::int64_t> sizes;
  for (const Announcement& member : all) sizes.push_back(member.bytes);
  return sizes;
}

absl::StatusOr<std::vector<Team::Announcement>> Team::Announce(
    absl::string_view call, const absl::Status& mine, std::int64_t bytes) {
  ASSIGN_OR_RETURN(
      std::vector<Announcement> all,
      AllGather(Announcement{HashOf(call), mine.raw_code(), bytes}));
  const auto failed = FirstFailed(all);
  const auto other = std::find_if(
      all.begin(), all.end(),
      [&](const Announcement& member) { return member.call != all[0].call; });
  if (failed == all.end() && other == all.end()) return all;

  const bool is_failure = failed != all.end();
  ASSIGN_OR_RETURN(const std::vector<Words> words,
                   AllGather(WordsOf(is_failure ? mine.message() : call)));
  if (is_failure) {
    const auto r = static_cast<std::size_t>(failed - all.begin());
    const std::string text(words[r].text);
    return absl::Status(
        static_cast<absl::StatusCode>(failed->code),
        NamesRank(text, size())
            ? text
            : absl::StrCat("rank ", r, " of ", size(), ": ", text));
  }
  const auto r = static_cast<std::size_t>(other - all.begin());
  return InvalidArgumentError("rank ", r, " of ", size(), " calls ",
                              words[r].text, ", but rank 0 ", words[0].text);
}

}  // namespace concord
