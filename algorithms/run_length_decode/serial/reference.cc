// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::run_length_decode {
namespace {

template <typename Word, typename Length>
absl::StatusOr<std::int64_t> Decode(const Word* values, const Length* lengths,
                                    std::int64_t runs, Word* out,
                                    std::int64_t capacity) {
  std::int64_t size = 0;
  for (std::int64_t k = 0; k < runs; ++k) {
    std::int64_t end;
    if (__builtin_add_overflow(size, std::max<Length>(lengths[k], 0), &end)) {
      return LengthsTooLarge();
    }
    for (std::int64_t i = size; i < std::min(end, capacity); ++i) {
      out[i] = values[k];
    }
    size = end;
  }
  return size;
}

class RunLengthDecodeSerial : public RunLengthDecode {
 public:
  absl::Status Compute(const Runs& runs, const Outputs& out) override {
    ASSIGN_OR_RETURN(std::int64_t size,
                     run_length_encode::DispatchRunLengths(
                         runs.values.type(), runs.lengths.type(),
                         [&](auto word, auto length) {
                           using Word = typename decltype(word)::type;
                           using Length = typename decltype(length)::type;
                           return Decode(runs.values.data<Word>(),
                                         runs.lengths.data<Length>(),
                                         runs.values.size(),
                                         out.out.data<Word>(), out.out.size());
                         }));
    *out.size.data<std::int64_t>() = size;
    return absl::OkStatus();
  }
};

const bool kRegistered =
    Registry<RunLengthDecode>::Get().Add<RunLengthDecodeSerial>(
        "serial", "reference", /*rank=*/10, "a loop",
        Contract().SpecialValues("copied bit for bit"));

}  // namespace
}  // namespace concord::run_length_decode
