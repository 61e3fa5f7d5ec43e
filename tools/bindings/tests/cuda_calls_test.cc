// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Calls on a GPU from C: what arrays say of where they lie, and streams.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "concord/testing/support/program.h"
#include "concord/tools/bindings/concord.h"
#include "concord/tools/bindings/tests/interface_fixture.h"

namespace concord {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kSize = 1000;

// Inclusive sums of ones, on the GPU and back.
class CudaCalls : public testing::Test {
 protected:
  void SetUp() override {
    const std::string absence = MessageOf(concord_backend_open("cuda", &gpu_));
    if (!absence.empty()) return SkipOrFail("cuda", absence);
    SetUpOn(gpu_);
  }
  void TearDown() override {
    Free();
    concord_backend_free(gpu_);
  }

  void SetUpOn(concord_backend* backend) {
    const char* const options[] = {"kind=inclusive"};
    ASSERT_EQ(MessageOf(concord_kernel_create(backend, "scan", "", options, 1,
                                              &scan_)),
              "");
    in_ = ArrayOf("in", nullptr, CONCORD_CUDA);
    out_ = ArrayOf("out", nullptr, CONCORD_CUDA);
    ASSERT_EQ(MessageOf(concord_memory_allocate(backend, &in_, &memory_[0])),
              "");
    ASSERT_EQ(MessageOf(concord_memory_allocate(backend, &out_, &memory_[1])),
              "");
    const concord_array ones = ArrayOf("in", ones_.data(), CONCORD_CPU);
    ASSERT_EQ(MessageOf(concord_copy(backend, &ones, &in_)), "");
  }
  void Free() {
    for (concord_memory*& memory : memory_) {
      concord_memory_free(memory);
      memory = nullptr;
    }
    concord_kernel_free(scan_);
    scan_ = nullptr;
  }

  static concord_array ArrayOf(const char* name, std::int32_t* data,
                               std::int32_t device) {
    static const std::int64_t size = kSize;
    return {name,    data, {device, 0}, 1, {CONCORD_INT, 32, 1}, &size,
            nullptr, 0};
  }

  std::string Run(const concord_array& in, const concord_array& out) {
    return MessageOf(concord_kernel_run(scan_, &in, 1, &out, 1));
  }

  // Run-length decoding of an array by itself.
  concord_status* PlanDecoding(const concord_array& array,
                               concord_plan** plan) {
    concord_kernel* decode = nullptr;
    EXPECT_EQ(MessageOf(concord_kernel_create(gpu_, "run_length_decode", "",
                                              nullptr, 0, &decode)),
              "");
    concord_array inputs[] = {array, array};
    inputs[0].name = "values";
    inputs[1].name = "lengths";
    concord_status* const status = concord_kernel_plan(decode, inputs, 2, plan);
    concord_kernel_free(decode);
    return status;
  }

  // That all is well with the GPU, whatever was refused before.
  void ExpectSums(concord_backend* backend) {
    ASSERT_EQ(Run(in_, out_), "");
    std::vector<std::int32_t> sums(kSize);
    const concord_array to = ArrayOf("out", sums.data(), CONCORD_CPU);
    ASSERT_EQ(MessageOf(concord_copy(backend, &out_, &to)), "");
    std::vector<std::int32_t> wanted(kSize);
    std::iota(wanted.begin(), wanted.end(), 1);
    EXPECT_EQ(sums, wanted);
  }

  concord_backend* gpu_ = nullptr;
  concord_kernel* scan_ = nullptr;
  concord_memory* memory_[2] = {nullptr, nullptr};
  concord_array in_ = {};
  concord_array out_ = {};
  std::vector<std::int32_t> ones_ = std::vector<std::int32_t>(kSize, 1);
};

// How many elements there will be, the lengths on the GPU say.
TEST_F(CudaCalls, SizesFollowFromElementsOnTheGpu) {
  concord_plan* plan = nullptr;
  EXPECT_EQ(MessageOf(PlanDecoding(in_, &plan)), "");
  concord_array out = {};
  EXPECT_EQ(MessageOf(concord_plan_output(plan, 0, &out)), "");
  // Each of them is there once.
  EXPECT_EQ(out.shape[0], kSize);
  concord_plan_free(plan);
}

TEST_F(CudaCalls, SizesThatFollowFromElementsNeedThem) {
  concord_array without_elements = in_;
  without_elements.data = nullptr;
  concord_plan* plan = nullptr;
  concord_status* const status = PlanDecoding(without_elements, &plan);
  EXPECT_EQ(concord_status_code(status), CONCORD_INVALID_ARGUMENT);
  EXPECT_THAT(MessageOf(status), HasSubstr("depends on elements"));
  EXPECT_EQ(plan, nullptr);
}

// A kernel that touched it would end all work on the GPU.
TEST_F(CudaCalls, MemoryOfTheHostIsNoneOfAGpu) {
  for (const std::int32_t device : {CONCORD_CUDA, CONCORD_CUDA_MANAGED}) {
    const concord_array on_host = ArrayOf("in", ones_.data(), device);
    EXPECT_THAT(Run(on_host, out_),
                HasSubstr("'in' is said to lie in cuda:0 memory, but CUDA "
                          "knows of none at its first element"));
    EXPECT_THAT(MessageOf(concord_copy(gpu_, &on_host, &out_)),
                HasSubstr("'from' is said to lie in cuda:0 memory"));
  }
  ExpectSums(gpu_);
}

// The host would end with it.
TEST_F(CudaCalls, MemoryOfAGpuIsNoneOfTheHost) {
  concord_array on_gpu = in_;
  on_gpu.device.type = CONCORD_CPU;
  concord_plan* plan = nullptr;
  EXPECT_THAT(MessageOf(concord_kernel_plan(scan_, &on_gpu, 1, &plan)),
              HasSubstr("'in' is said to lie in host memory, but its first "
                        "element lies in cuda:0 memory"));
  EXPECT_THAT(MessageOf(concord_copy(gpu_, &in_, &on_gpu)),
              HasSubstr("'to' is said to lie in host memory"));
}

TEST_F(CudaCalls, AnArrayDoesNotEndBehindItsMemory) {
  const std::int64_t size = std::int64_t{1} << 36;
  concord_array in = in_;
  in.shape = &size;
  EXPECT_THAT(Run(in, out_), HasSubstr("at its last element"));
  ExpectSums(gpu_);
}

// Both the host and the GPUs reach it.
TEST_F(CudaCalls, PageLockedMemoryMayBeUsedAsTheGpus) {
  concord_array sums = ArrayOf("out", nullptr, CONCORD_CPU);
  concord_memory* memory = nullptr;
  ASSERT_EQ(MessageOf(concord_memory_allocate_host(gpu_, &sums, &memory)), "");
  sums.device.type = CONCORD_CUDA;
  EXPECT_EQ(Run(in_, sums), "");
  EXPECT_EQ(static_cast<const std::int32_t*>(sums.data)[kSize - 1], kSize);
  concord_memory_free(memory);
}

TEST_F(CudaCalls, TheDefaultStreamHasThreeHandles) {
  for (const std::uintptr_t handle : {0, 1, 2}) {
    SCOPED_TRACE(handle);
    concord_backend* backend = nullptr;
    ASSERT_EQ(MessageOf(concord_backend_open_on_stream(
                  "cuda", reinterpret_cast<void*>(handle), &backend)),
              "");
    Free();
    SetUpOn(backend);
    ExpectSums(backend);
    concord_backend_free(backend);
  }
}

TEST_F(CudaCalls, ANumberIsNoStream) {
  for (const std::uintptr_t handle : {3L, 4095L, 0x7f0000000001L}) {
    concord_backend* backend = nullptr;
    EXPECT_THAT(MessageOf(concord_backend_open_on_stream(
                    "cuda", reinterpret_cast<void*>(handle), &backend)),
                HasSubstr("is not the handle of a stream"));
    EXPECT_EQ(backend, nullptr);
  }
}

}  // namespace
}  // namespace concord
