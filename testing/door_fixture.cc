// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/door_fixture.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "concord/core/array_io.h"
#include "concord/core/file.h"
#include "concord/core/file_sink.h"
#include "concord/core/output_file.h"
#include "concord/testing/engine/comparison.h"

namespace concord {
namespace {

constexpr std::int64_t kSmall = 37;

// Whether each input has a file of its own.
bool HasArrayFiles(const AlgorithmSpec& spec) {
  const SignatureData& signature = spec.algorithm().signature();
  for (const InputSpec& input : signature.inputs) {
    if (FileOption(signature, input).empty()) return false;
  }
  return true;
}

// As the shell takes it for one argument.
void AppendQuoted(std::string* out, const std::string& argument) {
  absl::StrAppend(out, "'", absl::StrReplaceAll(argument, {{"'", "'\\''"}}),
                  "'");
}

}  // namespace

Arguments Joined(std::vector<Arguments> parts) {
  Arguments all;
  for (const Arguments& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// --- Programs ---

Folder::Folder() : path_(testing::TempDir() + "doors_XXXXXX") {
  EXPECT_NE(mkdtemp(path_.data()), nullptr);
}

Folder::~Folder() { std::filesystem::remove_all(path_); }

std::string Folder::File(const std::string& name) const {
  return absl::StrCat(path_, "/", name);
}

std::string Folder::OutputOf(const std::string& program,
                             const Arguments& arguments,
                             const std::string& input) const {
  const std::string command =
      absl::StrCat(program, " ", absl::StrJoin(arguments, " ", AppendQuoted),
                   " <", input, " >", File("stdout"), " 2>", File("stderr"));
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << command << "\n"
      << Content(File("stdout")) << Content(File("stderr"));
  return Content(File("stdout"));
}

std::string Content(const std::string& path) {
  absl::StatusOr<std::string> content = ReadFile(path);
  EXPECT_TRUE(content.ok()) << content.status();
  return content.ok() ? *content : "";
}

// --- Which doors ---

const std::map<std::string, std::shared_ptr<Backend>>& BackendsHere() {
  static const auto* const here = [] {
    auto* const open = new std::map<std::string, std::shared_ptr<Backend>>;
    for (const BackendStatus& status : ListBackends()) {
      if (!status.available()) continue;
      absl::StatusOr<std::shared_ptr<Backend>> backend =
          OpenBackend(status.name);
      EXPECT_TRUE(backend.ok()) << backend.status();
      if (backend.ok()) open->emplace(status.name, *std::move(backend));
    }
    return open;
  }();
  return *here;
}

std::optional<ImplementationInfo> DefaultOn(const AlgorithmSpec& spec,
                                            const std::string& backend,
                                            ElementType type) {
  for (const ImplementationInfo& info : spec.implementations()) {
    if (info.backend != backend ||
        !info.RefusalOn(*BackendsHere().at(backend)).empty()) {
      continue;
    }
    if (!info.contract.Allows(type)) break;
    return info;
  }
  return std::nullopt;
}

std::vector<Door> AllDoors() {
  std::vector<Door> doors;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    for (const ElementType type : spec->element_types()) {
      doors.push_back({spec, type});
    }
  }
  return doors;
}

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

std::ostream& operator<<(std::ostream& out, const Door& door) {
  return out << door.spec->name() << " " << Name(door.type);
}

std::vector<std::string> Doors::Backends() const {
  std::vector<std::string> backends;
  for (const auto& [name, backend] : BackendsHere()) {
    if (DefaultOn(spec(), name, type()).has_value()) backends.push_back(name);
  }
  EXPECT_THAT(backends, testing::Contains("serial"));
  return backends;
}

std::vector<std::string> Doors::BackendsFor(
    const Case& test_case, const std::vector<Case>& cases) const {
  std::vector<std::string> backends = Backends();
  if (&test_case == &cases.back()) return backends;
  const auto is_slow = [](const std::string& name) {
    return !BackendsHere().at(name)->memory().is_host();
  };
  backends.erase(std::remove_if(backends.begin(), backends.end(), is_slow),
                 backends.end());
  return backends;
}

// --- Cases ---

const FileFormat& Doors::Format() const {
  return FileFormatOf(spec().algorithm());
}

std::optional<std::string> Doors::TextOf(const Case& test_case) const {
  return Format().FormatInput(spec().algorithm(), test_case.inputs,
                              test_case.options);
}

// Of the settings of the options those that have a value which none before
// them has; so every optional output is there at least once.
std::vector<OptionMap> Doors::Settings() const {
  std::vector<OptionMap> settings;
  std::set<std::pair<std::string, std::string>> seen;
  for (const OptionMap& options : spec().OptionCombinations(type())) {
    const std::size_t before = seen.size();
    seen.insert(options.begin(), options.end());
    if (settings.empty() || seen.size() > before) settings.push_back(options);
  }
  return settings;
}

std::vector<Case> Doors::Cases() const {
  const std::vector<std::string> distributions = spec().Distributions(type());
  std::vector<Case> cases;
  std::size_t turn = 0;
  for (const OptionMap& options : Settings()) {
    for (std::size_t tries = 0; tries < distributions.size(); ++tries) {
      const std::string& drawn = distributions[turn++ % distributions.size()];
      absl::StatusOr<Case> made =
          spec().Generate({kSmall, type(), drawn, options, turn});
      EXPECT_TRUE(made.ok()) << made.status();
      if (!made.ok()) break;
      if (!HasArrayFiles(spec()) && !TextOf(*made).has_value()) continue;
      cases.push_back(*std::move(made));
      break;
    }
  }
  EXPECT_THAT(cases, testing::Not(testing::IsEmpty()));
  return cases;
}

// --- Files, and what is right ---

Arguments Doors::OptionsOf(const Case& test_case) const {
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

std::map<std::string, std::string> Doors::WantedOutputs(
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

Arguments Doors::WriteOtherInputs(const Case& test_case) const {
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

Arguments Doors::WriteInputs(const Case& test_case) const {
  Arguments arguments = WriteOtherInputs(test_case);
  const HostArray& first = FirstInput(test_case);
  const bool as_array = HasArrayFiles(spec());
  const std::string path = File(as_array ? "in.npy" : "in.txt");
  EXPECT_EQ(
      as_array ? WriteArray(path, first) : WriteFile(path, *TextOf(test_case)),
      absl::OkStatus());
  arguments.push_back(absl::StrCat("--input=", path));
  return arguments;
}

const HostArray& Doors::FirstInput(const Case& test_case) const {
  return test_case.inputs.at(signature().inputs.front().name);
}

void Doors::ExpectRight(const HostArray& got, const std::string& output,
                        const Expectations& expected) const {
  ASSERT_EQ(expected.count(output), 1) << output;
  const Expectation& wanted = expected.at(output);
  EXPECT_EQ(got.type(), wanted.value.type()) << output;
  ASSERT_EQ(got.shape(), wanted.value.shape()) << output;
  const auto difference =
      Compare(got, wanted.value, wanted.tolerance, spec().nans_have_bits());
  EXPECT_FALSE(difference.has_value())
      << output << ": " << difference->ToString();
}

void Doors::ExpectRightFile(const std::string& path, const std::string& output,
                            const Expectations& expected) const {
  ASSERT_EQ(expected.count(output), 1) << output;
  const HostArray& wanted = expected.at(output).value;
  absl::StatusOr<HostArray> got = ReadArray(path, wanted.type());
  ASSERT_TRUE(got.ok()) << got.status();
  if (wanted.shape().size() == 2 && got->shape().size() == 1) {
    ASSERT_EQ(got->size(), wanted.size());
    HostArray shaped(got->type(), wanted.shape());
    std::copy_n(got->data<char>(), got->view().bytes(), shaped.data<char>());
    got = std::move(shaped);
  }
  ExpectRight(*got, output, expected);
}

std::string Doors::SavedText(const Expectations& expected,
                             const std::string& name) const {
  Results results;
  for (const auto& [output, expectation] : expected) {
    results.emplace(output, expectation.value);
  }
  const std::string path = File(absl::StrCat("wanted_", name));
  EXPECT_EQ(Format().Save(results, path), absl::OkStatus());
  return Content(path);
}

void Doors::ExpectRightOutput(const std::string& path,
                              const Expectations& expected) const {
  const std::string first = signature().outputs.front().name;
  if (Format().Saves(path)) {
    const std::string name = std::filesystem::path(path).filename();
    EXPECT_EQ(Content(path), SavedText(expected, name));
    return;
  }
  ExpectRightFile(path, first, expected);
}

Expectations Doors::Expected(const Case& test_case) const {
  absl::StatusOr<Expectations> expected = spec().Expected(test_case);
  EXPECT_TRUE(expected.ok()) << expected.status();
  return expected.ok() ? *std::move(expected) : Expectations();
}

}  // namespace concord
