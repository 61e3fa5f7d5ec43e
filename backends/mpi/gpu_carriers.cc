// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/gpu_carriers.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "concord/core/errors.h"

namespace concord {
namespace {

constexpr std::int64_t kMostUnderWay = std::int64_t{64} << 20;
constexpr std::int64_t kLeastPiece = std::int64_t{1} << 20;

// What members tell each other before an exchange.
struct Start {
  // Bytes of the largest parcel to or from another one.
  std::int64_t most;
  std::int64_t code;
};

// What goes piece by piece.
class TeamOfPieces : public GpuCarrierTeam {
 public:
  absl::Status Exchange(absl::Span<const Parcel> parcels,
                        absl::Span<const Slot> slots) final {
    absl::Status status = CopyOwn(parcels, slots);
    std::int64_t most = 0;
    for (int r = 0; r < size(); ++r) {
      if (r == rank()) continue;
      const auto other = static_cast<std::size_t>(r);
      most = std::max({most, parcels[other].bytes, slots[other].bytes});
    }
    ASSIGN_OR_RETURN(const std::vector<Start> all,
                     AllGather(Start{most, status.raw_code()}));
    most = 0;
    for (const Start& member : all) {
      // Nothing is left but to tell why.
      if (member.code != 0) return team().Agree(status);
      most = std::max(most, member.most);
    }
    if (most == 0) return absl::OkStatus();
    status = Prepare(std::min(most, piece_));
    for (std::int64_t at = 0; at < most; at += piece_) {
      std::vector<Parcel> out(parcels.size());
      std::vector<Slot> in(slots.size());
      for (int r = 0; r < size(); ++r) {
        if (r == rank()) continue;
        const auto other = static_cast<std::size_t>(r);
        out[other] = PieceOf(parcels[other], at);
        in[other] = PieceOf(slots[other], at);
      }
      RETURN_IF_ERROR(MovePieces(out, in, status));
    }
    // Whoever has failed tells the others.
    return team().Agree(status);
  }

 protected:
  TeamOfPieces(std::shared_ptr<Team> team, std::shared_ptr<Backend> local,
               std::int64_t piece)
      : GpuCarrierTeam(std::move(team), std::move(local)), piece_(piece) {}

  // Room for a piece of so many bytes for each member.
  virtual absl::Status Prepare(std::int64_t piece) = 0;

  // Returns what all members go on with. `mine` is what this one has come to;
  // what fails at the end of it may wait in `mine` until the next time.
  virtual absl::Status MovePieces(absl::Span<const Parcel> out,
                                  absl::Span<const Slot> in,
                                  absl::Status& mine) = 0;

 private:
  template <typename Whole>
  Whole PieceOf(const Whole& whole, std::int64_t at) const {
    if (at >= whole.bytes) return {};
    using Byte =
        std::conditional_t<std::is_same_v<Whole, Slot>, char, const char>;
    return {static_cast<Byte*>(whole.data) + at,
            std::min(piece_, whole.bytes - at)};
  }

  const std::int64_t piece_;
};

class StagedTeam : public TeamOfPieces {
 public:
  StagedTeam(std::shared_ptr<Team> team, std::shared_ptr<Backend> local,
             std::int64_t piece)
      : TeamOfPieces(std::move(team), std::move(local), piece) {}

 protected:
  absl::Status Prepare(std::int64_t piece) override {
    if (piece <= room_) return absl::OkStatus();
    room_ = 0;
    for (Array* const buffer : {&out_, &in_}) {
      *buffer = Array();
      ASSIGN_OR_RETURN(
          *buffer, local().AllocateHost(ElementType::kUInt8, piece * size()));
    }
    room_ = piece;
    return absl::OkStatus();
  }

  absl::Status MovePieces(absl::Span<const Parcel> out,
                          absl::Span<const Slot> in,
                          absl::Status& mine) override {
    std::vector<Parcel> sent(out.size());
    std::vector<Slot> got(in.size());
    for (std::size_t r = 0; mine.ok() && r < out.size(); ++r) {
      const auto at = static_cast<std::int64_t>(r) * room_;
      sent[r] = {out_.data<char>() + at, out[r].bytes};
      got[r] = {in_.data<char>() + at, in[r].bytes};
      mine.Update(CopyBytes(out[r].data, local().memory(),
                            out_.data<char>() + at, Memory::Host(),
                            out[r].bytes));
    }
    RETURN_IF_ERROR(team().Agree(mine));
    RETURN_IF_ERROR(team().Exchange(sent, got));
    for (std::size_t r = 0; r < in.size(); ++r) {
      mine.Update(CopyBytes(got[r].data, Memory::Host(), in[r].data,
                            local().memory(), in[r].bytes));
    }
    return absl::OkStatus();
  }

 private:
  std::int64_t room_ = 0;
  Array out_;
  Array in_;
};

class WindowTeam : public TeamOfPieces {
 public:
  WindowTeam(std::shared_ptr<Team> team, std::shared_ptr<Backend> local,
             Windows windows)
      : TeamOfPieces(std::move(team), std::move(local), windows.piece),
        windows_(std::move(windows)) {}

 protected:
  absl::Status Prepare(std::int64_t) override { return absl::OkStatus(); }

  absl::Status MovePieces(absl::Span<const Parcel> out,
                          absl::Span<const Slot> in,
                          absl::Status& mine) override {
    const Memory memory = local().memory();
    for (std::size_t r = 0; r < out.size(); ++r) {
      mine.Update(CopyBytes(out[r].data, memory,
                            Place(static_cast<std::size_t>(rank()), r), memory,
                            out[r].bytes));
    }
    mine.Update(local().Synchronize());
    RETURN_IF_ERROR(team().Agree(mine));
    // In rounds, so that no member is asked by all others at once.
    for (int i = 1; i < size(); ++i) {
      const auto r = static_cast<std::size_t>((rank() + i) % size());
      mine.Update(CopyBytes(Place(r, static_cast<std::size_t>(rank())), memory,
                            in[r].data, memory, in[r].bytes));
    }
    mine.Update(local().Synchronize());
    // Nobody fills a window again before all have fetched.
    return team().Agree(mine);
  }

 private:
  // Where in the window of member `of` that lies which is for member `reader`.
  char* Place(std::size_t of, std::size_t reader) const {
    return windows_.of_members[of].get() +
           static_cast<std::int64_t>(reader) * windows_.piece;
  }

  const Windows windows_;
};

}  // namespace

absl::Status GpuCarrierTeam::CopyBytes(const void* from, Memory from_memory,
                                       void* to, Memory to_memory,
                                       std::int64_t bytes) {
  return local_->Copy(
      ConstArrayView(from, ElementType::kUInt8, bytes, from_memory),
      ArrayView(to, ElementType::kUInt8, bytes, to_memory));
}

absl::Status GpuCarrierTeam::CopyOwn(absl::Span<const Parcel> parcels,
                                     absl::Span<const Slot> slots) {
  const auto self = static_cast<std::size_t>(rank());
  return CopyBytes(parcels[self].data, local_->memory(), slots[self].data,
                   local_->memory(), slots[self].bytes);
}

std::int64_t UsualPiece(int members) {
  return std::max(kMostUnderWay / members, kLeastPiece);
}

std::shared_ptr<Team> MakeStagedTeam(std::shared_ptr<Team> team,
                                     std::shared_ptr<Backend> local,
                                     std::int64_t piece) {
  return std::make_shared<StagedTeam>(std::move(team), std::move(local), piece);
}

std::shared_ptr<Team> MakeWindowTeam(std::shared_ptr<Team> team,
                                     std::shared_ptr<Backend> local,
                                     Windows windows) {
  return std::make_shared<WindowTeam>(std::move(team), std::move(local),
                                      std::move(windows));
}

}  // namespace concord
