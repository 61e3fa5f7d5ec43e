// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_SIGNATURE_H_
#define CONCORD_CORE_SIGNATURE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "concord/core/guarded.h"
#include "concord/core/implementation.h"
#include "concord/core/signature_data.h"

namespace concord {

// A statement about a call: in words, and as a function of its options and of
// the types and shapes of its inputs.
template <typename Options, typename T>
struct Rule {
  std::string words;
  std::function<T(const Options&, Views)> of;
};

// What an algorithm takes and gives, said once. Whatever checks arguments,
// parses options, makes room for outputs or explains the algorithm asks here.
// `Interface` is the algorithm's abstract class, with its `Options` and kName.
//
// Example:
//   const Signature<Scan>& Scan::GetSignature() {
//     static const auto* const signature = new Signature<Scan>(
//         Signature<Scan>("prefix sums")
//             .Choice("op", "how two elements become one", &Options::op,
//                     {{"add", Op::kAdd}, {"mul", Op::kMul}})
//             .Input({"in", "the elements"})
//             .Output({"out", "the sums", SameTypeAs{0}, {"n"}, "in"})
//             .Calls([](Scan& scan, Views in, MutableViews out,
//                       const Options& options) {
//               return scan.Compute(in[0], out[0], options);
//             }));
//     return *signature;
//   }
template <typename Interface>
class Signature {
 public:
  using Options = typename Interface::Options;
  template <typename T>
  using RuleOf = Rule<Options, T>;
  using Function = std::function<absl::Status(Interface&, Views, MutableViews,
                                              const Options&)>;
  using Check = std::function<absl::Status(const Options&, Views)>;

  // One output. `shape` has names of extents and numbers.
  struct OutputRule {
    std::string name;
    std::string help;
    RuleOf<ElementType> type;
    std::vector<std::string> shape;
    // The input of equal type and size that it may be written over, or "".
    std::string in_place_of = {};
    // The output that has its number of results, or "".
    std::string size_in = {};
    // Further types that a caller may give.
    std::vector<ElementType> or_types = {};
    // Always, where there is no function.
    RuleOf<bool> when = {};
  };

  explicit Signature(std::string summary) {
    data_.summary = std::move(summary);
  }

  // --- Options; the defaults are those of Options{} ---

  template <typename E>
  Signature& Choice(
      std::string name, std::string help, E Options::*member,
      std::vector<std::pair<std::string, std::decay_t<E>>> values) {
    std::vector<std::string> names;
    std::string default_name;
    for (const auto& [value_name, value] : values) {
      names.push_back(value_name);
      if (value == Options{}.*member) default_name = value_name;
    }
    return Option(OptionSpec::Choice(std::move(name), std::move(help),
                                     default_name, std::move(names)),
                  [member, values](absl::string_view text, Options& options) {
                    for (const auto& [value_name, value] : values) {
                      if (value_name == text) options.*member = value;
                    }
                    return absl::OkStatus();
                  });
  }

  // Every run refuses a number out of range, whether it was text or not.
  template <typename N>
  Signature& Number(std::string name, std::string help, N Options::*member,
                    std::int64_t least, std::int64_t most) {
    numbers_.push_back({data_.options.size(), [member](const Options& options) {
                          return static_cast<std::int64_t>(options.*member);
                        }});
    return Option(
        OptionSpec::Number(std::move(name), std::move(help),
                           static_cast<std::int64_t>(Options{}.*member), least,
                           most),
        [member](absl::string_view text, Options& options) {
          std::int64_t number = 0;
          (void)absl::SimpleAtoi(text, &number);
          options.*member = static_cast<N>(number);
          return absl::OkStatus();
        });
  }

  Signature& Switch(std::string name, std::string help, bool Options::*member) {
    return Option(OptionSpec::Switch(std::move(name), std::move(help)),
                  Flag(member));
  }

  // Whether an output is wanted: "output-indices", with a file's name on the
  // command line. Without a member the output is computed in any case, and the
  // option only says where it is written.
  Signature& WantedOutput(std::string name, std::string help,
                          bool Options::*member = nullptr) {
    return Option(OptionSpec::Output(std::move(name), std::move(help)),
                  member == nullptr ? nullptr : Flag(member));
  }

  // An option of any other kind. `parse` sets members of Options; its
  // InvalidArgument says which texts the option takes.
  using Parser = std::function<absl::Status(absl::string_view, Options&)>;
  Signature& Text(std::string name, std::string help, std::string default_value,
                  Parser parse) {
    return Option(OptionSpec::Text(std::move(name), std::move(help),
                                   std::move(default_value)),
                  std::move(parse));
  }
  // An option as `spec` describes it. Without `parse` it sets no member.
  Signature& Option(OptionSpec spec, Parser parse = nullptr) {
    data_.options.push_back(std::move(spec));
    parsers_.push_back(std::move(parse));
    return *this;
  }

  // What cases can be about, and contracts say: only where that is not the type
  // of the first input.
  Signature& CaseTypes(std::vector<ElementType> types) {
    data_.case_types = std::move(types);
    return *this;
  }

  // The option, which is there already, takes functions, too.
  Signature& OrFunction(FunctionOption function) {
    for (OptionSpec& option : data_.options) {
      if (option.name == function.option) {
        absl::StrAppend(&option.help, "; ", function.words);
      }
    }
    data_.function = std::move(function);
    return *this;
  }

  // --- Arrays ---

  Signature& Input(InputSpec spec) {
    data_.inputs.push_back(std::move(spec));
    return *this;
  }

  Signature& Output(OutputRule rule) {
    data_.outputs.push_back({rule.name, rule.help, rule.type.words, rule.shape,
                             rule.when.words, rule.size_in, rule.in_place_of});
    outputs_.push_back(std::move(rule));
    return *this;
  }

  // An extent that no input has. If it depends on elements (`text.data_of`),
  // `of` is called with arrays in host memory only, and a run does not check
  // it.
  using ExtentRule =
      std::function<absl::StatusOr<std::int64_t>(const Options&, Views)>;
  Signature& Extent(ExtentText text, ExtentRule of) {
    extents_.push_back(std::move(of));
    data_.extents.push_back(std::move(text));
    return *this;
  }

  // What else every run refuses, by options, types and shapes.
  Signature& Requires(Check check) {
    requires_ = std::move(check);
    return *this;
  }
  // What is refused where elements can be looked at: by Plan and by the
  // conveniences for host data, not by a run.
  Signature& Examines(Check check) {
    examines_ = std::move(check);
    return *this;
  }

  // Where an element is as much work as with the default options, so that sizes
  // alone tell which implementation is fastest. Numbers always count: with one
  // that is not at its default, no call is usual.
  using Usual = std::function<bool(const Options&)>;
  Signature& UsualWork(Usual usual) {
    usual_ = std::move(usual);
    return *this;
  }

  // --- Running ---

  // Stands last: the signature is complete.
  Signature& Calls(Function compute) {
    compute_ = std::move(compute);
    for (const InputSpec& spec : data_.inputs) {
      input_arrays_.push_back(Resolve(data_, spec.shape, spec.types));
    }
    for (const OutputRule& rule : outputs_) {
      output_arrays_.push_back(Resolve(data_, rule.shape, rule.or_types));
    }
    return *this;
  }
  // A way of its own from host memory; see Runner::RunFromHost.
  Signature& CallsFromHost(Function compute) {
    compute_from_host_ = std::move(compute);
    return *this;
  }

  // --- What is derived ---

  const SignatureData& data() const { return data_; }

  // The option's values, as ChoicesOf.
  std::vector<std::string> ChoicesOf(absl::string_view option) const {
    for (const OptionSpec& spec : data_.options) {
      if (spec.name == option) return concord::ChoicesOf(spec);
    }
    return {};
  }

  // `map` need not be complete. InvalidArgument names the option.
  absl::StatusOr<Options> Parse(const OptionMap& map) const {
    return Guarded([&]() -> absl::StatusOr<Options> {
      absl::StatusOr<OptionMap> complete = CompleteOptions(data_.options, map);
      if (!complete.ok()) return complete.status();
      Options options;
      absl::Status status = Set(*complete, options);
      if (!status.ok()) return status;
      return options;
    });
  }
  // Sets members to these values, without a look at their ranges.
  absl::Status Set(const OptionMap& map, Options& options) const {
    for (std::size_t i = 0; i < parsers_.size(); ++i) {
      const auto value = map.find(data_.options[i].name);
      if (parsers_[i] == nullptr || value == map.end()) continue;
      absl::Status status = parsers_[i](value->second, options);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // InvalidArgument names a number that is out of its range.
  absl::Status CheckNumbers(const Options& options) const {
    for (const NumberRule& rule : numbers_) {
      const OptionSpec& spec = data_.options[rule.option];
      const std::int64_t number = rule.of(options);
      if (number >= spec.least && number <= spec.most) continue;
      // Says what the option takes, as of a text.
      return CompleteOptions({spec}, {{spec.name, absl::StrCat(number)}})
          .status();
    }
    return absl::OkStatus();
  }

  // As UsualWork says.
  bool IsUsualWork(const Options& options) const {
    const Options usual;
    for (const NumberRule& rule : numbers_) {
      if (rule.of(options) != rule.of(usual)) return false;
    }
    return usual_ == nullptr || usual_(options);
  }

  // The outputs of a call with inputs in host memory; refuses what can be
  // refused before it. A view without an address has a shape and no elements:
  // for it InvalidArgument, if the outputs depend on its elements.
  absl::StatusOr<std::vector<OutputSpec>> Plan(const Options& options,
                                               Views inputs) const {
    return Guarded([&]() -> absl::StatusOr<std::vector<OutputSpec>> {
      const bool has_elements = HasElements(inputs);
      absl::Status status = CheckInputs(options, inputs, Memory::Host(),
                                        Interface::kName, /*planned=*/true);
      if (status.ok() && has_elements && examines_) {
        status = examines_(options, inputs);
      }
      if (!status.ok()) return status;
      std::vector<OutputSpec> planned;
      for (std::size_t o = 0; o < outputs_.size(); ++o) {
        const OutputRule& rule = outputs_[o];
        const ArrayRule& array = output_arrays_[o];
        if (rule.when.of && !rule.when.of(options, inputs)) continue;
        if (array.needs_data && !has_elements) {
          status = CheckElementsFor(data_, rule.name, rule.shape, inputs);
          if (!status.ok()) return status;
        }
        OutputSpec spec = {
            rule.name, rule.type.of(options, inputs), {}, "", rule.size_in};
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          if (data_.inputs[i].name == rule.in_place_of &&
              inputs[i].type() == spec.type) {
            spec.in_place_of = rule.in_place_of;
          }
        }
        for (int d = 0; d < array.dimensions; ++d) {
          absl::StatusOr<std::int64_t> size =
              ExtentOf(array.extents[d], options, inputs);
          if (!size.ok()) return size.status();
          spec.shape.push_back(*size);
        }
        if (absl::Status fits = CheckCountable(spec); !fits.ok()) return fits;
        planned.push_back(std::move(spec));
      }
      return WithoutAbsentSizes(std::move(planned));
    });
  }

  // Checks the arguments, makes the backend's device the current one and runs.
  // Nothing that is thrown comes out.
  absl::Status Run(Interface& implementation, Views inputs,
                   MutableViews outputs, const Options& options) const {
    return RunBy(compute_, implementation.backend().memory(), implementation,
                 inputs, outputs, options);
  }
  absl::Status RunFromHost(Interface& implementation, Views inputs,
                           MutableViews outputs, const Options& options) const {
    if (!compute_from_host_) {
      return NoWayFromHost();
    }
    return RunBy(compute_from_host_, Memory::Host(), implementation, inputs,
                 outputs, options);
  }

  // Everything that can be refused of arrays in host memory.
  absl::Status CheckOnHost(const Options& options, Views inputs,
                           MutableViews outputs) const {
    return Guarded([&] {
      absl::Status status = CheckArguments(options, inputs, outputs,
                                           Memory::Host(), Interface::kName);
      if (!status.ok() || !examines_) return status;
      return examines_(options, inputs);
    });
  }

  // Everything that a run has to refuse. `where` names the implementation.
  absl::Status CheckArguments(const Options& options, Views inputs,
                              MutableViews outputs, Memory memory,
                              absl::string_view where) const {
    absl::Status status = CheckInputs(options, inputs, memory, where);
    for (std::size_t i = 0; status.ok() && i < outputs_.size(); ++i) {
      const OutputRule& rule = outputs_[i];
      // The caller of an interface asks for an output by bringing it.
      if (rule.when.of && !outputs[i].given() &&
          !rule.when.of(options, inputs)) {
        continue;
      }
      status = CheckOutput(rule, output_arrays_[i], outputs[i], options, inputs,
                           memory, where);
    }
    return status.ok() ? CheckOverlap(data_, inputs, outputs) : status;
  }

 private:
  // A number that has a member, and where its description is.
  struct NumberRule {
    std::size_t option;
    std::function<std::int64_t(const Options&)> of;
  };

  absl::Status RunBy(const Function& compute, Memory memory,
                     Interface& implementation, Views inputs,
                     MutableViews outputs, const Options& options) const {
    const absl::Status ready = Guarded([&] {
      absl::Status checked = CheckArguments(options, inputs, outputs, memory,
                                            implementation.name());
      return checked.ok() ? implementation.backend().Activate() : checked;
    });
    if (!ready.ok()) return ready;
    absl::Status computed = Guarded([&] {
      const FailedCalls::DuringCall during_call;
      return compute(implementation, inputs, outputs, options);
    });
    if (!computed.ok()) FailedCalls::Count();
    return computed;
  }

  absl::StatusOr<std::int64_t> ExtentOf(const ExtentReference& extent,
                                        const Options& options,
                                        Views inputs) const {
    switch (extent.kind) {
      case ExtentReference::Kind::kNumber:
        return extent.index;
      case ExtentReference::Kind::kInput:
        return inputs[extent.index].size();
      case ExtentReference::Kind::kRule:
        break;
    }
    return extents_[extent.index](options, inputs);
  }

  static Parser Flag(bool Options::*member) {
    return [member](absl::string_view text, Options& options) {
      options.*member = text == "yes";
      return absl::OkStatus();
    };
  }

  // `planned`: views may have a shape alone.
  absl::Status CheckInputs(const Options& options, Views inputs, Memory memory,
                           absl::string_view where,
                           bool planned = false) const {
    absl::Status status = CheckNumbers(options);
    if (status.ok()) {
      status = CheckInputArrays(data_, input_arrays_, inputs, memory, where,
                                planned);
    }
    if (status.ok() && requires_) status = requires_(options, inputs);
    for (std::size_t i = 0; status.ok() && i < data_.inputs.size(); ++i) {
      if (!inputs[i].given() ||
          input_arrays_[i].HasSizeOfInput(inputs[i], inputs)) {
        continue;
      }
      status = CheckShape(data_.inputs[i].name, input_arrays_[i], inputs[i],
                          options, inputs);
    }
    return status;
  }

  absl::Status CheckOutput(const OutputRule& rule, const ArrayRule& array,
                           const ArrayView& view, const Options& options,
                           Views inputs, Memory memory,
                           absl::string_view where) const {
    absl::Status status = CheckOutputArray(rule.name, view, memory, where);
    if (!status.ok()) return status;
    // A rule may take long: it is asked only where that decides.
    if (!array.Allows(view.type())) {
      const ElementType type = rule.type.of(options, inputs);
      if (view.type() != type) {
        std::vector<ElementType> types = {type};
        for (const ElementType other : rule.or_types) {
          if (other != type) types.push_back(other);
        }
        return CheckTypes(rule.name, view, types);
      }
    }
    if (array.HasSizeOfInput(view, inputs)) return absl::OkStatus();
    return CheckShape(rule.name, array, view, options, inputs);
  }

  // As many elements as the shape has. Where a run would have to look at
  // elements to know, it is the implementation's business.
  absl::Status CheckShape(const std::string& name, const ArrayRule& array,
                          const ConstArrayView& view, const Options& options,
                          Views inputs) const {
    if (array.needs_data) return absl::OkStatus();
    std::int64_t size = 1;
    for (int d = 0; d < array.dimensions; ++d) {
      absl::StatusOr<std::int64_t> extent =
          ExtentOf(array.extents[d], options, inputs);
      if (!extent.ok()) return extent.status();
      if (__builtin_mul_overflow(size, *extent, &size)) {
        return absl::InvalidArgumentError(
            absl::StrCat("'", name, "' would have more than 2^63 elements"));
      }
    }
    return CheckSize(name, view, size);
  }

  SignatureData data_;
  std::vector<Parser> parsers_;
  std::vector<OutputRule> outputs_;
  std::vector<ExtentRule> extents_;
  std::vector<ArrayRule> input_arrays_;
  std::vector<ArrayRule> output_arrays_;
  std::vector<NumberRule> numbers_;
  Usual usual_;
  Check requires_;
  Check examines_;
  Function compute_;
  Function compute_from_host_;
};

// --- Rules that many have ---

// For any Options.
struct SameTypeAs {
  int input;

  template <typename Options>
  operator Rule<Options, ElementType>() const {
    return {"that of the input", [input = input](const Options&, Views in) {
              return in[input].type();
            }};
  }
};

struct Always {
  ElementType type;

  template <typename Options>
  operator Rule<Options, ElementType>() const {
    return {std::string(Name(type)),
            [type = type](const Options&, Views) { return type; }};
  }
};

}  // namespace concord

#endif  // CONCORD_CORE_SIGNATURE_H_
