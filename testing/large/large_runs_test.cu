// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Every run has five elements, or all: so each result is known from its index.

#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/testing/large/device_arrays.cuh"

namespace concord {
namespace {

// Neighbouring runs differ.
struct RunsOfFive {
  __host__ __device__ std::uint8_t operator()(std::int64_t i) const {
    return static_cast<std::uint8_t>(i / 5);
  }
};

struct RunValue {
  __host__ __device__ std::uint8_t operator()(std::int64_t i) const {
    return static_cast<std::uint8_t>(i);
  }
};

struct RunLength {
  std::int64_t n;
  __host__ __device__ std::int64_t operator()(std::int64_t i) const {
    return n - 5 * i < 5 ? n - 5 * i : 5;
  }
};

struct Constant {
  std::uint32_t value;
  __host__ __device__ std::uint32_t operator()(std::int64_t) const {
    return value;
  }
};

struct OneLength {
  std::int64_t n;
  __host__ __device__ std::int64_t operator()(std::int64_t) const { return n; }
};

class LargeRunLengthEncode : public LargeTest<RunLengthEncode> {};

TEST_P(LargeRunLengthEncode, ManyRunsPast32Bits) {
  const std::int64_t n = kPast32Bits;
  if (!Takes(ElementType::kUInt8, n)) GTEST_SKIP() << "its contract ends here";
  const std::int64_t runs = (n + 4) / 5;
  const ArrayView in = Make<std::uint8_t>(n, RunsOfFive());
  const RunLengthEncode::Outputs out = {Allocate<std::uint8_t>(n),
                                        Allocate<std::int64_t>(n),
                                        Allocate<std::int64_t>(1)};
  RunIfThereIsRoom(
      [&](RunLengthEncode &encode) { return encode.Run(in, out); });
  ExpectValue<std::int64_t>(out.runs, runs);
  if (skipped()) return;
  ExpectFromIndexes<std::uint8_t>(out.values.Slice(0, runs), RunValue());
  ExpectFromIndexes<std::int64_t>(out.lengths.Slice(0, runs), RunLength{n});
}

TEST_P(LargeRunLengthEncode, OneRunPast31BitsAnd8GiB) {
  const std::int64_t n = kPast31Bits;
  if (!Takes(ElementType::kUInt32, n)) GTEST_SKIP() << "its contract ends here";
  const ArrayView in = Make<std::uint32_t>(n, Constant{7});
  const RunLengthEncode::Outputs out = {Allocate<std::uint32_t>(n),
                                        Allocate<std::int64_t>(n),
                                        Allocate<std::int64_t>(1)};
  RunIfThereIsRoom(
      [&](RunLengthEncode &encode) { return encode.Run(in, out); });
  ExpectValue<std::int64_t>(out.runs, 1);
  if (skipped()) return;
  ExpectValue<std::uint32_t>(out.values.Slice(0, 1), 7);
  ExpectValue<std::int64_t>(out.lengths.Slice(0, 1), n);
}

INSTANTIATE_TEST_SUITE_P(Cuda, LargeRunLengthEncode,
                         testing::ValuesIn(CudaVariants<RunLengthEncode>()),
                         VariantName);

class LargeRunLengthDecode : public LargeTest<RunLengthDecode> {};

TEST_P(LargeRunLengthDecode, Past32Bits) {
  const std::int64_t n = kPast32Bits;
  if (!Takes(ElementType::kUInt8, n)) GTEST_SKIP() << "its contract ends here";
  const std::int64_t runs = (n + 4) / 5;
  const ArrayView values = Make<std::uint8_t>(runs, RunValue());
  const ArrayView lengths = Make<std::int64_t>(runs, RunLength{n});
  const RunLengthDecode::Outputs out = {Allocate<std::uint8_t>(n),
                                        Allocate<std::int64_t>(1)};
  RunIfThereIsRoom([&](RunLengthDecode &decode) {
    return decode.Run({values, lengths}, out);
  });
  ExpectValue<std::int64_t>(out.size, n);
  ExpectFromIndexes<std::uint8_t>(out.out, RunsOfFive());
}

TEST_P(LargeRunLengthDecode, OneRunPast31BitsAnd8GiB) {
  const std::int64_t n = kPast31Bits;
  if (!Takes(ElementType::kUInt32, n)) GTEST_SKIP() << "its contract ends here";
  const ArrayView values = Make<std::uint32_t>(1, Constant{7});
  const ArrayView lengths = Make<std::int64_t>(1, OneLength{n});
  const RunLengthDecode::Outputs out = {Allocate<std::uint32_t>(n),
                                        Allocate<std::int64_t>(1)};
  RunIfThereIsRoom([&](RunLengthDecode &decode) {
    return decode.Run({values, lengths}, out);
  });
  ExpectValue<std::int64_t>(out.size, n);
  ExpectFromIndexes<std::uint32_t>(out.out, Constant{7});
}

INSTANTIATE_TEST_SUITE_P(Cuda, LargeRunLengthDecode,
                         testing::ValuesIn(CudaVariants<RunLengthDecode>()),
                         VariantName);

}  // namespace
}  // namespace concord
