// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Writes a FASTA file of sequences whose ancestry is known: families of
// descendants of ancestors, which are stretches of a real genome after long
// evolution. The same file for the same arguments, on every machine.

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
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

constexpr char kHelp[] =
    "make_sequences --output=FILE [--genome=FASTA] [--sequences=20000]\n"
    "               [--length=3500] [--rate=0.01] [--seed=1]\n"
    "Sequences of about so many letters; of those of close relatives, the\n"
    "share of --rate is mutated.\n";

bool Parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view text = argv[i];
    const auto is = [&](absl::string_view name) {
      return absl::ConsumePrefix(&text, absl::StrCat("--", name, "="));
    };
    if (is("genome")) {
      arguments.genome = std::string(text);
    } else if (is("output")) {
      arguments.output = std::string(text);
    } else if (!(is("sequences") &&
                 absl::SimpleAtoi(text, &arguments.sequences)) &&
               !(is("length") && absl::SimpleAtoi(text, &arguments.length)) &&
               !(is("seed") && absl::SimpleAtoi(text, &arguments.seed)) &&
               !(is("rate") && absl::SimpleAtod(text, &arguments.rate))) {
      return false;
    }
  }
  return !arguments.output.empty() && arguments.sequences >= 0 &&
         arguments.length > 0;
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
  concord::all_pairs::Arguments arguments;
  if (!concord::all_pairs::Parse(argc, argv, arguments)) {
    return std::cerr << concord::all_pairs::kHelp, 2;
  }
  const absl::Status status = concord::all_pairs::Make(arguments);
  if (!status.ok()) return std::cerr << status << "\n", 1;
}
