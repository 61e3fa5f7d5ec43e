// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/place_values.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/spliced/ptx_operations.h"
#include "concord/backends/cuda/spliced/row_pieces.h"
#include "concord/core/errors.h"

namespace concord::spliced {
namespace {

using expression::Function;
using expression::Op;
using expression::Type;

// Bytes of columns that a thread reads before it uses the first.
constexpr int kBytesAhead = 128;

bool AsksForElement(const Function& function) {
  return std::any_of(function.nodes().begin(), function.nodes().end(),
                     [](const expression::Node& node) {
                       return node.op == Op::kIndex || node.op == Op::kGather;
                     });
}

}  // namespace

PlaceValues::PlaceValues(const PassFunctions& pass, bool wide,
                         const Place& place, const PassCode* code)
    : pass_(pass),
      wide_(wide),
      place_(place),
      code_(code),
      value_types_(pass.prologue.ResultTypes()),
      asks_for_element_(AsksForElement(pass.prologue)) {}

std::vector<Type> PlaceValues::ResultTypes() const {
  return pass_.epilogue.has_value() ? pass_.epilogue->ResultTypes()
                                    : value_types_;
}

PlaceValues::Words PlaceValues::AllButLast(std::size_t count) const {
  return operands().first(place_.operands.size() - count);
}

absl::StatusOr<int> PlaceValues::Number(std::size_t operand) const {
  int number = 0;
  if (operand >= place_.operands.size() ||
      !absl::SimpleAtoi(place_.operands[operand], &number)) {
    return InternalError("'", place_.name, "' has no number ", operand);
  }
  return number;
}

int PlaceValues::Batch(int count, int elements) const {
  int bytes = 1;
  for (Type type : pass_.prologue.ParameterTypes()) {
    bytes += elements * BytesOf(type);
  }
  return std::clamp(kBytesAhead / bytes, 1, count);
}

ColumnReader PlaceValues::Reader(const std::string& first) {
  return ColumnReader(ptx_, pass_.prologue.ParameterTypes(),
                      place_.kernel_arguments, first);
}

ColumnWriter PlaceValues::Writer(absl::Span<const Type> types,
                                 const std::string& first) {
  return ColumnWriter(ptx_, types, place_.kernel_arguments, first);
}

void PlaceValues::Fetch() {
  EmitFetch(ptx_, pass_.prologue.ParameterTypes(), place_.kernel_arguments,
            place_.operands);
}

std::string PlaceValues::Element(const std::string& first, int offset) {
  if (!asks_for_element_) return "";
  return ptx_.Let(Register::kLong, "add.s64", first, offset);
}

Values PlaceValues::Emit(Part part, const Function& function,
                         const Values& arguments, const std::string& element) {
  return code_ != nullptr ? code_->Emit(ptx_, part, arguments, element,
                                        place_.kernel_arguments)
                          : EmitFunction(ptx_, function, arguments, element,
                                         place_.kernel_arguments);
}

Values PlaceValues::Prologue(const Values& columns, const std::string& first,
                             int offset) {
  return Emit(Part::kPrologue, pass_.prologue, columns, Element(first, offset));
}

Values PlaceValues::OfElement(const std::string& element) {
  return Prologue(Reader(element).Read(0, 1, false)[0], element, 0);
}

Values PlaceValues::Combined(const Values& a, const Values& b) {
  Values both = a;
  both.insert(both.end(), b.begin(), b.end());
  return Emit(Part::kOp, *pass_.op, both, "");
}

Values PlaceValues::Results(Words state, const std::string& element) {
  const Values values = FromWords(state);
  return pass_.epilogue.has_value()
             ? Emit(Part::kEpilogue, *pass_.epilogue, values, element)
             : values;
}

// Copies, because a word may be written before the last use of its value.
Values PlaceValues::FromWords(Words words) {
  Values values;
  for (std::size_t k = 0; k < value_types_.size(); ++k) {
    const Type type = value_types_[k];
    const bool narrows = wide_ && BytesOf(type) < 8;
    const std::string bits = ptx_.Let(
        CarrierOf(type),
        narrows ? "cvt.u32.u64" : absl::StrCat("mov.", BitsOf(type)), words[k]);
    values.push_back(type == Type::kBool ? EmitUncarried(ptx_, type, bits)
                                         : bits);
  }
  return values;
}

void PlaceValues::ToWord(Type type, const std::string& value,
                         const std::string& word) {
  const std::string carried = EmitCarried(ptx_, type, value);
  const char* const move = !wide_              ? "mov.b32 "
                           : BytesOf(type) < 8 ? "cvt.u64.u32 "
                                               : "mov.b64 ";
  ptx_.Line(move, word, ", ", carried);
}

void PlaceValues::ToWords(const Values& values, Words words) {
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (k < values.size()) {
      ToWord(value_types_[k], values[k], words[k]);
    } else {
      ptx_.Line(wide_ ? "mov.b64 " : "mov.b32 ", words[k], ", 0");
    }
  }
}

}  // namespace concord::spliced
