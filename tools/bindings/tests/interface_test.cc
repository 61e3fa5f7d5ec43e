// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the C interface has beside runs: descriptions, memory, events, threads
// and verification.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "concord/core/algorithm.h"
#include "concord/tools/bindings/concord.h"
#include "concord/tools/concord/descriptions.h"

namespace concord {
namespace {

using testing::HasSubstr;

// "" for no error.
std::string MessageOf(concord_status* status) {
  std::string message = concord_status_message(status);
  concord_status_free(status);
  return message;
}

std::string TextOf(char* text) {
  std::string copy = text == nullptr ? "" : text;
  concord_text_free(text);
  return copy;
}

concord_array ArrayOf(const char* name, std::vector<std::int32_t>& values,
                      const std::int64_t& size) {
  return {name,
          values.data(),
          {CONCORD_CPU, 0},
          1,
          {CONCORD_INT, 32, 1},
          &size,
          nullptr,
          0};
}

class Interface : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(MessageOf(concord_backend_open("tbb:2", &backend_)), "");
    ASSERT_EQ(MessageOf(concord_kernel_create(backend_, "scan", "", nullptr, 0,
                                              &scan_)),
              "");
  }
  void TearDown() override {
    concord_kernel_free(scan_);
    concord_backend_free(backend_);
  }

  concord_backend* backend_ = nullptr;
  concord_kernel* scan_ = nullptr;
};

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

// A row or a column of one element may have any stride.
TEST_F(Interface, TakesStridesThatSayNothing) {
  std::vector<std::int32_t> values = {3};
  std::vector<std::int32_t> results = {9};
  const std::int64_t shape[] = {1, 1};
  const std::int64_t strides[] = {77, 5};
  concord_array in = ArrayOf("in", values, shape[0]);
  concord_array out = ArrayOf("out", results, shape[0]);
  in.dimensions = 2;
  in.shape = shape;
  in.strides = strides;
  out.dimensions = 0;
  out.shape = nullptr;
  EXPECT_EQ(MessageOf(concord_kernel_run(scan_, &in, 1, &out, 1)), "");
  EXPECT_EQ(results[0], 0);
}

TEST_F(Interface, EventsOutliveWhatTheyAreOf) {
  std::vector<std::int32_t> values = {3, 1, 4};
  std::vector<std::int32_t> results(3);
  const std::int64_t size = 3;
  const concord_array in = ArrayOf("in", values, size);
  const concord_array out = ArrayOf("out", results, size);
  concord_event* event = nullptr;
  ASSERT_EQ(MessageOf(concord_kernel_start(scan_, &in, 1, &out, 1, &event)),
            "");
  concord_kernel_free(scan_);
  scan_ = nullptr;
  concord_backend_free(backend_);
  backend_ = nullptr;
  double seconds = -1;
  EXPECT_EQ(MessageOf(concord_event_seconds(event, &seconds)), "");
  EXPECT_GE(seconds, 0);
  concord_event_free(event);
  EXPECT_THAT(results, testing::ElementsAre(0, 3, 4));
}

// One kernel serves one thread at a time, and its callers need not know.
TEST_F(Interface, ThreadsTakeTurns) {
  std::atomic<int> wrong{0};
  const auto work = [&](std::int32_t element) {
    std::vector<std::int32_t> values(1000, element);
    std::vector<std::int32_t> results(1000);
    const std::int64_t size = 1000;
    const concord_array in = ArrayOf("in", values, size);
    const concord_array out = ArrayOf("out", results, size);
    for (int i = 0; i < 200; ++i) {
      if (!MessageOf(concord_kernel_run(scan_, &in, 1, &out, 1)).empty() ||
          results.back() != 999 * element) {
        ++wrong;
      }
    }
  };
  std::vector<std::thread> threads;
  for (const std::int32_t element : {1, 2, 3, 4}) {
    threads.emplace_back(work, element);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// A call whose option is a function of the caller's.
struct FunctionCall {
  const char* algorithm;
  std::vector<const char*> options;
  std::vector<std::int32_t> wanted;  // of 3 1 4 1 5
};

class Functions : public testing::TestWithParam<FunctionCall> {
 protected:
  void SetUp() override {
    ASSERT_EQ(MessageOf(concord_backend_open("tbb:2", &backend_)), "");
  }
  void TearDown() override {
    concord_plan_free(plan_);
    concord_kernel_free(kernel_);
    concord_backend_free(backend_);
  }

  std::string Create(const char* algorithm, std::vector<const char*> options,
                     const char* variant = "") {
    return MessageOf(concord_kernel_create(backend_, algorithm, variant,
                                           options.data(), options.size(),
                                           &kernel_));
  }
  std::string Plan(const char* input) {
    const concord_array in = ArrayOf(input, values_, size_);
    return MessageOf(concord_kernel_plan(kernel_, &in, 1, &plan_));
  }

  std::vector<std::int32_t> values_ = {3, 1, 4, 1, 5};
  const std::int64_t size_ = 5;
  concord_backend* backend_ = nullptr;
  concord_kernel* kernel_ = nullptr;
  concord_plan* plan_ = nullptr;
};

// The arrays are those of the algorithm, the implementation is one that runs
// programs.
TEST_P(Functions, AreOptions) {
  ASSERT_EQ(Create(GetParam().algorithm, GetParam().options), "");
  const char* name = nullptr;
  ASSERT_EQ(MessageOf(concord_kernel_name(kernel_, &name)), "");
  EXPECT_THAT(name, testing::StartsWith("sequence/tbb/"));
  ASSERT_EQ(Plan("in"), "");
  std::size_t count = 0;
  ASSERT_EQ(MessageOf(concord_plan_output_count(plan_, &count)), "");
  std::vector<concord_array> outputs(count);
  std::vector<std::int32_t> results(5);
  std::int64_t size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(MessageOf(concord_plan_output(plan_, i, &outputs[i])), "");
    const bool is_count = outputs[i].name == std::string("count");
    if (!is_count) size = outputs[i].shape[0];
    outputs[i].data = is_count ? static_cast<void*>(&size) : results.data();
  }
  const concord_array in = ArrayOf("in", values_, size_);
  ASSERT_EQ(MessageOf(concord_kernel_run(kernel_, &in, 1, outputs.data(),
                                         outputs.size())),
            "");
  results.resize(static_cast<std::size_t>(size));
  EXPECT_EQ(results, GetParam().wanted);
}

INSTANTIATE_TEST_SUITE_P(
    Algorithms, Functions,
    testing::Values(
        FunctionCall{"reduce", {"op=a > b ? a : b"}, {5}},
        FunctionCall{
            "scan", {"op=max(a, b)", "kind=inclusive"}, {3, 3, 4, 4, 5}},
        FunctionCall{"scan", {"op=a+b"}, {0, 3, 4, 8, 9}},
        FunctionCall{"compact", {"keep=x % 3 == 1"}, {1, 4, 1}},
        FunctionCall{"transform", {"op=d = x - 3; d * d"}, {0, 4, 1, 4, 4}}),
    [](const auto& info) {
      return std::string(info.param.algorithm) + std::to_string(info.index);
    });

// Mistakes are told in the words of the algorithm that was asked for.
using FunctionMistakes = Functions;
TEST_F(FunctionMistakes, AreToldAsWithoutFunctions) {
  EXPECT_THAT(Create("reduce", {"op=sum"}), HasSubstr("--op takes one of add"));
  EXPECT_THAT(Create("scan", {"op=a + b", "kind=neither"}),
              HasSubstr("--kind takes one of"));
  EXPECT_THAT(Create("compact", {"keep=x > 1", "output-indices"}),
              HasSubstr("unknown option --output-indices; the options here are "
                        "--keep"));
  EXPECT_THAT(Create("reduce", {"op=a + b"}, "fastest"),
              HasSubstr("no implementation tbb/fastest"));
  ASSERT_EQ(Create("reduce", {"op=a + b"}), "");
  EXPECT_THAT(Plan("x"), HasSubstr("there is no input 'x'"));
  const concord_array in = ArrayOf("in", values_, size_);
  EXPECT_THAT(MessageOf(concord_kernel_run(kernel_, nullptr, 0, nullptr, 0)),
              HasSubstr("the input 'in' is not given"));
  EXPECT_THAT(MessageOf(concord_kernel_run(kernel_, &in, 1, nullptr, 0)),
              HasSubstr("the output 'out' is not given"));
}

TEST_F(FunctionMistakes, GiveOneValue) {
  ASSERT_EQ(Create("transform", {"op=(x, x + 1)"}), "");
  EXPECT_THAT(Plan("in"),
              HasSubstr("--op takes a function that gives one value"));
}

// What stood there before could be taken for a result.
TEST(Differential, GivesNothingAfterAFailure) {
  const char* const kStale = "stale";
  concord_array stale = {};
  const concord_array* inputs = &stale;
  std::size_t count = 1;
  const char* options = kStale;
  const auto is_empty = [&] {
    const bool empty = inputs == nullptr && count == 0 && options == nullptr;
    inputs = &stale;
    count = 1;
    options = kStale;
    return empty;
  };
  EXPECT_EQ(
      MessageOf(concord_differential_next(nullptr, &inputs, &count, &options)),
      "'differential' is NULL");
  EXPECT_TRUE(is_empty());
  char* json = nullptr;
  EXPECT_EQ(MessageOf(concord_differential_result(nullptr, &inputs, &count,
                                                  &options, &json)),
            "'differential' is NULL");
  EXPECT_TRUE(is_empty());
  concord_differential* differential = nullptr;
  ASSERT_EQ(MessageOf(concord_differential_create(
                R"({"name": "f", "inputs": [
                    {"name": "x", "types": ["int8"], "shape": [3]}]})",
                nullptr, 0, &differential)),
            "");
  EXPECT_EQ(MessageOf(concord_differential_result(differential, &inputs, &count,
                                                  &options, nullptr)),
            "'json' is NULL");
  EXPECT_TRUE(is_empty());
  // Numbers are extents.
  ASSERT_EQ(MessageOf(concord_differential_next(differential, &inputs, &count,
                                                &options)),
            "");
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(inputs[0].shape[0], 3);
  concord_differential_free(differential);
}

TEST(Verification, FindsNothingInWhatIsRight) {
  const char* const options[] = {"cases=20", "backends=serial", "seed=5"};
  concord_verification* verification = nullptr;
  ASSERT_EQ(MessageOf(concord_verification_create("scan/serial/reference",
                                                  options, 3, &verification)),
            "");
  ASSERT_EQ(MessageOf(concord_verification_run(verification)), "");
  char* json = nullptr;
  ASSERT_EQ(MessageOf(concord_verification_result(verification, &json)), "");
  const nlohmann::json result = nlohmann::json::parse(TextOf(json));
  EXPECT_EQ(result["executed"], 20);
  EXPECT_EQ(result["cancelled"], false);
  EXPECT_EQ(result["failures"].size(), 0u);
  EXPECT_EQ(result["implementations"].size(), 1u);
  EXPECT_THAT(MessageOf(concord_verification_run(verification)),
              HasSubstr("has run before"));
  concord_verification_free(verification);
}

TEST(Verification, SaysThatNothingMatches) {
  concord_verification* verification = nullptr;
  ASSERT_EQ(MessageOf(concord_verification_create("sum/*", nullptr, 0,
                                                  &verification)),
            "");
  EXPECT_EQ(MessageOf(concord_verification_run(verification)),
            "no implementation matches 'sum/*'");
  concord_verification_free(verification);
}

TEST(Verification, CanBeWatchedAndCancelled) {
  const char* const options[] = {"seconds=600", "backends=serial"};
  concord_verification* verification = nullptr;
  ASSERT_EQ(
      MessageOf(concord_verification_create("scan", options, 2, &verification)),
      "");
  std::thread runner([&] {
    EXPECT_EQ(MessageOf(concord_verification_run(verification)), "");
  });
  concord_progress progress = {};
  while (progress.executed < 5) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(MessageOf(concord_verification_progress(verification, &progress)),
              "");
  }
  EXPECT_EQ(MessageOf(concord_verification_cancel(verification)), "");
  runner.join();
  char* json = nullptr;
  ASSERT_EQ(MessageOf(concord_verification_result(verification, &json)), "");
  EXPECT_EQ(nlohmann::json::parse(TextOf(json))["cancelled"], true);
  concord_verification_free(verification);
}

}  // namespace
}  // namespace concord
