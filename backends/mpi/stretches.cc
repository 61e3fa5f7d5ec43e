// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/stretches.h"

#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord {
namespace {

// The largest element, to which every array is aligned.
constexpr std::int64_t kElement = 8;
constexpr std::int64_t kPage = 4096;
// From here on a page is next to nothing.
constexpr std::int64_t kLargeBytes = std::int64_t{1} << 20;

// Bytes.
constexpr std::int64_t kNear = 128;

// Where stretch `rank` begins, before it is aligned.
std::int64_t Begin(std::int64_t bytes, int rank, int members, Layout layout) {
  if (layout == Layout::kEven) {
    // Without the product, which might not fit.
    return bytes / members * rank + bytes % members * rank / members;
  }
  const auto size = static_cast<std::uint64_t>(bytes);
  const std::uint64_t bits = RandomBits(size, static_cast<std::uint64_t>(rank));
  if (rank % 2 == 0) return static_cast<std::int64_t>(bits % (size + 1));
  // Close to the middle, where the elements of a small array are when it stands
  // between guard zones.
  const std::int64_t near =
      bytes / 2 + static_cast<std::int64_t>(bits % std::uint64_t{kNear}) -
      kNear / 2;
  return std::clamp<std::int64_t>(near, 0, bytes);
}

}  // namespace

Ranges CutBytes(std::int64_t bytes, int members, Layout layout) {
  const std::int64_t unit = bytes >= kLargeBytes ? kPage : kElement;
  std::vector<std::int64_t> borders = {0, bytes};
  for (int r = 1; r < members; ++r) {
    borders.push_back(Begin(bytes, r, members, layout) / unit * unit);
  }
  std::sort(borders.begin(), borders.end());
  Ranges stretches;
  for (int r = 0; r < members; ++r) {
    stretches.push_back({borders[r], borders[r + 1]});
  }
  return stretches;
}

Ranges AllOf(std::int64_t size, int members) {
  return Ranges(static_cast<std::size_t>(members), Range{0, size});
}

absl::Status Redistribute(Team& team, const Ranges& held, const void* from,
                          const Ranges& wanted, void* to, std::int64_t width) {
  const auto self = static_cast<std::size_t>(team.rank());
  std::vector<Parcel> parcels(held.size());
  std::vector<Slot> slots(held.size());
  for (std::size_t r = 0; r < held.size(); ++r) {
    const Range out = Intersection(held[self], wanted[r]);
    if (!out.empty()) {
      parcels[r] = {static_cast<const char*>(from) +
                        (out.first - held[self].first) * width,
                    out.size() * width};
    }
    const Range in = Intersection(held[r], wanted[self]);
    if (!in.empty()) {
      slots[r] = {
          static_cast<char*>(to) + (in.first - wanted[self].first) * width,
          in.size() * width};
    }
  }
  return team.Exchange(parcels, slots);
}

}  // namespace concord
