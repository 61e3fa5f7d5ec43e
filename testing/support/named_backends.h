// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_NAMED_BACKENDS_H_
#define CONCORD_TESTING_SUPPORT_NAMED_BACKENDS_H_

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/core/backend.h"
#include "concord/core/implementation.h"
#include "concord/testing/support/program.h"

namespace concord {

// For tests whose parameter is a backend's spec, or that and a variant.

// The value; the test fails where there is none, and goes on with an empty one.
template <typename T>
T ValueOf(absl::StatusOr<T> value) {
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *std::move(value) : T();
}

inline std::shared_ptr<Backend> Open(const std::string& spec) {
  return ValueOf(OpenBackend(spec));
}

// The backend. Where it is not available, the result is null and the test ends
// by SkipOrFail. Any other error is a fatal failure. When SetUp has called
// this, tests need not ask for null: GoogleTest then does not run their bodies.
inline std::shared_ptr<Backend> OpenOrSkip(const std::string& spec) {
  absl::StatusOr<std::shared_ptr<Backend>> opened = OpenBackend(spec);
  if (opened.ok()) return *std::move(opened);
  [&] {
    ASSERT_TRUE(absl::IsUnavailable(opened.status())) << opened.status();
    SkipOrFail(spec.substr(0, spec.find(':')), opened.status().message());
  }();
  return nullptr;
}

// Every CPU backend, with fewer and with more threads than there are CPUs.
inline auto CpuBackends() {
  return ::testing::Values("serial", "tbb:1", "tbb:2", "tbb:3", "tbb:8");
}

// A name that GoogleTest takes: "tbb:1/atoms" -> "tbb_1_atoms".
inline std::string TestName(std::string parameter) {
  for (char& c : parameter) {
    if (c == ':' || c == '/') c = '_';
  }
  return parameter;
}
inline std::string NameOfParameter(
    const ::testing::TestParamInfo<std::string>& info) {
  return TestName(info.param);
}

// The parts of a parameter such as "tbb:1/atoms".
inline std::string BackendIn(const std::string& parameter) {
  return parameter.substr(0, parameter.find('/'));
}
inline std::string VariantIn(const std::string& parameter) {
  return parameter.substr(parameter.find('/') + 1);
}

// How GoogleTest shows a parameter of this type.
inline void PrintTo(const ImplementationInfo& implementation,
                    std::ostream* out) {
  *out << implementation.name();
}

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_NAMED_BACKENDS_H_
