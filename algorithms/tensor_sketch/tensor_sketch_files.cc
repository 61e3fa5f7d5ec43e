// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "concord/algorithms/tensor_sketch/sequence_reader.h"
#include "concord/algorithms/tensor_sketch/shared_fasta.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/core/array_io.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/core/file_format.h"
#include "concord/core/guarded.h"
#include "concord/core/replicas.h"
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
    ASSIGN_OR_RETURN(
        tables, RandomSketchTables(options, NumberOption(complete, "seed")));
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

// Addresses for so many bytes, without memory: what touches them ends the
// program. Null where there are none to be had.
std::shared_ptr<const std::uint8_t> Addresses(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  void* const begin = mmap(nullptr, size, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return nullptr;
  return {static_cast<const std::uint8_t*>(begin),
          [begin, size](const std::uint8_t*) { munmap(begin, size); }};
}

// The letters of a file that replicas have looked at together: each reads what
// it has of an array. They have addresses, for whoever plans a call by other
// inputs, and are never there.
class SharedLetters : public Source {
 public:
  SharedLetters(std::shared_ptr<const SharedFasta> fasta,
                std::shared_ptr<const std::uint8_t> addresses)
      : fasta_(std::move(fasta)), addresses_(std::move(addresses)) {}

  ElementType type() const override { return ElementType::kUInt8; }
  Shape shape() const override { return fasta_->offsets().back(); }
  std::optional<ConstArrayView> View() const override {
    return ConstArrayView(addresses_.get(), shape(), Memory::Host());
  }
  absl::Status CopyTo(Backend& backend, ArrayView to) const override {
    const auto here = ElementsHere(to);
    const auto take = [&](std::int64_t place,
                          absl::Span<const std::uint8_t> letters) {
      return backend.Copy(
          ConstArrayView(letters),
          to.Slice(place, static_cast<std::int64_t>(letters.size())));
    };
    return AgreeAsOne(
        Guarded([&] { return fasta_->Read(here.first, here.second, take); }));
  }

 private:
  const std::shared_ptr<const SharedFasta> fasta_;
  const std::shared_ptr<const std::uint8_t> addresses_;
};

// Of the sequences in the file, the letters, their offsets, and notes. Where
// replicas load it, each reads its share of a plain FASTA file.
absl::Status LoadSequences(const std::string& path, const std::string& alphabet,
                           bool shared_out, LoadedInputs& loaded) {
  std::int64_t skipped = 0;
  std::shared_ptr<const SharedFasta> fasta;
  if (shared_out) {
    std::string why;
    ASSIGN_OR_RETURN(fasta, SharedFasta::Open(path, alphabet, why));
    if (fasta == nullptr) {
      loaded.notes.push_back(absl::StrCat(
          SourceName(path), " ", why,
          ": each rank reads all of it, and has all letters in its memory"));
    }
  }
  if (fasta != nullptr) {
    skipped = fasta->skipped();
    const auto addresses = Addresses(fasta->offsets().back());
    RETURN_IF_ERROR(AgreeAsOne(
        addresses != nullptr ? absl::OkStatus()
                             : ResourceExhaustedError(
                                   "there are no addresses for the letters of ",
                                   SourceName(path))));
    loaded.inputs["letters"] =
        std::make_shared<SharedLetters>(fasta, addresses);
    loaded.inputs["offsets"] = PartOf(fasta, fasta->offsets());
  } else {
    absl::StatusOr<Sequences> read = ReadSequences(path, alphabet);
    RETURN_IF_ERROR(shared_out ? AgreeAsOne(read.status()) : read.status());
    const auto sequences = std::make_shared<Sequences>(*std::move(read));
    skipped = sequences->skipped;
    loaded.inputs["letters"] = PartOf(sequences, sequences->letters);
    loaded.inputs["offsets"] = PartOf(sequences, sequences->offsets);
  }
  if (skipped > 0) {
    loaded.notes.push_back(
        absl::StrCat(skipped, " letters outside ", alphabet, " were skipped"));
  }
  return absl::OkStatus();
}

class TensorSketchFiles : public FileFormat {
 public:
  absl::StatusOr<LoadedInputs> LoadFiles(
      const Algorithm& algorithm, const LoadRequest& request) const override {
    ASSIGN_OR_RETURN(OptionMap complete,
                     CompleteOptions(algorithm, request.options));
    ASSIGN_OR_RETURN(TensorSketch::Options options,
                     ParseOptions<TensorSketch>(request.options));
    RETURN_IF_ERROR(CheckType(request, ElementType::kUInt8));
    ASSIGN_OR_RETURN(std::string path, InputPath(request, "FASTA or FASTQ"));
    const auto tables = std::make_shared<SketchTables>();
    const absl::Status status = LoadTables(request, complete, options, *tables);
    RETURN_IF_ERROR(request.shared_out ? AgreeAsOne(status) : status);
    LoadedInputs loaded;
    RETURN_IF_ERROR(LoadSequences(path, complete.at("alphabet"),
                                  request.shared_out, loaded));
    const Shape shape(options.alphabet_size, options.t);
    loaded.inputs["hashes"] = PartOf(tables, tables->hashes, shape);
    loaded.inputs["signs"] = PartOf(tables, tables->signs, shape);
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
