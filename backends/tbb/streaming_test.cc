// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/streaming.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"

namespace concord {
namespace {

TEST(ParallelCopy, CopiesAnySizeFromAnywhereToAnywhere) {
  constexpr std::int64_t kMost = kStreamingBytes + 12'345;
  constexpr std::int64_t kRoom = 128;
  std::vector<std::uint8_t> from(kMost + kRoom);
  std::uint64_t random = 1;
  for (std::uint8_t& byte : from) {
    random = random * 6364136223846793005u + 1;
    byte = static_cast<std::uint8_t>(random >> 56 | 1);
  }
  std::vector<std::uint8_t> to(from.size());
  for (const int threads : {1, 3}) {
    TbbBackend backend(threads);
    for (const std::int64_t bytes :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{2'000'001},
          kStreamingBytes - 1, kStreamingBytes, kMost}) {
      for (const std::int64_t shift : {0, 1, 63}) {
        std::memset(to.data(), 0, to.size());
        const std::int64_t first = 64 - shift;
        ParallelCopy(backend, to.data() + first, from.data() + shift, bytes);
        EXPECT_EQ(std::memcmp(to.data() + first, from.data() + shift, bytes), 0)
            << bytes << " " << shift;
        EXPECT_EQ(to[first - 1], 0);
        EXPECT_EQ(to[first + bytes], 0);
      }
    }
  }
}

}  // namespace
}  // namespace concord
