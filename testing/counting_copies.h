// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// An algorithm whose implementations count their runs, and a backend with a
// memory of its own, for a test of what is chosen. They register themselves.

#ifndef CONCORD_TESTING_COUNTING_COPIES_H_
#define CONCORD_TESTING_COUNTING_COPIES_H_

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/algorithm.h"
#include "concord/core/registry.h"
#include "concord/testing/support/plain_backend.h"

namespace concord {

// --- A device: host memory by another name ---

inline BackendStatus ProbeToy() {
  BackendStatus status;
  status.name = "toy";
  status.devices = {{"toy", {{"speed", "imaginary"}}}};
  return status;
}

// Of the highest rank: `auto` without a table.
inline const bool kBackendRegistered = RegisterBackend(
    {"toy", 1000, ProbeToy,
     [](absl::string_view) -> absl::StatusOr<std::shared_ptr<Backend>> {
       return std::make_shared<PlainBackend>("toy", Memory("toy", 0));
     }});

// --- An algorithm ---

class Copying : public Implementation {
 public:
  static constexpr char kName[] = "copying";
  struct Options {
    int times = 1;
  };
  static const Signature<Copying>& GetSignature() {
    static const auto* const signature = new Signature<Copying>(
        Signature<Copying>("the same again")
            .Number("times", "how often", &Options::times, 1, 9)
            .Input({"in", "the elements"})
            .Output({"out", "the same", SameTypeAs{0}, {"n"}})
            .Calls(
                [](Copying& copying, Views in, MutableViews out,
                   const Options&) { return copying.Compute(in[0], out[0]); }));
    return *signature;
  }

 protected:
  virtual absl::Status Compute(ConstArrayView in, ArrayView out) = 0;
};

template <int kNumber>
class Counting : public Copying {
 public:
  static inline int runs = 0;

 protected:
  absl::Status Compute(ConstArrayView in, ArrayView out) override {
    ++runs;
    return backend().Copy(in, out);
  }
};
using Standard = Counting<0>;
using Agrees = Counting<1>;
using Differs = Counting<2>;
using Limited = Counting<3>;
using OnToy = Counting<4>;
using OtherOnToy = Counting<5>;

template <typename Made>
bool Add(const char* backend, const char* variant, int rank,
         Contract contract = {}) {
  return Registry<Copying>::Get().Add<Made>(backend, variant, rank, "",
                                            std::move(contract));
}
inline const bool kAlgorithmRegistered =
    RegisterAlgorithm<Copying>() && Add<Standard>("tbb", "standard", 1) &&
    Add<Agrees>("serial", "agrees", 1) &&
    Add<Differs>("serial", "differs", 0,
                 Contract().Determined(Determinism::kRunToRun)) &&
    Add<Limited>("serial", "limited", 0, Contract().AtMost(3000)) &&
    Add<OnToy>("toy", "plain", 1) && Add<OtherOnToy>("toy", "other", 0);

}  // namespace concord

#endif  // CONCORD_TESTING_COUNTING_COPIES_H_
