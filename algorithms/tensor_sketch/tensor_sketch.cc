// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "algorithms/tensor_sketch/tensor_sketch.h"

#include <cstddef>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/random.h"
#include "core/registry.h"

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
  return absl::OkStatus();
}

// "hashes[2, 1]", the entry of a [letters, t] table.
std::string EntryName(absl::string_view table, std::size_t index, int t) {
  return absl::StrCat(table, "[", index / t, ", ", index % t, "]");
}

absl::Status CheckOffsets(absl::Span<const std::int64_t> offsets,
                          std::int64_t letters) {
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

// A copy of host data in the backend's memory.
template <typename T>
absl::StatusOr<Array> ToBackend(Backend& backend, absl::Span<const T> values) {
  absl::StatusOr<Array> array = backend.Allocate(
      ElementTypeOf<T>(), static_cast<std::int64_t>(values.size()));
  if (!array.ok()) return array;
  absl::Status copied = backend.Copy(ConstArrayView(values), array->view());
  if (!copied.ok()) return copied;
  return array;
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
  absl::StatusOr<std::unique_ptr<TensorSketch>> sketch =
      Registry<TensorSketch>::Get().Create(backend, variant);
  if (!sketch.ok()) return sketch.status();

  const auto sequences = static_cast<std::int64_t>(offsets.size()) - 1;
  std::vector<std::int64_t> out;
  if (sequences > 0 && options.dim > 0) out.resize(sequences * options.dim);
  const absl::Status usable = CheckTensorSketchOnHost(
      letters, offsets, absl::MakeConstSpan(tables.hashes),
      absl::MakeConstSpan(tables.signs), ArrayView(absl::MakeSpan(out)),
      options, "ComputeTensorSketch");
  if (!usable.ok()) return usable;

  absl::StatusOr<Array> device_letters = ToBackend(*backend, letters);
  if (!device_letters.ok()) return device_letters.status();
  absl::StatusOr<Array> device_offsets = ToBackend(*backend, offsets);
  if (!device_offsets.ok()) return device_offsets.status();
  absl::StatusOr<Array> hashes =
      ToBackend(*backend, absl::MakeConstSpan(tables.hashes));
  if (!hashes.ok()) return hashes.status();
  absl::StatusOr<Array> signs =
      ToBackend(*backend, absl::MakeConstSpan(tables.signs));
  if (!signs.ok()) return signs.status();
  absl::StatusOr<Array> device_out = backend->Allocate(
      ElementType::kInt64, static_cast<std::int64_t>(out.size()));
  if (!device_out.ok()) return device_out.status();

  const absl::Status run = (*sketch)->Run(
      device_letters->view(), device_offsets->view(), hashes->view(),
      signs->view(), device_out->view(), options);
  if (!run.ok()) return run;
  const absl::Status copied =
      backend->Copy(device_out->view(), ArrayView(absl::MakeSpan(out)));
  if (!copied.ok()) return copied;
  return out;
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
  const std::int64_t sequences = offsets.size() - 1;
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
      {"out", out, ElementType::kInt64, sequences * options.dim},
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
  return CheckSketchTables(hashes.span<std::int32_t>(),
                           signs.span<std::int32_t>(), options);
}

}  // namespace concord
