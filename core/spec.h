// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_SPEC_H_
#define CONCORD_CORE_SPEC_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/algorithm.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/call.h"
#include "concord/core/file_format.h"
#include "concord/core/host_array.h"
#include "concord/core/options.h"

namespace concord {

// Everything that is needed to run an algorithm once.
struct Case {
  // For people: "n=1025 int32 uniform seed=7".
  std::string label;
  // The element type that the case is about; inputs may have others beside it.
  ElementType type = ElementType::kInt32;
  // Complete: every option has a value.
  OptionMap options;
  std::map<std::string, HostArray> inputs;
};

// Its inputs where they are. The case outlives views and sources.
Inputs InputsOf(const Case& test_case);
Sources SourcesOf(const Case& test_case);

// A right output: its results, and no more. `tolerance` is the error that is
// allowed for each element: in absolute terms, infinite where the exact answer
// depends on the order of operations so much that nothing can be asked. Empty:
// the bits must be equal, but any NaN equals any other unless the spec says
// that NaNs have bits.
struct Expectation {
  HostArray value;
  std::vector<double> tolerance;
  // The algorithm itself defines the bits of `value`. Then the tolerance is for
  // implementations whose contract does not promise them.
  bool defines_bits = false;
};

// The right outputs of a case, by name.
using Expectations = std::map<std::string, Expectation>;

// A property that every right result has.
struct Law {
  // Runs the implementation under test.
  using Run = std::function<absl::StatusOr<Results>(const Case&)>;

  std::string name;
  std::string statement;
  // Ok when it holds for the case, or has nothing to say about it.
  std::function<absl::Status(const Run& run, const Case& test_case)> check;
};

// The least that any implementation must spend on a case.
struct Floor {
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;

  std::int64_t bytes() const { return bytes_read + bytes_written; }
};

// One way to make a case smaller: of `length` things, any range can go.
struct Axis {
  std::string name;  // "elements", "sequences"
  std::int64_t length = 0;
  std::function<Case(std::int64_t first, std::int64_t last)> without;
};

// A case of the one input "in", which says its type.
Case MakeCase(std::string label, OptionMap options, HostArray in);

struct CaseRequest {
  std::int64_t size = 0;
  ElementType type = ElementType::kInt32;
  std::string distribution;
  OptionMap options;
  std::uint64_t seed = 0;
};

// "n=1025 int32 uniform seed=7", for the label of the case.
std::string ToString(const CaseRequest& request);

// The case that files hold, copied to memory of its own.
struct LoadedCase {
  Case value;
  // As LoadedInputs has them.
  std::vector<std::string> notes;
};

// Rows that an algorithm has in a preset of the benchmarks, by what it says of
// its own. An empty list stands for what the group has.
struct PresetRows {
  std::string group;  // of benchmarks/presets.cc
  // Rows of a group are put in this order, equals by their algorithms' names.
  int place = 0;
  std::vector<std::string> types = {};
  std::vector<std::string> options = {};
  std::vector<std::string> distributions = {};
  std::vector<std::string> variants = {};
  std::vector<std::int64_t> sizes = {};
};

// What is right of an algorithm, and which cases to try: what the differential
// engine and the benchmarks know of it beside its signature.
class AlgorithmSpec {
 public:
  virtual ~AlgorithmSpec() = default;

  virtual const Algorithm& algorithm() const = 0;

  virtual std::string name() const = 0;

  // What follows from the algorithm.
  std::string summary() const { return algorithm().signature().summary; }
  std::vector<OptionSpec> options() const { return algorithm().options(); }
  std::vector<ImplementationInfo> implementations() const {
    return algorithm().implementations();
  }
  absl::StatusOr<std::unique_ptr<Runner>> NewRunner(
      std::shared_ptr<Backend> backend, absl::string_view variant) const {
    return algorithm().NewRunner(std::move(backend), variant);
  }
  // The outputs that the case has; InvalidArgument for a case that breaks the
  // algorithm's own rules.
  absl::StatusOr<std::vector<OutputSpec>> OutputsOf(
      const Case& test_case) const;

  // --- Cases ---
  std::vector<ElementType> element_types() const {
    return ElementTypesOf(algorithm().signature());
  }
  // The largest that are tried in every run of the tests. What is expected of
  // such a case is known within a second.
  virtual std::int64_t largest_size() const { return std::int64_t{1} << 24; }
  // Those that Generate takes.
  virtual std::vector<std::string> Distributions(ElementType type) const;
  // The settings of the options that tests go through, complete. By default
  // every combination of the options that have a few values.
  virtual std::vector<OptionMap> OptionCombinations(ElementType type) const;
  // A case of about `size` elements; the same for the same request, on every
  // machine. InvalidArgument: options or a distribution that there are not.
  absl::StatusOr<Case> Generate(const CaseRequest& request) const;
  // Cases that sizes and distributions alone do not bring about.
  virtual std::vector<Case> SpecialCases() const { return {}; }
  // How a failing case is made smaller. By default elements of the input "in".
  virtual std::vector<Axis> Axes(const Case& test_case) const;

  // --- What is right ---
  // Computed plainly, floats in a wider type, without any implementation.
  virtual absl::StatusOr<Expectations> Expected(
      const Case& test_case) const = 0;
  // Says of outputs that an implementation has computed how far those of
  // another may be from them: each of the two may be off. For cases of which
  // Expected takes minutes; so it takes no longer than to make the case. By
  // default nothing is allowed. A description whose Expected has tolerances
  // overrides it.
  virtual absl::Status AddTolerances(const Case& /*test_case*/,
                                     Expectations& /*computed*/) const {
    return absl::OkStatus();
  }
  // Whether the contract says which bits a NaN of a result has, and expected
  // values have them. By default any NaN will do: which one an operation gives
  // depends on the machine, the compiler and the order of its operands.
  virtual bool nans_have_bits() const { return false; }
  // Those registered for the algorithm.
  virtual std::vector<Law> laws() const;

  // By default each element of the inputs once, and of the outputs.
  virtual Floor FloorOf(const Case& test_case) const;
  // What `--json` and tables call the size of a case, such as "letters".
  virtual std::string size_unit() const { return "elements"; }
  virtual std::int64_t SizeOfCase(const Case& test_case) const;
  // What a case from files is about; by default the type of the first input.
  virtual ElementType TypeOfCase(const Case& test_case) const;

  // --- Benchmarks ---
  virtual std::vector<PresetRows> preset_rows() const { return {}; }

  // --- Tests ---
  // What the algorithm's functions for callers with host data are made of, with
  // options as text: the RunOnHost (core/call.h) of its interface.
  virtual absl::Status ComputeOnHost(const std::shared_ptr<Backend>&,
                                     absl::string_view /*variant*/,
                                     const OptionMap&, const Inputs&,
                                     const Outputs&) const {
    return absl::UnimplementedError("there is no interface in C++");
  }

 protected:
  // What Generate makes of a request whose options are complete. By default a
  // case of one input, from DrawInput.
  virtual absl::StatusOr<Case> MakeFrom(const CaseRequest& request) const;
  // That input. By default the distribution of core/distributions.h.
  virtual absl::StatusOr<HostArray> DrawInput(const CaseRequest& request) const;
};

// The spec of the algorithm with this interface.
template <typename Interface>
class SpecOf : public AlgorithmSpec {
 public:
  using Options = typename Interface::Options;

  std::string name() const override { return Interface::kName; }
  const Algorithm& algorithm() const override {
    return **FindAlgorithm(Interface::kName);
  }

  absl::Status ComputeOnHost(const std::shared_ptr<Backend>& backend,
                             absl::string_view variant,
                             const OptionMap& options, const Inputs& inputs,
                             const Outputs& outputs) const override {
    const absl::StatusOr<Options> parsed = Parse(options);
    if (!parsed.ok()) return parsed.status();
    const SignatureData& signature = Interface::GetSignature().data();
    std::vector<ConstArrayView> in;
    absl::Status status = PutInOrder(signature, inputs, in);
    if (!status.ok()) return status;
    std::vector<ArrayView> out;
    status = PutInOrder(signature, outputs, out);
    if (!status.ok()) return status;
    return RunOnHost<Interface>(backend, variant, *parsed, in, out);
  }

 protected:
  // The options of a case. Those of tuning change nothing that is right.
  absl::StatusOr<Options> Parse(const OptionMap& options) const {
    return ParseOptions<Interface>(options);
  }
};

// Sets the options that variants have for tuning in `combinations` to one value
// after the other: the default, the least, and some up to the largest.
void VaryTuning(const Algorithm& algorithm,
                std::vector<OptionMap>& combinations);

// Stands at the bottom of a spec's file:
//   const bool kRegistered = RegisterSpec(new ScanSpec);
// The spec lives as long as the program.
bool RegisterSpec(const AlgorithmSpec* spec);

// Stands at the bottom of the file of an algorithm's laws:
//   const bool kRegistered = RegisterLaws<Scan>(
//       {{"shift", "inclusive[i] = exclusive[i + 1]", CheckShift}});
bool RegisterLaws(const std::string& algorithm, std::vector<Law> laws);
template <typename Interface>
bool RegisterLaws(std::vector<Law> laws) {
  return RegisterLaws(Interface::kName, std::move(laws));
}

// Reads a case from files, in the algorithm's format.
absl::StatusOr<LoadedCase> LoadCase(const AlgorithmSpec& spec,
                                    const LoadRequest& request);

// Every algorithm that this program has a spec of, by name.
std::vector<const AlgorithmSpec*> AllSpecs();

// NotFound lists the algorithms there are.
absl::StatusOr<const AlgorithmSpec*> FindSpec(absl::string_view name);

}  // namespace concord

#endif  // CONCORD_CORE_SPEC_H_
