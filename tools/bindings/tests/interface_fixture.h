// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What tests of the C interface share.

#ifndef CONCORD_TOOLS_BINDINGS_TESTS_INTERFACE_FIXTURE_H_
#define CONCORD_TOOLS_BINDINGS_TESTS_INTERFACE_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "concord/tools/bindings/concord.h"

namespace concord {

// "" for no error. The status is freed.
inline std::string MessageOf(concord_status* status) {
  std::string message = concord_status_message(status);
  concord_status_free(status);
  return message;
}

// The text, which is freed.
inline std::string TextOf(char* text) {
  std::string copy = text == nullptr ? "" : text;
  concord_text_free(text);
  return copy;
}

inline concord_array ArrayOf(const char* name,
                             std::vector<std::int32_t>& values,
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

// A scan on the host.
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

}  // namespace concord

#endif  // CONCORD_TOOLS_BINDINGS_TESTS_INTERFACE_FIXTURE_H_
