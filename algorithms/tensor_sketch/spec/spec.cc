// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "concord/algorithms/tensor_sketch/sequence_reader.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/algorithms/tensor_sketch/spec/cases.h"
#include "concord/algorithms/tensor_sketch/spec/expected.h"
#include "concord/algorithms/tensor_sketch/spec/laws.h"
#include "concord/core/array_io.h"
#include "concord/core/spec.h"

namespace concord::tensor_sketch {
namespace {

constexpr char kAminoAcids[] = "ACDEFGHIKLMNPQRSTVWY";

// The file's numbers as a table of one row for each letter.
absl::StatusOr<std::vector<std::int32_t>> ReadTable(
    const std::string& path, const TensorSketch::Options& options) {
  absl::StatusOr<HostArray> array = ReadArray(path, ElementType::kInt32);
  if (!array.ok()) return array.status();
  absl::Status status =
      CheckType(path, std::as_const(*array).view(), ElementType::kInt32);
  if (!status.ok()) return status;
  const std::vector<std::int64_t> wanted = {options.alphabet_size, options.t};
  if (array->shape() != wanted) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " has the shape [", absl::StrJoin(array->shape(), ", "),
        "], not [", absl::StrJoin(wanted, ", "),
        "], a row for each letter and a column for each place in a word"));
  }
  const auto values = std::as_const(*array).span<std::int32_t>();
  return std::vector<std::int32_t>(values.begin(), values.end());
}

class TensorSketchSpec : public SpecOf<TensorSketch> {
 public:
  std::string summary() const override {
    return "sketches of sequences by which to compare them without alignment";
  }

  std::vector<OptionSpec> options() const override {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    return {
        OptionSpec::Number("t", "letters in a word", 4, 1,
                           TensorSketch::kMostT),
        OptionSpec::Number("dim", "integers in a sketch", 96, 1,
                           TensorSketch::kMostDim),
        OptionSpec::Text(
            "alphabet", "the letters; case does not matter, others are skipped",
            "ACGT"),
        OptionSpec::File("hashes",
                         "table of int32 [letters, t] from 0 to dim - 1"),
        OptionSpec::File("signs", "table of int32 [letters, t], each -1 or 1"),
        OptionSpec::Number("seed", "of random tables, where none are given", 1,
                           0, kMost),
        OptionSpec::Switch("normalized",
                           "divide by the number of subsequences of t letters"),
        OptionSpec::Number(
            "window",
            "letters of a window, each with a sketch; 0 for whole sequences", 0,
            0, kMost),
        OptionSpec::Number("stride", "letters from one window to the next", 1,
                           1, kMost),
    };
  }

  // That of the letters; float64 where the sketches are normalized, which not
  // every implementation can do.
  std::vector<ElementType> element_types() const override {
    return {ElementType::kUInt8, ElementType::kFloat64};
  }
  std::vector<std::string> Distributions(ElementType) const override {
    return SketchDistributions();
  }

  // The defaults; every method, and each side of the limits between them; dim 1
  // and t 1; windows that overlap a little, much and not at all.
  std::vector<OptionMap> OptionCombinations(ElementType type) const override {
    const auto make = [type](int t, int dim, const char* alphabet,
                             int window = 0, int stride = 1) {
      return OptionMap{
          {"t", absl::StrCat(t)},
          {"dim", absl::StrCat(dim)},
          {"alphabet", alphabet},
          {"seed", "1"},
          {"normalized", type == ElementType::kFloat64 ? "yes" : "no"},
          {"window", absl::StrCat(window)},
          {"stride", absl::StrCat(stride)}};
    };
    if (type == ElementType::kFloat64) {
      return {make(4, 96, "ACGT"),
              make(1, 1, "ACGT"),
              make(3, 7, "AC"),
              make(4, 10, "ACGTN"),
              make(2, 64, kAminoAcids),
              make(6, 33, "ACGT"),
              make(4, 24, "ACGT", 700, 300)};
    }
    return {make(4, 96, "ACGT"),
            make(1, 1, "ACGT"),
            make(3, 7, "AC"),
            make(4, 10, "ACGTN"),
            make(2, 64, kAminoAcids),
            make(3, 96, kAminoAcids),
            make(5, 96, "ACGT"),
            make(6, 33, "ACGT"),
            make(2, 1000, "ACG"),
            make(4, 1, "A"),
            make(4, 24, "ACGT", 700, 300),
            make(3, 16, "ACGTN", 5000, 500),
            make(4, 40, "ACG", 1000, 2500),
            make(3, 24, kAminoAcids, 900, 800)};
  }

  absl::StatusOr<Case> Generate(const CaseRequest& request) const override {
    return GenerateSketchCase(request);
  }

  std::vector<Case> SpecialCases() const override {
    const std::vector<OptionMap> combinations =
        OptionCombinations(ElementType::kUInt8);
    std::vector<Case> cases;
    const auto add = [&](std::string label, std::vector<std::uint8_t> letters,
                         std::vector<std::int64_t> offsets) {
      SketchCase made{combinations[0], std::move(letters), std::move(offsets),
                      RandomSketchTables({}, 1)};
      cases.push_back(made.ToCase(std::move(label)));
    };
    add("no sequences", {}, {0});
    add("one empty sequence", {}, {0, 0});
    add("empty sequences around one", {0, 1, 2, 3, 3}, {0, 0, 0, 5, 5});
    add("one letter too few", {0, 1, 2}, {0, 3});
    add("enough letters, but not of the alphabet", {0, 4, 1, 255, 2}, {0, 5});
    add("only letters outside the alphabet", {4, 5, 255, 128}, {0, 4});
    // 2 * 10^5 equal letters have more words than 2^64, so the sums wrap.
    add("more words than 2^64", std::vector<std::uint8_t>(200'000, 2),
        {0, 200'000});
    return cases;
  }

  std::vector<Axis> Axes(const Case& test_case) const override {
    const SketchCase sketch = SketchCase::Of(test_case);
    const std::string& label = test_case.label;
    return {
        {"letters", static_cast<std::int64_t>(sketch.letters.size()),
         [sketch, label](std::int64_t first, std::int64_t last) {
           return sketch.WithoutLetters(first, last).ToCase(label);
         }},
        {"sequences", sketch.sequences(),
         [sketch, label](std::int64_t first, std::int64_t last) {
           return sketch.WithoutSequences(first, last).ToCase(label);
         }},
        // Of the last three, one has to stay.
        {"letters of the alphabet", sketch.alphabet_size() - 1,
         [sketch, label](std::int64_t first, std::int64_t last) {
           return sketch
               .WithoutAlphabet(static_cast<int>(first), static_cast<int>(last))
               .ToCase(label);
         }},
        {"letters of a word", sketch.t() - 1,
         [sketch, label](std::int64_t first, std::int64_t last) {
           return sketch
               .WithoutColumns(static_cast<int>(first), static_cast<int>(last))
               .ToCase(label);
         }},
        {"places of a sketch", sketch.dim() - 1,
         [sketch, label](std::int64_t first, std::int64_t last) {
           return sketch.WithDim(sketch.dim() - static_cast<int>(last - first))
               .ToCase(label);
         }},
    };
  }

  absl::StatusOr<std::vector<OutputSpec>> OutputsOf(
      const Case& test_case) const override {
    absl::StatusOr<Options> options = Parse(test_case.options);
    if (!options.ok()) return options.status();
    const auto view = [&](const char* name) {
      return test_case.inputs.at(name).view();
    };
    const std::int64_t rows =
        CountSketchRows(view("offsets").span<std::int64_t>(), *options);
    const ElementType type =
        options->normalized ? ElementType::kFloat64 : ElementType::kInt64;
    const absl::Status status = CheckTensorSketchOnHost(
        view("letters"), view("offsets"), view("hashes"), view("signs"),
        ConstArrayView(nullptr, type, rows * options->dim, Memory::Host()),
        *options, name());
    if (!status.ok()) return status;
    if (options->window > 0) {
      const double bytes = static_cast<double>(SizeOf(type)) * rows *
                           static_cast<double>(options->dim);
      const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                            static_cast<double>(sysconf(_SC_PAGESIZE));
      if (bytes > memory) {
        return absl::InvalidArgumentError(absl::StrFormat(
            "the sketches of %d windows need %.1f GB, and there are %.1f GB of "
            "memory; a larger --stride makes fewer windows",
            rows, bytes * 1e-9, memory * 1e-9));
      }
    }
    return std::vector<OutputSpec>{{"out", type, {rows, options->dim}, ""}};
  }

  absl::StatusOr<std::map<std::string, Expectation>> Expected(
      const Case& test_case) const override {
    absl::StatusOr<Options> options = Parse(test_case.options);
    if (!options.ok()) return options.status();
    std::map<std::string, Expectation> expected;
    expected["out"] = ExpectedSketches(test_case, *options);
    return expected;
  }

  std::vector<Law> laws() const override { return SketchLaws(); }

  std::vector<PresetRows> preset_rows() const override {
    // The published measurements are on 1410 sequences of 100 million letters.
    return {{"transfers",
             0,
             {},
             {},
             {"equal_lengths", "log_normal_lengths"},
             {"word_counts", "thread_words", "cached"},
             {100'000'000}}};
  }

  Floor FloorOf(const Case& test_case) const override {
    Floor floor;
    for (const auto& [name, input] : test_case.inputs) {
      floor.bytes_read += input.view().bytes();
    }
    absl::StatusOr<std::vector<OutputSpec>> outputs = OutputsOf(test_case);
    if (outputs.ok()) {
      floor.bytes_written =
          Capacity(outputs->front()) * SizeOf(outputs->front().type);
    }
    return floor;
  }

  std::string size_unit() const override { return "letters"; }
  std::int64_t SizeOfCase(const Case& test_case) const override {
    return test_case.inputs.at("letters").size();
  }

  absl::StatusOr<LoadedCase> Load(const LoadRequest& request) const override {
    absl::StatusOr<OptionMap> complete =
        CompleteOptions(options(), request.options);
    if (!complete.ok()) return complete.status();
    absl::StatusOr<Options> parsed = Parse(*complete);
    if (!parsed.ok()) return parsed.status();
    const auto input = request.files.find("input");
    if (input == request.files.end()) {
      return absl::InvalidArgumentError(
          "--input=FILE is needed, FASTA or FASTQ");
    }
    SketchCase sketch;
    sketch.options = *std::move(complete);
    absl::Status status =
        LoadTables(request, sketch.options, *parsed, sketch.tables);
    if (!status.ok()) return status;

    const std::string& alphabet = sketch.options.at("alphabet");
    absl::StatusOr<Sequences> sequences =
        ReadSequences(input->second, alphabet);
    if (!sequences.ok()) return sequences.status();
    sketch.letters = std::move(sequences->letters);
    sketch.offsets = std::move(sequences->offsets);
    LoadedCase loaded;
    loaded.value = sketch.ToCase(input->second);
    if (sequences->skipped > 0) {
      loaded.notes.push_back(absl::StrCat(
          sequences->skipped, " letters outside ", alphabet, " were skipped"));
    }
    return loaded;
  }

 protected:
  absl::StatusOr<Options> Parse(const OptionMap& options) const override {
    return ParseTensorSketchOptions(options);
  }

  absl::Status RunTyped(TensorSketch& sketch, const Inputs& inputs,
                        const Outputs& outputs,
                        const Options& options) const override {
    return sketch.Run(inputs.at("letters"), inputs.at("offsets"),
                      inputs.at("hashes"), inputs.at("signs"),
                      outputs.at("out"), options);
  }

  absl::Status RunTypedFromHost(TensorSketch& sketch, const Inputs& inputs,
                                const Outputs& outputs,
                                const Options& options) const override {
    return sketch.RunFromHost(inputs.at("letters"), inputs.at("offsets"),
                              inputs.at("hashes"), inputs.at("signs"),
                              outputs.at("out"), options);
  }

 private:
  // From both files or from the seed.
  static absl::Status LoadTables(const LoadRequest& request,
                                 const OptionMap& complete,
                                 const Options& options, SketchTables& tables) {
    const auto hashes = request.files.find("hashes");
    const auto signs = request.files.find("signs");
    const bool given = hashes != request.files.end();
    if (given != (signs != request.files.end())) {
      return absl::InvalidArgumentError(
          "--hashes and --signs go together: either both or neither");
    }
    if (!given) {
      tables = RandomSketchTables(options, NumberOption(complete, "seed"));
      return absl::OkStatus();
    }
    if (request.options.count("seed") > 0) {
      return absl::InvalidArgumentError(
          "--seed means nothing beside --hashes and --signs");
    }
    absl::StatusOr<std::vector<std::int32_t>> table =
        ReadTable(hashes->second, options);
    if (!table.ok()) return table.status();
    tables.hashes = *std::move(table);
    table = ReadTable(signs->second, options);
    if (!table.ok()) return table.status();
    tables.signs = *std::move(table);
    return CheckSketchTables(tables.hashes, tables.signs, options);
  }
};

const bool kRegistered = RegisterSpec(new TensorSketchSpec);

}  // namespace
}  // namespace concord::tensor_sketch
