// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/record.h"

#include <benchmark/benchmark.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/core/output_file.h"
#include "concord/core/written_file.h"

namespace concord {
namespace {

constexpr double kMicroseconds = 1e6;

// Lists and objects within each other. A record has five; what copies or prints
// JSON calls itself for each.
constexpr int kMostDepth = 20;

// Facts of a moment or of a single call of the program, which may differ
// between the parts of one run.
const std::set<std::string>& PassingFacts() {
  static const auto* const facts = new std::set<std::string>{
      "date", "load_avg", "mhz_per_cpu", "passes", "preset"};
  return *facts;
}

// A millionth of a sample is far below what a clock can tell.
double Rounded(double seconds) {
  double rounded = 0;
  return absl::SimpleAtod(absl::StrFormat("%.7g", seconds), &rounded) ? rounded
                                                                      : seconds;
}

// Of a row's earlier passes; 0 where they, or the file they are in, have none.
double EarlierNumber(const nlohmann::ordered_json& row, const char* key) {
  const auto number = row.find(key);
  return number != row.end() && number->is_number() ? number->get<double>() : 0;
}

// What the name of a row says; 0: no row has such a name.
double SizeIn(const std::string& name) {
  const absl::StatusOr<Axes> axes = AxesOfRow(name);
  return axes.ok() ? static_cast<double>(axes->sizes.front()) : 0;
}

nlohmann::ordered_json SystemContext() {
  const benchmark::CPUInfo& cpu = benchmark::CPUInfo::Get();
  nlohmann::ordered_json context;
  context["date"] =
      absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone());
  context["num_cpus"] = cpu.num_cpus;
  context["mhz_per_cpu"] = static_cast<int>(cpu.cycles_per_second / 1e6);
  context["caches"] = nlohmann::ordered_json::array();
  for (const auto& cache : cpu.caches) {
    context["caches"].push_back({{"type", cache.type},
                                 {"level", cache.level},
                                 {"size", cache.size},
                                 {"num_sharing", cache.num_sharing}});
  }
  context["load_avg"] = cpu.load_avg;
  return context;
}

}  // namespace

Record::Record() {
  content_["schema"] = kSchema;
  content_["context"] = SystemContext();
  content_["benchmarks"] = Json::array();
}

absl::StatusOr<Record> Record::Load(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return Parse(text, path);
}

absl::StatusOr<Record> Record::Parse(const std::string& text,
                                     const std::string& path) {
  Record record;
  bool is_deep = false;
  record.content_ = Json::parse(
      text,
      [&is_deep](int depth, Json::parse_event_t, const Json&) {
        is_deep |= depth > kMostDepth;
        return !is_deep;
      },
      /*allow_exceptions=*/false);
  const Json& content = record.content_;
  if (is_deep || !content.is_object() || !content.contains("context") ||
      !content["context"].is_object() || !content.contains("benchmarks") ||
      !content["benchmarks"].is_array()) {
    return InvalidArgumentError(path, ": not a recorded run");
  }
  const Json schema = content.value("schema", Json(1));
  if (!schema.is_number_integer() || schema > kSchema) {
    return InvalidArgumentError(path, ": schema ", schema.dump(),
                                " is newer than this program, which reads up "
                                "to ",
                                kSchema);
  }
  for (const Json& row : content["benchmarks"]) {
    if (!row.is_object() || !row.contains("name") || !row["name"].is_string()) {
      return InvalidArgumentError(path, ": not a recorded run");
    }
    const std::string name = row["name"].get<std::string>();
    if (!record.places_.emplace(name, record.places_.size()).second) {
      return InvalidArgumentError(path, ": row ", name, " stands twice");
    }
  }
  return record;
}

absl::Status Record::Continue(const Record& before) {
  if (before.content_.value("schema", Json(1)) != kSchema) {
    return FailedPreconditionError(
        "its rows have no samples, which could be continued");
  }
  const Json& ours = content_["context"];
  for (const auto& [name, value] : before.content_["context"].items()) {
    // A backend that only one of the two parts has opened is no difference.
    if (PassingFacts().count(name) > 0 || !ours.contains(name)) continue;
    if (ours[name] != value) {
      return FailedPreconditionError(name, " was ", value.dump(), " and is ",
                                     ours[name].dump());
    }
  }
  Json context = before.content_["context"];
  for (const auto& [name, value] : ours.items()) {
    if (!context.contains(name)) context[name] = value;
  }
  // As many as this call will leave or, if it asks for fewer, has found.
  int passes = 0;
  if (!absl::SimpleAtoi(ours.value("passes", ""), &passes)) passes = 0;
  for (const std::string& name : before.RowNames()) {
    passes = std::max(passes, before.PassesOf(name));
  }
  context["passes"] = absl::StrCat(passes);
  content_ = before.content_;
  content_["context"] = std::move(context);
  places_ = before.places_;
  return absl::OkStatus();
}

Record::Json& Record::RowNamed(const std::string& name) {
  Json& rows = content_["benchmarks"];
  const auto [place, is_new] = places_.emplace(name, rows.size());
  if (is_new) rows.push_back({{"name", name}});
  return rows[place->second];
}

void Record::Add(const Row& of, const Measured& measured) {
  const std::string name = of.name();
  Json& row = RowNamed(name);
  Json passes = row.value("sample_seconds", Json::array());
  Json pass = Json::array();
  for (const double seconds : measured.timing.samples) {
    pass.push_back(Rounded(seconds));
  }
  passes.push_back(std::move(pass));
  std::vector<double> all;
  for (const Json& samples : passes) {
    for (const Json& sample : samples) all.push_back(sample.get<double>());
  }
  const double median = Median(all);
  const double rate = measured.floor.bytes() / median;
  // The best of all passes, as the median is of all of them.
  Ceilings ceilings = measured.ceilings;
  ceilings.RaiseTo({EarlierNumber(row, "copy_bytes_per_second"),
                    EarlierNumber(row, "read_bytes_per_second"),
                    EarlierNumber(row, "fill_bytes_per_second")});
  double input_copy = measured.input_copy_seconds;
  const double earlier_copy = EarlierNumber(row, "input_copy_seconds");
  if (earlier_copy > 0) input_copy = std::min(input_copy, earlier_copy);
  // Of all passes; those that were not disturbed may outweigh the others.
  std::set<std::string> disturbed_by;
  for (const Json& text : row.value("disturbed_by", Json::array())) {
    disturbed_by.insert(text.get<std::string>());
  }
  disturbed_by.insert(measured.watched.disturbed_by.begin(),
                      measured.watched.disturbed_by.end());
  const int attempts = std::max(row.value("attempts", 1), measured.attempts);
  row = {{"name", name},
         {"real_time", median * kMicroseconds},
         {"time_unit", "us"},
         {"elements", measured.elements},
         {"elements_per_second", measured.elements / median},
         {"floor_bytes_per_second", rate},
         {"copy_share", rate / ceilings.copy},
         {"ceiling_share", rate / ceilings.For(measured.floor)},
         {"copy_bytes_per_second", ceilings.copy},
         {"read_bytes_per_second", ceilings.read},
         {"fill_bytes_per_second", ceilings.fill},
         {"least_seconds", *std::min_element(all.begin(), all.end())},
         {"most_seconds", *std::max_element(all.begin(), all.end())},
         {"samples", all.size()},
         {"runs_per_sample", measured.timing.runs_per_sample}};
  if (input_copy > 0) {
    row["input_copy_seconds"] = input_copy;
    row["times_input_copy"] = median / input_copy;
  }
  if (of.scaling != Scaling::kNone) {
    row["scaling"] = std::string(Name(of.scaling));
    row["members"] = of.members;
    row["one_member"] = of.one_member;
  }
  if (!measured.case_options.empty()) {
    row["case_options"] = measured.case_options;
  }
  if (!disturbed_by.empty()) row["disturbed_by"] = disturbed_by;
  if (attempts > 1) row["attempts"] = attempts;
  for (const auto& [reading, value] : measured.watched.readings) {
    row[reading] = value;
  }
  row["sample_seconds"] = std::move(passes);
  RelateToOneMember();
}

void Record::AddError(const std::string& name, const std::string& message) {
  RowNamed(name) = {
      {"name", name}, {"error_occurred", true}, {"error_message", message}};
  RelateToOneMember();
}

void Record::RelateToOneMember() {
  Json& rows = content_["benchmarks"];
  for (Json& row : rows) {
    if (!row.contains("one_member")) continue;
    for (const char* key : {"speed_up", "efficiency", "efficiency_refused"}) {
      row.erase(key);
    }
    const auto one_member = row["one_member"].get<std::string>();
    const auto place = places_.find(one_member);
    if (one_member.empty()) {
      row["efficiency_refused"] = "no row of one member is part of this run";
    } else if (place == places_.end() ||
               !rows[place->second].contains("real_time") ||
               SizeIn(one_member) == 0) {
      row["efficiency_refused"] =
          absl::StrCat("no time of the row of one member, ", one_member);
    } else {
      // By what the rows were asked for. The elements of a case are those of
      // its input, which need not grow with the work: look_and_say has one
      // digit.
      const double work = SizeIn(row["name"]) / SizeIn(one_member);
      const double speed_up = work *
                              rows[place->second]["real_time"].get<double>() /
                              row["real_time"].get<double>();
      row["speed_up"] = speed_up;
      row["efficiency"] = speed_up / row["members"].get<double>();
    }
  }
}

std::vector<std::string> Record::RowNames() const {
  std::vector<std::string> names;
  for (const Json& row : content_["benchmarks"]) {
    names.push_back(row["name"].get<std::string>());
  }
  return names;
}

int Record::PassesOf(const std::string& name) const {
  const auto place = places_.find(name);
  if (place == places_.end()) return 0;
  const Json& row = content_["benchmarks"][place->second];
  const auto passes = row.find("sample_seconds");
  return passes == row.end() ? 0 : static_cast<int>(passes->size());
}

Scaling Record::ScalingOf(const std::string& name) const {
  const auto place = places_.find(name);
  if (place == places_.end()) return Scaling::kNone;
  const Json& row = content_["benchmarks"][place->second];
  for (const Scaling scaling : {Scaling::kStrong, Scaling::kWeak}) {
    if (row.value("scaling", "") == Name(scaling)) return scaling;
  }
  return Scaling::kNone;
}

absl::StatusOr<double> Record::EfficiencyOf(const std::string& name) const {
  const Json& row = content_["benchmarks"][places_.at(name)];
  if (row.contains("efficiency")) return row["efficiency"].get<double>();
  return FailedPreconditionError(
      row.value("efficiency_refused", "the row is not about scaling"));
}

bool Record::IsReplaceable(const std::string& path) {
  struct stat facts;
  return DescriptorNamed(path) < 0 &&
         (stat(path.c_str(), &facts) != 0 || S_ISREG(facts.st_mode));
}

absl::Status Record::SaveSoFar(const std::string& path) const {
  return path.empty() || !IsReplaceable(path) ? absl::OkStatus()
                                              : WriteFile(path, Text());
}

absl::Status Record::SaveComplete(const std::string& path) const {
  return path.empty() || IsReplaceable(path) ? absl::OkStatus()
                                             : WriteFile(path, Text());
}

std::string Record::Text() const {
  // Messages of other libraries may hold anything.
  const auto text = [](const Json& value, int indent) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
  };
  std::string file = absl::StrCat(
      "{\n\"schema\": ", kSchema,
      ",\n\"context\": ", text(content_["context"], 1), ",\n\"benchmarks\": [");
  // A row is a line.
  const char* separator = "\n";
  for (const Json& row : content_["benchmarks"]) {
    absl::StrAppend(&file, separator, text(row, -1));
    separator = ",\n";
  }
  return absl::StrCat(file, "\n]\n}\n");
}

}  // namespace concord
