// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_PARSER_H_
#define CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/token.h"

namespace concord::sequence {

// The stages of a text, by the grammar of Program::Parse.
class ProgramParser {
 public:
  ProgramParser(absl::string_view text,
                const std::vector<expression::Parameter>& columns);

  absl::StatusOr<std::vector<Stage>> Run();

 private:
  void Fail(std::size_t place, std::string message) {
    cursor_.error().Set(place, std::move(message));
  }
  int Add(Stage stage);
  void Name(absl::string_view name, std::size_t place, int stage);

  // Each returns the number of a stage: any where there is an error.
  int Chain();
  int Source();
  int Named();
  int Zip();
  int Concat();
  int Tabulate();
  std::vector<int> NamesAfter();
  std::int64_t Number();

  // The stage at the cursor, of what `input` gives (program_steps.cc).
  int Step(int input);
  int Filter(Stage stage);
  int Combine(Stage stage);
  int SortBy(Stage stage);
  int Histogram(Stage stage);
  int GroupReduce(Stage stage);
  int Part(Stage stage);

  std::optional<expression::Function> ParseForm(expression::FunctionForm form);
  // A function of elements, which may read columns; into the stage.
  void ParseMap(std::vector<expression::Type> types, Stage& stage);
  // The same; it gives a key.
  void ParseKey(Stage& stage);
  // An operator on these, with its start; into the stage.
  void ParseOperator(const std::vector<expression::Type>& types, Stage& stage);
  // The same; it combines groups.
  void ParseGroupOperator(const std::vector<expression::Type>& types,
                          Stage& stage);
  int AddWithFunction(Stage stage);

  // Leaves out what the result does not need, and numbers the rest anew.
  void KeepWhatIsNeeded(int result);

  expression::Cursor cursor_;
  const std::vector<expression::Parameter>& columns_;
  std::vector<Stage> stages_;
  std::map<std::string, int, std::less<>> names_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_PARSER_H_
