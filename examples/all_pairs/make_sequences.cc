// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Writes a FASTA file of sequences whose ancestry is known: families of
// descendants of ancestors, which are stretches of a real genome after long
// evolution. The same file for the same arguments, on every machine.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "concord/benchmarks/number_checks.h"
#include "concord/benchmarks/parse_arguments.h"
#include "concord/core/file_format.h"
#include "concord/core/random.h"
#include "concord/examples/all_pairs/sequence_batches.h"

namespace concord::all_pairs {
namespace {

// Sequences to a family. The last of them is a distant relative.
constexpr std::int64_t kFamily = 4;
constexpr double kDistantRate = 0.3;

// What happened to a stretch of the genome before it became an ancestor. So
// stretches that overlap have descendants as different as any.
constexpr double kAncientRate = 0.5;

struct Arguments {
  std::string genome = "testing/data/NC_008253.fna.gz";
  std::string output;
  std::int64_t sequences = 20'000;
  std::int64_t length = 3'500;
  std::int64_t seed = 1;
  double rate = 0.01;
};

void Declare(CLI::App& app, Arguments& arguments) {
  app.add_option("--output", arguments.output, "the FASTA file")->required();
  app.add_option("--genome", arguments.genome,
                 "FASTA, compressed or not, of which ancestors are stretches")
      ->capture_default_str();
  app.add_option("--sequences", arguments.sequences, "how many")
      ->transform(NotNegative<std::int64_t>())
      ->capture_default_str();
  app.add_option("--length", arguments.length, "letters of one, about")
      ->transform(Positive<std::int64_t>())
      ->capture_default_str();
  app.add_option("--rate", arguments.rate,
                 "the share of the letters of close relatives that is mutated")
      ->transform(Between(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--seed", arguments.seed, "of the random numbers")
      ->transform(NotNegative<std::int64_t>())
      ->capture_default_str();
}

// The letters of a FASTA file, compressed or not, as numbers.
absl::StatusOr<std::string> ReadGenome(const std::string& path) {
  absl::StatusOr<const Algorithm*> sketch = FindAlgorithm("tensor_sketch");
  if (!sketch.ok()) return sketch.status();
  LoadRequest request;
  request.files["input"] = path;
  absl::StatusOr<LoadedInputs> loaded =
      FileFormatOf(**sketch).Load(**sketch, request);
  if (!loaded.ok()) return loaded.status();
  const ConstArrayView letters = *loaded->inputs.at("letters")->View();
  const auto* const first = letters.data<char>();
  return std::string(first, first + letters.size());
}

// Substitutions, and a quarter as many insertions and deletions each.
std::string Mutated(const std::string& letters, double rate, Random& random) {
  std::string mutated;
  for (char letter : letters) {
    if (random.Unit() < rate) {
      const std::uint64_t kind = random.Below(6);
      if (kind == 0) continue;
      if (kind == 1) mutated += static_cast<char>(random.Below(4));
      // Another letter than before.
      if (kind > 1) {
        letter = static_cast<char>((letter + 1 + random.Below(3)) % 4);
      }
    }
    mutated += letter;
  }
  return mutated;
}

void Write(std::ostream& out, const std::string& header, std::string letters) {
  constexpr std::size_t kLine = 70;
  for (char& letter : letters) letter = "ACGT"[static_cast<int>(letter)];
  out << ">" << header << "\n";
  for (std::size_t i = 0; i < letters.size(); i += kLine) {
    out << letters.substr(i, kLine) << "\n";
  }
}

absl::Status Make(const Arguments& arguments) {
  absl::StatusOr<std::string> genome = ReadGenome(arguments.genome);
  if (!genome.ok()) return genome.status();
  const auto length = static_cast<std::size_t>(
      std::min<std::int64_t>(arguments.length, genome->size()));
  std::ofstream file(arguments.output);
  std::string ancestor;
  for (std::int64_t s = 0; s < arguments.sequences; ++s) {
    // A function of the seed and the number alone.
    Random random(RandomBits(static_cast<std::uint64_t>(arguments.seed),
                             static_cast<std::uint64_t>(s)));
    if (s % kFamily == 0) {
      const std::size_t first = random.Below(genome->size() - length + 1);
      ancestor = Mutated(genome->substr(first, length), kAncientRate, random);
    }
    const double rate =
        s % kFamily == kFamily - 1 ? kDistantRate : arguments.rate;
    Write(file, FormatHeader(s, {s / kFamily, rate}),
          Mutated(ancestor, rate, random));
  }
  file.close();
  if (file.good()) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("cannot write ", arguments.output));
}

}  // namespace
}  // namespace concord::all_pairs

int main(int argc, char** argv) {
  CLI::App app("Writes a FASTA file of sequences whose ancestry is known.");
  concord::all_pairs::Arguments arguments;
  concord::all_pairs::Declare(app, arguments);
  try {
    concord::ParseArguments(app, {argv + 1, argv + argc});
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const absl::Status status = concord::all_pairs::Make(arguments);
  if (!status.ok()) return std::cerr << status << "\n", 1;
}
