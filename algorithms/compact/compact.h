// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_COMPACT_COMPACT_H_
#define CONCORD_ALGORITHMS_COMPACT_COMPACT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/algorithms/compact/predicate.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/contract.h"
#include "concord/core/element_type.h"
#include "concord/core/element_width.h"
#include "concord/core/guarded.h"
#include "concord/core/implementation.h"

namespace concord {

// Keeps, in order, the elements that satisfy a predicate:
//
//   k = 0, r = 0
//   for i = 0, ..., n - 1:
//     if keep(in[i]):  kept[k] = in[i];  indices[k] = i;  k = k + 1
//     else:            rejected[r] = in[i];  r = r + 1
//   count = k, rejected_count = r
//
// Elements are copied bit for bit, but for the payload of a NaN where a
// function decides (algorithms/sequence). Indices and rejected elements are
// computed only where they are asked for. The run finds the counts, so they are
// outputs in the backend's memory, and the host need not wait for them.
// Elements of the other outputs past the counts are unspecified.
//
// The result is the same bits on every backend.
//
// Sources: G. E. Blelloch, "Prefix sums and their applications" (1990), for
// flags, scan and scatter; D. Merrill and M. Garland, "Single-pass parallel
// prefix scan with decoupled look-back" (NVIDIA technical report NVR-2016-002).
class Compact : public Implementation {
 public:
  static constexpr char kName[] = "compact";

  struct Options {
    Predicate keep;  // by default elements that are not zero
    // Whether a run makes room for these outputs itself. Who brings arrays for
    // them has them in any case.
    bool indices = false;
    bool rejected = false;
  };

  // All in the backend's memory; none overlaps another or the input.
  struct Outputs {
    ArrayView kept;   // n elements of the input's type
    ArrayView count;  // one int64
    // Where the kept elements stood: n elements of type int64.
    std::optional<ArrayView> indices;
    // The other elements: n of the input's type, and one int64. Both or none.
    std::optional<ArrayView> rejected;
    std::optional<ArrayView> rejected_count;
  };

  // in: n elements in the backend's memory; an empty input gives counts of 0.
  //
  // InvalidArgument: types or sizes that are not as above, memory of another
  // backend, only one of `rejected` and `rejected_count`, a predicate with a
  // constant that the element type cannot hold.
  absl::Status Run(ConstArrayView in, const Outputs& outputs,
                   const Options& options);

  static const Signature<Compact>& GetSignature();

 protected:
  // Run, when the arguments have been checked.
  virtual absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                               const Options& options) = 0;
};

// --- For callers with host data ---

// Compacts host data on `backend`, into host memory, and waits for it.
absl::Status ComputeCompact(const std::shared_ptr<Backend>& backend,
                            ConstArrayView in, const Compact::Outputs& outputs,
                            const Compact::Options& options,
                            absl::string_view variant = "");

// The kept elements alone. InvalidArgument where `options` ask for more: there
// is no array for it here, and ComputeCompact above takes one.
//
// Example:
//   std::vector<int> values = {3, 0, 4, 0, 0, 5};
//   absl::StatusOr<std::vector<int>> nonzero =
//       ComputeCompact<int>(backend, values);
//   // {3, 4, 5}
//   absl::StatusOr<std::vector<int>> small =
//       ComputeCompact<int>(backend, values, {Predicate::Less(4)});
//   // {3, 0, 0, 0}
template <typename T>
absl::StatusOr<std::vector<T>> ComputeCompact(
    const std::shared_ptr<Backend>& backend, absl::Span<const T> in,
    const Compact::Options& options = {}, absl::string_view variant = "") {
  return Guarded([&]() -> absl::StatusOr<std::vector<T>> {
    std::vector<T> kept(in.size());
    std::int64_t count = 0;
    const Compact::Outputs outputs = {
        ArrayView(absl::MakeSpan(kept)),
        ArrayView(absl::Span<std::int64_t>(&count, 1)),
        {},
        {},
        {}};
    absl::Status status =
        ComputeCompact(backend, ConstArrayView(in), outputs, options, variant);
    if (!status.ok()) return status;
    kept.resize(static_cast<std::size_t>(count));
    return kept;
  });
}

}  // namespace concord

// --- For implementations ---

namespace concord::compact {

// What every implementation promises, to be completed.
Contract CompactContract();

// The arrays of a call, as kernels see them: elements are words of their width.
// What is not asked for is null.
template <typename WordType>
struct CompactArrays {
  using Word = WordType;

  const Word* in;
  std::int64_t size;
  Word* kept;
  std::int64_t* count;
  std::int64_t* indices;
  Word* rejected;
  std::int64_t* rejected_count;
};

template <typename Word>
constexpr void SetCounts(const CompactArrays<Word>& arrays, std::int64_t kept) {
  *arrays.count = kept;
  if (arrays.rejected_count != nullptr) {
    *arrays.rejected_count = arrays.size - kept;
  }
}

// Calls f(range, arrays), with a KeptRange and CompactArrays for the width of
// the elements, for arguments that have been checked, and returns its status.
template <typename F>
absl::Status DispatchCompact(const ConstArrayView& in,
                             const Compact::Outputs& outputs,
                             const Predicate& keep, F&& f) {
  return DispatchWidth(in.type(), [&](auto word) -> absl::Status {
    using Word = decltype(word);
    absl::StatusOr<KeptRange<Word>> range = RangeOf<Word>(keep, in.type());
    if (!range.ok()) return range.status();
    const auto data = [](const std::optional<ArrayView>& output) -> void* {
      return output.has_value() ? output->data() : nullptr;
    };
    return f(*range,
             CompactArrays<Word>{
                 in.data<Word>(), in.size(), outputs.kept.data<Word>(),
                 outputs.count.data<std::int64_t>(),
                 static_cast<std::int64_t*>(data(outputs.indices)),
                 static_cast<Word*>(data(outputs.rejected)),
                 static_cast<std::int64_t*>(data(outputs.rejected_count))});
  });
}

}  // namespace concord::compact

#endif  // CONCORD_ALGORITHMS_COMPACT_COMPACT_H_
