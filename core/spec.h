// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_SPEC_H_
#define CONCORD_CORE_SPEC_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/host_array.h"
#include "concord/core/options.h"
#include "concord/core/registry.h"

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

// Output name -> value.
using Results = std::map<std::string, HostArray>;

// What an implementation is given: arrays in its backend's memory.
using Inputs = std::map<std::string, ConstArrayView>;
using Outputs = std::map<std::string, ArrayView>;

struct OutputSpec {
  std::string name;
  ElementType type;
  std::vector<std::int64_t> shape;
  // The input of equal type and size whose memory this output may share when
  // the contract allows in-place; "" when there is none.
  std::string in_place_of = {};
  // The other output, of one int64, that says how many elements of this one are
  // results, where only the run finds out. Then the shape is what there must be
  // room for, and nothing is said about the elements behind the results.
  std::string size_in = {};
};

// The product of the shape's extents.
std::int64_t Capacity(const OutputSpec& spec);

// How many elements of an output are results, once the output that `size_in`
// names is in `results`. A size that cannot be counts as all of them; it is
// wrong itself.
std::int64_t ResultSize(const OutputSpec& spec, const Results& results);

// The outputs that are sizes, and then those whose sizes they are.
std::vector<OutputSpec> SizesFirst(std::vector<OutputSpec> specs);

// A right output: its results, and no more. `tolerance` is the error that is
// allowed for each element: in absolute terms, infinite where the exact answer
// depends on the order of operations so much that nothing can be asked. Empty:
// the bits must be equal (any NaN equals any other).
struct Expectation {
  HostArray value;
  std::vector<double> tolerance;
  // The algorithm itself defines the bits of `value`. Then the tolerance is for
  // implementations whose contract does not promise them.
  bool defines_bits = false;
};

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

// Where a case is read from: "input" and the names of the options of kind
// kFile -> path; "-" is standard input.
struct LoadRequest {
  std::map<std::string, std::string> files;
  OptionMap options;
  // For text, which does not say its type.
  std::optional<ElementType> type;
};

struct LoadedCase {
  Case value;
  // What a person should know about the input: "17 letters outside ACGT were
  // skipped". One line each.
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

// An implementation on a backend, as the generic tools run it.
class Runner {
 public:
  virtual ~Runner() = default;
  // Sets the options of the runs that follow.
  virtual absl::Status Configure(const OptionMap& options) = 0;
  // Gives the work to the backend, without waiting for it.
  virtual absl::Status Run(const Inputs& inputs, const Outputs& outputs) = 0;
  // The same with arrays in host memory, and complete when it returns, by a way
  // of the implementation's own, such as one that works on what has been copied
  // while the rest is on its way. Unimplemented where there is none.
  virtual absl::Status RunFromHost(const Inputs&, const Outputs&) {
    return absl::UnimplementedError("no way of its own from host memory");
  }
};

// One description of an algorithm: the only way in which the differential
// engine, the benchmarks and the command line know it.
class AlgorithmSpec {
 public:
  virtual ~AlgorithmSpec() = default;

  virtual std::string name() const = 0;
  // One line: what it computes.
  virtual std::string summary() const = 0;
  virtual std::vector<OptionSpec> options() const = 0;

  // By backend, each backend's default first.
  virtual std::vector<ImplementationInfo> implementations() const = 0;
  // An empty variant is the backend's default; NotFound lists those there are.
  virtual absl::StatusOr<std::unique_ptr<Runner>> NewRunner(
      std::shared_ptr<Backend> backend, absl::string_view variant) const = 0;

  // --- Cases ---
  virtual std::vector<ElementType> element_types() const {
    return AllElementTypes();
  }
  // Names that Generate takes.
  virtual std::vector<std::string> Distributions(ElementType type) const;
  // The settings of the options that tests go through, complete. By default
  // every combination of the options that have a few values.
  virtual std::vector<OptionMap> OptionCombinations(ElementType type) const;
  // A case of about `size` elements; the same for the same request, on every
  // machine. By default of one input, from DrawInput.
  virtual absl::StatusOr<Case> Generate(const CaseRequest& request) const;
  // Cases that sizes and distributions alone do not bring about.
  virtual std::vector<Case> SpecialCases() const { return {}; }
  // How a failing case is made smaller. By default elements of the input "in".
  virtual std::vector<Axis> Axes(const Case& test_case) const;

  // --- What is right ---
  // The outputs that the case has; InvalidArgument for a case that breaks the
  // algorithm's own rules.
  virtual absl::StatusOr<std::vector<OutputSpec>> OutputsOf(
      const Case& test_case) const = 0;
  // Computed plainly, floats in a wider type, without any implementation.
  virtual absl::StatusOr<std::map<std::string, Expectation>> Expected(
      const Case& test_case) const = 0;
  virtual std::vector<Law> laws() const = 0;

  virtual Floor FloorOf(const Case& test_case) const = 0;
  // What `--json` and tables call the size of a case, such as "letters".
  virtual std::string size_unit() const { return "elements"; }
  virtual std::int64_t SizeOfCase(const Case& test_case) const;

  // --- Benchmarks ---
  virtual std::vector<PresetRows> preset_rows() const { return {}; }

  // --- Files ---
  // By default the input "in" is the array in the file "input".
  virtual absl::StatusOr<LoadedCase> Load(const LoadRequest& request) const;
  // By default the output "out" goes to `path`.
  virtual absl::Status Save(const Results& results,
                            const std::string& path) const;

 protected:
  // The input of the case that Generate makes. `options` are those of the
  // request, complete. By default the distribution of core/distributions.h.
  virtual absl::StatusOr<HostArray> DrawInput(const CaseRequest& request,
                                              const OptionMap& options) const;
};

// The part of a spec that follows from the interface and its registry. A spec
// derives from this, parses its options and passes arrays by name:
//
//   class ScanSpec : public SpecOf<Scan> {
//     absl::StatusOr<Scan::Options> Parse(const OptionMap& options) const ...
//     absl::Status RunTyped(Scan& scan, const Inputs& in, const Outputs& out,
//                           const Scan::Options& options) const ...
template <typename Interface>
class SpecOf : public AlgorithmSpec {
 public:
  using Options = typename Interface::Options;

  std::string name() const override { return Interface::kName; }

  std::vector<ImplementationInfo> implementations() const override {
    return Registry<Interface>::Get().All();
  }

  absl::StatusOr<std::unique_ptr<Runner>> NewRunner(
      std::shared_ptr<Backend> backend,
      absl::string_view variant) const override {
    absl::StatusOr<std::unique_ptr<Interface>> implementation =
        Registry<Interface>::Get().Create(std::move(backend), variant);
    if (!implementation.ok()) return implementation.status();
    return std::make_unique<TypedRunner>(*this, *std::move(implementation));
  }

 protected:
  virtual absl::StatusOr<Options> Parse(const OptionMap& options) const = 0;
  virtual absl::Status RunTyped(Interface& implementation, const Inputs& inputs,
                                const Outputs& outputs,
                                const Options& options) const = 0;
  // For Runner::RunFromHost, where the interface has such a function.
  virtual absl::Status RunTypedFromHost(Interface&, const Inputs&,
                                        const Outputs&, const Options&) const {
    return absl::UnimplementedError("no way of its own from host memory");
  }

 private:
  class TypedRunner : public Runner {
   public:
    TypedRunner(const SpecOf& spec, std::unique_ptr<Interface> implementation)
        : spec_(spec), implementation_(std::move(implementation)) {}

    absl::Status Configure(const OptionMap& options) override {
      absl::StatusOr<Options> parsed = spec_.Parse(options);
      if (!parsed.ok()) return parsed.status();
      options_ = *std::move(parsed);
      return absl::OkStatus();
    }
    absl::Status Run(const Inputs& inputs, const Outputs& outputs) override {
      return spec_.RunTyped(*implementation_, inputs, outputs, options_);
    }
    absl::Status RunFromHost(const Inputs& inputs,
                             const Outputs& outputs) override {
      return spec_.RunTypedFromHost(*implementation_, inputs, outputs,
                                    options_);
    }

   private:
    const SpecOf& spec_;
    std::unique_ptr<Interface> implementation_;
    Options options_;
  };
};

// Stands at the bottom of a spec's file:
//   const bool kRegistered = RegisterSpec(new ScanSpec);
// The spec lives as long as the program.
bool RegisterSpec(const AlgorithmSpec* spec);

// Every algorithm of this program, by name.
std::vector<const AlgorithmSpec*> AllSpecs();

// NotFound lists the algorithms there are.
absl::StatusOr<const AlgorithmSpec*> FindSpec(absl::string_view name);

}  // namespace concord

#endif  // CONCORD_CORE_SPEC_H_
