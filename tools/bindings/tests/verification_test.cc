// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Verification by the C interface, of what the library has and of functions
// that only the caller can call.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "concord/tools/bindings/concord.h"
#include "concord/tools/bindings/tests/interface_fixture.h"

namespace concord {
namespace {

using testing::HasSubstr;

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

// The input of the next case of a function that has one; null when it is over.
const concord_array* NextInput(concord_differential* differential) {
  const concord_array* inputs = nullptr;
  std::size_t count = 0;
  const char* options = nullptr;
  const bool is_there = MessageOf(concord_differential_next(
                            differential, &inputs, &count, &options)) == "";
  return is_there && count == 1 ? inputs : nullptr;
}

// As float64 they would be their neighbours.
TEST(Differential, HasValuesBetweenWholeBoundsExactly) {
  const auto expect_values = [](const std::string& json, auto least,
                                auto most) {
    concord_differential* differential = nullptr;
    ASSERT_EQ(MessageOf(concord_differential_create(json.c_str(), nullptr, 0,
                                                    &differential)),
              "");
    int cases = 0;
    while (const concord_array* const input = NextInput(differential)) {
      const auto* const values =
          static_cast<const decltype(least)*>(input->data);
      EXPECT_GE(*std::min_element(values, values + 64), least) << json;
      EXPECT_LE(*std::max_element(values, values + 64), most) << json;
      EXPECT_EQ(
          MessageOf(concord_differential_answer(
              differential, CONCORD_COMPARE, nullptr, nullptr, 0, nullptr, 0)),
          "");
      ++cases;
    }
    EXPECT_GT(cases, 0) << json;
    concord_differential_free(differential);
  };
  expect_values(R"({"name": "f", "inputs": [{"name": "x", "types": ["int64"],
                    "shape": [64], "least": -9223372036854775807,
                    "most": 9223372036854775806}]})",
                -std::int64_t{9223372036854775807},
                std::int64_t{9223372036854775806});
  expect_values(R"({"name": "f", "inputs": [{"name": "x", "types": ["uint64"],
                    "shape": [64], "least": 18446744073709551614,
                    "most": 18446744073709551614}]})",
                std::uint64_t{18446744073709551614u},
                std::uint64_t{18446744073709551614u});
}

// A list in a list, 100,000 times: what looked into all of them would need as
// many frames on the stack.
TEST(Differential, RefusesWhatIsNestedDeeply) {
  const int kDepth = 100000;
  const std::string nested =
      std::string(kDepth, '[') + std::string(kDepth, ']');
  const auto refusal = [&](const std::string& before,
                           const std::string& after) {
    concord_differential* differential = nullptr;
    return MessageOf(concord_differential_create(
        (before + nested + after).c_str(), nullptr, 0, &differential));
  };
  EXPECT_EQ(refusal(R"({"name": )", "}"),
            "the name of a description is a text, not an array");
  EXPECT_EQ(refusal(R"({"name": "f", "inputs": )", "}"),
            "an input is no object");
  EXPECT_EQ(refusal(R"({"name": "f", "inputs": {"x": )", "}}"),
            "'inputs' of a description is a list, not an object");
  EXPECT_THAT(refusal(R"({"name": "f", "inputs": [], "options": [{"name": "t",
                          "values": )",
                      "}]}"),
              HasSubstr("the option 't' has no values"));
}

// A case of 2^55 bytes. To say that none has failed would be too much.
TEST(Differential, SaysThatThereWasNoMemoryForACase) {
  concord_differential* differential = nullptr;
  ASSERT_EQ(MessageOf(concord_differential_create(
                R"({"name": "f", "inputs": [
              {"name": "x", "types": ["int8"], "shape": [36028797018963968]}]})",
                nullptr, 0, &differential)),
            "");
  const concord_array* inputs = nullptr;
  std::size_t count = 0;
  const char* options = nullptr;
  char* json = nullptr;
  for (concord_status* status :
       {concord_differential_next(differential, &inputs, &count, &options),
        concord_differential_next(differential, &inputs, &count, &options),
        concord_differential_result(differential, &inputs, &count, &options,
                                    &json)}) {
    EXPECT_EQ(concord_status_code(status), CONCORD_RESOURCE_EXHAUSTED);
    EXPECT_THAT(MessageOf(status), HasSubstr("bytes"));
    EXPECT_EQ(inputs, nullptr);
    EXPECT_EQ(json, nullptr);
  }
  concord_differential_free(differential);
}

// At any time, also while the engine hands out a case or takes an answer.
TEST(Differential, CanBeCancelledByAnotherThread) {
  for (int round = 0; round < 200; ++round) {
    concord_differential* differential = nullptr;
    ASSERT_EQ(MessageOf(concord_differential_create(
                  R"({"name": "f", "inputs": [{"name": "x", "types": ["uint8"],
                      "shape": [4096], "least": 7, "most": 7}]})",
                  nullptr, 0, &differential)),
              "");
    std::thread canceller([&] {
      concord_progress progress = {};
      while (progress.executed < round % 10) {
        ASSERT_EQ(
            MessageOf(concord_differential_progress(differential, &progress)),
            "");
      }
      EXPECT_EQ(MessageOf(concord_differential_cancel(differential)), "");
    });
    while (const concord_array* const input = NextInput(differential)) {
      const auto* const values = static_cast<const char*>(input->data);
      EXPECT_EQ(std::count(values, values + 4096, 7), 4096);
      EXPECT_THAT(
          MessageOf(concord_differential_answer(
              differential, CONCORD_COMPARE, nullptr, nullptr, 0, nullptr, 0)),
          testing::AnyOf("", "no case waits for an answer"));
    }
    canceller.join();
    const concord_array* inputs = nullptr;
    std::size_t count = 0;
    const char* options = nullptr;
    char* json = nullptr;
    EXPECT_EQ(MessageOf(concord_differential_result(differential, &inputs,
                                                    &count, &options, &json)),
              "");
    EXPECT_EQ(nlohmann::json::parse(TextOf(json))["cancelled"], true);
    concord_differential_free(differential);
  }
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
