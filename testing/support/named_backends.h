// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_NAMED_BACKENDS_H_
#define CONCORD_TESTING_SUPPORT_NAMED_BACKENDS_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "concord/core/backend.h"

namespace concord {

// For tests whose parameter is a backend's spec, or that and a variant.

inline std::shared_ptr<Backend> Open(const std::string& spec) {
  absl::StatusOr<std::shared_ptr<Backend>> backend = OpenBackend(spec);
  EXPECT_TRUE(backend.ok()) << backend.status();
  return *std::move(backend);
}

// A name that GoogleTest takes: "tbb:1/atoms" -> "tbb_1_atoms".
inline std::string TestName(std::string parameter) {
  for (char& c : parameter) {
    if (c == ':' || c == '/') c = '_';
  }
  return parameter;
}

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_NAMED_BACKENDS_H_
