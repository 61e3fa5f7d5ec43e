// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_OPTIONS_H_
#define CONCORD_CORE_OPTIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace concord {

// Option name -> value, both as on the command line but without the dashes:
// {"op", "add"}.
using OptionMap = std::map<std::string, std::string>;

// One option of an algorithm. From this the command line makes its flags and
// help, the engine its combinations, the benchmarks their names.
struct OptionSpec {
  enum class Kind {
    kChoice,  // one of `choices`
    kNumber,  // a whole number in [least, most], a multiple of `step`
    kText,    // anything
    kFile,    // a file to read: becomes an input of the case, not an option
    kSwitch,  // without a value on the command line; "yes" or "no" here
    kOutput,  // "output-X": whether there is to be an output X; "yes" or "no"
  };

  static OptionSpec Choice(std::string name, std::string help,
                           std::string default_value,
                           std::vector<std::string> choices);
  static OptionSpec Number(std::string name, std::string help,
                           std::int64_t default_value, std::int64_t least,
                           std::int64_t most, std::int64_t step = 1);
  static OptionSpec Text(std::string name, std::string help,
                         std::string default_value = "");
  static OptionSpec File(std::string name, std::string help);
  static OptionSpec Switch(std::string name, std::string help);
  static OptionSpec Output(std::string name, std::string help);

  std::string name;
  Kind kind = Kind::kText;
  std::string help = {};
  // What it is when it is not given; for a kFile, "" means: not given. Switches
  // and outputs are "no" unless they are given.
  std::string default_value = {};
  std::vector<std::string> choices = {};
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t step = 1;
};

// "from 0 to 1024, a multiple of 32", of a number.
std::string RangeOf(const OptionSpec& spec);

// `given` completed by the defaults of `specs`, files left out. InvalidArgument
// names an option that is not in `specs` and lists those that are, or a value
// that its option does not take and what it does take.
absl::StatusOr<OptionMap> CompleteOptions(const std::vector<OptionSpec>& specs,
                                          const OptionMap& given);

// "--op=add --kind=inclusive"; a switch that is on is "--argsort", one that is
// off is left out.
std::string ToString(const OptionMap& options);

// The values that the option takes where it is one of a few, otherwise none.
std::vector<std::string> ChoicesOf(const OptionSpec& spec);

// The number that CompleteOptions has checked.
std::int64_t NumberOption(const OptionMap& options, const std::string& name);

// Whether a switch is on, or an output wanted.
bool SwitchOption(const OptionMap& options, const std::string& name);

// "output-indices" -> "indices".
std::string OutputOfOption(const OptionSpec& spec);

}  // namespace concord

#endif  // CONCORD_CORE_OPTIONS_H_
