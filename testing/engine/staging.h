// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_STAGING_H_
#define CONCORD_TESTING_ENGINE_STAGING_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/backend.h"
#include "concord/core/call.h"
#include "concord/core/spec.h"

namespace concord {

// How the arrays of a case lie in memory.
struct Placement {
  std::string name;
  // Elements between a place aligned to 64 bytes and the array. 1 gives the
  // least alignment that an implementation must bear.
  std::int64_t input_shift = 0;
  std::int64_t output_shift = 0;
  // Outputs take the memory of the inputs that they may stand in for.
  bool in_place = false;
};

// "aligned" first, which is the simplest.
const std::vector<Placement>& Placements();

// InvalidArgument lists those there are.
absl::StatusOr<Placement> FindPlacement(absl::string_view name);

// A call of one case whose arrays lie in the backend's memory so that the
// engine sees what a run must not do. Every array stands between guard zones,
// every output is filled with the sentinel.
//
// No copy of an array is kept on the host, and reading back goes piece by
// piece: a case takes its own size once on the host and once on the backend.
class Staging : private Placing {
 public:
  // Far enough that a tile's or a block's stray elements land in it rather than
  // in memory that is not ours.
  static constexpr std::int64_t kGuardBytes = 4096;

  // `test_case` outlives the staging.
  static absl::StatusOr<Staging> Create(Backend& backend, const Case& test_case,
                                        const std::vector<OutputSpec>& outputs,
                                        const Placement& placement);

  const Inputs& inputs() const { return call_.inputs(); }
  const Outputs& outputs() const { return call_.outputs(); }

  // Configures the runner for the case, runs it and waits.
  absl::Status Run(Runner& runner) const;

  // Fills everything anew: inputs and guards as well as outputs.
  absl::Status Fill();

  // What a run did that it must not do; "" for what it did not.
  struct Damage {
    // Which guard does not hold what it did, and where.
    std::string to_guards;
    // Which input is not bit for bit what it was, and where. Those whose memory
    // an output took may change.
    std::string to_inputs;
  };
  absl::StatusOr<Damage> FindDamage() const;

  // Calls `take` with the pieces of an output, from its first element on.
  absl::Status ReadPieces(
      const std::string& output,
      const std::function<void(const HostArray& piece)>& take) const;

  // All outputs, with their shapes, those that have a `size_in` cut to it.
  absl::StatusOr<Results> ReadOutputs() const { return call_.GetResults(); }

 private:
  // One array and what surrounds it.
  struct Region {
    Array storage;
    ArrayView front;
    ArrayView content;
    ArrayView back;
    // What it is filled with; the sentinel when null.
    const HostArray* value = nullptr;
    bool is_output = false;
  };

  Staging(Backend& backend, const Case& test_case, const Placement& placement)
      : backend_(&backend), case_(&test_case), placement_(placement) {}

  absl::Status AddInput(Backend& backend, const std::string& name,
                        const Source& source, Arrays& arrays) override;
  absl::Status AddOutput(Backend& backend, const OutputSpec& spec,
                         const ArrayView* wanted, Arrays& arrays) override;
  absl::StatusOr<ArrayView> AddRegion(const std::string& name, ElementType type,
                                      const Shape& shape, std::int64_t shift,
                                      const HostArray* value);

  absl::Status FillRegion(const Region& region);
  absl::StatusOr<Damage> InspectTogether(const std::string& name,
                                         const Region& region) const;
  absl::StatusOr<Damage> InspectInPieces(const std::string& name,
                                         const Region& region) const;

  Backend* backend_;
  const Case* case_;
  Placement placement_;
  std::map<std::string, Region> regions_;
  Call call_;
};

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_STAGING_H_
