// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the places of a pass (pass_functions.h) have in common: their operands,
// the pass's functions at an element, and the words in which values travel from
// place to place.

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_PLACE_VALUES_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_PLACE_VALUES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/backends/cuda/spliced/function_compiler.h"
#include "concord/backends/cuda/spliced/pass_functions.h"
#include "concord/backends/cuda/spliced/ptx_emitter.h"
#include "concord/backends/cuda/spliced/ptx_writer.h"
#include "concord/backends/cuda/spliced/splicer.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/value_type.h"

namespace concord::spliced {

// One place.
class PlaceValues {
 public:
  using Words = absl::Span<const std::string>;

  PlaceValues(const PassFunctions& pass, bool wide, const Place& place,
              const PassCode* code);

  PtxWriter& ptx() { return ptx_; }
  const PassFunctions& pass() const { return pass_; }
  // Of the prologue's results, and of the pass's.
  const std::vector<expression::Type>& value_types() const {
    return value_types_;
  }
  std::vector<expression::Type> ResultTypes() const;

  Words operands() const { return place_.operands; }
  // All operands but that many.
  Words AllButLast(std::size_t count) const;
  const std::string& Last() const { return place_.operands.back(); }
  // A number in the text of the place.
  absl::StatusOr<int> Number(std::size_t operand) const;

  // How many of `count` are read before the first is used, `elements` of each
  // column every time.
  int Batch(int count, int elements) const;

  ColumnReader Reader(const std::string& first);
  ColumnWriter Writer(absl::Span<const expression::Type> types,
                      const std::string& first);
  void Fetch();

  // first + offset, where the prologue asks for it.
  std::string Element(const std::string& first, int offset);

  // The part, which is this function.
  Values Emit(Part part, const expression::Function& function,
              const Values& arguments, const std::string& element);
  // The prologue of element first + offset, of which `columns` are the values.
  Values Prologue(const Values& columns, const std::string& first, int offset);
  Values OfElement(const std::string& element);
  Values Combined(const Values& a, const Values& b);
  // The results of the state in these words, as this element.
  Values Results(Words state, const std::string& element);

  Values FromWords(Words words);
  void ToWords(const Values& values, Words words);
  void ToWord(expression::Type type, const std::string& value,
              const std::string& word);

 private:
  const PassFunctions& pass_;
  const bool wide_;
  const Place& place_;
  const PassCode* const code_;
  const std::vector<expression::Type> value_types_;
  const bool asks_for_element_;
  PtxWriter ptx_;
};

// How a place of that name is filled.
struct NamedPlace {
  absl::string_view name;
  absl::Status (*fill)(PlaceValues& values);
};

// Those at which elements or their results are.
absl::Span<const NamedPlace> ElementPlaces();
// Those at which states are, of which elements are combined.
absl::Span<const NamedPlace> StatePlaces();

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_PLACE_VALUES_H_
