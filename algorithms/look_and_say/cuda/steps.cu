// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <optional>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/look_and_say/cuda/steps.h"
#include "concord/core/errors.h"

namespace concord::look_and_say {
namespace {

// Inputs of up to so many digits are looked at on the host: their atoms take a
// few milliseconds at the first time, and microseconds from then on.
constexpr std::int64_t kMostKnown = 1024;

}  // namespace

absl::Status WriteLengthOnDevice(CudaBackend& backend,
                                 absl::string_view decimal, ArrayView out) {
  std::vector<char> bytes(static_cast<std::size_t>(out.bytes()));
  ArrayView host(bytes.data(), out.type(), out.size(), Memory::Host());
  absl::Status status = WriteLength(decimal, host);
  return status.ok() ? backend.Copy(host, out) : status;
}

absl::Status WritePartOnDevice(CudaBackend& backend, ConstArrayView result,
                               ArrayView out,
                               const LookAndSay::Options& options) {
  if (options.length_only) {
    return WriteLengthOnDevice(backend, absl::StrCat(result.size()), out);
  }
  absl::Status status = CheckSize("out", out, PartOf(result.size(), options));
  if (!status.ok() || out.empty()) return status;
  return backend.Copy(result.Slice(options.from, out.size()), out);
}

// The sizes after each step, or none where they are better found out.
absl::StatusOr<std::vector<std::int64_t>> DeviceSteps::KnownSizes(
    ConstArrayView in, const LookAndSay::Options& options,
    absl::string_view name) {
  std::vector<std::int64_t> sizes;
  if (in.size() > kMostKnown) return sizes;
  std::vector<std::uint8_t> seed(static_cast<std::size_t>(in.size()));
  RETURN_IF_ERROR(backend_->Copy(in, ArrayView(absl::MakeSpan(seed))));
  AtomTable& table =
      options.counts == LookAndSay::Counts::kDecimal ? decimal_ : symbol_;
  const std::optional<std::vector<int>> atoms = table.Split(seed);
  if (!atoms.has_value()) return sizes;
  table.PrepareLengths(options.steps);
  for (std::int64_t step = 1; step <= options.steps; ++step) {
    std::int64_t size = 0;
    for (const int atom : *atoms) {
      const std::int64_t length = table.LengthOf(atom, step);
      if (length >= AtomTable::kTooLong - size) {
        return ResourceExhaustedError(
            name, " holds every step in memory; after ", step,
            " steps there are more than 2^63 - 1 digits");
      }
      size += length;
    }
    sizes.push_back(size);
  }
  return sizes;
}

absl::Status DeviceSteps::Write(ConstArrayView in, ArrayView out,
                                const LookAndSay::Options& options,
                                absl::string_view name) {
  ASSIGN_OR_RETURN(std::vector<std::int64_t> known,
                   KnownSizes(in, options, name));
  const bool whole = !options.length_only && options.from == 0;

  ConstArrayView digits = in;
  for (std::int64_t s = 0; s < options.steps && !digits.empty(); ++s) {
    const std::int64_t size = known.empty() ? -1 : known[s];
    const bool is_last = s + 1 == options.steps;
    DeviceStep step{digits.data<std::uint8_t>(), digits.size(), options.counts,
                    nullptr, size};
    if (is_last && whole && size == out.size()) {
      step.said = out.data<std::uint8_t>();
      return stepper_->Say(step).status();
    }
    Array& buffer = buffers_[s % 2];
    const std::int64_t room = size >= 0 ? size : 2 * digits.size();
    if (buffer.size() < room) {
      buffer = Array();
      // With room for the steps of its next two turns.
      const std::int64_t more = is_last ? room : room + room;
      ASSIGN_OR_RETURN(buffer, backend_->Allocate(ElementType::kUInt8, more));
    }
    step.said = buffer.data<std::uint8_t>();
    ASSIGN_OR_RETURN(std::int64_t said, stepper_->Say(step));
    digits = buffer.view().Slice(0, said);
  }
  return WritePartOnDevice(*backend_, digits, out, options);
}

}  // namespace concord::look_and_say
