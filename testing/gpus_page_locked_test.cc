// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Several GPUs that compute from page-locked memory while it is copied, on
// arrays larger than the differential suites have.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/core/backend.h"
#include "concord/core/random.h"
#include "concord/core/registry.h"
#include "concord/core/signature.h"
#include "concord/testing/gpus_fixture.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using GpusPageLocked = GpusFixture;

// Many pieces of letters on their way from page-locked memory, and rows that
// are much shorter, and longer, than a piece.
TEST_F(GpusPageLocked, SketchesOfPageLockedLettersAreThoseOfOthers) {
  constexpr std::int64_t kLetters = 50'000'003;
  const TensorSketch::Options options;
  const SketchTables tables = *RandomSketchTables(options, /*seed=*/1);
  using Offsets = std::vector<std::int64_t>;
  const auto letters_for = [](Backend& backend) {
    Array letters = *backend.AllocateHost(ElementType::kUInt8, kLetters);
    Random random(3);
    for (std::int64_t i = 0; i < kLetters; ++i) {
      letters.data<std::uint8_t>()[i] =
          static_cast<std::uint8_t>(random.Below(4));
    }
    return letters;
  };
  const auto sketch = [&](const std::string& spec, const Offsets& offsets) {
    const auto backend = Open(spec);
    const Array letters = letters_for(*backend);
    const auto sketches = ComputeTensorSketch(
        backend, letters.view().span<std::uint8_t>(), offsets, tables, options);
    EXPECT_TRUE(sketches.ok()) << spec << ": " << sketches.status();
    return sketches.value_or(Offsets());
  };
  // To page-locked memory.
  const auto sketch_there = [&](const std::string& spec,
                                const Offsets& offsets) {
    const auto backend = Open(spec);
    const Array letters = letters_for(*backend);
    Array out = *backend->AllocateHost(
        ElementType::kInt64,
        static_cast<std::int64_t>(offsets.size() - 1) * options.dim);
    const auto made = *Registry<TensorSketch>::Get().Create(backend);
    const absl::Status status = TensorSketch::GetSignature().RunFromHost(
        *made,
        {letters.view(), absl::MakeConstSpan(offsets),
         absl::MakeConstSpan(tables.hashes), absl::MakeConstSpan(tables.signs)},
        {out.view()}, options);
    EXPECT_TRUE(status.ok()) << spec << ": " << status;
    const auto sketches = out.view().span<std::int64_t>();
    return Offsets(sketches.begin(), sketches.end());
  };
  Offsets even = {0};
  while (even.back() < kLetters) {
    even.push_back(std::min(kLetters, even.back() + 35'467));
  }
  const std::vector<Offsets> cuts = {
      even,
      {0, kLetters},
      {0, 0, 7, 7, 20'000'000, 20'000'001, 49'999'999, kLetters, kLetters}};
  for (const Offsets& offsets : cuts) {
    const Offsets expected = sketch("tbb", offsets);
    for (const char* spec :
         {"gpus:0", "gpus:0+0", "gpus:0+0+0@striped", "gpus:all"}) {
      EXPECT_TRUE(sketch(spec, offsets) == expected)
          << spec << ", " << offsets.size() - 1 << " sequences";
      EXPECT_TRUE(sketch_there(spec, offsets) == expected)
          << spec << ", " << offsets.size() - 1 << " sequences";
    }
  }
}

}  // namespace
}  // namespace concord
