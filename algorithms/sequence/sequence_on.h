// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SEQUENCE_ON_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SEQUENCE_ON_H_

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/sequence.h"
#include "concord/core/backend.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"
#include "gtest/gtest.h"

namespace concord::sequence {

// Tests of `Sequence` on a backend. Each file of them instantiates it:
//   INSTANTIATE_TEST_SUITE_P(Backends, SequenceOn,
//                            ::testing::ValuesIn(BackendsOfSequence()),
//                            NameOfParameter);
class SequenceOn : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { backend_ = OpenOrSkip(GetParam()); }

  Sequence Ints(std::vector<int> values) {
    return Sequence::Of<int>(backend_, std::move(values));
  }

  std::shared_ptr<Backend> backend_;
};

// Every backend that has an implementation, with several threads.
inline std::set<std::string> BackendsOfSequence() {
  std::set<std::string> backends;
  for (const ImplementationInfo& info :
       Registry<SequenceProgram>::Get().All()) {
    backends.insert(info.backend == "tbb" ? "tbb:3" : info.backend);
  }
  return backends;
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SEQUENCE_ON_H_
