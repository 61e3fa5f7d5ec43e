// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/tensor_sketch.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/random.h"
#include "concord/core/registry.h"

namespace concord {
namespace {

constexpr int kMostLetters = std::numeric_limits<std::uint8_t>::max() + 1;

absl::Status CheckOptions(const TensorSketch::Options& options) {
  if (options.alphabet_size < 1 || options.alphabet_size > kMostLetters) {
    return absl::InvalidArgumentError(absl::StrCat(
        "alphabet_size is ", options.alphabet_size, ", not from 1 to 256"));
  }
  if (options.t < 1 || options.t > TensorSketch::kMostT) {
    return absl::InvalidArgumentError(absl::StrCat(
        "t is ", options.t, ", not from 1 to ", TensorSketch::kMostT));
  }
  if (options.dim < 1 || options.dim > TensorSketch::kMostDim) {
    return absl::InvalidArgumentError(absl::StrCat(
        "dim is ", options.dim, ", not from 1 to ", TensorSketch::kMostDim));
  }
  if (options.window < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "window is ", options.window, ", not a number of letters, nor 0"));
  }
  if (options.stride < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("stride is ", options.stride, ", not from 1 on"));
  }
  if (options.window == 0 && options.stride != 1) {
    return absl::InvalidArgumentError(
        "a stride means nothing without a window");
  }
  return absl::OkStatus();
}

// "hashes[2, 1]", the entry of a [letters, t] table.
std::string EntryName(absl::string_view table, std::size_t index, int t) {
  return absl::StrCat(table, "[", index / t, ", ", index % t, "]");
}

absl::Status CheckOffsets(absl::Span<const std::int64_t> offsets,
                          std::int64_t letters) {
  if (offsets.empty()) {
    return absl::InvalidArgumentError(
        "offsets is empty; it has one element more than there are sequences");
  }
  if (offsets.front() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("offsets[0] is ", offsets.front(), ", not 0"));
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) {
      return absl::InvalidArgumentError(
          absl::StrCat("offsets decrease: [", i - 1, "] is ", offsets[i - 1],
                       ", [", i, "] is ", offsets[i]));
    }
  }
  if (offsets.back() != letters) {
    return absl::InvalidArgumentError(
        absl::StrCat("the last offset is ", offsets.back(), ", but there are ",
                     letters, " letters"));
  }
  return absl::OkStatus();
}

template <typename Value>
absl::StatusOr<std::vector<Value>> Compute(
    const std::shared_ptr<Backend>& backend,
    absl::Span<const std::uint8_t> letters,
    absl::Span<const std::int64_t> offsets, const SketchTables& tables,
    const TensorSketch::Options& options, absl::string_view variant) {
  absl::StatusOr<std::unique_ptr<TensorSketch>> sketch =
      Registry<TensorSketch>::Get().Create(backend, variant);
  if (!sketch.ok()) return sketch.status();

  absl::Status status = CheckOptions(options);
  if (status.ok()) {
    status = CheckOffsets(offsets, static_cast<std::int64_t>(letters.size()));
  }
  if (!status.ok()) return status;
  std::vector<Value> out(CountSketchRows(offsets, options) * options.dim);
  status = (*sketch)->RunFromHost(letters, offsets,
                                  absl::MakeConstSpan(tables.hashes),
                                  absl::MakeConstSpan(tables.signs),
                                  ArrayView(absl::MakeSpan(out)), options);
  if (!status.ok()) return status;
  return out;
}

}  // namespace

SketchTables RandomSketchTables(const TensorSketch::Options& options,
                                std::uint64_t seed) {
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

absl::Status CheckTensorSketchArguments(
    const ConstArrayView& letters, const ConstArrayView& offsets,
    const ConstArrayView& hashes, const ConstArrayView& signs,
    const ConstArrayView& out, const TensorSketch::Options& options,
    Memory memory, absl::string_view where) {
  absl::Status status = CheckOptions(options);
  if (!status.ok()) return status;
  if (offsets.empty()) {
    return absl::InvalidArgumentError(
        "offsets is empty; it has one element more than there are sequences");
  }
  const std::int64_t entries = std::int64_t{options.alphabet_size} * options.t;
  // How many windows there are, the offsets' elements tell; here, that every
  // sequence has one and that sketches are complete.
  const std::int64_t rows =
      options.window == 0
          ? offsets.size() - 1
          : std::max(offsets.size() - 1,
                     (out.size() + options.dim - 1) / options.dim);
  struct Argument {
    absl::string_view name;
    const ConstArrayView& view;
    ElementType type;
    std::int64_t size;
  };
  const Argument arguments[] = {
      {"letters", letters, ElementType::kUInt8, letters.size()},
      {"offsets", offsets, ElementType::kInt64, offsets.size()},
      {"hashes", hashes, ElementType::kInt32, entries},
      {"signs", signs, ElementType::kInt32, entries},
      {"out", out,
       options.normalized ? ElementType::kFloat64 : ElementType::kInt64,
       rows * options.dim},
  };
  for (const Argument& argument : arguments) {
    status.Update(CheckType(argument.name, argument.view, argument.type));
    status.Update(CheckSize(argument.name, argument.view, argument.size));
    status.Update(CheckMemory(argument.name, argument.view, memory, where));
  }
  return status;
}

absl::Status CheckSketchTables(absl::Span<const std::int32_t> hashes,
                               absl::Span<const std::int32_t> signs,
                               const TensorSketch::Options& options) {
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (hashes[i] < 0 || hashes[i] >= options.dim) {
      return absl::InvalidArgumentError(
          absl::StrCat(EntryName("hashes", i, options.t), " is ", hashes[i],
                       ", not from 0 to ", options.dim - 1));
    }
  }
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (signs[i] != -1 && signs[i] != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(EntryName("signs", i, options.t), " is ", signs[i],
                       ", neither -1 nor 1"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckTensorSketchOnHost(const ConstArrayView& letters,
                                     const ConstArrayView& offsets,
                                     const ConstArrayView& hashes,
                                     const ConstArrayView& signs,
                                     const ConstArrayView& out,
                                     const TensorSketch::Options& options,
                                     absl::string_view where) {
  absl::Status status = CheckTensorSketchArguments(
      letters, offsets, hashes, signs, out, options, Memory::Host(), where);
  if (!status.ok()) return status;
  status = CheckOffsets(offsets.span<std::int64_t>(), letters.size());
  if (!status.ok()) return status;
  status = CheckSize(
      "out", out,
      CountSketchRows(offsets.span<std::int64_t>(), options) * options.dim);
  if (!status.ok()) return status;
  return CheckSketchTables(hashes.span<std::int32_t>(),
                           signs.span<std::int32_t>(), options);
}

}  // namespace concord
