// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/program.h"

#include <atomic>
#include <utility>

#include "concord/algorithms/sequence/program_parser.h"
#include "concord/core/errors.h"

namespace concord::sequence {
namespace {

std::uint64_t NewId() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

Program::Program(std::vector<expression::Parameter> columns,
                 std::vector<Stage> stages)
    : id_(NewId()), columns_(std::move(columns)), stages_(std::move(stages)) {}

absl::StatusOr<Program> Program::Parse(
    absl::string_view text, std::vector<expression::Parameter> columns) {
  ASSIGN_OR_RETURN(std::vector<Stage> stages,
                   ProgramParser(text, columns).Run());
  return Program(std::move(columns), std::move(stages));
}

}  // namespace concord::sequence
