// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_TIERED_TIERED_PASS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_TIERED_TIERED_PASS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/pass_maker.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/tiered/tier_rule.h"
#include "concord/core/array.h"

namespace concord::sequence {

// How often a pass of this process was interpreted, and how often its kernels
// came from a cache or from the compiler. For tests and for people.
struct TierCounts {
  std::int64_t interpreted = 0;
  std::int64_t found = 0;
  std::int64_t compiled = 0;
};

// What passes have cost so far, of the whole process: implementations come and
// go with calls.
class TierLedger {
 public:
  static TierLedger& Get();

  // Adds what interpreting a pass costs more, and returns the sum so far.
  double Add(const std::string& pass, double seconds);

  // That the driver cannot compile it, and why.
  void SetRefused(const std::string& pass, const absl::Status& why);
  absl::Status Refused(const std::string& pass);

  void Count(std::int64_t TierCounts::*which);
  TierCounts counts();

 private:
  struct Entry {
    double seconds = 0;
    absl::Status refused;
  };

  Entry& Of(const std::string& pass);

  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  TierCounts counts_;
};

// The two ways to run passes, and the rule's figures for a device.
class Tiers {
 public:
  virtual ~Tiers() = default;
  virtual absl::StatusOr<std::unique_ptr<MadePass>> Interpreted(
      const Pass& pass) = 0;
  // NotFound where it lies in no cache.
  virtual absl::StatusOr<std::unique_ptr<MadePass>> Found(const Pass& pass) = 0;
  // Unavailable where the driver cannot compile it.
  virtual absl::StatusOr<std::unique_ptr<MadePass>> Compiled(
      const Pass& pass) = 0;
  virtual int multiprocessors() const = 0;
  // A name of the device, for the ledger.
  virtual std::string device() const = 0;
};

// A pass that is interpreted until the rule says that compiling it pays.
class TieredPass : public MadePass {
 public:
  // `tiers` outlives it.
  TieredPass(Tiers& tiers, Pass pass, JitMode mode);

  absl::StatusOr<PassOutcome> Run(std::int64_t n,
                                  absl::Span<const ConstArrayView> columns,
                                  absl::Span<const ConstArrayView> tables,
                                  absl::Span<const ArrayView> out,
                                  std::int64_t index) override;

 private:
  // Sets spliced_ if there is, or is to be, compiled code for n elements.
  absl::Status Choose(std::int64_t n);
  absl::Status Compile();

  Tiers& tiers_;
  const Pass pass_;
  const JitMode mode_;
  const std::string key_;
  bool looked_ = false;
  std::unique_ptr<MadePass> interpreted_, spliced_;
};

// What TieredPass would do with a pass of n elements, and why, in words:
// "interpreted: compiling takes 300 ms and would save 0.1 ms a run". It does
// nothing but look into the caches.
std::string ExplainTier(Tiers& tiers, const Pass& pass, std::int64_t n,
                        JitMode mode);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_TIERED_TIERED_PASS_H_
