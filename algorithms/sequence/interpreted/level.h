// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_LEVEL_H_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_LEVEL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/interpreter/arrays.h"
#include "concord/core/array.h"
#include "concord/core/errors.h"
#include "concord/core/expression/value_type.h"

namespace concord::sequence {

// The states of a number of elements, a column for each value, in memory of
// the device.
class Level {
 public:
  using Types = std::vector<expression::Type>;

  Level() = default;

  // Columns one after the other from `at` on.
  static Level At(char* at, const Types& types, std::int64_t count) {
    Level level;
    for (expression::Type type : types) {
      level.columns_.push_back(at);
      level.types_.push_back(StoredAs(type));
      at += ColumnBytes(StoredAs(type), count);
    }
    return level;
  }
  static std::int64_t Bytes(const Types& types, std::int64_t count) {
    std::int64_t bytes = 0;
    for (expression::Type type : types) {
      bytes += ColumnBytes(StoredAs(type), count);
    }
    return bytes;
  }
  // Columns of those of the caller's, by their numbers.
  void Add(const ConstArrayView& column) {
    columns_.push_back(const_cast<void*>(column.data()));
    types_.push_back(column.type());
  }

  // Makes its elements first, first + stride, ... the inputs or outputs of
  // `arrays` from number `k` on.
  void SetIn(machine::Arrays& arrays, std::size_t k, std::int64_t first = 0,
             std::int64_t stride = 1) const {
    Set(arrays.in, k, first, stride);
  }
  void SetOut(machine::Arrays& arrays, std::size_t k, std::int64_t first = 0,
              std::int64_t stride = 1) const {
    Set(arrays.out, k, first, stride);
  }

  // Queues a copy of one element to another level of the same types.
  absl::Status Copy(CudaBackend& backend, std::int64_t from, const Level& level,
                    std::int64_t to) const {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      RETURN_IF_ERROR(backend.Copy(ElementOf(backend, k, from),
                                   level.ElementOf(backend, k, to)));
    }
    return absl::OkStatus();
  }
  ArrayView ElementOf(CudaBackend& backend, std::size_t k,
                      std::int64_t number) const {
    const auto bytes = static_cast<std::int64_t>(SizeOf(types_[k]));
    return ArrayView(static_cast<char*>(columns_[k]) + number * bytes,
                     types_[k], 1, backend.memory());
  }

 private:
  static std::int64_t ColumnBytes(ElementType type, std::int64_t count) {
    constexpr std::int64_t kVectorBytes = 16;
    const std::int64_t bytes = count * static_cast<std::int64_t>(SizeOf(type));
    return (bytes + kVectorBytes - 1) / kVectorBytes * kVectorBytes;
  }

  void Set(machine::Column* columns, std::size_t k, std::int64_t first,
           std::int64_t stride) const {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      columns[k + c] = {columns_[c], first, stride};
    }
  }

  std::vector<void*> columns_;
  std::vector<ElementType> types_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_LEVEL_H_
