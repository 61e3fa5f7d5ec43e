// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_HELP_H_
#define CONCORD_TOOLS_CONCORD_HELP_H_

#include <CLI/CLI.hpp>
#include <string>

namespace concord {

// A name, and beside it in a column of its own what it means.
std::string HelpEntry(const std::string& name, const std::string& explanation);

// What --help prints.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_HELP_H_
