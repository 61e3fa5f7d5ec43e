// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Every algorithm that is registered through every door: `concord run` from and
// to files and pipes, `compare`, `verify --replay`, a row of the benchmarks,
// and a call from host data.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "concord/core/array_io.h"
#include "concord/core/file.h"
#include "concord/core/file_format.h"
#include "concord/core/file_sink.h"
#include "concord/core/output_file.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/comparison.h"
#include "concord/testing/engine/failure_file.h"
#include "nlohmann/json.hpp"

namespace concord {
namespace {

using Json = nlohmann::json;
using Arguments = std::vector<std::string>;
using testing::AllOf;
using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::int64_t kSmall = 37;
constexpr char kConcord[] = "tools/concord/concord";
constexpr char kBench[] = "benchmarks/concord_bench";

// Those on which the algorithm has implementations, of the CPU's.
std::vector<std::string> BackendsOf(const AlgorithmSpec& spec) {
  std::vector<std::string> backends;
  for (const char* backend : {"serial", "tbb"}) {
    for (const ImplementationInfo& info : spec.implementations()) {
      if (info.backend != backend) continue;
      backends.push_back(backend);
      break;
    }
  }
  return backends;
}

struct Door {
  const AlgorithmSpec* spec;
  ElementType type;
};

std::vector<Door> AllDoors() {
  std::vector<Door> doors;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    for (const ElementType type : spec->element_types()) {
      doors.push_back({spec, type});
    }
  }
  return doors;
}

// One of each algorithm.
std::vector<Door> LastDoors() {
  std::vector<Door> doors;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    doors.push_back({spec, spec->element_types().back()});
  }
  return doors;
}

std::string DoorName(const testing::TestParamInfo<Door>& info) {
  return absl::StrCat(info.param.spec->name(), "_", Name(info.param.type));
}

// For messages of failures.
std::ostream& operator<<(std::ostream& out, const Door& door) {
  return out << door.spec->name() << " " << Name(door.type);
}

// --- Cases ---

const FileFormat& FormatOf(const AlgorithmSpec& spec) {
  return FileFormatOf(spec.algorithm());
}

// The text of --input, if there is one for this case.
std::optional<std::string> TextOf(const AlgorithmSpec& spec,
                                  const Case& test_case) {
  return FormatOf(spec).FormatInput(spec.algorithm(), test_case.inputs,
                                    test_case.options);
}

// Whether each input has a file of its own.
bool HasArrayFiles(const AlgorithmSpec& spec) {
  const SignatureData& signature = spec.algorithm().signature();
  for (const InputSpec& input : signature.inputs) {
    if (FileOption(signature, input).empty()) return false;
  }
  return true;
}

// Of the settings of the options those that have a value which none before
// them has; so every optional output is there at least once.
std::vector<OptionMap> Settings(const AlgorithmSpec& spec, ElementType type) {
  std::vector<OptionMap> settings;
  std::set<std::pair<std::string, std::string>> seen;
  for (const OptionMap& options : spec.OptionCombinations(type)) {
    const std::size_t before = seen.size();
    seen.insert(options.begin(), options.end());
    if (settings.empty() || seen.size() > before) settings.push_back(options);
  }
  return settings;
}

// A case for each of the settings, in turn of each distribution that files can
// hold.
std::vector<Case> CasesOf(const AlgorithmSpec& spec, ElementType type) {
  const std::vector<std::string> distributions = spec.Distributions(type);
  std::vector<Case> cases;
  std::size_t turn = 0;
  for (const OptionMap& options : Settings(spec, type)) {
    for (std::size_t tries = 0; tries < distributions.size(); ++tries) {
      const std::string& drawn = distributions[turn++ % distributions.size()];
      absl::StatusOr<Case> made =
          spec.Generate({kSmall, type, drawn, options, turn});
      EXPECT_TRUE(made.ok()) << made.status();
      if (!made.ok()) break;
      if (!HasArrayFiles(spec) && !TextOf(spec, *made).has_value()) continue;
      cases.push_back(*std::move(made));
      break;
    }
  }
  EXPECT_THAT(cases, Not(IsEmpty()));
  return cases;
}

// --- Programs ---

// As the shell takes it for one argument.
void AppendQuoted(std::string* out, const std::string& argument) {
  absl::StrAppend(out, "'", absl::StrReplaceAll(argument, {{"'", "'\\''"}}),
                  "'");
}

std::string Content(const std::string& path) {
  absl::StatusOr<std::string> content = ReadFile(path);
  EXPECT_TRUE(content.ok()) << content.status();
  return content.ok() ? *content : "";
}

// A folder of the test's own, in which it runs programs.
class Folder {
 public:
  Folder() : path_(testing::TempDir() + "doors_XXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string File(const std::string& name) const {
    return absl::StrCat(path_, "/", name);
  }

  // What the program writes to standard output, which is the file "stdout"
  // then; it has to end well.
  std::string OutputOf(const std::string& program, const Arguments& arguments,
                       const std::string& input = "/dev/null") const {
    const std::string command =
        absl::StrCat(program, " ", absl::StrJoin(arguments, " ", AppendQuoted),
                     " <", input, " >", File("stdout"), " 2>", File("stderr"));
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << command << "\n"
        << Content(File("stdout")) << Content(File("stderr"));
    return Content(File("stdout"));
  }

 private:
  std::string path_;
};

class Doors : public testing::TestWithParam<Door> {
 protected:
  const AlgorithmSpec& spec() const { return *GetParam().spec; }
  ElementType type() const { return GetParam().type; }
  const SignatureData& signature() const {
    return spec().algorithm().signature();
  }
  std::vector<Case> Cases() const { return CasesOf(spec(), type()); }
  std::string File(const std::string& name) const { return folder_.File(name); }
  std::string Concord(const Arguments& arguments,
                      const std::string& input = "/dev/null") const {
    return folder_.OutputOf(kConcord, arguments, input);
  }

  // The options of the case on the command line, without wanted outputs. What
  // is as it is by default is not said: some say that it means nothing.
  Arguments OptionsOf(const Case& test_case) const {
    Arguments arguments;
    for (const OptionSpec& option : spec().options()) {
      const auto value = test_case.options.find(option.name);
      if (value == test_case.options.end() ||
          option.kind == OptionSpec::Kind::kOutput ||
          value->second ==
              CompleteOptions(spec().options(), {})->at(option.name)) {
        continue;
      }
      arguments.push_back(
          option.kind == OptionSpec::Kind::kSwitch
              ? absl::StrCat("--", option.name)
              : absl::StrCat("--", option.name, "=", value->second));
    }
    return arguments;
  }

  // The outputs that the case asks for, by the options that ask for them.
  std::map<std::string, std::string> WantedOutputs(
      const Case& test_case) const {
    std::map<std::string, std::string> wanted;
    for (const OptionSpec& option : spec().options()) {
      if (option.kind == OptionSpec::Kind::kOutput &&
          SwitchOption(test_case.options, option.name)) {
        wanted.emplace(option.name, OutputOf(signature(), option));
      }
    }
    return wanted;
  }

  // Writes the inputs but the first as .npy.
  Arguments WriteOtherInputs(const Case& test_case) const {
    Arguments arguments;
    for (const InputSpec& input : signature().inputs) {
      const std::string option = FileOption(signature(), input);
      const auto value = test_case.inputs.find(input.name);
      if (option == "input" || option.empty() ||
          value == test_case.inputs.end()) {
        continue;
      }
      const std::string path = File(absl::StrCat("in_", input.name, ".npy"));
      EXPECT_EQ(WriteArray(path, value->second), absl::OkStatus());
      arguments.push_back(absl::StrCat("--", option, "=", path));
    }
    return arguments;
  }

  // Writes all inputs, as .npy where that can be.
  Arguments WriteInputs(const Case& test_case) const {
    Arguments arguments = WriteOtherInputs(test_case);
    const HostArray& first = FirstInput(test_case);
    const bool as_array = HasArrayFiles(spec());
    const std::string path = File(as_array ? "in.npy" : "in.txt");
    EXPECT_EQ(as_array ? WriteArray(path, first)
                       : WriteFile(path, *TextOf(spec(), test_case)),
              absl::OkStatus());
    arguments.push_back(absl::StrCat("--input=", path));
    return arguments;
  }

  const HostArray& FirstInput(const Case& test_case) const {
    return test_case.inputs.at(signature().inputs.front().name);
  }

  void ExpectRight(const HostArray& got, const std::string& output,
                   const Expectations& expected) const {
    ASSERT_EQ(expected.count(output), 1) << output;
    const Expectation& wanted = expected.at(output);
    EXPECT_EQ(got.type(), wanted.value.type()) << output;
    ASSERT_EQ(got.shape(), wanted.value.shape()) << output;
    const auto difference = Compare(got, wanted.value, wanted.tolerance);
    EXPECT_FALSE(difference.has_value())
        << output << ": " << difference->ToString();
  }

  void ExpectRightFile(const std::string& path, const std::string& output,
                       const Expectations& expected) const {
    const absl::StatusOr<HostArray> got = ReadArray(path);
    ASSERT_TRUE(got.ok()) << got.status();
    ExpectRight(*got, output, expected);
  }

  // What the format writes of right results, for formats that Save.
  std::string SavedText(const Expectations& expected,
                        const std::string& name) const {
    Results results;
    for (const auto& [output, expectation] : expected) {
      results.emplace(output, expectation.value);
    }
    const std::string path = File(absl::StrCat("wanted_", name));
    EXPECT_EQ(FormatOf(spec()).Save(results, path), absl::OkStatus());
    return Content(path);
  }

  // --output, written to the file `path` or copied there, is right.
  void ExpectRightOutput(const std::string& path,
                         const Expectations& expected) const {
    const std::string first = signature().outputs.front().name;
    if (FormatOf(spec()).Saves(path)) {
      const std::string name = std::filesystem::path(path).filename();
      EXPECT_EQ(Content(path), SavedText(expected, name));
      return;
    }
    const HostArray& wanted = expected.at(first).value;
    absl::StatusOr<HostArray> got = ReadArray(path, wanted.type());
    ASSERT_TRUE(got.ok()) << got.status();
    // Text has as many elements, and no shape.
    if (wanted.shape().size() == 2 && got->shape().size() == 1) {
      ASSERT_EQ(got->size(), wanted.size());
      HostArray shaped(got->type(), wanted.shape());
      std::copy_n(got->data<char>(), got->view().bytes(), shaped.data<char>());
      got = std::move(shaped);
    }
    ExpectRight(*got, first, expected);
  }

  Expectations Expected(const Case& test_case) const {
    absl::StatusOr<Expectations> expected = spec().Expected(test_case);
    EXPECT_TRUE(expected.ok()) << expected.status();
    return expected.ok() ? *std::move(expected) : Expectations();
  }

 protected:
  Folder folder_;
};

Arguments Joined(std::vector<Arguments> parts) {
  Arguments all;
  for (const Arguments& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// --- The doors ---

TEST_P(Doors, RunFromFilesToFiles) {
  for (const Case& test_case : Cases()) {
    SCOPED_TRACE(
        absl::StrCat(test_case.label, " ", ToString(test_case.options)));
    const Expectations expected = Expected(test_case);
    const Arguments inputs = WriteInputs(test_case);
    for (const std::string& backend : BackendsOf(spec())) {
      SCOPED_TRACE(backend);
      Arguments outputs = {absl::StrCat("--output=", File("out.npy"))};
      for (const auto& [option, output] : WantedOutputs(test_case)) {
        outputs.push_back(
            absl::StrCat("--", option, "=", File(output + ".npy")));
      }
      const std::string printed =
          Concord(Joined({{"run", spec().name(), "--backend=" + backend},
                          OptionsOf(test_case),
                          inputs,
                          outputs}));
      EXPECT_EQ(printed, "");
      ExpectRightOutput(File("out.npy"), expected);
      for (const auto& [option, output] : WantedOutputs(test_case)) {
        ExpectRightFile(File(output + ".npy"), output, expected);
      }
    }
  }
}

TEST_P(Doors, RunFromStandardInputToStandardOutput) {
  for (const Case& test_case : Cases()) {
    SCOPED_TRACE(
        absl::StrCat(test_case.label, " ", ToString(test_case.options)));
    const std::optional<std::string> text = TextOf(spec(), test_case);
    if (!text.has_value()) continue;
    ASSERT_EQ(WriteFile(File("in.txt"), *text), absl::OkStatus());
    const Expectations expected = Expected(test_case);
    const Arguments inputs = WriteOtherInputs(test_case);
    for (const std::string& backend : BackendsOf(spec())) {
      SCOPED_TRACE(backend);
      Concord(
          Joined({{"run", spec().name(), "--backend=" + backend, "--input=-",
                   absl::StrCat("--type=", Name(FirstInput(test_case).type()))},
                  OptionsOf(test_case),
                  inputs}),
          File("in.txt"));
      ExpectRightOutput(File("stdout"), expected);
    }
  }
}

TEST_P(Doors, VerifyReplaysARecord) {
  for (const std::string& backend : BackendsOf(spec())) {
    FailureRecord record;
    for (const ImplementationInfo& info : spec().implementations()) {
      if (info.backend != backend || !record.implementation.empty()) continue;
      record.implementation = info.name();
    }
    record.kind = "value";
    record.trial.test_case = Cases().front();
    record.trial.backend = backend;
    ASSERT_EQ(WriteFile(File("record.json"), FormatFailure(record)),
              absl::OkStatus());
    // Status 0 is that it does not fail any more.
    EXPECT_THAT(Concord({"verify", "--replay=" + File("record.json")}),
                HasSubstr(record.implementation));
  }
}

TEST_P(Doors, CallsFromHostData) {
  for (const Case& test_case : Cases()) {
    SCOPED_TRACE(
        absl::StrCat(test_case.label, " ", ToString(test_case.options)));
    const Expectations expected = Expected(test_case);
    Sources sources;
    for (const auto& [name, value] : test_case.inputs) {
      sources.emplace(name, SourceOf(value));
    }
    for (const std::string& backend : BackendsOf(spec())) {
      SCOPED_TRACE(backend);
      std::map<std::string, HostArraySink> arrays;
      Sinks sinks;
      for (const OutputText& output : signature().outputs) {
        sinks.emplace(output.name, &arrays[output.name]);
      }
      absl::StatusOr<Call> call =
          Call::Create(spec().algorithm(), *OpenBackend(backend), "",
                       test_case.options, sources, sinks);
      ASSERT_TRUE(call.ok()) << call.status();
      ASSERT_EQ(call->Launch(), absl::OkStatus());
      ASSERT_EQ(call->Finish(), absl::OkStatus());
      for (auto& [name, array] : arrays) {
        EXPECT_EQ(array.taken(), expected.count(name) > 0) << name;
        if (array.taken()) ExpectRight(array.value(), name, expected);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Doors, testing::ValuesIn(AllDoors()), DoorName);

// These take longer, and are for an algorithm as a whole.
class SlowDoors : public Doors {};

TEST_P(SlowDoors, Compare) {
  const Case test_case = Cases().back();
  SCOPED_TRACE(test_case.label);
  Arguments outputs;
  for (const auto& [option, output] : WantedOutputs(test_case)) {
    outputs.push_back(absl::StrCat("--", option));
  }
  const Json table = Json::parse(
      Concord(Joined({{"compare", spec().name(), "--repetitions=1", "--json"},
                      OptionsOf(test_case),
                      WriteInputs(test_case),
                      outputs})),
      nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(table.is_object());
  std::set<std::string> compared;
  for (const Json& row : table.at("rows")) {
    EXPECT_THAT(row.at("status"), AnyOf(Eq("ok"), Eq("skipped"))) << row;
    EXPECT_EQ(row.at("status") == "skipped", row.at("reason") != "") << row;
    if (row.at("status") == "ok") compared.insert(row.at("backend"));
  }
  for (const std::string& backend : BackendsOf(spec())) {
    EXPECT_EQ(compared.count(backend), 1) << backend << " in " << table;
  }
}

TEST_P(SlowDoors, RowsOfTheBenchmarks) {
  const std::string record = File("rows.json");
  const std::vector<ElementType> types = spec().element_types();
  folder_.OutputOf(
      kBench, {"--algorithms=" + spec().name(),
               "--backends=" + absl::StrJoin(BackendsOf(spec()), ","),
               absl::StrCat("--types=", absl::StrJoin(NamesOf(types), ",")),
               "--sizes=64", "--scopes=call", "--caches=hot", "--repetitions=1",
               "--max_seconds=0", "--benchmark_out=" + record});
  const Json rows = Json::parse(Content(record), nullptr, false);
  ASSERT_TRUE(rows.is_object());
  // "scan/tbb/one_pass/int32/...": without the variant.
  std::set<std::string> timed;
  for (const Json& row : rows.at("benchmarks")) {
    EXPECT_FALSE(row.value("error_occurred", false)) << row;
    const std::vector<std::string> name =
        absl::StrSplit(row.at("name").get<std::string>(), '/');
    timed.insert(absl::StrCat(name.at(1), " ", name.at(3)));
  }
  for (const std::string& backend : BackendsOf(spec())) {
    for (const ElementType type : types) {
      EXPECT_EQ(timed.count(absl::StrCat(backend, " ", Name(type))), 1)
          << backend << " " << Name(type);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SlowDoors, testing::ValuesIn(LastDoors()),
                         DoorName);

// It once aborted on every input.
TEST(RunLengthEncode, RunWritesAllOutputs) {
  const Folder folder;
  ASSERT_EQ(WriteFile(folder.File("in.txt"), "7 7 7 1 2 2\n"),
            absl::OkStatus());
  folder.OutputOf(
      kConcord, {"run", "run_length_encode", "--input=" + folder.File("in.txt"),
                 "--output=" + folder.File("values.txt"),
                 "--output-lengths=" + folder.File("lengths.txt")});
  EXPECT_EQ(Content(folder.File("values.txt")), "7\n1\n2\n");
  EXPECT_EQ(Content(folder.File("lengths.txt")), "3\n1\n2\n");
}

TEST(Sequence, ProgramsMayBeInFiles) {
  const Folder folder;
  ASSERT_EQ(
      WriteFile(folder.File("program.txt"), "map 2 * x\n|> reduce a + b\n"),
      absl::OkStatus());
  ASSERT_EQ(WriteFile(folder.File("in.txt"), "1 2 3\n"), absl::OkStatus());
  EXPECT_EQ(
      folder.OutputOf(kConcord,
                      {"run", "sequence", "--input=" + folder.File("in.txt"),
                       "--program=@" + folder.File("program.txt")}),
      "12\n");
}

TEST(Sequence, RunsWithoutAnInput) {
  const Folder folder;
  EXPECT_EQ(folder.OutputOf(kConcord,
                            {"run", "sequence", "--program=tabulate i * i, 4"}),
            "0\n1\n4\n9\n");
}

// Of columns for which there is no memory.
TEST(Sequence, ExplainRunsNothing) {
  const Folder folder;
  const Arguments arguments = {
      "explain", "--program=filter x > 0 |> map y[i] + 1 |> reduce a + b",
      "--assume=x:int32:1000000000000,y:int8:5"};
  EXPECT_THAT(folder.OutputOf(kConcord, arguments),
              AllOf(HasSubstr("<= 1,000,000,000,000"), HasSubstr("4.00 TB")));
  const Json explained = Json::parse(
      folder.OutputOf(kConcord, Joined({arguments, {"--json"}})), nullptr,
      /*allow_exceptions=*/false);
  ASSERT_TRUE(explained.is_object());
  // The filter, and all else in one pass.
  ASSERT_EQ(explained.at("steps").size(), 2);
  const Json& fused = explained.at("steps")[1];
  EXPECT_EQ(fused.at("elements"), 1'000'000'000'000);
  EXPECT_EQ(fused.at("at_most"), true);
  EXPECT_EQ(fused.at("bytes_written"), 1);
  EXPECT_EQ(explained.at("least_bytes_read"), 4'000'000'000'005);
  EXPECT_EQ(explained.at("least_bytes_written"), 1);
}

}  // namespace
}  // namespace concord
