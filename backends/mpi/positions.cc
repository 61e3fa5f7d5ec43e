// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/positions.h"

#include "concord/backends/mpi/gpu_link.h"

namespace concord {
namespace {

template <typename T>
void Add(ArrayView positions, std::int64_t by) {
  T* const first = positions.data<T>();
  for (std::int64_t i = 0; i < positions.size(); ++i) {
    first[i] += static_cast<T>(by);
  }
}

}  // namespace

absl::Status ShiftPositions(Backend& local, ArrayView positions,
                            std::int64_t by) {
  if (positions.empty() || by == 0) return absl::OkStatus();
  if (local.info().name == "cuda") return ShiftOnGpu(local, positions, by);
  if (positions.type() == ElementType::kUInt32) {
    Add<std::uint32_t>(positions, by);
  } else {
    Add<std::int64_t>(positions, by);
  }
  return absl::OkStatus();
}

}  // namespace concord
