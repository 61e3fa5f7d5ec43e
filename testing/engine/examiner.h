// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_EXAMINER_H_
#define CONCORD_TESTING_ENGINE_EXAMINER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/backend.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/staging.h"

namespace concord {

struct Fault;

// What is examined: an implementation, made worse by a planted fault when the
// engine itself is under test.
struct Subject {
  const AlgorithmSpec* spec = nullptr;
  ImplementationInfo implementation;
  const Fault* fault = nullptr;
};

// One examination. Together with the subject it says all that is needed to
// repeat it.
struct Trial {
  Case test_case;
  // Where the case comes from, as long as it is what Generate made of this.
  std::optional<CaseRequest> request;
  std::string placement = "aligned";
  // Backend spec, such as "tbb:3".
  std::string backend;
  // The law that is put to the test; "" for the values themselves.
  std::string law;
  // Runs in a row, whose results must be the same as far as the contract goes.
  int repetitions = 1;
  // Further specs of the backend to run on, for which the same holds.
  std::vector<std::string> also_on;
};

// "n=1025 int32 uniform seed=7 --op=add, unaligned, on tbb:3"
std::string Describe(const Trial& trial);

enum class FailureKind {
  kSpec,          // the algorithm's description contradicts itself
  kStatus,        // an error where there should be a result
  kGuard,         // wrote outside its outputs
  kInput,         // changed an input
  kValue,         // a wrong result
  kReference,     // other bits than the reference, contrary to the contract
  kUnrepeatable,  // other bits than the run before, contrary to the contract
  kLaw,           // a law does not hold
};

// "wrong_result" and so on.
absl::string_view Name(FailureKind kind);

struct Failure {
  FailureKind kind;
  std::string message;
  // Of an error.
  absl::StatusCode code = absl::StatusCode::kOk;
};

// The backend whose default implementation is the reference.
constexpr char kReferenceBackend[] = "serial";

// Runs trials on one subject. Backends are opened once, and an implementation
// is used again for trial after trial, so that what one leaves in its scratch
// memory cannot pass unnoticed.
class Examiner {
 public:
  explicit Examiner(Subject subject) : subject_(std::move(subject)) {}

  const Subject& subject() const { return subject_; }

  // Nothing when all is right. Replicas (replicas.h) examine a trial together,
  // and each gets the same.
  std::optional<Failure> Examine(const Trial& trial);

  // The same for the values alone, when what is right is known already.
  std::optional<Failure> ExamineAgainst(const Trial& trial,
                                        const Expectations& expected);

  // The next trials get newly made implementations.
  void Renew() { opened_.clear(); }

  // Whether the backend still serves at all; a GPU does not after a kernel went
  // astray.
  bool IsUsable(const std::string& backend);

 private:
  // An implementation on one of its backend's specs.
  struct Opened {
    std::shared_ptr<Backend> backend;
    std::unique_ptr<Runner> runner;
  };

  absl::StatusOr<std::shared_ptr<Backend>> BackendOf(const std::string& spec);
  absl::StatusOr<Opened*> Open(const ImplementationInfo& implementation,
                               const std::string& backend);
  // Whether the contract promises the bits of the reference.
  bool PromisesBits() const {
    return subject_.implementation.contract.determinism ==
           Determinism::kBitwiseAcrossBackends;
  }
  absl::Status RunSubject(Opened& opened, const Case& test_case,
                          const Staging& staging);
  // Runs and checks everything but the values.
  std::optional<Failure> RunGuarded(Opened& opened, const Case& test_case,
                                    const Staging& staging);
  // CompareOutputs, as the contract has it.
  std::optional<Failure> Compare(const Staging& staging,
                                 const Expectations& expected, FailureKind kind,
                                 absl::string_view versus);
  std::optional<Failure> ExamineValues(const Trial& trial);
  std::optional<Failure> ExamineLaw(const Trial& trial);
  std::optional<Failure> CompareWithOtherSpecs(
      const Trial& trial, const std::vector<OutputSpec>& outputs,
      const Expectations& expected, const Expectations& first);
  std::optional<Failure> CompareWithReference(
      const Case& test_case, const std::vector<OutputSpec>& outputs,
      const Expectations& expected, const Staging& staging);
  absl::StatusOr<Results> RunForLaw(const Trial& trial, const Case& test_case);

  Subject subject_;
  std::map<std::string, std::shared_ptr<Backend>> backends_;
  std::map<std::string, Opened> opened_;
  std::int64_t runs_ = 0;
};

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_EXAMINER_H_
