// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord compare`: every implementation on one input, whether it agrees with
// the reference, and how fast it is.

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/benchmarks/number_checks.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/core/replicas.h"
#include "concord/tools/concord/algorithm_arguments.h"
#include "concord/tools/concord/command_line.h"
#include "concord/tools/concord/comparison_rows.h"
#include "concord/tools/concord/json_text.h"
#include "concord/tools/concord/selection.h"
#include "concord/tools/concord/text.h"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

struct CompareArguments {
  std::shared_ptr<AlgorithmArguments> algorithm;
  std::string backends;
  std::string variant;
  int repetitions = 15;
  bool json = false;
};

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

std::string AsJson(const AlgorithmSpec& spec, const Case& test_case,
                   const ComparisonTable& table) {
  Json copy = Json::object();
  Json read = Json::object();
  Json fill = Json::object();
  for (const auto& [memory, ceilings] : table.ceilings) {
    copy[memory] = ceilings.copy;
    read[memory] = ceilings.read;
    fill[memory] = ceilings.fill > 0 ? Json(ceilings.fill) : Json(nullptr);
  }
  Json rows = Json::array();
  for (const ComparisonRow& row : table.rows) {
    Json seconds = nullptr;
    if (row.seconds.has_value()) {
      seconds = {{"kernel", row.seconds->kernel},
                 {"call", row.seconds->call},
                 {"end_to_end", row.seconds->end_to_end}};
    }
    rows.push_back({{"implementation", row.candidate.info.name()},
                    {"backend", row.candidate.backend_spec},
                    {"status", std::string(Name(row.status))},
                    {"reason", row.reason},
                    {"seconds", std::move(seconds)},
                    {"floor_bytes", table.floor.bytes()},
                    {"ceiling_share", OrNull(row.ceiling_share)},
                    {"speedup", OrNull(row.speedup)}});
  }
  const Json all = {{"algorithm", spec.name()},
                    {"options", test_case.options},
                    {"elements", spec.SizeOfCase(test_case)},
                    {"ceiling_bytes_per_second", std::move(copy)},
                    {"read_bytes_per_second", std::move(read)},
                    {"fill_bytes_per_second", std::move(fill)},
                    {"rows", std::move(rows)}};
  return JsonText(all);
}

// Why all rows were skipped: because of what is here, or of the input.
absl::Status NothingRan(const ComparisonTable& table) {
  const auto refused = std::find_if(table.rows.begin(), table.rows.end(),
                                    [](const ComparisonRow& row) {
                                      return row.candidate.backend != nullptr;
                                    });
  if (refused == table.rows.end()) {
    const ComparisonRow& row = table.rows.front();
    return UnavailableError("nothing can run here: ", row.candidate.name(),
                            ": ", row.reason);
  }
  return InvalidArgumentError("nothing can run on this input: ",
                              refused->candidate.name(), ": ", refused->reason);
}

std::string Title(const AlgorithmSpec& spec, const std::string& input,
                  const Case& test_case) {
  std::int64_t bytes = 0;
  for (const auto& named : test_case.inputs) {
    bytes += named.second.view().bytes();
  }
  const std::string options = ToString(test_case.options);
  const std::string size =
      Counted(spec.SizeOfCase(test_case), spec.size_unit());
  // What makes its elements itself has no input.
  const std::string what =
      input.empty() ? absl::StrCat(" without input: ", size)
                    : absl::StrCat(" of ", Printable(SourceName(input)), ": ",
                                   size, " (", Name(test_case.type), ", ",
                                   HumanBytes(static_cast<double>(bytes)), ")");
  return Wrapped(
      absl::StrCat(spec.name(), what, options.empty() ? "" : "; ", options));
}

std::string Verdict(RowStatus status) {
  switch (status) {
    case RowStatus::kOk:
      return Painted("agrees", Colour::kGreen);
    case RowStatus::kMismatch:
      return Painted("DIFFERS", Colour::kRed);
    case RowStatus::kSkipped:
    case RowStatus::kError:
      break;
  }
  return Painted("error", Colour::kRed);
}

// Those that ran, or tried to.
std::string RowsThatRan(const ComparisonTable& table) {
  Table text;
  text.AddColumn("BACKEND", Table::Align::kLeft);
  text.AddColumn("VARIANT", Table::Align::kLeft);
  text.AddColumn("RESULT", Table::Align::kLeft);
  text.AddColumn("CALL", Table::Align::kRight);
  text.AddColumn("SPEED-UP", Table::Align::kRight);
  text.AddColumn("OF CEILING", Table::Align::kRight);
  text.AddColumn("KERNEL", Table::Align::kRight, /*optional=*/true);
  text.AddColumn("END TO END", Table::Align::kRight, /*optional=*/true);
  text.AddColumn("RATE", Table::Align::kRight, /*optional=*/true);
  for (const ComparisonRow& row : table.rows) {
    if (row.status == RowStatus::kSkipped) continue;
    std::vector<std::string> cells = {row.candidate.backend_spec,
                                      row.candidate.info.variant,
                                      Verdict(row.status)};
    if (!row.seconds.has_value()) {
      cells.resize(9, "-");
      text.AddRow(std::move(cells), Wrapped("    " + row.reason, 4));
      continue;
    }
    const MedianTimes& seconds = *row.seconds;
    const auto floor = static_cast<double>(table.floor.bytes());
    for (std::string& cell : std::vector<std::string>{
             HumanSeconds(seconds.call),
             row.speedup.has_value() ? HumanRatio(*row.speedup) : "-",
             row.ceiling_share.has_value() ? HumanShare(*row.ceiling_share)
                                           : "-",
             HumanSeconds(seconds.kernel), HumanSeconds(seconds.end_to_end),
             HumanRate(floor / seconds.kernel)}) {
      cells.push_back(std::move(cell));
    }
    text.AddRow(std::move(cells));
  }
  return text.ToString();
}

// What the numbers above are measured against.
std::string CeilingsLine(const ComparisonTable& table) {
  std::string line = absl::StrCat(
      "Rate: the floor of ",
      HumanBytes(static_cast<double>(table.floor.bytes())), " in kernel time.");
  for (const auto& [memory, ceilings] : table.ceilings) {
    absl::StrAppend(&line, " Ceiling of ", memory, " memory: copies ",
                    HumanRate(ceilings.copy), ", reads ",
                    HumanRate(ceilings.read));
    if (ceilings.fill > 0) {
      absl::StrAppend(&line, ", fills ", HumanRate(ceilings.fill));
    }
    absl::StrAppend(&line, ".");
  }
  return Wrapped(line);
}

std::string SkippedLines(const ComparisonTable& table) {
  std::string lines;
  for (const ComparisonRow& row : table.rows) {
    if (row.status != RowStatus::kSkipped) continue;
    if (lines.empty()) lines = "\nSkipped:\n";
    lines += Wrapped(
        absl::StrCat("    ", row.candidate.name(), ": ", row.reason), 8);
  }
  return lines;
}

std::string Conclusion(const ComparisonTable& table) {
  const int right = table.Count(RowStatus::kOk);
  const int wrong = table.Count(RowStatus::kMismatch);
  const int failed = table.Count(RowStatus::kError);
  std::string text =
      absl::StrCat(Counted(right, "implementations"),
                   right == 1 ? " agrees" : " agree", " with the reference");
  if (wrong > 0) {
    absl::StrAppend(&text, ", ", wrong, wrong == 1 ? " does" : " do", " not");
  }
  if (failed > 0) absl::StrAppend(&text, ", ", failed, " failed");
  const ComparisonRow* const fastest = table.Fastest();
  if (fastest != nullptr && right > 1) {
    absl::StrAppend(&text, "; the fastest is ", fastest->candidate.name());
    if (fastest->speedup.has_value()) {
      absl::StrAppend(&text, " (", HumanRatio(*fastest->speedup), ")");
    }
  }
  return Wrapped(text + ".");
}

absl::StatusOr<ExitStatus> Compare(const CompareArguments& arguments) {
  RETURN_IF_ERROR(arguments.algorithm->TakeFunction());
  ASSIGN_OR_RETURN(const AlgorithmSpec* found, arguments.algorithm->Spec());
  const AlgorithmSpec& spec = *found;
  ASSIGN_OR_RETURN(
      std::vector<Candidate> candidates,
      SelectCandidates(spec.algorithm(), arguments.backends, arguments.variant,
                       arguments.algorithm->asked));
  absl::StatusOr<LoadedCase> read = arguments.algorithm->LoadFor(spec);
  RETURN_IF_ERROR(AgreeAsOne(read.status()));
  LoadedCase loaded = *std::move(read);
  if (IsFirstReplica()) {
    for (const std::string& note : loaded.notes) Complain(note);
  }

  ComparisonTable table;
  std::shared_ptr<const Case> test_case;
  {
    ProgressLine progress;
    progress.Show("computing the reference");
    ASSIGN_OR_RETURN(CheckedCase checked,
                     MakeCheckedCase(spec, std::move(loaded.value)));
    test_case = checked.test_case;
    table = CompareCandidates(spec, checked, candidates, arguments.repetitions,
                              progress);
  }
  const int skipped = table.Count(RowStatus::kSkipped);
  if (skipped == static_cast<int>(table.rows.size())) {
    return NothingRan(table);
  }
  // Replicas end alike, also where a part of the input is with one of them.
  RETURN_IF_ERROR(AgreeAsOne(table.refusal));
  // All wait for the first one, which prints.
  RETURN_IF_ERROR(AgreeAsOne(Print(
      arguments.json
          ? AsJson(spec, *test_case, table)
          : absl::StrCat(Title(spec, arguments.algorithm->input, *test_case),
                         "\n", RowsThatRan(table), SkippedLines(table), "\n",
                         CeilingsLine(table), Conclusion(table)))));
  const bool all_agree = table.Count(RowStatus::kMismatch) == 0 &&
                         table.Count(RowStatus::kError) == 0;
  return all_agree ? kDone : kFailed;
}

}  // namespace

void AddCompareCommand(CommandLine& line) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* const command = AddCommand(
      line, "compare",
      "Runs every implementation on a file; shows which agree with the "
      "reference, and how fast they are",
      [arguments] { return Compare(*arguments); });
  command
      ->add_option("--backend", arguments->backends,
                   "Backends separated by commas, such as serial,tbb:1,tbb:2 "
                   "[default all that can run here]")
      ->type_name("LIST");
  command
      ->add_option("--variant", arguments->variant,
                   "Only the variants of this name [default all]")
      ->type_name("NAME");
  command
      ->add_option("--repetitions", arguments->repetitions,
                   "How often each is timed; less where it takes long "
                   "[default 15]")
      ->type_name("NUMBER")
      ->transform(Between(1, 1000000));
  command->add_flag("--json", arguments->json, "Print JSON instead of a table");
  arguments->algorithm =
      AddAlgorithmArguments(line, *command, OutputOptions::kSwitches);
}

}  // namespace concord
