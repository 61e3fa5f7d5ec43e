// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The ways that value_tiles has of counting values and of writing them on GPUs,
// beside each other: each is held to what the others say.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/core/backend.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"

namespace concord::cyclospectrum {
namespace {

constexpr int kNever = 1;
constexpr int kAlways = 2;

template <typename T>
struct Histogram {
  std::vector<T> values;
  std::vector<std::int64_t> counts;

  bool operator==(const Histogram& other) const {
    return values == other.values && counts == other.counts;
  }
};

class CyclospectrumValueTiles : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { backend_ = OpenOrSkip(GetParam()); }

  std::unique_ptr<Cyclospectrum> Tuned(int transforms, int lines) {
    auto made = *Registry<Cyclospectrum>::Get().Create(backend_, "value_tiles");
    EXPECT_TRUE(made->Tune({{"transforms", absl::StrCat(transforms)},
                            {"lines", absl::StrCat(lines)}})
                    .ok());
    return made;
  }

  template <typename T>
  Array OnDevice(const std::vector<T>& values) {
    Array array = ValueOf(backend_->Allocate(
        ElementTypeOf<T>(), static_cast<std::int64_t>(values.size())));
    EXPECT_TRUE(backend_->Copy(absl::MakeConstSpan(values), array.view()).ok());
    return array;
  }
  template <typename T>
  void Fetch(const Array& array, std::vector<T>& values) {
    EXPECT_TRUE(backend_->Copy(array.view(), absl::MakeSpan(values)).ok());
  }

  template <typename T>
  Histogram<T> HistogramOf(const std::vector<T>& masses, int transforms) {
    const auto n = static_cast<std::int64_t>(masses.size());
    const T total = std::accumulate(masses.begin(), masses.end(), T{0});
    const std::int64_t room = MostDistinct(*CyclospectrumSize(n), total);
    Histogram<T> histogram{std::vector<T>(room),
                           std::vector<std::int64_t>(room)};
    std::vector<std::int64_t> distinct(1);
    const Array in = OnDevice(masses);
    const Array values = OnDevice(histogram.values);
    const Array counts = OnDevice(histogram.counts);
    const Array found = OnDevice(distinct);
    Cyclospectrum::Options options;
    options.as = Cyclospectrum::As::kHistogram;
    const absl::Status status = Tuned(transforms, kNever)
                                    ->Run(in.view(), values.view(),
                                          counts.view(), found.view(), options);
    EXPECT_TRUE(status.ok()) << status;
    Fetch(values, histogram.values);
    Fetch(counts, histogram.counts);
    Fetch(found, distinct);
    histogram.values.resize(distinct[0]);
    histogram.counts.resize(distinct[0]);
    return histogram;
  }

  // From the given element of a line on; what is around it stays as it is.
  template <typename T>
  std::vector<T> SpectrumOf(const std::vector<T>& masses, int transforms,
                            int lines, std::int64_t first) {
    const std::int64_t size =
        *CyclospectrumSize(static_cast<std::int64_t>(masses.size()));
    constexpr std::int64_t kAround = 32;
    std::vector<T> all(size + 2 * kAround, T{-1});
    const Array in = OnDevice(masses);
    const Array out = OnDevice(all);
    const absl::Status status =
        Tuned(transforms, lines)
            ->Run(in.view(), out.view().Slice(first, size), {}, {}, {});
    EXPECT_TRUE(status.ok()) << status;
    Fetch(out, all);
    EXPECT_EQ(std::count(all.begin(), all.begin() + first, T{-1}), first);
    EXPECT_EQ(std::count(all.begin() + first + size, all.end(), T{-1}),
              2 * kAround - first);
    return {all.begin() + first, all.begin() + first + size};
  }

  template <typename T>
  void ExpectSameCounts(const std::vector<T>& masses, const std::string& what) {
    const Histogram<T> by_tiles = HistogramOf(masses, kNever);
    const auto n = static_cast<std::int64_t>(masses.size());
    EXPECT_EQ(std::accumulate(by_tiles.counts.begin(), by_tiles.counts.end(),
                              std::int64_t{0}),
              *CyclospectrumSize(n))
        << what;
    EXPECT_TRUE(HistogramOf(masses, kAlways) == by_tiles) << what;
  }

  template <typename T>
  void ExpectSameSpectrum(const std::vector<T>& masses,
                          const std::string& what) {
    for (const std::int64_t first : {0, 1, 3, 17, 31}) {
      const std::vector<T> plain = SpectrumOf(masses, kNever, kNever, first);
      EXPECT_TRUE(SpectrumOf(masses, kNever, kAlways, first) == plain)
          << what << " by lines from " << first;
      EXPECT_TRUE(SpectrumOf(masses, kAlways, kAlways, first) == plain)
          << what << " by lines and transforms from " << first;
    }
  }

 private:
  std::shared_ptr<Backend> backend_;
};

template <typename T, typename F>
std::vector<T> Masses(int n, const F& mass) {
  std::vector<T> masses(n);
  for (int i = 0; i < n; ++i) masses[i] = static_cast<T>(mass(i));
  return masses;
}

// Alternating masses, with a last one that makes up the total.
std::vector<std::int32_t> WithTotal(int n, std::int64_t total) {
  const auto mean = static_cast<int>(total / n);
  auto masses = Masses<std::int32_t>(
      n, [&](int i) { return mean + (i % 2 == 0 ? mean / 3 : -(mean / 3)); });
  const std::int64_t sum =
      std::accumulate(masses.begin(), masses.end(), std::int64_t{0});
  masses.back() += static_cast<std::int32_t>(total - sum);
  return masses;
}

// Where one length of the transforms ends and the next begins.
TEST_P(CyclospectrumValueTiles, CountsAlikeAroundEveryLength) {
  for (const std::int64_t radix : {1, 2, 4, 5, 8, 10, 16, 20}) {
    const std::int64_t total = radix << 19;
    // As many pieces as values, or more.
    const int n = 1500 * static_cast<int>(radix < 5 ? 1 : radix < 16 ? 2 : 3);
    for (const int more : {-1, 0, 1}) {
      ExpectSameCounts(WithTotal(n, total + more),
                       absl::StrCat(total, " and ", more));
    }
  }
}

// Where the row's lines, of 4096 values, end.
TEST_P(CyclospectrumValueTiles, CountsAlikeAroundLines) {
  for (const std::int64_t total : {1, 2, 3, 4095, 4096, 4097, 8191, 8192, 8193,
                                   16383, 16384, 16385, 700'001}) {
    for (const int n : {3, 255, 256, 257, 1300}) {
      if (total >= n) {
        ExpectSameCounts(WithTotal(n, total), absl::StrCat(n, " ", total));
      }
    }
  }
}

TEST_P(CyclospectrumValueTiles, CountsAlikeWhateverTheMasses) {
  const auto check = [&](const char* what, int n, const auto& mass) {
    ExpectSameCounts(Masses<std::int32_t>(n, mass), what);
    ExpectSameCounts(Masses<std::int64_t>(n, mass), what);
  };
  check("equal", 5000, [](int) { return 111; });
  check("equal, up to the last", 5000,
        [](int i) { return i == 0 ? 112 : 111; });
  check("ones", 9000, [](int) { return 1; });
  check("zeros and ones", 9000, [](int i) { return i % 2; });
  check("zeros and few ones", 3000, [](int i) { return i % 250 == 0 ? 1 : 0; });
  check("a giant", 5000, [](int i) { return i == 2222 ? 4'000'000 : i % 3; });
  check("two giants", 5000, [](int i) { return i % 2500 == 7 ? 400'000 : 1; });
  check("a giant first", 4000, [](int i) { return i == 0 ? 900'000 : i % 2; });
  check("a giant last", 4000,
        [](int i) { return i == 3999 ? 900'000 : i % 2; });
  check("rising", 2000, [](int i) { return i; });
  check("clusters", 6000, [](int i) { return i % 1000 < 900 ? 1 : 1000; });
}

// More sums are equal than a byte of the row counts, or a few less.
TEST_P(CyclospectrumValueTiles, CountsAlikeWhereSumsAreEqual) {
  for (const int zeros : {253, 254, 255, 256, 257}) {
    for (const int first : {0, 100, 2000 - zeros, 1900}) {
      ExpectSameCounts(Masses<std::int32_t>(2000,
                                            [&](int i) {
                                              const int at =
                                                  (i - first + 2000) % 2000;
                                              return at < zeros ? 0 : 5;
                                            }),
                       absl::StrCat(zeros, " zeros from ", first));
    }
  }
}

TEST_P(CyclospectrumValueTiles, WritesAlikeWhateverTheRuns) {
  const auto check = [&](const char* what, int n, const auto& mass) {
    ExpectSameSpectrum(Masses<std::int32_t>(n, mass), what);
    ExpectSameSpectrum(Masses<std::int64_t>(n, mass), what);
  };
  check("two", 2, [](int i) { return i + 1; });
  check("long runs", 2000, [](int) { return 3; });
  check("runs longer than blocks", 1500, [](int i) { return i % 100 / 99; });
  check("some 60 runs in a block", 1200, [](int i) { return 1 + i % 17; });
  check("short runs", 1200, [](int i) { return 50 + i * i % 97; });
  check("long, then short", 1500, [](int i) { return i < 700 ? 1 : 200; });
  check("far apart", 1200, [](int i) { return i == 600 ? 500'000 : i % 4; });
}

// What it chooses by itself, by the only kind of masses for which it chooses
// transforms in a test's time.
TEST_P(CyclospectrumValueTiles, ChoosesWhatCountsAlike) {
  const auto masses =
      Masses<std::int32_t>(30'000, [](int i) { return 1 + i * i % 7; });
  EXPECT_TRUE(HistogramOf(masses, 0) == HistogramOf(masses, kNever));
}

INSTANTIATE_TEST_SUITE_P(
    GPUs, CyclospectrumValueTiles,
    testing::Values("cuda", "gpus:0+0", "gpus:0+0+0@striped", "gpus:all"),
    [](const auto& info) {
      std::string name = info.param;
      for (char& letter : name) {
        if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
      }
      return name;
    });

}  // namespace
}  // namespace concord::cyclospectrum
