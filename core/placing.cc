// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/placing.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/host_array.h"

namespace concord {
namespace {

// Bytes that are filled at a time: large enough to be fast, small enough to be
// no burden beside the arrays.
constexpr std::int64_t kPiece = std::int64_t{4} << 20;

// Arrays without anything around them.
class Bare : public Placing {
 public:
  using Allocation = absl::StatusOr<Array> (Backend::*)(ElementType,
                                                        std::int64_t);

  Bare(Allocation allocate, bool keeps) : allocate_(allocate), keeps_(keeps) {}

  absl::Status AddInput(Backend& backend, const std::string& name,
                        const Source& source, Arrays& arrays) override {
    const std::optional<ConstArrayView> view = source.View();
    if (view.has_value() && Keeps(backend, *view)) {
      arrays.inputs.emplace(name, *view);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const ArrayView room,
                     Room(backend, source.type(), source.shape(), arrays));
    RETURN_IF_ERROR(source.CopyTo(backend, arrays.owners.back().view()));
    arrays.inputs.emplace(name, room);
    return absl::OkStatus();
  }

  absl::Status AddOutput(Backend& backend, const OutputSpec& spec,
                         const ArrayView* wanted, Arrays& arrays) override {
    if (wanted != nullptr && Keeps(backend, *wanted)) {
      arrays.outputs.emplace(spec.name, *wanted);
      return absl::OkStatus();
    }
    // What is made here would not get there.
    if (wanted != nullptr && !wanted->memory().is_host()) {
      RETURN_IF_ERROR(CheckMemory(spec.name, *wanted, backend.memory(),
                                  backend.info().spec));
    }
    ASSIGN_OR_RETURN(const ArrayView room,
                     Room(backend, spec.type, Shape(spec.shape), arrays));
    arrays.outputs.emplace(spec.name, room);
    return absl::OkStatus();
  }

 private:
  bool Keeps(const Backend& backend, const ConstArrayView& view) const {
    return keeps_ && view.memory() == backend.memory();
  }

  absl::StatusOr<ArrayView> Room(Backend& backend, ElementType type,
                                 const Shape& shape, Arrays& arrays) const {
    ASSIGN_OR_RETURN(Array array, (backend.*allocate_)(type, shape.size()));
    const ArrayView view(array.view().data(), type, shape,
                         array.view().memory());
    arrays.owners.push_back(std::move(array));
    return view;
  }

  Allocation allocate_;
  bool keeps_;
};

}  // namespace

Sources SourcesOf(const Inputs& arrays) {
  Sources sources;
  for (const auto& [name, view] : arrays) {
    sources.emplace(name, std::make_shared<ArraySource>(view));
  }
  return sources;
}

Placing& WhereTheyAre() {
  static auto* const placing = new Bare(&Backend::Allocate, /*keeps=*/true);
  return *placing;
}

Placing& InBackendMemory() {
  static auto* const placing = new Bare(&Backend::Allocate, /*keeps=*/false);
  return *placing;
}

Placing& InPageLockedMemory() {
  static auto* const placing =
      new Bare(&Backend::AllocateHost, /*keeps=*/false);
  return *placing;
}

absl::Status FillWithByte(Backend& backend, const ArrayView& view,
                          unsigned char byte) {
  return Guarded([&]() -> absl::Status {
    if (view.memory().is_host()) {
      if (view.bytes() > 0) {
        std::memset(view.data(), byte, static_cast<std::size_t>(view.bytes()));
      }
      return absl::OkStatus();
    }
    const ArrayView bytes(view.data(), ElementType::kUInt8, view.bytes(),
                          view.memory());
    HostArray piece(ElementType::kUInt8, {std::min(kPiece, view.bytes())});
    RETURN_IF_ERROR(FillWithByte(backend, piece.view(), byte));
    for (std::int64_t first = 0; first < bytes.size(); first += kPiece) {
      const std::int64_t count = std::min(kPiece, bytes.size() - first);
      RETURN_IF_ERROR(backend.Copy(piece.view().Slice(0, count),
                                   bytes.Slice(first, count)));
    }
    return absl::OkStatus();
  });
}

absl::Status Poison(Backend& backend, const Outputs& outputs) {
  for (const auto& [name, view] : outputs) {
    RETURN_IF_ERROR(FillWithByte(backend, view, kSentinelByte));
  }
  return absl::OkStatus();
}

absl::StatusOr<Arrays> Place(Backend& backend, const Sources& sources,
                             const std::vector<OutputSpec>& specs,
                             const Outputs& wanted, Placing& placing) {
  return Guarded([&]() -> absl::StatusOr<Arrays> {
    Arrays arrays;
    for (const auto& [name, source] : sources) {
      RETURN_IF_ERROR(placing.AddInput(backend, name, *source, arrays));
    }
    for (const OutputSpec& spec : specs) {
      const auto there = wanted.find(spec.name);
      RETURN_IF_ERROR(placing.AddOutput(
          backend, spec, there == wanted.end() ? nullptr : &there->second,
          arrays));
    }
    return arrays;
  });
}

}  // namespace concord
