// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_H_
#define CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/element_type.h"
#include "concord/core/guarded.h"
#include "concord/core/implementation.h"

namespace concord {

// Replaces each run, a longest stretch of equal elements, by one element and
// the length of the run:
//
//   runs = 0
//   for i in [0, n):
//     if i == 0 or in[i] != in[i - 1]:
//       values[runs] = in[i]
//       lengths[runs] = 0
//       runs = runs + 1
//     lengths[runs - 1] = lengths[runs - 1] + 1
//
// Floats are equal when their bits are: -0.0 and +0.0 are two runs, NaNs of the
// same bits are one. So run_length_decode restores every array bit for bit.
//
// Results are the same bits everywhere.
class RunLengthEncode : public Implementation {
 public:
  static constexpr char kName[] = "run_length_encode";

  struct Options {
    // The type of the lengths where the run makes room for them itself; who
    // brings an array for them chooses by its type.
    ElementType length_type = ElementType::kInt64;
  };

  // What Run writes. No two arrays may overlap, nor any of them `in`.
  struct Outputs {
    // Of the type and size of `in`; the first *runs elements are results, the
    // others may be anything.
    ArrayView values;
    // int32 or int64, with room for as many. int32 takes up less memory, but
    // allows only inputs of less than 2^31 elements.
    ArrayView lengths;
    // One int64.
    ArrayView runs;
  };

  // in: any number of elements; an empty input has no runs. All arrays live in
  // the backend's memory.
  //
  // InvalidArgument: types or sizes other than these, memory of another
  // backend, or 2^31 elements and more with lengths of int32.
  absl::Status Run(ConstArrayView in, const Outputs& out);

  static const Signature<RunLengthEncode>& GetSignature();

 protected:
  // Run, when the arguments have been checked.
  virtual absl::Status Compute(ConstArrayView in, const Outputs& out) = 0;
};

// --- For callers with host data ---

// Encodes host data on `backend`, into host memory.
absl::Status ComputeRunLengthEncode(const std::shared_ptr<Backend>& backend,
                                    ConstArrayView in,
                                    const RunLengthEncode::Outputs& out,
                                    absl::string_view variant = "");

template <typename T>
struct EncodedRuns {
  std::vector<T> values;
  std::vector<std::int64_t> lengths;
};

// Example:
//   std::vector<int> pixels = {7, 7, 7, 0, 7};
//   absl::StatusOr<EncodedRuns<int>> runs =
//       ComputeRunLengthEncode<int>(backend, pixels);
//   // values 7, 0, 7; lengths 3, 1, 1
template <typename T>
absl::StatusOr<EncodedRuns<T>> ComputeRunLengthEncode(
    const std::shared_ptr<Backend>& backend, absl::Span<const T> in,
    absl::string_view variant = "") {
  return Guarded([&]() -> absl::StatusOr<EncodedRuns<T>> {
    EncodedRuns<T> encoded;
    encoded.values.resize(in.size());
    encoded.lengths.resize(in.size());
    std::int64_t runs = 0;
    absl::Status status =
        ComputeRunLengthEncode(backend, ConstArrayView(in),
                               {ArrayView(absl::MakeSpan(encoded.values)),
                                ArrayView(absl::MakeSpan(encoded.lengths)),
                                ArrayView(absl::Span<std::int64_t>(&runs, 1))},
                               variant);
    if (!status.ok()) return status;
    encoded.values.resize(static_cast<std::size_t>(runs));
    encoded.lengths.resize(static_cast<std::size_t>(runs));
    return encoded;
  });
}

}  // namespace concord

// --- For implementations ---

namespace concord::run_length_encode {

// Refuses lengths that cannot count to `elements`.
absl::Status CheckLengthType(ElementType type, std::int64_t elements);

// Calls f(TypeTag<Word>(), TypeTag<Length>()), with the unsigned integer that
// has the size of the elements, for arguments that have been checked, and
// returns its result: equality looks at bits alone.
template <typename F>
decltype(auto) DispatchRunLengths(ElementType type, ElementType length_type,
                                  F&& f) {
  const auto with_word = [&](auto word) -> decltype(auto) {
    if (length_type == ElementType::kInt32) {
      return f(word, TypeTag<std::int32_t>());
    }
    return f(word, TypeTag<std::int64_t>());
  };
  switch (SizeOf(type)) {
    case 1:
      return with_word(TypeTag<std::uint8_t>());
    case 4:
      return with_word(TypeTag<std::uint32_t>());
    default:
      return with_word(TypeTag<std::uint64_t>());
  }
}

}  // namespace concord::run_length_encode

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_H_
