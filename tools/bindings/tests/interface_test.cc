// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the C interface has beside runs: descriptions, explanations, plans, and
// what arrays are made of.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "concord/core/algorithm.h"
#include "concord/tools/bindings/concord.h"
#include "concord/tools/bindings/tests/interface_fixture.h"
#include "concord/tools/concord/descriptions.h"

namespace concord {
namespace {

using testing::HasSubstr;

// DLPack's, whose members a binding may copy as they are.
struct DLTensor {
  void* data;
  struct {
    std::int32_t device_type, device_id;
  } device;
  std::int32_t ndim;
  struct {
    std::uint8_t code, bits;
    std::uint16_t lanes;
  } dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
constexpr std::size_t kTensor = offsetof(concord_array, data);
static_assert(sizeof(concord_array) == kTensor + sizeof(DLTensor));
static_assert(offsetof(concord_array, device) ==
              kTensor + offsetof(DLTensor, device));
static_assert(offsetof(concord_array, dimensions) ==
              kTensor + offsetof(DLTensor, ndim));
static_assert(offsetof(concord_array, type) ==
              kTensor + offsetof(DLTensor, dtype));
static_assert(offsetof(concord_array, shape) ==
              kTensor + offsetof(DLTensor, shape));
static_assert(offsetof(concord_array, strides) ==
              kTensor + offsetof(DLTensor, strides));
static_assert(offsetof(concord_array, byte_offset) ==
              kTensor + offsetof(DLTensor, byte_offset));

TEST_F(Interface, SaysWhatItIs) {
  EXPECT_EQ(concord_version(), 10000 * CONCORD_VERSION_MAJOR +
                                   100 * CONCORD_VERSION_MINOR +
                                   CONCORD_VERSION_PATCH);
  const char* name = nullptr;
  EXPECT_EQ(MessageOf(concord_backend_name(backend_, &name)), "");
  EXPECT_STREQ(name, "tbb:2");
  EXPECT_EQ(MessageOf(concord_kernel_name(scan_, &name)), "");
  EXPECT_THAT(name, testing::StartsWith("scan/tbb/"));
  concord_device device = {0, 7};
  EXPECT_EQ(MessageOf(concord_backend_device(backend_, &device)), "");
  EXPECT_EQ(device.type, CONCORD_CPU);
  EXPECT_EQ(device.index, 0);
}

TEST_F(Interface, DescribesAsTheCommandLineDoes) {
  char* json = nullptr;
  ASSERT_EQ(MessageOf(concord_describe("reduce", &json)), "");
  EXPECT_EQ(TextOf(json), AsJson(**FindAlgorithm("reduce")));
  ASSERT_EQ(MessageOf(concord_describe(nullptr, &json)), "");
  EXPECT_EQ(nlohmann::json::parse(TextOf(json)).size(), AllAlgorithms().size());
  ASSERT_EQ(MessageOf(concord_list_implementations(&json)), "");
  EXPECT_EQ(TextOf(json), AsJson(EntriesOf("")));
  ASSERT_EQ(MessageOf(concord_list_backends(&json)), "");
  EXPECT_THAT(TextOf(json), HasSubstr("\"backend\": \"tbb\""));
}

TEST_F(Interface, ExplainsAProgramWithoutItsElements) {
  const std::int64_t size = std::int64_t{1} << 40;
  std::vector<std::int32_t> none;
  const concord_array x = ArrayOf("x", none, size);
  const char* options[] = {"program=filter x > 0 |> reduce a + b"};
  char* json = nullptr;
  ASSERT_EQ(MessageOf(concord_explain("sequence", options, 1, &x, 1, &json)),
            "");
  const nlohmann::json program = nlohmann::json::parse(TextOf(json));
  EXPECT_EQ(program.at("algorithm"), "sequence");
  EXPECT_EQ(program.at("steps").at(0).at("elements"), size);
  EXPECT_EQ(program.at("least_bytes_read"), 4 * size);
  EXPECT_EQ(program.at("least_bytes_written"), 4);
}

TEST_F(Interface, ExplainsAFunctionAsTheProgramThatItIs) {
  const std::int64_t size = 1000;
  std::vector<std::int32_t> none;
  const concord_array in = ArrayOf("in", none, size);
  const char* function[] = {"op=a > b ? a : b"};
  char* json = nullptr;
  ASSERT_EQ(MessageOf(concord_explain("reduce", function, 1, &in, 1, &json)),
            "");
  const std::string explained = TextOf(json);
  const concord_array x = ArrayOf("x", none, size);
  const char* program[] = {"program=reduce a > b ? a : b"};
  ASSERT_EQ(MessageOf(concord_explain("sequence", program, 1, &x, 1, &json)),
            "");
  EXPECT_EQ(explained, TextOf(json));
}

TEST_F(Interface, PlansFromShapesAlone) {
  const std::int64_t size = std::int64_t{1} << 40;
  std::vector<std::int32_t> none;
  const concord_array in = ArrayOf("in", none, size);
  concord_plan* plan = nullptr;
  ASSERT_EQ(MessageOf(concord_kernel_plan(scan_, &in, 1, &plan)), "");
  concord_array out;
  ASSERT_EQ(MessageOf(concord_plan_output(plan, 0, &out)), "");
  EXPECT_STREQ(out.name, "out");
  EXPECT_EQ(out.shape[0], size);
  EXPECT_EQ(out.type.bits, 32);
  const char* name = nullptr;
  EXPECT_EQ(MessageOf(concord_plan_in_place_of(plan, 0, &name)), "");
  EXPECT_STREQ(name, "in");
  EXPECT_EQ(MessageOf(concord_plan_count_in(plan, 0, &name)), "");
  EXPECT_EQ(name, nullptr);
  concord_plan_free(plan);
}

// How long the result is, the lengths say; the values may be anywhere.
TEST_F(Interface, PlansSayWhichElementsTheyNeed) {
  concord_kernel* decode = nullptr;
  ASSERT_EQ(MessageOf(concord_kernel_create(backend_, "run_length_decode", "",
                                            nullptr, 0, &decode)),
            "");
  const std::int64_t size = 2;
  std::vector<std::int32_t> none;
  std::vector<std::int32_t> given = {3, 4};
  concord_plan* plan = nullptr;
  concord_array inputs[] = {ArrayOf("values", given, size),
                            ArrayOf("lengths", none, size)};
  EXPECT_EQ(MessageOf(concord_kernel_plan(decode, inputs, 2, &plan)),
            "the size of 'out' depends on elements of 'lengths', which are not "
            "in host memory");
  inputs[0] = ArrayOf("values", none, size);
  inputs[1] = ArrayOf("lengths", given, size);
  ASSERT_EQ(MessageOf(concord_kernel_plan(decode, inputs, 2, &plan)), "");
  concord_array out;
  ASSERT_EQ(MessageOf(concord_plan_output(plan, 0, &out)), "");
  EXPECT_EQ(out.shape[0], 7);
  concord_plan_free(plan);
  concord_kernel_free(decode);
}

}  // namespace
}  // namespace concord
