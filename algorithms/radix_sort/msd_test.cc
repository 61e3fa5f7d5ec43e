// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// cuda/msd beside std::sort, on keys that crowd in one of the places where it
// expects them to be spread, and on sizes around each of its ways.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/core/backend.h"
#include "concord/core/host_array.h"
#include "concord/core/random.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"
#include "concord/testing/support/program.h"

namespace concord::radix_sort {
namespace {

using Order = RadixSort::Order;

// The fewest keys that the variant can be made to partition.
constexpr std::int64_t kLeast = 1 << 20;

// Bits of key i of n, from bits that are random for each of them. `width` is
// that of the key; what is above it is cut off.
struct Kind {
  const char* name;
  std::function<std::uint64_t(std::uint64_t i, std::uint64_t n, int width,
                              std::uint64_t random)>
      bits;
};

std::uint64_t All(int width) {
  return std::numeric_limits<std::uint64_t>::max() >> (64 - width);
}

// `size` keys agree in their upper 16 bits, the others are spread.
Kind Crowded(const char* name, std::uint64_t size) {
  return {name, [size](auto i, auto n, int width, auto random) {
            const std::uint64_t step = std::max<std::uint64_t>(1, n / size);
            const bool chosen = i % step == 0 && i / step < size;
            return chosen
                       ? (random & All(width - 16)) | 0x5a5aull << (width - 16)
                       : random;
          }};
}

const std::vector<Kind>& Kinds() {
  static const auto* const kinds = new std::vector<Kind>{
      {"uniform", [](auto, auto, int, auto random) { return random; }},
      {"equal", [](auto, auto, int, auto) { return 0x123456789abcdefull; }},
      {"two values",
       [](auto, auto, int, auto random) {
         return random % 2 == 0 ? 0x123456789abcdefull : ~0x3456789abcdefull;
       }},
      {"ascending",
       [](auto i, auto n, int width, auto) { return i * (All(width) / n); }},
      {"descending", [](auto i, auto n, int width,
                        auto) { return (n - 1 - i) * (All(width) / n); }},
      {"ascending but for the lower half",
       [](auto i, auto n, int width, auto random) {
         return i * (All(width) / n) ^ (random & All(width / 2));
       }},
      Crowded("a bucket of 5000", 1500),
      Crowded("a bucket of nearly 8192", 3900),
      Crowded("a bucket of over 8192", 5000),
      Crowded("a bucket of 100,000", 100'000),
      Crowded("a bucket of 10^7", 10'000'000),
      {"Zipf",
       [](auto, auto, int width, auto random) {
         return All(width) / (random % (1 << 30) + 1);
       }},
      {"bits that are mostly 0",
       [](auto i, auto, int, auto random) {
         return random & RandomBits(2, i) & RandomBits(3, i);
       }},
      {"2^17 values",
       [](auto, auto, int, auto random) {
         return RandomBits(4, random % (1 << 17));
       }},
      {"as few bits as can be",
       [](auto, auto, int, auto random) { return random % (1 << 24); }},
      {"one key in a higher bit than all others",
       [](auto i, auto n, int width, auto random) {
         return i == n / 3 ? random | std::uint64_t{1} << (width - 1)
                           : random & All(width - 2);
       }},
      {"a key 1000 times",
       [](auto i, auto n, int, auto random) {
         return i % (n / 1000) == 0 ? 0x123456789abcdefull : random;
       }},
      {"full columns",
       [](auto, auto, int width, auto random) {
         return random & ~(All(16) << (width - 25));
       }},
  };
  return *kinds;
}

// The order that the algorithm promises, told from the bits.
template <typename T>
bool ComesBefore(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    using Signed =
        std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    Signed of_a;
    Signed of_b;
    std::memcpy(&of_a, &a, sizeof(T));
    std::memcpy(&of_b, &b, sizeof(T));
    if ((of_a < 0) != (of_b < 0)) return of_a < 0;
    return of_a < 0 ? of_b < of_a : of_a < of_b;
  } else {
    return a < b;
  }
}

template <typename T>
HostArray Keys(const Kind& kind, std::int64_t n) {
  HostArray keys(ElementTypeOf<T>(), {n});
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    const std::uint64_t bits = kind.bits(at, static_cast<std::uint64_t>(n),
                                         8 * sizeof(T), RandomBits(1, at));
    std::memcpy(keys.data<T>() + i, &bits, sizeof(T));
  }
  return keys;
}

class RadixSortMsd : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::shared_ptr<Backend>> cuda = OpenBackend("cuda");
    if (!cuda.ok()) return SkipOrFail("cuda", cuda.status().message());
    backend_ = *cuda;
  }

  // Sorts keys [first, n) to `out`, from its element `to` on.
  template <typename T>
  void Check(const std::string& what, const HostArray& keys,
             Order order = Order::kAscending, std::int64_t first = 0,
             std::int64_t to = 0) {
    const std::int64_t n = keys.size() - first;
    std::vector<T> wanted(keys.data<T>() + first, keys.data<T>() + keys.size());
    std::sort(wanted.begin(), wanted.end(), [&](T a, T b) {
      return order == Order::kAscending ? ComesBefore(a, b) : ComesBefore(b, a);
    });
    HostArray out(keys.type(), {n + to + 1});
    std::memset(out.data<T>(), 0x5a, sizeof(T) * (n + to + 1));
    const Array in_place = *backend_->Allocate(keys.type(), keys.size());
    const Array out_place = *backend_->Allocate(keys.type(), out.size());
    ASSERT_TRUE(backend_->Copy(keys.view(), in_place.view()).ok());
    ASSERT_TRUE(backend_->Copy(out.view(), out_place.view()).ok());
    const auto sort = *Registry<RadixSort>::Get().Create(backend_, "msd");
    // It leaves few keys, and floats, to onesweep otherwise.
    ASSERT_TRUE(sort->Tune({{"least", absl::StrCat(kLeast)},
                            {"counted", absl::StrCat(least_counted_)}})
                    .ok());
    RadixSort::Options options;
    options.order = order;
    // The second call finds what the first one left.
    for (int call = 0; call < 2; ++call) {
      const absl::Status status =
          sort->Run(in_place.view().Slice(first, n), NoValues(),
                    out_place.view().Slice(to, n), NoValues(), options);
      ASSERT_TRUE(status.ok()) << status;
      ASSERT_TRUE(backend_->Copy(out_place.view(), out.view()).ok());
      EXPECT_EQ(std::memcmp(out.data<T>() + to, wanted.data(), sizeof(T) * n),
                0)
          << what << ", " << Name(keys.type()) << ", n=" << n << ", call "
          << call;
    }
    // Nothing before or after the output was written to.
    const T* const all = out.data<T>();
    T untouched;
    std::memset(&untouched, 0x5a, sizeof(T));
    for (std::int64_t i = 0; i < to; ++i) {
      EXPECT_EQ(std::memcmp(all + i, &untouched, sizeof(T)), 0) << what;
    }
    EXPECT_EQ(std::memcmp(all + to + n, &untouched, sizeof(T)), 0) << what;
  }

  // From now on, buckets of keys of 4 bytes are counted.
  void CountBuckets() { least_counted_ = kLeast; }

  bool there() const { return backend_ != nullptr; }

 private:
  std::shared_ptr<Backend> backend_;
  std::int64_t least_counted_ = 0;
};

TEST_F(RadixSortMsd, SortsKeysOfEveryKind) {
  if (!there()) return;
  for (const Kind& kind : Kinds()) {
    for (const std::int64_t n : {(1 << 20) + 1, 5'000'011}) {
      Check<std::uint32_t>(kind.name, Keys<std::uint32_t>(kind, n));
    }
    Check<std::uint64_t>(kind.name, Keys<std::uint64_t>(kind, 3'000'017));
  }
}

TEST_F(RadixSortMsd, SortsEveryTypeInBothOrders) {
  if (!there()) return;
  constexpr std::int64_t kSize = 2'100'003;
  const auto check = [&](auto zero) {
    using T = decltype(zero);
    const HostArray keys = Keys<T>(Kinds()[0], kSize);
    Check<T>("uniform", keys);
    Check<T>("uniform", keys, Order::kDescending);
  };
  check(std::int8_t{});
  check(std::uint8_t{});
  check(std::int32_t{});
  check(std::uint32_t{});
  check(std::int64_t{});
  check(std::uint64_t{});
  check(float{});
  check(double{});
}

// Where another way begins, or another number of buckets.
TEST_F(RadixSortMsd, SortsSizesAroundItsThresholds) {
  if (!there()) return;
  for (const int bits : {20, 21, 22, 23, 24}) {
    for (const std::int64_t more : {-1, 0, 1}) {
      const std::int64_t n = (std::int64_t{1} << bits) + more;
      Check<std::uint32_t>("uniform", Keys<std::uint32_t>(Kinds()[0], n));
    }
  }
  for (const std::int64_t n : {(1 << 20) - 1, 1 << 20, (1 << 20) + 1}) {
    Check<double>("uniform", Keys<double>(Kinds()[0], n));
  }
}

TEST_F(RadixSortMsd, SortsKeysOfWhichTwoBytesAreLeft) {
  if (!there()) return;
  for (const int bits : {26, 27}) {
    const std::int64_t n = (std::int64_t{1} << bits) + 3;
    Check<std::uint32_t>("uniform", Keys<std::uint32_t>(Kinds()[0], n),
                         Order::kDescending, 1, 2);
  }
}

// Too few for a sample, too many for a bucket: the other sort is told how many
// keys have each value of the upper digits.
TEST_F(RadixSortMsd, LeavesABucketThatNoSampleTells) {
  if (!there()) return;
  const std::int64_t n = (std::int64_t{1} << 26) + 1;
  Check<std::int32_t>("9000",
                      Keys<std::int32_t>(Crowded("a bucket of 9000", 9000), n));
}

TEST_F(RadixSortMsd, SortsArraysThatStartAnywhere) {
  if (!there()) return;
  for (const std::int64_t shift : {0, 1, 2, 3}) {
    Check<std::uint32_t>("shifted", Keys<std::uint32_t>(Kinds()[0], 2'500'000),
                         Order::kAscending, shift, (shift + 1) % 4);
    Check<std::uint64_t>("shifted", Keys<std::uint64_t>(Kinds()[0], 1'200'000),
                         Order::kAscending, shift % 2, (shift + 1) % 2);
  }
}

TEST_F(RadixSortMsd, CountsBuckets) {
  if (!there()) return;
  CountBuckets();
  for (const Kind& kind : Kinds()) {
    for (const std::int64_t n : {1 << 20, 5'000'011}) {
      Check<std::uint32_t>(kind.name, Keys<std::uint32_t>(kind, n));
    }
    Check<std::int32_t>(kind.name, Keys<std::int32_t>(kind, 2'000'003),
                        Order::kDescending, 1, 2);
  }
  for (const std::int64_t shift : {1, 2, 3}) {
    Check<std::uint32_t>("shifted", Keys<std::uint32_t>(Kinds()[0], 2'500'000),
                         Order::kAscending, shift, (shift + 1) % 4);
  }
}

// More keys in a bucket than are on their way to the output at a time.
TEST_F(RadixSortMsd, CountsALargeBucket) {
  if (!there()) return;
  CountBuckets();
  const std::int64_t n = std::int64_t{1} << 27;
  Check<std::uint32_t>(
      "30,000", Keys<std::uint32_t>(Crowded("a bucket of 30,000", 30'000), n));
}

TEST_F(RadixSortMsd, CountsBytes) {
  if (!there()) return;
  for (const std::int64_t n :
       {4096, 4097, 16'383, 16'384, 16'385, 30'000'001}) {
    for (const int kind : {0, 1, 2, 12}) {
      Check<std::uint8_t>(Kinds()[kind].name,
                          Keys<std::uint8_t>(Kinds()[kind], n));
    }
  }
  for (const std::int64_t shift : {1, 7, 15}) {
    Check<std::int8_t>("shifted", Keys<std::int8_t>(Kinds()[0], 100'000),
                       Order::kDescending, shift, 16 - shift);
  }
}

}  // namespace
}  // namespace concord::radix_sort
