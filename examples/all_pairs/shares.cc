// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/examples/all_pairs/shares.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/registry.h"
#include "concord/core/replicas.h"

namespace concord::all_pairs {
namespace {

absl::StatusOr<std::int64_t> BytesOf(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) return absl::NotFoundError(absl::StrCat("cannot open ", path));
  return static_cast<std::int64_t>(bytes);
}

absl::StatusOr<std::vector<Header>> HeadersOfThisRank(const std::string& path,
                                                      std::int64_t bytes) {
  const auto begin = [bytes](std::int64_t rank) {
    return bytes / ReplicaCount() * rank +
           std::min(bytes % ReplicaCount(), rank);
  };
  return FindHeaders(path, begin(ReplicaIndex()), begin(ReplicaIndex() + 1));
}

// The pairs that there are, if they fit into `room`, otherwise none of them;
// and how many.
struct Found {
  std::vector<std::array<std::int64_t, 2>> pairs;
  std::int64_t count = 0;
};

absl::StatusOr<Found> Run(Backend& backend, SimilarPairs& similar,
                          const ConstArrayView& sketches,
                          const SimilarPairs::Options& options) {
  const std::int64_t room =
      SimilarPairs::RoomFor(sketches.size() / options.dim, options);
  absl::StatusOr<Array> pairs = backend.Allocate(ElementType::kInt64, 2 * room);
  if (!pairs.ok()) return pairs.status();
  const absl::StatusOr<Array> count = backend.Allocate(ElementType::kInt64, 1);
  if (!count.ok()) return count.status();
  absl::Status status = similar.Run(
      sketches,
      {ArrayView(pairs->data<std::int64_t>(), Shape(room, 2), backend.memory()),
       count->view(),
       {}},
      options);
  if (!status.ok() && !absl::IsOutOfRange(status)) return status;
  Found found;
  const auto copy = [&](const ArrayView& from, std::int64_t* to) {
    return backend.Copy(from, ArrayView(to, from.size(), Memory::Host()));
  };
  status = copy(count->view(), &found.count);
  if (!status.ok()) return status;
  if (found.count > room) return found;
  found.pairs.resize(static_cast<std::size_t>(found.count));
  status = copy(pairs->view().Slice(0, 2 * found.count),
                reinterpret_cast<std::int64_t*>(found.pairs.data()));
  if (!status.ok()) return status;
  return found;
}

}  // namespace

absl::StatusOr<Shares> Shares::Find(const std::shared_ptr<Backend>& backend,
                                    const std::string& path, std::int64_t dim) {
  const absl::StatusOr<std::int64_t> size = BytesOf(path);
  absl::Status status = AgreeAsOne(size.status());
  if (!status.ok()) return status;
  status = AgreeOnBytesOf(path, *size);
  if (!status.ok()) return status;
  const absl::StatusOr<std::vector<Header>> mine =
      HeadersOfThisRank(path, *size);
  status = AgreeAsOne(mine.status());
  if (!status.ok()) return status;
  std::string bytes(mine->size() * sizeof(Header), '\0');
  std::memcpy(bytes.data(), mine->data(), bytes.size());
  const absl::StatusOr<std::vector<std::string>> told = FromAll(bytes);
  if (!told.ok()) return told.status();
  std::vector<std::int64_t> places;
  Shares shares;
  for (const std::string& headers : *told) {
    for (std::size_t i = 0; i < headers.size(); i += sizeof(Header)) {
      Header header;
      std::memcpy(&header, headers.data() + i, sizeof(header));
      shares.ancestries_.push_back(header.ancestry);
      places.push_back(header.byte);
    }
  }

  shares.backend_ = backend;
  shares.dim_ = dim;
  absl::StatusOr<Array> sketches = backend->Allocate(
      ElementType::kFloat64, static_cast<std::int64_t>(places.size()) * dim);
  if (!sketches.ok()) return sketches.status();
  shares.sketches_ = *std::move(sketches);
  const auto [first, last] = ElementsHere(shares.sketches_.view());
  if (first < last) {
    shares.first_ = first / dim;
    shares.last_ = (last + dim - 1) / dim;
    shares.byte_ = places[static_cast<std::size_t>(shares.first_)];
  }
  return shares;
}

absl::Status Shares::Put(const std::vector<double>& sketches) {
  const ConstArrayView values(absl::MakeConstSpan(sketches));
  // Each takes of it what it has.
  return backend_->Copy(values,
                        sketches_.view().Slice(first_ * dim_, values.size()));
}

absl::StatusOr<std::vector<std::array<std::int64_t, 2>>> Shares::FindPairs(
    SimilarPairs::Options options) const {
  absl::StatusOr<std::unique_ptr<SimilarPairs>> similar =
      Registry<SimilarPairs>::Get().Create(backend_);
  if (!similar.ok()) return similar.status();
  // Each sketch is likely to have but a few that are similar.
  constexpr std::int64_t kLikely = 16;
  options.most = kLikely * static_cast<std::int64_t>(ancestries_.size());
  absl::StatusOr<Found> found =
      Run(*backend_, **similar, sketches_.view(), options);
  if (found.ok() && found->count > options.most) {
    options.most = found->count;
    found = Run(*backend_, **similar, sketches_.view(), options);
  }
  if (!found.ok()) return found.status();
  return std::move(found->pairs);
}

}  // namespace concord::all_pairs
