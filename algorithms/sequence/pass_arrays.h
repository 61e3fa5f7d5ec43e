// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What passes on a GPU do alike with their arrays.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_PASS_ARRAYS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_PASS_ARRAYS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"

namespace concord::sequence {

// Whether all of them begin at multiples of 16 bytes.
template <typename View>
bool AreAligned(absl::Span<const View> views) {
  constexpr std::uintptr_t kVectorBytes = 16;
  return std::all_of(views.begin(), views.end(), [](const View& view) {
    return reinterpret_cast<std::uintptr_t>(view.data()) % kVectorBytes == 0;
  });
}

// For each table of a pass, the first element that reads outside of it. Kernels
// write it, so it is in the backend's memory, which is kept from call to call.
class OutsideReport {
 public:
  // A word for each table, larger than the number of any element; null where
  // there are none. Kernels make it the smallest such element.
  absl::StatusOr<std::uint64_t*> Begin(Backend& backend, std::size_t tables);

  // What they have written, of elements that are counted from `first` on. Waits
  // for them if there are tables.
  absl::StatusOr<std::vector<std::optional<std::int64_t>>> Read(
      Backend& backend, std::int64_t first);

 private:
  Array words_;
  std::size_t tables_ = 0;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_PASS_ARRAYS_H_
