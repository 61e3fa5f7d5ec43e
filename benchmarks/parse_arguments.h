// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_PARSE_ARGUMENTS_H_
#define CONCORD_BENCHMARKS_PARSE_ARGUMENTS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace concord {

// app.parse(), but an option whose value is empty is a CLI::ParseError that
// names it. By itself the parser takes what follows "--name=" for its value. So
// is an empty word in a place that may be left out. An option without a value,
// or with two, is told in words of our own.
void ParseArguments(CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_PARSE_ARGUMENTS_H_
