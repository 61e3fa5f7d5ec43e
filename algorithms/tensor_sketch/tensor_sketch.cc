// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/tensor_sketch.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "concord/algorithms/tensor_sketch/alphabet.h"
#include "concord/algorithms/tensor_sketch/offsets.h"
#include "concord/core/available_memory.h"
#include "concord/core/call.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord {
namespace {

constexpr int kMostLetters = std::numeric_limits<std::uint8_t>::max() + 1;

absl::Status CheckOptions(const TensorSketch::Options& options) {
  if (options.alphabet_size < 1 || options.alphabet_size > kMostLetters) {
    return InvalidArgumentError("alphabet_size is ", options.alphabet_size,
                                ", not from 1 to 256");
  }
  if (options.stride < 1) {
    return InvalidArgumentError("stride is ", options.stride,
                                ", not from 1 on");
  }
  if (options.window == 0 && options.stride != 1) {
    return InvalidArgumentError("a stride means nothing without a window");
  }
  return absl::OkStatus();
}

// "hashes[2, 1]", the entry of a [letters, t] table.
std::string EntryName(absl::string_view table, std::size_t index, int t) {
  return absl::StrCat(table, "[", index / t, ", ", index % t, "]");
}

// How many windows there are, the offsets' elements tell; here, that every
// sequence has one and that sketches are complete.
absl::Status CheckRoom(const ConstArrayView& offsets, const ConstArrayView& out,
                       const TensorSketch::Options& options) {
  const std::int64_t sequences = offsets.size() - 1;
  const std::int64_t rows =
      options.window == 0
          ? sequences
          : std::max(sequences, (out.size() + options.dim - 1) / options.dim);
  return CheckSize("out", out, rows * options.dim);
}

ElementType TypeOfSketches(const TensorSketch::Options& options, Views) {
  return options.normalized ? ElementType::kFloat64 : ElementType::kInt64;
}

std::int64_t RowsOf(const TensorSketch::Options& options, Views in) {
  return CountSketchRows(in[1].span<std::int64_t>(), options);
}

absl::Status CheckElementsAndMemory(const TensorSketch::Options& options,
                                    Views in) {
  RETURN_IF_ERROR(tensor_sketch::CheckOffsets(
      in[1].span<std::int64_t>(), /*first=*/0, /*to_end=*/true, in[0].size()));
  RETURN_IF_ERROR(tensor_sketch::CheckSketchTables(
      in[2].span<std::int32_t>(), in[3].span<std::int32_t>(), options));
  if (options.window == 0) return absl::OkStatus();
  const std::int64_t rows = RowsOf(options, in);
  const double bytes =
      static_cast<double>(SizeOf(TypeOfSketches(options, in))) *
      static_cast<double>(rows) * static_cast<double>(options.dim);
  const auto available = static_cast<double>(AvailableMemory());
  if (bytes <= available) return absl::OkStatus();
  return InvalidArgumentError(
      absl::StrFormat("the sketches of %d windows need %.1f GB, and %.1f GB of "
                      "memory are to be "
                      "had; a larger --stride makes fewer windows",
                      rows, bytes * 1e-9, available * 1e-9));
}

absl::Status ParseAlphabet(absl::string_view text,
                           TensorSketch::Options& options) {
  options.alphabet_size = static_cast<int>(text.size());
  return tensor_sketch::CheckAlphabet(text);
}

// Stands behind the window.
absl::Status ParseStride(absl::string_view text,
                         TensorSketch::Options& options) {
  (void)absl::SimpleAtoi(text, &options.stride);
  if (options.window > 0 || options.stride == 1) return absl::OkStatus();
  return InvalidArgumentError("--stride means nothing without --window");
}

template <typename Value>
absl::StatusOr<std::vector<Value>> Compute(
    const std::shared_ptr<Backend>& backend,
    absl::Span<const std::uint8_t> letters,
    absl::Span<const std::int64_t> offsets, const SketchTables& tables,
    const TensorSketch::Options& options, absl::string_view variant) {
  return Guarded([&]() -> absl::StatusOr<std::vector<Value>> {
    const ConstArrayView inputs[] = {letters, offsets,
                                     absl::MakeConstSpan(tables.hashes),
                                     absl::MakeConstSpan(tables.signs)};
    ASSIGN_OR_RETURN(std::vector<OutputSpec> planned,
                     TensorSketch::GetSignature().Plan(options, inputs));
    std::vector<Value> out(static_cast<std::size_t>(Capacity(planned.front())));
    RETURN_IF_ERROR(RunOnHost<TensorSketch>(backend, variant, options, inputs,
                                            {ArrayView(absl::MakeSpan(out))}));
    return out;
  });
}

void AddOptions(Signature<TensorSketch>& signature) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  signature
      .Number("t", "letters in a word", &TensorSketch::Options::t, 1,
              TensorSketch::kMostT)
      .Number("dim", "integers in a sketch", &TensorSketch::Options::dim, 1,
              TensorSketch::kMostDim)
      .Text("alphabet",
            "the letters of files, where case does not matter and others "
            "are skipped; an array has their places here",
            "ACGT", ParseAlphabet)
      .Option(OptionSpec::File("hashes",
                               "table of int32 [letters, t] from 0 to dim - 1"))
      .Option(OptionSpec::File("signs",
                               "table of int32 [letters, t], each -1 or 1"))
      .Option(OptionSpec::Number(
          "seed", "of random tables, where none are given", 1, 0, kMost))
      .Switch("normalized", "divide by the number of subsequences of t letters",
              &TensorSketch::Options::normalized)
      .Number("window",
              "letters of a window, each with a sketch; 0 for whole sequences",
              &TensorSketch::Options::window, 0, kMost)
      .Option(OptionSpec::Number(
                  "stride", "letters from one window to the next", 1, 1, kMost),
              ParseStride);
}

void AddArrays(Signature<TensorSketch>& signature) {
  signature
      // That of the letters; float64 where the sketches are normalized,
      // which not every implementation can do.
      .CaseTypes({ElementType::kUInt8, ElementType::kFloat64})
      .Input({"letters",
              "those of all sequences, one after the other, each as its "
              "place in the alphabet; larger numbers are skipped",
              {ElementType::kUInt8},
              {"letters"}})
      .Input({"offsets",
              "where each sequence begins, and the last one ends",
              {ElementType::kInt64},
              {"sequences + 1"}})
      .Input({"hashes",
              "from 0 to dim - 1",
              {ElementType::kInt32},
              {"alphabet", "t"}})
      .Input(
          {"signs", "each -1 or 1", {ElementType::kInt32}, {"alphabet", "t"}})
      .Extent({"alphabet", "the letters of --alphabet"},
              [](const TensorSketch::Options& options, Views) {
                return std::int64_t{options.alphabet_size};
              })
      .Extent({"t", "--t"}, [](const TensorSketch::Options& options,
                               Views) { return std::int64_t{options.t}; })
      .Extent({"rows",
               "the sequences, or with --window their windows",
               {"offsets"}},
              RowsOf)
      .Extent({"dim", "--dim"}, [](const TensorSketch::Options& options,
                                   Views) { return std::int64_t{options.dim}; })
      .Output({"out",
               "the sketches in order",
               {"int64, with --normalized float64", TypeOfSketches},
               {"rows", "dim"}});
}

}  // namespace

const Signature<TensorSketch>& TensorSketch::GetSignature() {
  static const auto* const signature = [] {
    auto* const made = new Signature<TensorSketch>(
        "sketches of sequences by which to compare them without alignment");
    AddOptions(*made);
    AddArrays(*made);
    made->Requires([](const Options& options, Views in) {
          absl::Status status = CheckOptions(options);
          if (!status.ok() || !in[1].empty()) return status;
          return InvalidArgumentError(
              "offsets is empty; it has one element more than there are "
              "sequences");
        })
        .Examines(CheckElementsAndMemory)
        .Calls([](TensorSketch& sketch, Views in, MutableViews out,
                  const Options& options) {
          RETURN_IF_ERROR(CheckRoom(in[1], out[0], options));
          return sketch.Compute(in[0], in[1], in[2], in[3], out[0], options);
        })
        .CallsFromHost([](TensorSketch& sketch, Views in, MutableViews out,
                          const Options& options) {
          RETURN_IF_ERROR(CheckRoom(in[1], out[0], options));
          return sketch.ComputeFromHost(in[0], in[1], in[2], in[3], out[0],
                                        options);
        });
    return made;
  }();
  return *signature;
}

absl::Status TensorSketch::Run(ConstArrayView letters, ConstArrayView offsets,
                               ConstArrayView hashes, ConstArrayView signs,
                               ArrayView out, const Options& options) {
  return GetSignature().Run(*this, {letters, offsets, hashes, signs}, {out},
                            options);
}

absl::StatusOr<SketchTables> RandomSketchTables(
    const TensorSketch::Options& options, std::uint64_t seed) {
  return Guarded([&]() -> absl::StatusOr<SketchTables> {
    RETURN_IF_ERROR(TensorSketch::GetSignature().CheckNumbers(options));
    RETURN_IF_ERROR(CheckOptions(options));
    Random random(seed);
    const std::size_t entries =
        static_cast<std::size_t>(options.alphabet_size) * options.t;
    SketchTables tables;
    for (std::size_t i = 0; i < entries; ++i) {
      tables.hashes.push_back(
          static_cast<std::int32_t>(random.Below(options.dim)));
      tables.signs.push_back(random.Below(2) == 0 ? -1 : 1);
    }
    return tables;
  });
}

absl::StatusOr<std::vector<std::int64_t>> ComputeTensorSketch(
    const std::shared_ptr<Backend>& backend,
    absl::Span<const std::uint8_t> letters,
    absl::Span<const std::int64_t> offsets, const SketchTables& tables,
    const TensorSketch::Options& options, absl::string_view variant) {
  return Compute<std::int64_t>(backend, letters, offsets, tables, options,
                               variant);
}

absl::StatusOr<std::vector<double>> ComputeNormalizedTensorSketch(
    const std::shared_ptr<Backend>& backend,
    absl::Span<const std::uint8_t> letters,
    absl::Span<const std::int64_t> offsets, const SketchTables& tables,
    const TensorSketch::Options& options, absl::string_view variant) {
  TensorSketch::Options normalized = options;
  normalized.normalized = true;
  return Compute<double>(backend, letters, offsets, tables, normalized,
                         variant);
}

std::int64_t SketchRows::WindowsOf(std::int64_t letters,
                                   const TensorSketch::Options& options) {
  if (options.window == 0 || letters < options.window) return 1;
  return 1 + (letters - options.window) / options.stride;
}

SketchRows::SketchRows(absl::Span<const std::int64_t> offsets,
                       const TensorSketch::Options& options)
    : offsets_(offsets) {
  if (options.window == 0) return;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::int64_t windows =
        WindowsOf(offsets[s + 1] - offsets[s], options);
    for (std::int64_t i = 0; i < windows; ++i) {
      const std::int64_t begin = offsets[s] + i * options.stride;
      const std::int64_t left = offsets[s + 1] - begin;
      windows_.push_back({begin, begin + std::min(left, options.window)});
    }
  }
}

std::int64_t CountSketchRows(absl::Span<const std::int64_t> offsets,
                             const TensorSketch::Options& options) {
  std::int64_t rows = 0;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    rows += SketchRows::WindowsOf(offsets[s + 1] - offsets[s], options);
  }
  return rows;
}

absl::Status tensor_sketch::CheckSketchTables(
    absl::Span<const std::int32_t> hashes, absl::Span<const std::int32_t> signs,
    const TensorSketch::Options& options) {
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (hashes[i] < 0 || hashes[i] >= options.dim) {
      return InvalidArgumentError(EntryName("hashes", i, options.t), " is ",
                                  hashes[i], ", not from 0 to ",
                                  options.dim - 1);
    }
  }
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (signs[i] != -1 && signs[i] != 1) {
      return InvalidArgumentError(EntryName("signs", i, options.t), " is ",
                                  signs[i], ", neither -1 nor 1");
    }
  }
  return absl::OkStatus();
}

absl::Status tensor_sketch::CheckSketchElements(
    const ConstArrayView& letters, const ConstArrayView& offsets,
    const ConstArrayView& hashes, const ConstArrayView& signs,
    const ConstArrayView& out, const TensorSketch::Options& options) {
  RETURN_IF_ERROR(tensor_sketch::CheckOffsets(offsets.span<std::int64_t>(),
                                              /*first=*/0, /*to_end=*/true,
                                              letters.size()));
  RETURN_IF_ERROR(CheckSize(
      "out", out,
      CountSketchRows(offsets.span<std::int64_t>(), options) * options.dim));
  return tensor_sketch::CheckSketchTables(hashes.span<std::int32_t>(),
                                          signs.span<std::int32_t>(), options);
}

const bool kRegistered = RegisterAlgorithm<TensorSketch>();

}  // namespace concord
