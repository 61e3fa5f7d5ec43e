// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/algorithms/tensor_sketch/sequence_reader.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/core/array_io.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/core/file_format.h"
#include "concord/core/signature.h"

namespace concord::tensor_sketch {
namespace {

// The file's numbers as a table of one row for each letter.
absl::StatusOr<std::vector<std::int32_t>> ReadTable(
    const std::string& path, const TensorSketch::Options& options) {
  ASSIGN_OR_RETURN(HostArray array, ReadArray(path, ElementType::kInt32));
  RETURN_IF_ERROR(CheckType(SourceName(path), std::as_const(array).view(),
                            ElementType::kInt32));
  const std::vector<std::int64_t> wanted = {options.alphabet_size, options.t};
  if (array.shape() != wanted) {
    return InvalidArgumentError(
        SourceName(path), " has the shape [",
        absl::StrJoin(array.shape(), ", "), "], not [",
        absl::StrJoin(wanted, ", "),
        "], a row for each letter and a column for each place in a word");
  }
  const auto values = std::as_const(array).span<std::int32_t>();
  return std::vector<std::int32_t>(values.begin(), values.end());
}

// From both files or from the seed.
absl::Status LoadTables(const LoadRequest& request, const OptionMap& complete,
                        const TensorSketch::Options& options,
                        SketchTables& tables) {
  const auto hashes = request.files.find("hashes");
  const auto signs = request.files.find("signs");
  const bool given = hashes != request.files.end();
  if (given != (signs != request.files.end())) {
    return InvalidArgumentError(
        "--hashes and --signs go together: either both or neither");
  }
  if (!given) {
    tables = RandomSketchTables(options, NumberOption(complete, "seed"));
    return absl::OkStatus();
  }
  if (request.options.count("seed") > 0) {
    return InvalidArgumentError(
        "--seed means nothing beside --hashes and --signs");
  }
  ASSIGN_OR_RETURN(tables.hashes, ReadTable(hashes->second, options));
  ASSIGN_OR_RETURN(tables.signs, ReadTable(signs->second, options));
  return CheckSketchTables(tables.hashes, tables.signs, options);
}

// A part of what `owner` keeps.
template <typename T>
std::shared_ptr<const Source> PartOf(std::shared_ptr<const void> owner,
                                     const std::vector<T>& values,
                                     Shape shape) {
  return std::make_shared<ArraySource>(
      ConstArrayView(values.data(), shape, Memory::Host()), std::move(owner));
}
template <typename T>
std::shared_ptr<const Source> PartOf(std::shared_ptr<const void> owner,
                                     const std::vector<T>& values) {
  return PartOf(std::move(owner), values,
                static_cast<std::int64_t>(values.size()));
}

class TensorSketchFiles : public FileFormat {
 public:
  absl::StatusOr<LoadedInputs> Load(const Algorithm& algorithm,
                                    const LoadRequest& request) const override {
    ASSIGN_OR_RETURN(OptionMap complete,
                     CompleteOptions(algorithm, request.options));
    ASSIGN_OR_RETURN(TensorSketch::Options options,
                     TensorSketch::GetSignature().Parse(WithoutTuning(
                         request.options, algorithm.implementations())));
    ASSIGN_OR_RETURN(std::string path, InputPath(request, "FASTA or FASTQ"));
    const auto tables = std::make_shared<SketchTables>();
    RETURN_IF_ERROR(LoadTables(request, complete, options, *tables));
    const std::string& alphabet = complete.at("alphabet");
    ASSIGN_OR_RETURN(Sequences read, ReadSequences(path, alphabet));

    const auto sequences = std::make_shared<Sequences>(std::move(read));
    LoadedInputs loaded;
    if (sequences->skipped > 0) {
      loaded.notes.push_back(absl::StrCat(
          sequences->skipped, " letters outside ", alphabet, " were skipped"));
    }
    const Shape shape(options.alphabet_size, options.t);
    loaded.inputs = {
        {"letters", PartOf(sequences, sequences->letters)},
        {"offsets", PartOf(sequences, sequences->offsets)},
        {"hashes", PartOf(tables, tables->hashes, shape)},
        {"signs", PartOf(tables, tables->signs, shape)},
    };
    loaded.options = std::move(complete);
    return loaded;
  }

  // FASTA.
  std::optional<std::string> FormatInput(
      const Algorithm&, const std::map<std::string, HostArray>& inputs,
      const OptionMap& options) const override {
    const std::string& alphabet = options.at("alphabet");
    const auto letters = inputs.at("letters").span<std::uint8_t>();
    const auto offsets = inputs.at("offsets").span<std::int64_t>();
    // There is no file without a sequence.
    if (offsets.size() < 2) return std::nullopt;
    std::string text;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      absl::StrAppend(&text, ">", s, "\n");
      for (std::int64_t i = offsets[s]; i < offsets[s + 1]; ++i) {
        // Others would be skipped.
        if (letters[i] >= alphabet.size()) return std::nullopt;
        text += alphabet[letters[i]];
      }
      text += "\n";
    }
    return text;
  }
};

const bool kRegistered =
    RegisterFileFormat(TensorSketch::kName, new TensorSketchFiles);

}  // namespace
}  // namespace concord::tensor_sketch
