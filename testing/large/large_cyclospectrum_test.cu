// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Of n equal masses, n pieces have one of them, n have two, and so on: so each
// element of the spectrum is known from its index.

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/testing/large/device_arrays.cuh"

namespace concord {
namespace {

constexpr std::int32_t kMass = 7;
// The spectrum has 4.4e9 elements.
constexpr std::int64_t kMasses = 66'000;

struct EveryMass {
  __host__ __device__ std::int32_t operator()(std::int64_t) const {
    return kMass;
  }
};

// The piece of no masses comes before the pieces of one.
struct MassOfPiece {
  __host__ __device__ std::int64_t operator()(std::int64_t i) const {
    return i == 0 ? 0 : kMass * (1 + (i - 1) / kMasses);
  }
};

struct MassOfPieces {
  __host__ __device__ std::int64_t operator()(std::int64_t i) const {
    return kMass * i;
  }
};

// The pieces of no masses and of all stand alone.
struct PiecesOfMass {
  __host__ __device__ std::int64_t operator()(std::int64_t i) const {
    return i == 0 || i == kMasses ? 1 : kMasses;
  }
};

class LargeCyclospectrum : public LargeTest<Cyclospectrum> {};

TEST_P(LargeCyclospectrum, Past32Bits) {
  const std::int64_t size = *CyclospectrumSize(kMasses);
  ASSERT_GT(size, std::int64_t{1} << 32);
  if (!Takes(ElementType::kInt32, size)) {
    GTEST_SKIP() << "its contract ends here";
  }
  const ArrayView masses = Make<std::int32_t>(kMasses, EveryMass());
  const ArrayView out = Allocate<std::int32_t>(size);
  RunIfThereIsRoom([&](Cyclospectrum &cyclospectrum) {
    return cyclospectrum.Run(masses, out, {}, {}, {});
  });
  ExpectFromIndexes<std::int32_t>(out, MassOfPiece());
}

TEST_P(LargeCyclospectrum, HistogramPast32Bits) {
  const std::int64_t size = *CyclospectrumSize(kMasses);
  if (!Takes(ElementType::kInt32, size)) {
    GTEST_SKIP() << "its contract ends here";
  }
  const ArrayView masses = Make<std::int32_t>(kMasses, EveryMass());
  const std::int64_t room = MostDistinct(size, kMasses * kMass);
  const ArrayView out = Allocate<std::int32_t>(room);
  const ArrayView counts = Allocate<std::int64_t>(room);
  const ArrayView distinct = Allocate<std::int64_t>(1);
  RunIfThereIsRoom([&](Cyclospectrum &cyclospectrum) {
    Cyclospectrum::Options options;
    options.as = Cyclospectrum::As::kHistogram;
    return cyclospectrum.Run(masses, out, counts, distinct, options);
  });
  ExpectValue<std::int64_t>(distinct, kMasses + 1);
  if (skipped()) return;
  ExpectFromIndexes<std::int32_t>(out.Slice(0, kMasses + 1), MassOfPieces());
  ExpectFromIndexes<std::int64_t>(counts.Slice(0, kMasses + 1), PiecesOfMass());
}

INSTANTIATE_TEST_SUITE_P(Cuda, LargeCyclospectrum,
                         testing::ValuesIn(CudaVariants<Cyclospectrum>()),
                         VariantName);

}  // namespace
}  // namespace concord
