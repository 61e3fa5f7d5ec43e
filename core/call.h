// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_CALL_H_
#define CONCORD_CORE_CALL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/algorithm.h"
#include "concord/core/chooser.h"
#include "concord/core/host_array.h"
#include "concord/core/placing.h"

namespace concord {

// Output name -> value.
using Results = std::map<std::string, HostArray>;

// Where an output goes to.
class Sink {
 public:
  virtual ~Sink() = default;
  // Room in some memory for an output of this type and shape. Asked once for
  // each call: before the run, with the capacity, where the backend computes in
  // host memory; otherwise after it, with the shape of the results.
  virtual absl::StatusOr<ArrayView> Room(
      ElementType type, const std::vector<std::int64_t>& shape) = 0;
  // The output is complete, and the first elements of the room are the results.
  virtual absl::Status Take(const std::vector<std::int64_t>& shape) = 0;
};
using Sinks = std::map<std::string, Sink*>;

// Makes the array that it takes.
class HostArraySink : public Sink {
 public:
  absl::StatusOr<ArrayView> Room(
      ElementType type, const std::vector<std::int64_t>& shape) override;
  absl::Status Take(const std::vector<std::int64_t>& shape) override;
  // Whether there was something to take.
  bool taken() const { return taken_; }
  HostArray& value() { return value_; }

 private:
  bool taken_ = false;
  HostArray value_;
};

// How many elements of an output are results. `host` has the outputs that say
// so, in host memory; where it has two dimensions they count rows. A size that
// is negative or larger than the capacity counts as the capacity; whoever
// checks results finds the wrong size itself.
std::int64_t ResultSize(const OutputSpec& spec, const Outputs& host);
// The shape of an output of which so many elements are results.
std::vector<std::int64_t> ResultShape(const OutputSpec& spec,
                                      std::int64_t size);

// Copies the results to arrays in host memory: of each output the elements that
// are results and no others. An output that is its own target is not copied.
absl::Status CopyResults(Backend& backend, const std::vector<OutputSpec>& specs,
                         const Outputs& from, const Outputs& to);
// The same into new arrays with the outputs' shapes, of which the run may have
// found the first extent.
absl::StatusOr<Results> CopyResults(Backend& backend,
                                    const std::vector<OutputSpec>& specs,
                                    const Outputs& from);

// One call of any algorithm, from sources to sinks: planned, placed, run and
// fetched. Launching does not wait. Whoever has a runner of its own makes the
// call with Place.
//
// Example:
//   absl::StatusOr<Call> call =
//       Call::Create(algorithm, backend, "", options, sources, sinks);
//   if (!call.ok()) return call.status();
//   absl::Status status = call->Launch();
//   ...
//   if (status.ok()) status = call->Finish();
class Call {
 public:
  // On a backend that was opened as `auto`, a call without a variant may run on
  // another backend, where `concord tune` found that faster for such sizes, in
  // the memory where the inputs are. The sinks outlive the call. An output that
  // has none is computed and dropped.
  static absl::StatusOr<Call> Create(const Algorithm& algorithm,
                                     std::shared_ptr<Backend> backend,
                                     absl::string_view variant,
                                     const OptionMap& options,
                                     const Sources& sources,
                                     const Sinks& sinks);

  // A call without a runner and without sinks, whose arrays lie as `placing`
  // decides. `wanted` is as in concord::Place. The backend outlives the call.
  static absl::StatusOr<Call> Place(Backend& backend,
                                    const std::vector<OutputSpec>& specs,
                                    const Sources& sources,
                                    const Outputs& wanted, Placing& placing);

  // To be assigned to.
  Call() = default;

  const std::vector<OutputSpec>& specs() const { return specs_; }
  const Inputs& inputs() const { return arrays_.inputs; }
  const Outputs& outputs() const { return arrays_.outputs; }

  // Gives the work to the backend.
  absl::Status Launch() { return Launch(*runner_); }
  // The same with a configured runner of the caller's for the backend.
  absl::Status Launch(Runner& runner) const;
  // Waits for it, and gives the results to the sinks.
  absl::Status Finish();

  // The results, as CopyResults has them.
  absl::Status CopyResultsTo(const Outputs& to) const {
    return CopyResults(*backend_, specs_, arrays_.outputs, to);
  }
  absl::StatusOr<Results> GetResults() const {
    return CopyResults(*backend_, specs_, arrays_.outputs);
  }

 private:
  Backend* backend_ = nullptr;
  // Where the call owns them.
  std::shared_ptr<Backend> owner_;
  std::unique_ptr<Runner> runner_;
  std::vector<OutputSpec> specs_;
  Sources sources_;
  Sinks sinks_;
  Arrays arrays_;
  // The rooms of sinks in which the run computes.
  Outputs rooms_;
};

// A whole call, from sources to arrays in host memory: of the outputs that the
// call has.
absl::StatusOr<Results> RunCall(const Algorithm& algorithm,
                                std::shared_ptr<Backend> backend,
                                absl::string_view variant,
                                const OptionMap& options,
                                const Sources& sources);

// From host memory to host memory, complete when it returns, by the
// implementation's own way if it has one. `outputs` are what a run takes.
absl::Status RunFromHost(Runner& runner, Backend& backend,
                         const std::vector<OutputSpec>& specs,
                         const Inputs& inputs, const Outputs& outputs);

// The same for an interface and its own options, with views in the signature's
// order: what the conveniences for host data are made of.
template <typename Interface>
absl::Status RunOnHost(const std::shared_ptr<Backend>& backend,
                       absl::string_view variant,
                       const typename Interface::Options& options, Views inputs,
                       MutableViews outputs) {
  return Guarded([&] {
    const Signature<Interface>& signature = Interface::GetSignature();
    const auto [chosen, chosen_variant] = Choose(
        backend, variant, Interface::kName,
        [] { return Registry<Interface>::Get().All(); },
        [&] { return signature.IsUsualWork(options); },
        [&] { return FactsOf(inputs, outputs); });
    absl::StatusOr<std::unique_ptr<Interface>> implementation =
        Registry<Interface>::Get().Create(chosen, chosen_variant);
    if (!implementation.ok()) return implementation.status();
    if (chosen->memory().is_host()) {
      return signature.Run(**implementation, inputs, outputs, options);
    }
    absl::Status status = signature.CheckOnHost(options, inputs, outputs);
    if (!status.ok()) return status;
    TypedRunner<Interface> runner(*std::move(implementation), options);
    return RunFromHost(runner, *chosen, SpecsOf(signature.data(), outputs),
                       ByName(signature.data(), inputs),
                       ByName(signature.data(), outputs));
  });
}

}  // namespace concord

#endif  // CONCORD_CORE_CALL_H_
