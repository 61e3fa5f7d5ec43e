// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_HELP_H_
#define CONCORD_TOOLS_CONCORD_HELP_H_

#include <CLI/CLI.hpp>
#include <string>

namespace concord {

// What --help prints.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_HELP_H_
