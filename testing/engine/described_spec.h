// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_DESCRIBED_SPEC_H_
#define CONCORD_TESTING_ENGINE_DESCRIBED_SPEC_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/core/random.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/described_bounds.h"

namespace concord {

// One input of a function of somebody else's. Extents are names, numbers, or
// names of options that are numbers.
struct DescribedInput {
  std::string name;
  std::vector<ElementType> types;
  std::vector<std::string> shape;
  // Between which its values are; of the type, where there is nothing.
  std::optional<Number> least;
  std::optional<Number> most;
  // Not empty: it has offsets that cut the extent of this name into parts, from
  // 0 to the extent itself, ascending. Its shape is then the number of parts,
  // of which there is one offset more.
  std::string offsets_of = {};
};

// An option, and the values that cases have of it, those that failing cases are
// shrunk to among them. No function is called with another.
struct DescribedOption {
  OptionSpec spec;
  std::vector<std::string> values;
};

struct Description {
  std::string name;
  std::vector<DescribedInput> inputs;
  std::vector<DescribedOption> options;
  // Sizes at which the function may go another way.
  std::vector<std::int64_t> boundaries;
  // Of the first extent.
  std::int64_t largest_size = 1000;
};

// The cases of a function that the library knows by its description alone. What
// is right, its caller has to say.
//
// A request's size is the first extent that is neither a number nor an option.
// Each extent is an axis, along which cases are made smaller: in every input
// that has it, and in the offsets that cut it.
class DescribedSpec : public AlgorithmSpec {
 public:
  using Extents = std::map<std::string, std::int64_t>;

  // InvalidArgument says what of the description has no meaning.
  static absl::StatusOr<std::unique_ptr<DescribedSpec>> Create(
      Description description);
  ~DescribedSpec() override;

  std::string name() const override { return description_.name; }
  const Algorithm& algorithm() const override { return *algorithm_; }
  const Description& description() const { return description_; }

  // As an implementation, of which the recipes ask its contract.
  ImplementationInfo AsImplementation() const;

  // InvalidArgument for a case that is none of the description.
  absl::Status Check(const OptionMap& options, const Inputs& inputs) const;

  // All there are, or many of them, in which each value comes up.
  std::vector<OptionMap> OptionCombinations(ElementType type) const override;
  std::vector<Axis> Axes(const Case& test_case) const override;
  absl::StatusOr<Expectations> Expected(const Case& test_case) const override;
  std::int64_t SizeOfCase(const Case& test_case) const override;
  std::int64_t largest_size() const override {
    return description_.largest_size;
  }

 protected:
  absl::StatusOr<Case> MakeFrom(const CaseRequest& request) const override;

 private:
  class DescribedAlgorithm;

  // How much larger than the largest size extents are but the first, at most.
  static constexpr std::int64_t kMostOfOtherExtents = 4;

  explicit DescribedSpec(Description description);

  // Extents of a case by name, options among them; those that inputs disagree
  // about are an error.
  absl::StatusOr<Extents> ExtentsOf(const OptionMap& options,
                                    const Inputs& inputs) const;
  Extents DrawExtents(const CaseRequest& request, Random& random) const;
  absl::StatusOr<HostArray> DrawArray(const DescribedInput& input,
                                      const CaseRequest& request,
                                      const Extents& extents,
                                      Random& random) const;
  bool IsOption(const std::string& name) const;
  // InvalidArgument: an option has a value that is none of the description's.
  absl::Status CheckOptions(const OptionMap& options) const;
  // InvalidArgument: an extent would be negative; offsets would not fit.
  absl::Status CheckExtentsThatAreOptions(const DescribedInput& input) const;
  absl::Status CheckTypesOfOffsets(const DescribedInput& input) const;
  // The extent where its text is a number.
  static std::optional<std::int64_t> NumberIn(const std::string& extent);
  // Of an input's array.
  static std::vector<std::int64_t> ShapeOf(const DescribedInput& input,
                                           const Extents& extents);
  // Without [first, last) along an extent, with all that follows from it.
  void Remove(const std::string& extent, std::int64_t first, std::int64_t last,
              Case& test_case) const;

  Description description_;
  // Names that are neither numbers nor options, in the order of their inputs.
  std::vector<std::string> extents_;
  std::unique_ptr<Algorithm> algorithm_;
};

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_DESCRIBED_SPEC_H_
