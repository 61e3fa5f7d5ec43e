// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/core/registry.h"

namespace concord::run_length_encode {
namespace {

template <typename Word, typename Length>
std::int64_t Encode(const Word* in, std::int64_t n, Word* values,
                    Length* lengths) {
  std::int64_t runs = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i == 0 || in[i] != in[i - 1]) {
      values[runs] = in[i];
      lengths[runs] = 0;
      ++runs;
    }
    ++lengths[runs - 1];
  }
  return runs;
}

class RunLengthEncodeSerial : public RunLengthEncode {
 public:
  absl::Status Compute(ConstArrayView in, const Outputs& out) override {
    *out.runs.data<std::int64_t>() = DispatchRunLengths(
        in.type(), out.lengths.type(), [&](auto word, auto length) {
          using Word = typename decltype(word)::type;
          using Length = typename decltype(length)::type;
          return Encode(in.data<Word>(), in.size(), out.values.data<Word>(),
                        out.lengths.data<Length>());
        });
    return absl::OkStatus();
  }
};

const bool kRegistered =
    Registry<RunLengthEncode>::Get().Add<RunLengthEncodeSerial>(
        "serial", "reference", /*rank=*/10, "a loop",
        Contract().SpecialValues("floats are equal when their bits are"));

}  // namespace
}  // namespace concord::run_length_encode
