// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_SIGNATURE_DATA_H_
#define CONCORD_CORE_SIGNATURE_DATA_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/element_type.h"
#include "concord/core/options.h"

namespace concord {

// The inputs or outputs of a call in the signature's order. What is not given,
// or not there with these options, is a view that is not given().
using Views = absl::Span<const ConstArrayView>;
using MutableViews = absl::Span<const ArrayView>;

// The same by name, as generic tools have them: those that are given.
using Inputs = std::map<std::string, ConstArrayView>;
using Outputs = std::map<std::string, ArrayView>;

// One array that an algorithm takes.
struct InputSpec {
  std::string name;
  std::string help;
  std::vector<ElementType> types = AllElementTypes();
  // Names of extents. Equal names are equal extents, in all arrays.
  std::vector<std::string> shape = {"n"};
  bool optional = false;
  // The option of kind kFile that names its file, if not the one that is called
  // like it; of the first input it is --input.
  std::string file_option = {};
};

// A named extent that no input has: how it is found, for people, and which
// inputs' elements, not only their shapes, have to be looked at for it.
struct ExtentText {
  std::string name;
  std::string words;
  std::vector<std::string> data_of = {};
};

// One array that an algorithm gives, in words.
struct OutputText {
  std::string name;
  std::string help;
  std::string type;                // "that of in", "int64"
  std::vector<std::string> shape;  // names of extents, or numbers
  std::string when = {};           // "with --argsort"; "" is always
  // The output of one int64 that says how many elements of this one are
  // results, where only the run finds out; the shape is then the capacity.
  std::string size_in = {};
  // The input that this output may be written over.
  std::string in_place_of = {};
};

// An option that takes a function of the user's, too, as text. The call is then
// that of an algorithm that runs programs, on the same inputs in their order:
// core/functions.h.
struct FunctionOption {
  std::string option;
  // To follow its help: "or an operator, such as 'a > b ? a : b'".
  std::string words;
  // "sequence --program=reduce FUNCTION", by the values of another option; ""
  // is any.
  std::map<std::string, std::string> programs;
  std::string other_option = {};
};

// A signature for people and programs: what `--help`, `concord describe` and
// the contract tables of READMEs show.
struct SignatureData {
  std::string summary;
  std::vector<InputSpec> inputs;
  std::vector<OptionSpec> options;
  std::vector<OutputText> outputs;
  std::vector<ExtentText> extents;
  // What a case can be about, where that is not the type of the first input.
  std::vector<ElementType> case_types = {};
  // There is none where it names no option.
  FunctionOption function = {};
};

// The element types that contracts and cases choose from.
const std::vector<ElementType>& ElementTypesOf(const SignatureData& data);

// One output of a call whose inputs and options are known.
struct OutputSpec {
  std::string name;
  ElementType type;
  std::vector<std::int64_t> shape;
  // As in OutputText.
  std::string in_place_of = {};
  std::string size_in = {};
};

// The product of the shape's extents, and the bytes of so many elements.
std::int64_t Capacity(const OutputSpec& spec);
std::int64_t CapacityBytes(const OutputSpec& spec);

// InvalidArgument when the elements, or their bytes, are too many to count.
absl::Status CheckCountable(const OutputSpec& spec);

// The outputs that are sizes, and then those whose sizes they are.
std::vector<OutputSpec> SizesFirst(std::vector<OutputSpec> specs);

// By the names that the signature has, in its order; `ordered` is made anew.
// InvalidArgument names an input or output that is not one of them.
absl::Status PutInOrder(const SignatureData& data, const Inputs& inputs,
                        std::vector<ConstArrayView>& ordered);
absl::Status PutInOrder(const SignatureData& data, const Outputs& outputs,
                        std::vector<ArrayView>& ordered);

// And back, those that are given.
Inputs ByName(const SignatureData& data, Views inputs);
Outputs ByName(const SignatureData& data, MutableViews outputs);

// Where the output with an output's size is not there, all elements of its
// shape are results.
std::vector<OutputSpec> WithoutAbsentSizes(std::vector<OutputSpec> specs);

// What outputs that a caller brought are, such as could have been planned.
std::vector<OutputSpec> SpecsOf(const SignatureData& data,
                                MutableViews outputs);

// "a", "a or b", "a, b or c"
std::string AnyOf(absl::Span<const ElementType> types);
std::vector<std::string> NamesOf(absl::Span<const ElementType> types);

// Ok when the view has one of these types; otherwise says which it could have.
absl::Status CheckTypes(absl::string_view name, const ConstArrayView& view,
                        absl::Span<const ElementType> wanted);

// Unimplemented: what an implementation says that has no way of its own from
// host memory.
absl::Status NoWayFromHost();

// --- Checks of a call ---

// The size of an array in one dimension: a number, the size of an input, or
// what a rule of the signature's finds. Names are looked up once, so that
// checking a call takes no more than some nanoseconds.
struct ExtentReference {
  enum class Kind { kNumber, kInput, kRule } kind = Kind::kNumber;
  std::int64_t index = 0;  // or the number itself
};
struct ArrayRule {
  unsigned types = 0;  // a bit for each
  int dimensions = 0;
  bool needs_data = false;
  ExtentReference extents[Shape::kMostDimensions];

  bool Allows(ElementType type) const {
    return (types >> static_cast<unsigned>(type) & 1u) != 0;
  }
  // Whether nothing needs to be worked out to see that the size is right.
  template <typename Void>
  bool HasSizeOfInput(const BasicArrayView<Void>& view, Views inputs) const {
    return dimensions == 1 &&
           extents[0].kind == ExtentReference::Kind::kInput &&
           view.size() == inputs[extents[0].index].size();
  }
};
ArrayRule Resolve(const SignatureData& data,
                  const std::vector<std::string>& shape,
                  const std::vector<ElementType>& types);

// Whether all views have an address for the elements that their shapes have.
bool HasElements(Views views);

// Ok where the elements are there that the size of an output of this shape
// depends on. InvalidArgument names the input that has none.
absl::Status CheckElementsFor(const SignatureData& data,
                              absl::string_view output,
                              const std::vector<std::string>& shape,
                              Views inputs);

// Everything but the sizes: that the arrays are given, are arrays at all, and
// have the types of the rules. `planned`: views may have a shape alone.
absl::Status CheckInputArrays(const SignatureData& data,
                              const std::vector<ArrayRule>& rules, Views inputs,
                              Memory memory, absl::string_view where,
                              bool planned);
// The same, but for the type.
absl::Status CheckOutputArray(absl::string_view name, const ArrayView& view,
                              Memory memory, absl::string_view where);

// InvalidArgument names two arrays that share memory and must not: an output
// and any other array, but for an output that is exactly the input that it may
// be written over.
absl::Status CheckOverlap(const SignatureData& data, Views inputs,
                          MutableViews outputs);

}  // namespace concord

#endif  // CONCORD_CORE_SIGNATURE_DATA_H_
