// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/concord/tune_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "concord/tools/concord/json_text.h"
#include "concord/tools/concord/text.h"

namespace concord {
namespace {

bool IsNear(const CheckedChoice& choice) {
  return choice.WithTable() <= kNearTheBest;
}
bool HasSlowCalls(const CheckedChoice& choice) {
  return choice.HasCalls() && choice.OfCalls() > kNearTheBest;
}

// "217 of 230 (94 %)": of those that count, the good ones.
template <typename Counts, typename IsGood>
std::string ShareOf(const std::vector<CheckedChoice>& checked, Counts counts,
                    IsGood is_good) {
  std::int64_t all = 0;
  std::int64_t good = 0;
  for (const CheckedChoice& choice : checked) {
    if (!counts(choice)) continue;
    ++all;
    good += is_good(choice);
  }
  return absl::StrCat(
      good, " of ", all, " (",
      HumanShare(static_cast<double>(good) /
                 static_cast<double>(std::max<std::int64_t>(all, 1))),
      ")");
}

std::string Misses(const std::vector<CheckedChoice>& checked) {
  Table table;
  table.AddColumn("FAR FROM THE BEST", Table::Align::kLeft);
  table.AddColumn("TYPE", Table::Align::kLeft);
  table.AddColumn("DATA", Table::Align::kLeft);
  table.AddColumn("SIZE", Table::Align::kRight);
  table.AddColumn("CHOSEN", Table::Align::kLeft);
  table.AddColumn("TIME", Table::Align::kRight);
  table.AddColumn("BEST", Table::Align::kLeft);
  table.AddColumn("TIME", Table::Align::kRight);
  table.AddColumn("RATIO", Table::Align::kRight);
  bool has_rows = false;
  const auto add = [&](const CheckedChoice& choice, const std::string& chosen,
                       double seconds, double best, double ratio) {
    has_rows = true;
    table.AddRow({choice.algorithm, std::string(Name(choice.type)),
                  std::string(Name(choice.place)), absl::StrCat(choice.size),
                  chosen, HumanSeconds(seconds), choice.best,
                  HumanSeconds(best), absl::StrFormat("%.2f", ratio)});
  };
  for (const CheckedChoice& choice : checked) {
    if (!IsNear(choice)) {
      add(choice, choice.chosen, choice.chosen_seconds, choice.best_seconds,
          choice.WithTable());
    }
    if (HasSlowCalls(choice)) {
      add(choice, "a call on auto", choice.auto_call_seconds,
          choice.named_call_seconds, choice.OfCalls());
    }
  }
  return has_rows ? absl::StrCat(table.ToString(), "\n") : "";
}

}  // namespace

std::string AsTable(const Choices& choices) {
  Table table;
  table.AddColumn("ALGORITHM", Table::Align::kLeft);
  table.AddColumn("TYPE", Table::Align::kLeft);
  table.AddColumn("DATA", Table::Align::kLeft);
  table.AddColumn("FROM SIZE: IMPLEMENTATION", Table::Align::kLeft);
  for (const auto& [key, steps] : choices.steps) {
    const auto& [algorithm, type, place] = key;
    table.AddRow({algorithm, std::string(Name(type)), std::string(Name(place)),
                  absl::StrJoin(steps, ", ",
                                [](std::string* out, const ChoiceStep& step) {
                                  absl::StrAppend(out, step.from, ": ",
                                                  step.backend, "/",
                                                  step.variant);
                                })});
  }
  return table.ToString();
}

std::string AsText(const std::vector<CheckedChoice>& checked) {
  const auto all = [](const CheckedChoice&) { return true; };
  std::string text = absl::StrCat(
      Misses(checked),
      "Within 10 % of the best at sizes that were not measured for the table:\n"
      "  with it     ",
      ShareOf(checked, all, IsNear), "\n  without it  ",
      ShareOf(checked, all,
              [](const CheckedChoice& choice) {
                return choice.WithoutTable() <= kNearTheBest;
              }),
      "\n");
  for (const DataPlace place :
       {DataPlace::kCpu, DataPlace::kHost, DataPlace::kDevice}) {
    const auto is_here = [place](const CheckedChoice& choice) {
      return choice.place == place;
    };
    if (!std::any_of(checked.begin(), checked.end(), is_here)) continue;
    absl::StrAppend(&text, "  with it, data on ", Name(place), "  ",
                    ShareOf(checked, is_here, IsNear), "\n");
  }
  absl::StrAppend(
      &text,
      "Whole calls on auto, beside those that name the best:\n"
      "  with it     ",
      ShareOf(
          checked,
          [](const CheckedChoice& choice) { return choice.HasCalls(); },
          [](const CheckedChoice& choice) { return !HasSlowCalls(choice); }),
      "\n");
  return text;
}

std::string AsJson(const std::vector<CheckedChoice>& checked) {
  using Json = nlohmann::ordered_json;
  const auto or_null = [](double seconds) {
    return seconds > 0 && std::isfinite(seconds) ? Json(seconds)
                                                 : Json(nullptr);
  };
  Json choices = Json::array();
  for (const CheckedChoice& choice : checked) {
    choices.push_back(
        {{"algorithm", choice.algorithm},
         {"type", std::string(Name(choice.type))},
         {"place", std::string(Name(choice.place))},
         {"size", choice.size},
         {"chosen", choice.chosen},
         {"best", choice.best},
         {"is_near", IsNear(choice)},
         {"chosen_seconds", or_null(choice.chosen_seconds)},
         {"best_seconds", or_null(choice.best_seconds)},
         {"default_seconds", or_null(choice.standard_seconds)},
         {"auto_call_seconds", or_null(choice.auto_call_seconds)},
         {"named_call_seconds", or_null(choice.named_call_seconds)}});
  }
  const Json all = {{"near_the_best", kNearTheBest},
                    {"choices", std::move(choices)}};
  return JsonText(all);
}

}  // namespace concord
