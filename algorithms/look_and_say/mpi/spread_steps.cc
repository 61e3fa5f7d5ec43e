// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/look_and_say/mpi/spread_steps.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "concord/backends/mpi/spread_results.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord::look_and_say {
namespace {

using Digits = SpreadSteps::Digits;

// Digits that a rank may have beyond twice its share: to move so few takes as
// long as to tell that there are none.
constexpr std::int64_t kSlack = 64;

// What ranks tell of their parts.
struct Part {
  std::int64_t size;
  EndsOfRuns ends;
};

std::int64_t SizeOf(Digits digits) {
  return static_cast<std::int64_t>(digits.size());
}

std::int64_t FirstRunOf(Digits digits) {
  const auto end = std::find_if(digits.begin(), digits.end(),
                                [&](std::uint8_t d) { return d != digits[0]; });
  return end - digits.begin();
}

std::int64_t LastRunOf(Digits digits) {
  const auto end =
      std::find_if(digits.rbegin(), digits.rend(),
                   [&](std::uint8_t d) { return d != digits.back(); });
  return end - digits.rbegin();
}

EndsOfRuns EndsOf(Digits digits) {
  if (digits.empty()) return {};
  const std::int64_t first = FirstRunOf(digits);
  return {first == SizeOf(digits) ? 1 : 2, digits.front(), digits.back(),
          first};
}

// The digits of runs that start here.
Digits OwnDigits(Digits digits, const OwnRuns& own) {
  const std::int64_t others = own.first == 0 ? 0 : FirstRunOf(digits);
  return digits.subspan(static_cast<std::size_t>(others));
}

std::int64_t LongestRun(Digits digits, const OwnRuns& own) {
  digits = OwnDigits(digits, own);
  std::int64_t longest = 0;
  while (!digits.empty()) {
    const std::int64_t run = FirstRunOf(digits);
    digits.remove_prefix(static_cast<std::size_t>(run));
    longest = std::max(longest, run + (digits.empty() ? own.more : 0));
  }
  return longest;
}

}  // namespace

absl::Status SpreadSteps::Prepare(TeamBackend& backend) {
  if (steps_ != nullptr) return absl::OkStatus();
  std::shared_ptr<Backend> threads = backend.local();
  if (threads->info().name != "tbb") {
    ASSIGN_OR_RETURN(threads, OpenBackend("tbb:1"));
  }
  steps_ = std::make_unique<StepByStep>(std::move(threads));
  return absl::OkStatus();
}

absl::StatusOr<Digits> SpreadSteps::Run(TeamBackend& backend, Digits digits,
                                        const LookAndSay::Options& options) {
  Team& team = backend.team();
  for (std::int64_t s = 0; s < options.steps; ++s) {
    ASSIGN_OR_RETURN(const std::vector<EndsOfRuns> ends,
                     Balance(backend, digits));
    const OwnRuns own = OwnRunsOf(ends)[static_cast<std::size_t>(team.rank())];
    if (s == 0 && options.counts == LookAndSay::Counts::kSymbol) {
      ASSIGN_OR_RETURN(const std::vector<std::int64_t> longest,
                       team.AllGather(LongestRun(digits, own)));
      RETURN_IF_ERROR(
          CheckFitsSymbol(*std::max_element(longest.begin(), longest.end())));
    }
    const absl::StatusOr<Digits> said =
        Guarded([&] { return Say(digits, own, s, options); });
    RETURN_IF_ERROR(team.Agree(said.status()));
    digits = *said;
  }
  return digits;
}

absl::StatusOr<std::vector<EndsOfRuns>> SpreadSteps::Balance(
    TeamBackend& backend, Digits& digits) {
  Team& team = backend.team();
  ASSIGN_OR_RETURN(const std::vector<Part> parts,
                   team.AllGather(Part{SizeOf(digits), EndsOf(digits)}));
  std::vector<std::int64_t> sizes;
  std::vector<EndsOfRuns> ends;
  for (const Part& part : parts) {
    sizes.push_back(part.size);
    ends.push_back(part.ends);
  }
  const Ranges held = InOrder(sizes);
  const std::int64_t share = held.back().last / team.size();
  if (*std::max_element(sizes.begin(), sizes.end()) <= 2 * share + kSlack) {
    return ends;
  }
  const Ranges wanted = CutBytes(held.back().last, team.size(), Layout::kEven);
  const std::int64_t size = backend.Mine(wanted).size();
  RETURN_IF_ERROR(team.Agree(MakeRoom(*backend.local(), size)));
  auto* const to = moved_.data<std::uint8_t>();
  RETURN_IF_ERROR(
      Redistribute(team, held, digits.data(), wanted, to, /*width=*/1));
  digits = {to, static_cast<std::size_t>(size)};
  return team.AllGather(EndsOf(digits));
}

absl::Status SpreadSteps::MakeRoom(Backend& local, std::int64_t size) {
  if (moved_.size() >= size) return absl::OkStatus();
  moved_ = Array();
  // What is moved again is moved when it has grown.
  ASSIGN_OR_RETURN(moved_,
                   local.Allocate(ElementType::kUInt8, size + size / 2));
  return absl::OkStatus();
}

absl::StatusOr<Digits> SpreadSteps::Say(Digits digits, const OwnRuns& own,
                                        std::int64_t step,
                                        const LookAndSay::Options& options) {
  digits = OwnDigits(digits, own);
  if (digits.empty()) return digits;
  RETURN_IF_ERROR(CheckRoomForStep(SizeOf(digits), step, options));
  const std::int64_t last = LastRunOf(digits);
  std::vector<std::uint8_t> said_of_last;
  AppendCount(last + own.more, options.counts, said_of_last);
  said_of_last.push_back(digits.back());
  digits.remove_suffix(static_cast<std::size_t>(last));
  ASSIGN_OR_RETURN(const absl::Span<std::uint8_t> said,
                   steps_->Say(digits, step, options.counts,
                               static_cast<std::int64_t>(said_of_last.size())));
  std::copy(said_of_last.begin(), said_of_last.end(), said.end());
  return Digits(said.data(), said.size() + said_of_last.size());
}

}  // namespace concord::look_and_say
