// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_FAKE_ALGORITHM_H_
#define CONCORD_TESTING_SUPPORT_FAKE_ALGORITHM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "concord/core/spec.h"

namespace concord {

// An algorithm simple enough to be beyond doubt, with which the engine itself
// is tested: differences between elements `lag` apart, of int32 and float32.
//
//   for i in 0 .. n - 1:
//     out[i] = in[i] - in[i - lag]     // 0 where there is no such element
//
// "fake_difference" has right implementations on two backends: serial, and one
// called "inverted", whose memory holds every byte inverted, so that what
// bypasses Backend::Copy is wrong at once. "fake_broken" is the same algorithm,
// but its implementation goes wrong from kFirstBrokenSize elements on; its
// variant "picky" can run nowhere.
class FakeDifference : public Implementation {
 public:
  static constexpr char kName[] = "fake_difference";

  struct Options {
    std::int64_t lag = 1;
  };

  static const Signature<FakeDifference>& GetSignature();
  virtual absl::Status Compute(ConstArrayView in, ArrayView out,
                               const Options& options) = 0;
};

class FakeBroken : public FakeDifference {
 public:
  static constexpr char kName[] = "fake_broken";
  static constexpr std::int64_t kFirstBrokenSize = 6;
  static const Signature<FakeBroken>& GetSignature();
};

// The spec of fake_difference.
const AlgorithmSpec& FakeSpec();

// Its implementation on the backend.
ImplementationInfo FakeImplementation(const std::string& backend);

// A case of it.
Case FakeCase(const std::vector<std::int32_t>& values, std::int64_t lag = 1);
Case FakeCase(const std::vector<float>& values, std::int64_t lag = 1);

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_FAKE_ALGORITHM_H_
