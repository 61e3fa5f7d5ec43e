// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Arrays that are too large for the host: made on the device, element by
// element from its index, and checked there against what the index says.

#ifndef CONCORD_TESTING_LARGE_DEVICE_ARRAYS_CUH_
#define CONCORD_TESTING_LARGE_DEVICE_ARRAYS_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "concord/backends/cuda/cuda_backend.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/host_array.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"
#include "gtest/gtest.h"

namespace concord {

// More elements than a signed or an unsigned index of 32 bits can count, by so
// many that a tile of any kind is affected. Past the first, elements of four
// bytes take up more than 8 GiB.
constexpr std::int64_t kPast31Bits = (std::int64_t{1} << 31) + 4099;
constexpr std::int64_t kPast32Bits = (std::int64_t{1} << 32) + 4099;

// Looks random, and is the same on every machine (the finaliser of
// MurmurHash3).
__host__ __device__ inline std::uint32_t Scrambled(std::int64_t i) {
  auto x = static_cast<std::uint64_t>(i);
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return static_cast<std::uint32_t>(x >> 32);
}

// Their launches are plain CUDA: a caller's, who has only the public headers,
// and not what implementations launch by.
template <typename T, typename F>
__global__ void FillFromIndexes(T *out, std::int64_t n, F f) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       i < n; i += stride) {
    out[i] = static_cast<T>(f(i));
  }
}

struct Wrong {
  unsigned long long count;
  unsigned long long first;
};

template <typename F>
__global__ void CountWrong(std::int64_t n, F is_right, Wrong *wrong) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       i < n; i += stride) {
    if (is_right(i)) continue;
    atomicAdd(&wrong->count, 1ull);
    atomicMin(&wrong->first, static_cast<unsigned long long>(i));
  }
}

// Whether out[i] is f(i).
template <typename T, typename F>
struct IsFromIndex {
  const T *out;
  F f;
  __device__ bool operator()(std::int64_t i) const {
    return out[i] == static_cast<T>(f(i));
  }
};

constexpr int kFillBlocks = 1056;
constexpr int kFillThreads = 256;

// One test for each implementation that `Interface` has on CUDA, by variant.
template <typename Interface>
std::vector<std::string> CudaVariants() {
  std::vector<std::string> variants;
  for (const ImplementationInfo &info : Registry<Interface>::Get().All()) {
    if (info.backend == "cuda") variants.push_back(info.variant);
  }
  return variants;
}

template <typename Interface>
class LargeTest : public testing::TestWithParam<std::string> {
 protected:
  // Skips the test, or fails, where nothing can be tested.
  void SetUp() override {
    backend_ = OpenOrSkip("cuda");
    if (backend_ == nullptr) return;
    absl::StatusOr<std::unique_ptr<Interface>> created =
        Registry<Interface>::Get().Create(backend_, GetParam());
    if (absl::IsUnavailable(created.status())) {
      GTEST_SKIP() << created.status().message();
    }
    ASSERT_TRUE(created.ok()) << created.status();
    implementation_ = *std::move(created);
  }

  // Whether the contract takes so many elements of this type; skips if not.
  bool Takes(ElementType type, std::int64_t n) {
    const Contract contract =
        Registry<Interface>::Get().Find("cuda", GetParam())->contract;
    return contract.Allows(type) && n <= contract.max_size;
  }

  // An array of the device; empty, and the test skipped, where it has not the
  // memory for it.
  template <typename T>
  ArrayView Allocate(std::int64_t n) {
    absl::StatusOr<Array> array = backend_->Allocate(ElementTypeOf<T>(), n);
    if (!array.ok()) {
      Skip(std::string(array.status().message()));
      return ArrayView(nullptr, ElementTypeOf<T>(), 0, backend_->memory());
    }
    arrays_.push_back(*std::move(array));
    return arrays_.back().view();
  }

  template <typename T, typename F>
  ArrayView Make(std::int64_t n, F f) {
    const ArrayView array = Allocate<T>(n);
    FillFromIndexes<<<kFillBlocks, kFillThreads, 0, stream()>>>(
        array.data<T>(), array.size(), f);
    return array;
  }

  // Runs and checks nothing when memory was missing.
  template <typename Run>
  void RunIfThereIsRoom(const Run &run) {
    if (skipped_) return;
    const absl::Status status = run(*implementation_);
    if (absl::IsResourceExhausted(status)) {
      Skip(std::string(status.message()));
      return;
    }
    ASSERT_TRUE(status.ok()) << status;
  }

  // is_right(i) for all i below n.
  template <typename F>
  void ExpectAll(std::int64_t n, F is_right) {
    if (skipped_) return;
    const HostArray none = HostArray::Of<std::uint64_t>(
        {0, std::numeric_limits<std::uint64_t>::max()});
    const ArrayView wrong = Allocate<std::uint64_t>(2);
    ASSERT_TRUE(backend_->Copy(none.view(), wrong).ok());
    CountWrong<<<kFillBlocks, kFillThreads, 0, stream()>>>(
        n, is_right, reinterpret_cast<Wrong *>(wrong.data()));
    HostArray counted(ElementType::kUInt64, {2});
    const absl::Status status = backend_->Copy(wrong, counted.view());
    ASSERT_TRUE(status.ok()) << status;
    const std::uint64_t *const values = counted.data<std::uint64_t>();
    EXPECT_EQ(values[0], 0u)
        << "of " << n << " elements are wrong, first [" << values[1] << "]";
  }

  // out[i] is f(i) for all i.
  template <typename T, typename F>
  void ExpectFromIndexes(const ArrayView &out, F f) {
    ExpectAll(out.size(), IsFromIndex<T, F>{out.data<T>(), f});
  }

  template <typename T>
  void ExpectValue(const ArrayView &scalar, T wanted) {
    if (skipped_) return;
    HostArray value(ElementTypeOf<T>(), {1});
    ASSERT_TRUE(backend_->Copy(scalar, value.view()).ok());
    EXPECT_EQ(*value.data<T>(), wanted);
  }

  bool skipped() const { return skipped_; }

 private:
  cudaStream_t stream() const { return AsCuda(backend_)->stream(); }

  void Skip(const std::string &reason) {
    skipped_ = true;
    [&] { GTEST_SKIP() << reason; }();
  }

  std::shared_ptr<Backend> backend_;
  std::unique_ptr<Interface> implementation_;
  std::vector<Array> arrays_;
  bool skipped_ = false;
};

// The test's name from the variant.
inline std::string VariantName(
    const testing::TestParamInfo<std::string> &info) {
  return info.param;
}

}  // namespace concord

#endif  // CONCORD_TESTING_LARGE_DEVICE_ARRAYS_CUH_
