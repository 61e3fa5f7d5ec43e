// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Reading the inputs of every algorithm from files, and writing its results,
// throw nothing, whichever allocation fails: it is a status, and the file of
// the results is whole.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "concord/core/array_io.h"
#include "concord/core/file.h"
#include "concord/core/file_format.h"
#include "concord/core/mapped_file.h"
#include "concord/core/npy.h"
#include "concord/core/output_file.h"
#include "concord/core/spec.h"
#include "concord/testing/support/every_algorithm.h"
#include "concord/testing/support/scarce_memory.h"

namespace concord {
namespace {

class FilesWithoutMemory : public testing::TestWithParam<std::string> {
 protected:
  FilesWithoutMemory()
      : spec_(**FindSpec(GetParam())),
        format_(FileFormatOf(spec_.algorithm())) {
    const ElementType type = spec_.element_types().front();
    absl::StatusOr<Case> made =
        spec_.Generate({/*size=*/20, type, spec_.Distributions(type).front(),
                        spec_.OptionCombinations(type).front(), /*seed=*/1});
    EXPECT_TRUE(made.ok()) << made.status();
    case_ = *std::move(made);
  }

  std::string File(const std::string& name) const {
    return absl::StrCat(testing::TempDir(), "/", GetParam(), "_", name);
  }

  // Writes the inputs.
  LoadRequest Request() const {
    LoadRequest request;
    request.type = case_.type;
    const OptionMap standard = *CompleteOptions(spec_.options(), {});
    for (const auto& [name, value] : case_.options) {
      const auto found = standard.find(name);
      if (found != standard.end() && found->second != value) {
        request.options.emplace(name, value);
      }
    }
    const SignatureData& signature = spec_.algorithm().signature();
    for (const InputSpec& input : signature.inputs) {
      const std::string option = FileOption(signature, input);
      const auto value = case_.inputs.find(input.name);
      if (option.empty() || value == case_.inputs.end()) continue;
      const std::optional<std::string> text =
          option == "input" ? format_.FormatInput(spec_.algorithm(),
                                                  case_.inputs, case_.options)
                            : std::nullopt;
      const std::string path =
          File(option + (text.has_value() ? ".txt" : ".npy"));
      EXPECT_EQ(text.has_value() ? WriteFile(path, *text)
                                 : WriteArray(path, value->second),
                absl::OkStatus());
      request.files.emplace(option, path);
    }
    return request;
  }

  void ExpectLoaded(const LoadRequest& request) const {
    // Looked up before: to find it takes memory.
    const Algorithm& algorithm = spec_.algorithm();
    ExpectStatusWithoutMemory(
        [&] { return format_.Load(algorithm, request).status(); });
  }

  const AlgorithmSpec& spec_;
  const FileFormat& format_;
  Case case_;
};

TEST_P(FilesWithoutMemory, AreNotRead) {
  LoadRequest request = Request();
  ASSERT_EQ(format_.Load(spec_.algorithm(), request).status(),
            absl::OkStatus());
  ExpectLoaded(request);
  // What has no file may be made by chance.
  request.files = {{"input", request.files.at("input")}};
  if (format_.Load(spec_.algorithm(), request).ok()) ExpectLoaded(request);
}

TEST_P(FilesWithoutMemory, AreNotWritten) {
  Results results;
  const absl::StatusOr<Expectations> expected = spec_.Expected(case_);
  ASSERT_TRUE(expected.ok()) << expected.status();
  for (const auto& [name, expectation] : *expected) {
    results.emplace(name, expectation.value);
  }
  const std::string first = spec_.algorithm().signature().outputs.front().name;
  for (const std::string& path : {File("out.txt"), File("out.npy")}) {
    const auto save = [&] {
      return format_.Saves(path) ? format_.Save(results, path)
                                 : WriteArray(path, results.at(first));
    };
    ASSERT_EQ(save(), absl::OkStatus());
    const std::string right = *ReadFile(path);
    EXPECT_NE(right, "");
    ExpectStatusWithoutMemory(save);
    EXPECT_EQ(*ReadFile(path), right);
  }
}

// Files as bytes, those that cannot be read or written, and files of arrays
// that are none.
TEST(FilesByName, AreReadAndWrittenOrAStatus) {
  const std::string there = absl::StrCat(testing::TempDir(), "/bytes");
  const std::string nowhere = absl::StrCat(testing::TempDir(), "/no/bytes");
  ASSERT_EQ(WriteFile(there, "bytes"), absl::OkStatus());
  NamedCalls calls;
  for (const std::string& path : {there, nowhere}) {
    calls.insert(calls.end(), {{absl::StrCat("WriteFile ", path),
                                [path] { return WriteFile(path, "bytes"); }},
                               {absl::StrCat("CheckWritable ", path),
                                [path] { return CheckWritable(path); }},
                               {absl::StrCat("OutputFile ", path),
                                [path] {
                                  absl::StatusOr<OutputFile> file =
                                      OutputFile::OpenByAll(path);
                                  absl::Status status = file.status();
                                  if (status.ok())
                                    status = file->Write("bytes");
                                  if (status.ok()) status = file->Prepare();
                                  return status.ok() ? file->Commit() : status;
                                }},
                               {absl::StrCat("ReadFile ", path),
                                [path] { return ReadFile(path).status(); }},
                               {absl::StrCat("MappedFile ", path), [path] {
                                  return MappedFile::Open(path).status();
                                }}});
  }
  const std::string npy = NpyHeader(ElementType::kUInt8, {3});
  for (const std::string& content : {npy + "abc", npy, npy.substr(0, 20)}) {
    calls.push_back({absl::StrCat(content.size(), " bytes of .npy"),
                     [content] { return ParseNpy(content, "x").status(); }});
  }
  ExpectSameWithoutMemory(calls);
  EXPECT_EQ(*ReadFile(there), "bytes");
}

INSTANTIATE_TEST_SUITE_P(Every, FilesWithoutMemory,
                         testing::ValuesIn(EveryAlgorithm()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace concord
