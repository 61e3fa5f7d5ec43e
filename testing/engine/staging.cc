// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/staging.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/checked_size.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

constexpr unsigned char kGuardByte = 0x5a;

// Elements that are read back at a time: large enough to be fast,
// small enough to be no burden beside the arrays.
constexpr std::int64_t kPiece = std::int64_t{1} << 22;

// Up to this size an array and its guards are copied together. Most are
// smaller, and a copy of a few bytes takes as long: a GPU at which several
// tests are at work lets each wait for its turn, half a millisecond.
constexpr std::int64_t kCopiedTogether = std::int64_t{1} << 20;

absl::Status ForEachPiece(
    Backend& backend, const ConstArrayView& view,
    const std::function<void(std::int64_t first, const HostArray&)>& take) {
  for (std::int64_t first = 0; first < view.size(); first += kPiece) {
    const std::int64_t count = std::min(kPiece, view.size() - first);
    HostArray piece(view.type(), {count});
    RETURN_IF_ERROR(backend.Copy(view.Slice(first, count), piece.view()));
    take(first, piece);
  }
  return absl::OkStatus();
}

using Bytes = absl::Span<const std::uint8_t>;

// The first byte of the guard that changed, or -1.
std::int64_t FirstChange(Bytes guard) {
  const auto it =
      std::find_if(guard.begin(), guard.end(),
                   [](std::uint8_t byte) { return byte != kGuardByte; });
  return it == guard.end() ? -1 : it - guard.begin();
}

std::string DamageTo(const std::string& name, Bytes front, Bytes back) {
  if (const std::int64_t at = FirstChange(front); at >= 0) {
    return absl::StrCat("wrote ", front.size() - at,
                        " bytes before the start of '", name, "'");
  }
  if (const std::int64_t at = FirstChange(back); at >= 0) {
    return absl::StrCat("wrote past the end of '", name, "', at byte ", at,
                        " after it");
  }
  return "";
}

// How the elements of an input from `first` on are not what they were.
std::string ChangeOf(const std::string& name, const HostArray& before,
                     std::int64_t first, Bytes now) {
  const std::int64_t width = SizeOf(before.type());
  const auto* const was = before.data<std::uint8_t>() + first * width;
  if (std::equal(now.begin(), now.end(), was)) return "";
  const std::int64_t at =
      (std::mismatch(now.begin(), now.end(), was).first - now.begin()) / width;
  HostArray element(before.type(), {1});
  std::copy_n(now.data() + at * width, width, element.data<std::uint8_t>());
  return absl::StrCat("changed its input '", name, "': element ", first + at,
                      " was ", before.ToString(first + at), " and is ",
                      element.ToString(0));
}

}  // namespace

const std::vector<Placement>& Placements() {
  static const auto* const placements = new std::vector<Placement>{
      {"aligned", 0, 0, false},
      {"unaligned", 1, 1, false},
      // Input and output that no number of peeled elements aligns together.
      {"unaligned_input", 1, 0, false},
      {"unaligned_output", 0, 1, false},
      {"in_place", 0, 0, true},
      {"in_place_unaligned", 1, 1, true},
  };
  return *placements;
}

absl::StatusOr<Placement> FindPlacement(absl::string_view name) {
  for (const Placement& placement : Placements()) {
    if (placement.name == name) return placement;
  }
  return InvalidArgumentError(
      "unknown placement '", name, "'; there are ",
      absl::StrJoin(Placements(), ", ",
                    [](std::string* out, const Placement& placement) {
                      out->append(placement.name);
                    }));
}

absl::StatusOr<ArrayView> Staging::AddRegion(const std::string& name,
                                             ElementType type,
                                             const Shape& shape,
                                             std::int64_t shift,
                                             const HostArray* value) {
  ASSIGN_OR_RETURN(const std::int64_t bytes,
                   CheckedBytes(shape.extents(), type));
  const std::int64_t offset = kGuardBytes + shift * SizeOf(type);
  ASSIGN_OR_RETURN(
      Array storage,
      backend_->Allocate(ElementType::kUInt8, offset + bytes + kGuardBytes));
  const ArrayView all = storage.view();
  const ArrayView content(all.Slice(offset, bytes).data(), type,
                          bytes / SizeOf(type), all.memory());
  regions_.emplace(name,
                   Region{std::move(storage), all.Slice(0, offset), content,
                          all.Slice(offset + bytes, kGuardBytes), value,
                          /*is_output=*/value == nullptr});
  return content;
}

// Fill brings the elements, together with the guards.
absl::Status Staging::AddInput(Backend&, const std::string& name,
                               const Source& source, Arrays& arrays) {
  ASSIGN_OR_RETURN(const ArrayView content,
                   AddRegion(name, source.type(), source.shape(),
                             placement_.input_shift, &case_->inputs.at(name)));
  arrays.inputs.emplace(name, content);
  return absl::OkStatus();
}

absl::Status Staging::AddOutput(Backend&, const OutputSpec& spec,
                                const ArrayView*, Arrays& arrays) {
  if (placement_.in_place && !spec.in_place_of.empty()) {
    Region& shared = regions_.at(spec.in_place_of);
    shared.is_output = true;
    arrays.outputs.emplace(spec.name, shared.content);
    return absl::OkStatus();
  }
  // An output may be called like an input.
  ASSIGN_OR_RETURN(
      const ArrayView content,
      AddRegion(absl::StrCat("output ", spec.name), spec.type,
                Shape(spec.shape), placement_.output_shift, nullptr));
  arrays.outputs.emplace(spec.name, content);
  return absl::OkStatus();
}

absl::StatusOr<Staging> Staging::Create(Backend& backend, const Case& test_case,
                                        const std::vector<OutputSpec>& outputs,
                                        const Placement& placement) {
  Staging staging(backend, test_case, placement);
  ASSIGN_OR_RETURN(
      staging.call_,
      Call::Place(backend, outputs, SourcesOf(test_case), {}, staging));
  RETURN_IF_ERROR(staging.Fill());
  return staging;
}

absl::Status Staging::FillRegion(const Region& region) {
  if (region.storage.size() <= kCopiedTogether) {
    HostArray image(ElementType::kUInt8, {region.storage.size()});
    std::memset(image.data<char>(), kGuardByte,
                static_cast<std::size_t>(image.size()));
    char* const content = image.data<char>() + region.front.size();
    const auto bytes = static_cast<std::size_t>(region.content.bytes());
    if (region.value == nullptr) {
      std::memset(content, kSentinelByte, bytes);
    } else {
      std::copy_n(region.value->data<char>(), bytes, content);
    }
    return backend_->Copy(image.view(), region.storage.view());
  }
  for (const ArrayView& guard : {region.front, region.back}) {
    RETURN_IF_ERROR(FillWithByte(*backend_, guard, kGuardByte));
  }
  return region.value == nullptr
             ? FillWithByte(*backend_, region.content, kSentinelByte)
             : backend_->Copy(region.value->view(), region.content);
}

absl::Status Staging::Fill() {
  for (const auto& [name, region] : regions_) {
    RETURN_IF_ERROR(FillRegion(region));
  }
  return absl::OkStatus();
}

absl::Status Staging::Run(Runner& runner) const {
  RETURN_IF_ERROR(runner.Configure(case_->options));
  RETURN_IF_ERROR(call_.Launch(runner));
  return backend_->Synchronize();
}

absl::StatusOr<Staging::Damage> Staging::InspectTogether(
    const std::string& name, const Region& region) const {
  HostArray image(ElementType::kUInt8, {region.storage.size()});
  RETURN_IF_ERROR(backend_->Copy(region.storage.view(), image.view()));
  const Bytes bytes = std::as_const(image).span<std::uint8_t>();
  const Bytes front = bytes.first(region.front.size());
  const Bytes back = bytes.last(region.back.size());
  Damage damage = {DamageTo(name, front, back), ""};
  if (!region.is_output) {
    damage.to_inputs =
        ChangeOf(name, *region.value, 0,
                 bytes.subspan(front.size(), region.content.bytes()));
  }
  return damage;
}

absl::StatusOr<Staging::Damage> Staging::InspectInPieces(
    const std::string& name, const Region& region) const {
  HostArray front(ElementType::kUInt8, {region.front.size()});
  HostArray back(ElementType::kUInt8, {region.back.size()});
  absl::Status status = backend_->Copy(region.front, front.view());
  status.Update(backend_->Copy(region.back, back.view()));
  if (!status.ok()) return status;
  Damage damage = {
      DamageTo(name, front.span<std::uint8_t>(), back.span<std::uint8_t>()),
      ""};
  if (region.is_output) return damage;
  status = ForEachPiece(
      *backend_, region.content,
      [&](std::int64_t first, const HostArray& piece) {
        if (!damage.to_inputs.empty()) return;
        const auto bytes = static_cast<std::size_t>(piece.view().bytes());
        damage.to_inputs = ChangeOf(name, *region.value, first,
                                    {piece.data<std::uint8_t>(), bytes});
      });
  if (!status.ok()) return status;
  return damage;
}

absl::StatusOr<Staging::Damage> Staging::FindDamage() const {
  Damage first;
  for (const auto& [name, region] : regions_) {
    const absl::StatusOr<Damage> damage =
        region.storage.size() <= kCopiedTogether
            ? InspectTogether(name, region)
            : InspectInPieces(name, region);
    if (!damage.ok()) return damage;
    if (first.to_guards.empty()) first.to_guards = damage->to_guards;
    if (first.to_inputs.empty()) first.to_inputs = damage->to_inputs;
  }
  return first;
}

absl::Status Staging::ReadPieces(
    const std::string& output,
    const std::function<void(const HostArray& piece)>& take) const {
  return ForEachPiece(
      *backend_, outputs().at(output),
      [&](std::int64_t, const HostArray& piece) { take(piece); });
}

}  // namespace concord
