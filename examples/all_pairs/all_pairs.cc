// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Finds all pairs of close relatives among the sequences of a FASTA file, and
// compares them with what the file says of their ancestry. The letters are
// sketched a batch at a time, while the next one is read; what stays in memory
// is the sketches. Several ranks of MPI have a share of the file and of the
// sketches each.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <future>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/benchmarks/number_checks.h"
#include "concord/benchmarks/parse_arguments.h"
#include "concord/core/backend.h"
#include "concord/core/registry.h"
#include "concord/core/replicas.h"
#include "concord/examples/all_pairs/sequence_batches.h"
#include "concord/examples/all_pairs/shares.h"
#include "concord/examples/all_pairs/stage.h"
#include "concord/examples/all_pairs/whitening.h"

namespace concord::all_pairs {
namespace {

constexpr std::int64_t kWindows = 6;

struct Arguments {
  std::string input;
  std::string backend;
  std::int64_t batch = 1'000;
  // Letters of a window, of which the sketch of a sequence has kWindows.
  std::int64_t window = 500;
  int dim = 16;  // numbers of a window
  // As a share of the distance of sketches that have nothing in common.
  double near = 0.15;
  // Relatives that are mutated less than this are close.
  double within = 0.05;
};

void Declare(CLI::App& app, Arguments& arguments) {
  app.add_option("--input", arguments.input, "sequences, as FASTA")->required();
  app.add_option("--backend", arguments.backend,
                 "what computes; the best one by default");
  app.add_option("--batch", arguments.batch,
                 "sequences that are in memory at a time")
      ->transform(Positive<std::int64_t>())
      ->capture_default_str();
  app.add_option("--window", arguments.window,
                 "letters of a window; a point is the sketches of six")
      ->transform(Positive<std::int64_t>())
      ->capture_default_str();
  app.add_option("--dim", arguments.dim, "numbers of a window's sketch")
      ->transform(Positive<int>())
      ->capture_default_str();
  app.add_option("--near", arguments.near,
                 "pairs are those within this share of the usual squared "
                 "distance")
      ->transform(NotNegative<double>())
      ->capture_default_str();
  app.add_option("--within", arguments.within,
                 "right are pairs of one ancestor, both mutated by less")
      ->transform(NotNegative<double>())
      ->capture_default_str();
}

// Those of some sequences that follow each other, all or a rank's share.
struct Sketches {
  std::vector<double> values;
  std::vector<Ancestry> ancestries;

  std::int64_t size() const {
    return static_cast<std::int64_t>(ancestries.size());
  }
};

// Appends one row for each sequence: its first windows, one after the other.
void AppendRows(const Batch& batch, const std::vector<double>& windows,
                const TensorSketch::Options& options, Sketches& sketches) {
  const double* next = windows.data();
  for (std::int64_t s = 0; s < batch.size(); ++s) {
    const std::int64_t there_are =
        SketchRows::WindowsOf(batch.offsets[s + 1] - batch.offsets[s], options);
    const std::size_t row = sketches.values.size();
    sketches.values.insert(sketches.values.end(), next,
                           next + std::min(there_are, kWindows) * options.dim);
    // What a short sequence lacks is as in other short ones.
    sketches.values.resize(row + kWindows * options.dim);
    next += there_are * options.dim;
  }
  sketches.ancestries.insert(sketches.ancestries.end(),
                             batch.ancestries.begin(), batch.ancestries.end());
}

// Of so many sequences, or as many as there are, from the reader's on.
absl::StatusOr<Sketches> SketchSequences(
    const std::shared_ptr<Backend>& backend, const Arguments& arguments,
    BatchReader reader,
    std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  TensorSketch::Options options;
  options.dim = arguments.dim;
  options.window = arguments.window;
  options.stride = arguments.window;
  const absl::StatusOr<SketchTables> tables =
      RandomSketchTables(options, /*seed=*/1);
  if (!tables.ok()) return tables.status();
  Sketches sketches;
  if (most < std::numeric_limits<std::int64_t>::max()) {
    sketches.values.reserve(
        static_cast<std::size_t>(most * kWindows * options.dim));
  }
  Stage stage("sketch", "letters");
  std::int64_t asked_for = 0;
  const auto read = [&] {
    const std::int64_t size = std::min(arguments.batch, most - asked_for);
    asked_for += size;
    return std::async(std::launch::async,
                      [&reader, size] { return reader.Next(size); });
  };
  auto next = read();
  for (;;) {
    const absl::StatusOr<Batch> batch = next.get();
    if (!batch.ok()) return batch.status();
    if (batch->size() == 0) return sketches;
    next = read();  // while this one is sketched
    const absl::StatusOr<std::vector<double>> windows =
        ComputeNormalizedTensorSketch(backend, batch->letters, batch->offsets,
                                      *tables, options);
    if (!windows.ok()) return windows.status();
    AppendRows(*batch, *windows, options, sketches);
    stage.Add(static_cast<std::int64_t>(batch->letters.size()));
  }
}

// By the spread of `sample`. Returns the largest squared distance of a pair.
double Whiten(const Arguments& arguments, const std::vector<double>& sample,
              Sketches& sketches) {
  Stage stage("whiten", "sketches");
  const Whitening whitening(sample, kWindows * arguments.dim);
  whitening.Apply(sketches.values.data(), sketches.size());
  stage.Add(sketches.size());
  return arguments.near * whitening.UsualDistance2();
}

// As many of the first sketches as tell the spread of some hundred numbers, or
// those of them that are here, where the first is sketch `first`.
std::vector<double> SampleOf(const Sketches& sketches, std::int64_t first,
                             std::int64_t dim) {
  constexpr std::int64_t kSample = 4'000;
  const std::int64_t size =
      std::clamp<std::int64_t>(kSample - first, 0, sketches.size());
  return {sketches.values.begin(), sketches.values.begin() + size * dim};
}

// What was found: pairs of sequences, and what is known of all of these.
struct Result {
  std::vector<Ancestry> ancestries;
  std::vector<std::array<std::int64_t, 2>> pairs;
};

// A stage of its own, which counts the pairs that are compared.
template <typename F>
auto Compare(std::int64_t count, const F& find) {
  Stage stage("compare", "pairs");
  stage.Say(absl::StrCat(count, " sketches"));
  auto found = find();
  stage.Add(count * (count - 1) / 2);
  return found;
}

absl::StatusOr<Result> FindAlone(const std::shared_ptr<Backend>& backend,
                                 const Arguments& arguments,
                                 SimilarPairs::Options options) {
  absl::StatusOr<Sketches> sketches =
      SketchSequences(backend, arguments, BatchReader(arguments.input));
  if (!sketches.ok()) return sketches.status();
  options.distance2 =
      Whiten(arguments, SampleOf(*sketches, 0, options.dim), *sketches);
  options.most = SimilarPairs::kMostRoom;
  const std::int64_t count = sketches->size();
  absl::StatusOr<PairsOfSketches> found = Compare(count, [&] {
    return ComputeSimilarPairs(
        backend,
        ConstArrayView(sketches->values.data(), Shape(count, options.dim),
                       Memory::Host()),
        options);
  });
  if (!found.ok()) return found.status();
  return Result{std::move(sketches->ancestries), std::move(found->pairs)};
}

// What each rank computes on: "tbb:1" of "mpi:tbb:1".
absl::StatusOr<std::shared_ptr<Backend>> OpenLocal(const Backend& backend) {
  absl::string_view spec = backend.info().spec;
  (void)absl::ConsumePrefix(&spec, "mpi:");
  return OpenBackend(spec.substr(0, spec.find('@')));
}

// The numbers that ranks have of the first sketches, put together: those of
// this one stand at `place` among all.
absl::StatusOr<std::vector<double>> FirstOfAll(const std::vector<double>& mine,
                                               std::int64_t place) {
  std::string bytes(sizeof(place) + mine.size() * sizeof(double), '\0');
  std::memcpy(bytes.data(), &place, sizeof(place));
  std::memcpy(bytes.data() + sizeof(place), mine.data(),
              mine.size() * sizeof(double));
  const absl::StatusOr<std::vector<std::string>> told = FromAll(bytes);
  if (!told.ok()) return told.status();
  std::vector<double> all;
  for (const std::string& numbers : *told) {
    std::memcpy(&place, numbers.data(), sizeof(place));
    const std::size_t size = (numbers.size() - sizeof(place)) / sizeof(double);
    if (size == 0) continue;
    all.resize(std::max(all.size(), static_cast<std::size_t>(place) + size));
    std::memcpy(all.data() + place, numbers.data() + sizeof(place),
                size * sizeof(double));
  }
  return all;
}

// The same by several ranks, each with its share of the letters and sketches.
absl::StatusOr<Result> FindTogether(const std::shared_ptr<Backend>& backend,
                                    const Arguments& arguments,
                                    SimilarPairs::Options options) {
  absl::StatusOr<Shares> shares =
      Shares::Find(backend, arguments.input, options.dim);
  if (!shares.ok()) return shares.status();
  const absl::StatusOr<std::shared_ptr<Backend>> local = OpenLocal(*backend);
  if (!local.ok()) return local.status();
  absl::StatusOr<Sketches> mine = SketchSequences(
      *local, arguments, BatchReader(arguments.input, shares->byte()),
      shares->last() - shares->first());
  absl::Status status = AgreeAsOne(mine.status());
  if (!status.ok()) return status;
  // A sketch on a border is on two ranks.
  const absl::StatusOr<std::vector<double>> sample =
      FirstOfAll(SampleOf(*mine, shares->first(), options.dim),
                 shares->first() * options.dim);
  if (!sample.ok()) return sample.status();
  options.distance2 = Whiten(arguments, *sample, *mine);
  status = shares->Put(mine->values);
  if (!status.ok()) return status;
  mine->values = {};
  auto found = Compare(static_cast<std::int64_t>(shares->ancestries().size()),
                       [&] { return shares->FindPairs(options); });
  if (!found.ok()) return found.status();
  return Result{shares->ancestries(), *std::move(found)};
}

// How many close relatives there are.
std::int64_t CountRelatives(const std::vector<Ancestry>& ancestries,
                            double within) {
  std::map<std::int64_t, std::int64_t> families;
  std::int64_t pairs = 0;
  for (const Ancestry& ancestry : ancestries) {
    if (ancestry.rate < within) pairs += families[ancestry.ancestor]++;
  }
  return pairs;
}

void Report(const Backend& backend, const Arguments& arguments,
            const Result& result) {
  std::int64_t right = 0;
  for (const auto& [i, j] : result.pairs) {
    const Ancestry& a = result.ancestries[i];
    const Ancestry& b = result.ancestries[j];
    right +=
        a.ancestor == b.ancestor && std::max(a.rate, b.rate) < arguments.within;
  }
  const std::int64_t relatives =
      CountRelatives(result.ancestries, arguments.within);
  const auto share = [](std::int64_t part, std::size_t all) {
    return all == 0 ? 1.0
                    : static_cast<double>(part) / static_cast<double>(all);
  };
  std::cout << absl::StreamFormat(
      "%s: %d sequences, %d pairs found, %d close relatives\n"
      "recall %.4f, precision %.4f\n",
      backend.info().spec, result.ancestries.size(), result.pairs.size(),
      relatives, share(right, relatives), share(right, result.pairs.size()));
}

absl::Status Run(const Arguments& arguments) {
  const absl::StatusOr<std::shared_ptr<Backend>> backend =
      OpenBackend(arguments.backend);
  if (!backend.ok()) return backend.status();
  // Before all is sketched that nobody could compare.
  const auto similar = Registry<SimilarPairs>::Get().Create(*backend);
  if (!similar.ok()) return similar.status();
  SimilarPairs::Options options;
  options.dim = static_cast<int>(kWindows * arguments.dim);
  const absl::StatusOr<Result> result =
      IsSharedOut((*backend)->memory())
          ? FindTogether(*backend, arguments, options)
          : FindAlone(*backend, arguments, options);
  if (!result.ok()) return result.status();
  absl::Status reported;
  if (IsFirstReplica()) {
    Report(**backend, arguments, *result);
    if (!std::cout.flush()) {
      reported = absl::UnavailableError("cannot write to standard output");
    }
  }
  return AgreeAsOne(reported);
}

}  // namespace
}  // namespace concord::all_pairs

int main(int argc, char** argv) {
  CLI::App app("Finds close relatives among the sequences of a FASTA file.");
  concord::all_pairs::Arguments arguments;
  concord::all_pairs::Declare(app, arguments);
  try {
    concord::ParseArguments(app, {argv + 1, argv + argc});
  } catch (const CLI::ParseError& error) {
    std::ostringstream help;
    std::ostringstream complaint;
    const bool asks_for_help = app.exit(error, help, complaint) == 0;
    if (concord::IsFirstReplica()) std::cout << help.str();
    if (asks_for_help) return 0;
    if (const auto words = concord::LastWords(complaint.str(), 2)) {
      std::cerr << *words;
    }
    return 2;
  }
  const absl::Status status = concord::all_pairs::Run(arguments);
  if (status.ok()) return 0;
  if (const auto words = concord::LastWords(status.ToString())) {
    std::cerr << *words << "\n";
  }
  return 1;
}
