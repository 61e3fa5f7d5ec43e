// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_FILE_FORMAT_H_
#define CONCORD_CORE_FILE_FORMAT_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/call.h"

namespace concord {

// Where the inputs of a call are read from: "input" and the names of the
// options of kind kFile -> path; "-" is standard input.
struct LoadRequest {
  std::map<std::string, std::string> files;
  OptionMap options;
  // For text, which does not say its type.
  std::optional<ElementType> type;
  // Whether replicas (replicas.h) load them together for a backend that shares
  // arrays out. Then a source need not have all of its elements in one place.
  bool shared_out = false;
};

// The inputs of a call, in host memory.
struct LoadedInputs {
  // Complete.
  OptionMap options;
  Sources inputs;
  // What a person should know about the input: "17 letters outside ACGT were
  // skipped". One line each.
  std::vector<std::string> notes;
};

// How an algorithm's inputs are read from files, and its results written to
// the file of --output. Further outputs are arrays in files of their own.
class FileFormat {
 public:
  virtual ~FileFormat() = default;

  // Neither throws: what LoadFiles and SaveFile throw is a status.
  absl::StatusOr<LoadedInputs> Load(const Algorithm& algorithm,
                                    const LoadRequest& request) const;
  absl::Status Save(const Results& results, const std::string& path) const;

  // The text of --input that Load reads as these inputs, all but those that
  // have files of their own. Nothing where no text does. By default the numbers
  // of the first input, which has one dimension.
  virtual std::optional<std::string> FormatInput(
      const Algorithm& algorithm,
      const std::map<std::string, HostArray>& inputs,
      const OptionMap& options) const;

  // Whether Save writes the file of --output, from all results. Otherwise that
  // file is the array of the first output, and Save is not called.
  virtual bool Saves(const std::string& /*path*/) const { return false; }

 private:
  // By default each input is the array in a file: the first one in "input",
  // each other one in the file of the option with its name.
  virtual absl::StatusOr<LoadedInputs> LoadFiles(
      const Algorithm& algorithm, const LoadRequest& request) const;
  virtual absl::Status SaveFile(const Results& results,
                                const std::string& path) const;
};

// Stands at the bottom of X_files.cc, for an algorithm whose files are not
// plain arrays.
bool RegisterFileFormat(const std::string& algorithm, const FileFormat* format);

// The algorithm's own, or the default.
const FileFormat& FileFormatOf(const Algorithm& algorithm);

// The option that names the input's file: "input" of the first. "" where there
// is none, because the algorithm's own format has it in the file of another.
std::string FileOption(const SignatureData& signature, const InputSpec& input);

// The path of --input; InvalidArgument says what is wanted when there is none.
absl::StatusOr<std::string> InputPath(const LoadRequest& request,
                                      absl::string_view wanted);

// InvalidArgument: the request names another type than this, which is what the
// text of --input is read as.
absl::Status CheckType(const LoadRequest& request, ElementType type);

// An array in host memory as a source that owns it.
std::shared_ptr<const Source> SourceOf(HostArray array);

}  // namespace concord

#endif  // CONCORD_CORE_FILE_FORMAT_H_
