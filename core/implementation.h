// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_IMPLEMENTATION_H_
#define CONCORD_CORE_IMPLEMENTATION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "concord/core/backend.h"
#include "concord/core/contract.h"
#include "concord/core/options.h"

namespace concord {

// What an implementation asks of a device beyond its backend's being there.
struct Requirement {
  // In words, to follow "it needs": "compute capability 9.0".
  std::string what;
  // Empty when any device will do.
  std::function<bool(Backend&)> is_met;
};

// One implementation of an algorithm as the generic tools see it.
struct ImplementationInfo {
  std::string algorithm;
  std::string backend;
  std::string variant;
  std::string summary;
  Contract contract;
  // The variant of the highest rank that can run is its backend's default.
  int rank = 0;
  Requirement requirement = {};
  // Options that this variant alone understands, all numbers: they change how
  // it works and never what it computes.
  std::vector<OptionSpec> tuning = {};

  // "scan/cuda/lookback"
  std::string name() const {
    return absl::StrCat(algorithm, "/", backend, "/", variant);
  }

  // Why it cannot run on this opened backend, its own, in words; "" when it
  // can.
  std::string RefusalOn(Backend& opened) const;
  // The same for a backend that is opened only if need be.
  std::string RefusalOn(absl::string_view backend_spec) const;
};

// The calls of implementations that have failed in this process, after their
// arguments were found right. One that fails midway does not leave memory as it
// leaves it for the next call: whoever relies on that asks here first, and sets
// the memory up anew.
class FailedCalls {
 public:
  // Goes after each.
  static void Count();

  // Whether there were any since this was asked last, or was made. In a call,
  // only those count that had failed when it began: what fails meanwhile, on
  // other threads, says nothing about memory that this call has filled.
  bool AnyNew();

  // Stands beside a call for as long as its thread is in it. Calls may be
  // within calls.
  class DuringCall {
   public:
    DuringCall();
    ~DuringCall();
    DuringCall(const DuringCall&) = delete;
    DuringCall& operator=(const DuringCall&) = delete;

   private:
    const std::uint64_t failed_before_;
    const std::uint64_t* const of_outer_call_;
  };

 private:
  // Of which this thread may know.
  static std::uint64_t All();

  std::uint64_t seen_ = All();
};

// What an algorithm takes and gives: core/signature.h.
template <typename Interface>
class Signature;

// What every algorithm's interface derives from. An object of it belongs to a
// backend, keeps it alive, and keeps scratch memory from call to call; it
// serves one thread at a time.
class Implementation {
 public:
  virtual ~Implementation() = default;
  Implementation() = default;
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  // "scan/cuda/lookback"
  const std::string& name() const { return name_; }
  Backend& backend() const { return *backend_; }

  // Sets the options of `info.tuning` for the calls that follow; those that it
  // does not know it ignores. InvalidArgument names a value out of range.
  absl::Status Tune(const OptionMap& options);

  // For the registry, which makes it. ResourceExhausted: there is no memory for
  // the name and the options.
  absl::Status Bind(const ImplementationInfo& info,
                    std::shared_ptr<Backend> backend);

 protected:
  // What the tuning option is set to, or else its default.
  std::int64_t tuning(absl::string_view option) const;

 private:
  std::string name_;
  std::vector<OptionSpec> tuning_specs_;
  // The values, in the order of the specs: a call asks for them.
  std::vector<std::int64_t> tuning_;
  std::shared_ptr<Backend> backend_;
};

}  // namespace concord

#endif  // CONCORD_CORE_IMPLEMENTATION_H_
