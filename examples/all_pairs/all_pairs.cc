// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Finds all pairs of close relatives among the sequences of a FASTA file, and
// compares them with what the file says of their ancestry. The letters are read
// and sketched a batch at a time; what stays in memory is the sketches.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/core/backend.h"
#include "concord/examples/all_pairs/sequence_batches.h"
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

constexpr char kHelp[] =
    "all_pairs --input=FASTA [--backend=SPEC] [--batch=1000] [--window=500]\n"
    "          [--dim=16] [--near=0.15] [--within=0.05]\n"
    "Points are the sketches of six windows, of --dim numbers each. Pairs are\n"
    "those within the share --near of the usual squared distance. Right are\n"
    "pairs of one ancestor, both mutated by less than --within.\n";

bool Parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view text = argv[i];
    const auto is = [&](absl::string_view name) {
      return absl::ConsumePrefix(&text, absl::StrCat("--", name, "="));
    };
    if (is("input")) {
      arguments.input = std::string(text);
    } else if (is("backend")) {
      arguments.backend = std::string(text);
    } else if (!(is("batch") && absl::SimpleAtoi(text, &arguments.batch)) &&
               !(is("dim") && absl::SimpleAtoi(text, &arguments.dim)) &&
               !(is("window") && absl::SimpleAtoi(text, &arguments.window)) &&
               !(is("near") && absl::SimpleAtod(text, &arguments.near)) &&
               !(is("within") && absl::SimpleAtod(text, &arguments.within))) {
      return false;
    }
  }
  return !arguments.input.empty() && arguments.batch > 0 &&
         arguments.window > 0 && arguments.dim > 0;
}

// Says on standard error how far a stage is, once a second, and how long it
// took.
class Stage {
 public:
  Stage(std::string name, std::string unit)
      : name_(std::move(name)), unit_(std::move(unit)) {}
  ~Stage() {
    const double seconds = Seconds();
    std::cerr << absl::StreamFormat("%-8s %13d %-9s %8.2f s", name_, done_,
                                    unit_, seconds);
    if (seconds > 0) {
      std::cerr << absl::StreamFormat("  %.3g a second",
                                      static_cast<double>(done_) / seconds);
    }
    std::cerr << "\n";
  }

  void Add(std::int64_t done) {
    done_ += done;
    if (Seconds() < next_) return;
    next_ = Seconds() + 1;
    std::cerr << absl::StreamFormat("%s ... %d %s\n", name_, done_, unit_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  double Seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  const std::string name_;
  const std::string unit_;
  const Clock::time_point start_ = Clock::now();
  double next_ = 1;
  std::int64_t done_ = 0;
};

struct Sketches {
  std::vector<double> values;
  std::vector<Ancestry> ancestries;
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

absl::StatusOr<Sketches> SketchFile(const std::shared_ptr<Backend>& backend,
                                    const Arguments& arguments) {
  TensorSketch::Options options;
  options.dim = arguments.dim;
  options.window = arguments.window;
  options.stride = arguments.window;
  const SketchTables tables = RandomSketchTables(options, /*seed=*/1);
  BatchReader reader(arguments.input);
  Sketches sketches;
  Stage stage("sketch", "letters");
  for (;;) {
    absl::StatusOr<Batch> batch = reader.Next(arguments.batch);
    if (!batch.ok()) return batch.status();
    if (batch->size() == 0) return sketches;
    const absl::StatusOr<std::vector<double>> windows =
        ComputeNormalizedTensorSketch(backend, batch->letters, batch->offsets,
                                      tables, options);
    if (!windows.ok()) return windows.status();
    AppendRows(*batch, *windows, options, sketches);
    stage.Add(static_cast<std::int64_t>(batch->letters.size()));
  }
}

// The largest squared distance of a pair.
double Whiten(const Arguments& arguments, Sketches& sketches) {
  // Enough to know the spread of some hundred numbers.
  constexpr std::size_t kSample = 4'000;
  Stage stage("whiten", "sketches");
  const std::size_t count = sketches.ancestries.size();
  const std::int64_t dim = kWindows * arguments.dim;
  const Whitening whitening(
      {sketches.values.begin(),
       sketches.values.begin() + std::min(count, kSample) * dim},
      dim);
  whitening.Apply(sketches.values.data(), static_cast<std::int64_t>(count));
  stage.Add(static_cast<std::int64_t>(count));
  return arguments.near * whitening.UsualDistance2();
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

absl::Status Run(const Arguments& arguments) {
  const absl::StatusOr<std::shared_ptr<Backend>> backend =
      OpenBackend(arguments.backend);
  if (!backend.ok()) return backend.status();
  absl::StatusOr<Sketches> sketches = SketchFile(*backend, arguments);
  if (!sketches.ok()) return sketches.status();
  SimilarPairs::Options options;
  options.dim = static_cast<int>(kWindows * arguments.dim);
  options.distance2 = Whiten(arguments, *sketches);
  options.most = SimilarPairs::kMostRoom;
  const auto count = static_cast<std::int64_t>(sketches->ancestries.size());
  absl::StatusOr<PairsOfSketches> found;
  {
    Stage stage("compare", "pairs");
    std::cerr << absl::StreamFormat("compare ... %d sketches\n", count);
    found = ComputeSimilarPairs(
        *backend,
        ConstArrayView(sketches->values.data(), Shape(count, options.dim),
                       Memory::Host()),
        options);
    stage.Add(count * (count - 1) / 2);
  }
  if (!found.ok()) return found.status();

  std::int64_t right = 0;
  for (const auto& [i, j] : found->pairs) {
    const Ancestry& a = sketches->ancestries[i];
    const Ancestry& b = sketches->ancestries[j];
    right +=
        a.ancestor == b.ancestor && std::max(a.rate, b.rate) < arguments.within;
  }
  const std::int64_t relatives =
      CountRelatives(sketches->ancestries, arguments.within);
  const auto share = [](std::int64_t part, std::size_t all) {
    return all == 0 ? 1.0
                    : static_cast<double>(part) / static_cast<double>(all);
  };
  std::cout << absl::StreamFormat(
      "%s: %d sequences, %d pairs found, %d close relatives\n"
      "recall %.4f, precision %.4f\n",
      (*backend)->info().spec, count, found->pairs.size(), relatives,
      share(right, relatives), share(right, found->pairs.size()));
  return absl::OkStatus();
}

}  // namespace
}  // namespace concord::all_pairs

int main(int argc, char** argv) {
  concord::all_pairs::Arguments arguments;
  if (!concord::all_pairs::Parse(argc, argv, arguments)) {
    return std::cerr << concord::all_pairs::kHelp, 2;
  }
  const absl::Status status = concord::all_pairs::Run(arguments);
  if (!status.ok()) return std::cerr << status << "\n", 1;
}
