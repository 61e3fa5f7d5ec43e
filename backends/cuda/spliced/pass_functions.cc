// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/pass_functions.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "concord/backends/cuda/spliced/fold_step.h"
#include "concord/backends/cuda/spliced/function_compiler.h"
#include "concord/backends/cuda/spliced/ptx_emitter.h"
#include "concord/backends/cuda/spliced/ptx_operations.h"
#include "concord/backends/cuda/spliced/ptx_writer.h"
#include "concord/backends/cuda/spliced/row_pieces.h"
#include "concord/core/errors.h"
#include "concord/core/expression/printer.h"

namespace concord::spliced {
namespace {

using expression::Function;
using expression::Op;
using expression::Type;
using expression::Word;

// Bytes of columns that a thread reads before it uses the first.
constexpr int kBytesAhead = 128;

std::string TypedText(const Function& function) {
  std::string text;
  for (Type type : function.ParameterTypes()) {
    absl::StrAppend(&text, expression::Name(type), " ");
  }
  for (const expression::Table& table : function.tables()) {
    absl::StrAppend(
        &text, expression::Name(expression::ValueTypeOf(table.type)), "[] ");
  }
  return absl::StrCat(text, ": ", expression::ToText(function));
}

bool AsksForElement(const Function& function) {
  return std::any_of(function.nodes().begin(), function.nodes().end(),
                     [](const expression::Node& node) {
                       return node.op == Op::kIndex || node.op == Op::kGather;
                     });
}

// One place.
class Filler {
 public:
  Filler(const PassFunctions& pass, bool wide, const Place& place,
         const PassCode* code)
      : pass_(pass),
        wide_(wide),
        place_(place),
        code_(code),
        value_types_(pass.prologue.ResultTypes()),
        asks_for_element_(AsksForElement(pass.prologue)) {}

  absl::StatusOr<std::string> Fill();

 private:
  using Words = absl::Span<const std::string>;

  const std::string& LastOperand() const { return place_.operands.back(); }
  // All operands but the last, which is the element.
  Words StateOperands() const {
    return absl::MakeConstSpan(place_.operands)
        .first(place_.operands.size() - 1);
  }

  absl::Status Map();
  void MapOne();
  void MapGroups(int groups, int stride);
  void Load();
  // Elements that have been read, the first of which is this one, combined from
  // left to right.
  void Fold(const std::vector<Values>& columns, const std::string& first,
            Words state, bool begins);
  void FoldPiece(bool begins);
  void FoldOne(bool begins);
  absl::Status BeginGroup();
  void Combine();
  // The results of the state in these words, as this element.
  Values Results(Words state, const std::string& element);
  void Store(Words state, const std::string& element);
  absl::Status StoreGroup();
  absl::Status Keep();
  absl::Status Put();
  void Filter();
  void Apply();
  void Finish();

  std::vector<Type> ResultTypes() const {
    return pass_.epilogue.has_value() ? pass_.epilogue->ResultTypes()
                                      : value_types_;
  }

  // A number in the text of the place.
  absl::StatusOr<int> Number(std::size_t operand) const;

  // How many of `count` are read before the first is used, `elements` of each
  // column every time.
  int Batch(int count, int elements) const;

  // first + offset, where the prologue asks for it.
  std::string Element(const std::string& first, int offset);

  // The part, which is this function.
  Values Emit(Part part, const Function& function, const Values& arguments,
              const std::string& element) {
    return code_ != nullptr ? code_->Emit(ptx_, part, arguments, element,
                                          place_.kernel_arguments)
                            : EmitFunction(ptx_, function, arguments, element,
                                           place_.kernel_arguments);
  }
  // The prologue of element first + offset, of which `columns` are the values.
  Values Prologue(const Values& columns, const std::string& first, int offset);
  Values OfElement(const std::string& element) {
    return Prologue(Reader(element).Read(0, 1, false)[0], element, 0);
  }
  Values Combined(const Values& a, const Values& b) {
    Values both = a;
    both.insert(both.end(), b.begin(), b.end());
    return Emit(Part::kOp, *pass_.op, both, "");
  }

  Values FromWords(Words words);
  void ToWords(const Values& values, Words words);
  void ToWord(Type type, const std::string& value, const std::string& word);

  ColumnReader Reader(const std::string& first) {
    return ColumnReader(ptx_, pass_.prologue.ParameterTypes(),
                        place_.kernel_arguments, first);
  }

  const PassFunctions& pass_;
  const bool wide_;
  const Place& place_;
  const PassCode* const code_;
  const std::vector<Type> value_types_;
  const bool asks_for_element_;
  PtxWriter ptx_;
};

std::string Filler::Element(const std::string& first, int offset) {
  if (!asks_for_element_) return "";
  return ptx_.Let(Register::kLong, "add.s64", first, offset);
}

Values Filler::Prologue(const Values& columns, const std::string& first,
                        int offset) {
  return Emit(Part::kPrologue, pass_.prologue, columns, Element(first, offset));
}

// Copies, because a word may be written before the last use of its value.
Values Filler::FromWords(Words words) {
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

void Filler::ToWord(Type type, const std::string& value,
                    const std::string& word) {
  const std::string carried = EmitCarried(ptx_, type, value);
  const char* const move = !wide_              ? "mov.b32 "
                           : BytesOf(type) < 8 ? "cvt.u64.u32 "
                                               : "mov.b64 ";
  ptx_.Line(move, word, ", ", carried);
}

void Filler::ToWords(const Values& values, Words words) {
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (k < values.size()) {
      ToWord(value_types_[k], values[k], words[k]);
    } else {
      ptx_.Line(wide_ ? "mov.b64 " : "mov.b32 ", words[k], ", 0");
    }
  }
}

absl::StatusOr<int> Filler::Number(std::size_t operand) const {
  int number = 0;
  if (operand >= place_.operands.size() ||
      !absl::SimpleAtoi(place_.operands[operand], &number)) {
    return InternalError("'", place_.name, "' has no number ", operand);
  }
  return number;
}

int Filler::Batch(int count, int elements) const {
  int bytes = 1;
  for (Type type : pass_.prologue.ParameterTypes()) {
    bytes += elements * BytesOf(type);
  }
  return std::clamp(kBytesAhead / bytes, 1, count);
}

absl::Status Filler::Map() {
  ASSIGN_OR_RETURN(const int groups, Number(1));
  ASSIGN_OR_RETURN(const int stride, Number(2));
  MapGroups(groups, stride);
  return absl::OkStatus();
}

void Filler::MapGroups(int groups, int stride) {
  const std::string& first = place_.operands[0];
  const int batch = Batch(groups, kMapGroup);
  ColumnReader reader = Reader(first);
  ColumnWriter writer(ptx_, value_types_, place_.kernel_arguments, first);
  for (int group = 0; group < groups; group += batch) {
    const int end = std::min(group + batch, groups);
    std::vector<std::vector<Values>> columns;
    for (int g = group; g < end; ++g) {
      columns.push_back(reader.Read(g * stride, kMapGroup, true));
    }
    for (int g = group; g < end; ++g) {
      std::vector<Values> results;
      for (int k = 0; k < kMapGroup; ++k) {
        results.push_back(
            Prologue(columns[g - group][k], first, g * stride + k));
      }
      writer.Write(g * stride, results, true);
    }
  }
}

void Filler::MapOne() {
  const std::string& element = place_.operands[0];
  ColumnWriter writer(ptx_, value_types_, place_.kernel_arguments, element);
  writer.Write(0, {OfElement(element)}, false);
}

void Filler::Load() {
  const Words words = StateOperands();
  const int count = static_cast<int>(words.size());
  const std::vector<Values> columns =
      Reader(LastOperand()).Read(0, count, count > 1);
  std::vector<Values> loaded;
  for (int k = 0; k < count; ++k) {
    loaded.push_back(Prologue(columns[k], LastOperand(), k));
  }
  for (int k = 0; k < count; ++k) ToWords(loaded[k], words.subspan(k, 1));
}

void Filler::Fold(const std::vector<Values>& columns, const std::string& first,
                  Words words, bool begins) {
  const std::optional<Function> step = StepOf(pass_);
  Values state;
  if (!begins) state = FromWords(words);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const int offset = static_cast<int>(k);
    if (begins && k == 0) {
      state = Prologue(columns[k], first, offset);
    } else if (step.has_value()) {
      Values operands = state;
      operands.insert(operands.end(), columns[k].begin(), columns[k].end());
      state = Emit(Part::kStep, *step, operands, Element(first, offset));
    } else {
      state = Combined(state, Prologue(columns[k], first, offset));
    }
  }
  ToWords(state, words);
}

void Filler::FoldPiece(bool begins) {
  const Words all = place_.operands;
  const Words of_piece = all.last(3);
  ColumnReader reader = ColumnReader::OfPiece(
      ptx_, pass_.prologue.ParameterTypes(), of_piece[0], of_piece[1]);
  Fold(reader.Read(0, kFoldGroup, true), of_piece[2],
       all.first(all.size() - of_piece.size()), begins);
}

void Filler::FoldOne(bool begins) {
  Fold(Reader(LastOperand()).Read(0, 1, false), LastOperand(), StateOperands(),
       begins);
}

void Filler::Combine() {
  const Words all = place_.operands;
  const std::size_t words = all.size() / 3;
  ToWords(Combined(FromWords(all.subspan(words, words)),
                   FromWords(all.subspan(2 * words, words))),
          all.first(words));
}

absl::Status Filler::BeginGroup() {
  const Words words = StateOperands().first(place_.operands.size() - 2);
  const std::string& first = place_.operands[words.size()];
  ASSIGN_OR_RETURN(const int count, Number(words.size() + 1));
  const std::size_t each = words.size() / static_cast<std::size_t>(count);
  const std::vector<Values> columns = Reader(first).Read(0, count, true);
  for (int k = 0; k < count; ++k) {
    ToWords(Prologue(columns[k], first, k), words.subspan(k * each, each));
  }
  return absl::OkStatus();
}

Values Filler::Results(Words state, const std::string& element) {
  const Values values = FromWords(state);
  return pass_.epilogue.has_value()
             ? Emit(Part::kEpilogue, *pass_.epilogue, values, element)
             : values;
}

void Filler::Store(Words state, const std::string& element) {
  ColumnWriter writer(ptx_, ResultTypes(), place_.kernel_arguments, element);
  writer.Write(0, {Results(state, element)}, false);
}

absl::Status Filler::StoreGroup() {
  const Words words = StateOperands().first(place_.operands.size() - 2);
  const std::string& first = place_.operands[words.size()];
  ASSIGN_OR_RETURN(const int count, Number(words.size() + 1));
  const std::size_t each = words.size() / static_cast<std::size_t>(count);
  std::vector<Values> results;
  for (int k = 0; k < count; ++k) {
    const std::string element = ptx_.Let(Register::kLong, "add.s64", first, k);
    results.push_back(Results(words.subspan(k * each, each), element));
  }
  ColumnWriter writer(ptx_, ResultTypes(), place_.kernel_arguments, first);
  writer.Write(0, results, true);
  return absl::OkStatus();
}

absl::Status Filler::Keep() {
  const Words words = StateOperands().first(place_.operands.size() - 2);
  const std::string& first = place_.operands[words.size()];
  ASSIGN_OR_RETURN(const int stride, Number(words.size() + 1));
  const int count = static_cast<int>(words.size());
  const int batch = Batch(count, 1);
  ColumnReader reader = Reader(first);
  for (int begin = 0; begin < count; begin += batch) {
    const int end = std::min(begin + batch, count);
    std::vector<Values> columns;
    for (int k = begin; k < end; ++k) {
      columns.push_back(reader.Read(k * stride, 1, false)[0]);
    }
    for (int k = begin; k < end; ++k) {
      const Values results = Prologue(columns[k - begin], first, k * stride);
      ptx_.Line("mov.b32 ", words[k], ", ",
                EmitCarried(ptx_, Type::kBool, results[0]));
    }
  }
  return absl::OkStatus();
}

absl::Status Filler::Put() {
  const Words elements = StateOperands().first(place_.operands.size() - 2);
  ASSIGN_OR_RETURN(const int stride, Number(elements.size() + 1));
  const int count = static_cast<int>(elements.size());
  const int batch = Batch(count, 1);
  ColumnWriter writer(ptx_, absl::MakeConstSpan(value_types_).subspan(1),
                      place_.kernel_arguments,
                      place_.operands[elements.size()]);
  for (int begin = 0; begin < count; begin += batch) {
    const int end = std::min(begin + batch, count);
    std::vector<Values> columns;
    for (int k = begin; k < end; ++k) {
      columns.push_back(Reader(elements[k]).Read(0, 1, false)[0]);
    }
    for (int k = begin; k < end; ++k) {
      Values results = Prologue(columns[k - begin], elements[k], 0);
      results.erase(results.begin());
      writer.Write(k * stride, {results}, false);
    }
  }
  return absl::OkStatus();
}

void Filler::Filter() {
  const std::string& first = LastOperand();
  const std::string& bits = place_.operands[place_.operands.size() - 2];
  const Words words = StateOperands().first(place_.operands.size() - 2);
  ptx_.Line("mov.b32 ", bits, ", 0");
  for (std::size_t k = 0; k < words.size(); ++k) {
    // A copy, because the word is written, too.
    const std::string x = ptx_.Let(Register::kWord, "mov.b32", words[k]);
    const Values results = Prologue({x}, first, static_cast<int>(k));
    const std::string kept = ptx_.Let(Register::kWord, "selp.b32",
                                      absl::StrCat(1 << k), "0", results[0]);
    ptx_.Line("or.b32 ", bits, ", ", bits, ", ", kept);
    ToWord(value_types_[1], EmitCanonical(ptx_, value_types_[1], results[1]),
           words[k]);
  }
}

void Filler::Apply() {
  const Words words = StateOperands();
  for (std::size_t k = 0; k < words.size(); ++k) {
    // A copy, because the word is written, too.
    const std::string x = ptx_.Let(Register::kWord, "mov.b32", words[k]);
    const Values values = Prologue({x}, LastOperand(), static_cast<int>(k));
    ToWord(value_types_[0], values[0], words[k]);
  }
}

void Filler::Finish() {
  const Words words = StateOperands();
  const Type type = ResultTypes()[0];
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string element =
        pass_.epilogue.has_value()
            ? ptx_.Let(Register::kLong, "add.s64", LastOperand(), k)
            : "";
    const Values results = Results(words.subspan(k, 1), element);
    ToWord(type, EmitCanonical(ptx_, type, results[0]), words[k]);
  }
}

absl::StatusOr<std::string> Filler::Fill() {
  if (place_.name == "map") {
    RETURN_IF_ERROR(Map());
  } else if (place_.name == "map_one") {
    MapOne();
  } else if (place_.name == "load") {
    Load();
  } else if (place_.name == "begin") {
    FoldPiece(/*begins=*/true);
  } else if (place_.name == "step") {
    FoldPiece(/*begins=*/false);
  } else if (place_.name == "fetch") {
    EmitFetch(ptx_, pass_.prologue.ParameterTypes(), place_.kernel_arguments,
              place_.operands);
  } else if (place_.name == "begin_one") {
    FoldOne(/*begins=*/true);
  } else if (place_.name == "step_one") {
    FoldOne(/*begins=*/false);
  } else if (place_.name == "begin_group") {
    RETURN_IF_ERROR(BeginGroup());
  } else if (place_.name == "combine") {
    Combine();
  } else if (place_.name == "identity") {
    Values values;
    for (std::size_t k = 0; k < pass_.identity.size(); ++k) {
      values.push_back(EmitConstant(ptx_, value_types_[k], pass_.identity[k]));
    }
    ToWords(values, place_.operands);
  } else if (place_.name == "store") {
    // The one element that there is then is number 0.
    Store(place_.operands, ptx_.Let(Register::kLong, "mov.b64", "0"));
  } else if (place_.name == "store_at") {
    Store(StateOperands(), LastOperand());
  } else if (place_.name == "store_group") {
    RETURN_IF_ERROR(StoreGroup());
  } else if (place_.name == "keep") {
    RETURN_IF_ERROR(Keep());
  } else if (place_.name == "filter") {
    Filter();
  } else if (place_.name == "apply") {
    Apply();
  } else if (place_.name == "finish") {
    Finish();
  } else if (place_.name == "put") {
    RETURN_IF_ERROR(Put());
  } else {
    return InternalError("there is no place '", place_.name, "'");
  }
  return ptx_.Block();
}

}  // namespace

std::string PassFunctions::Canonical() const {
  std::string text = absl::StrCat("prologue ", TypedText(prologue), "\n");
  if (op.has_value()) absl::StrAppend(&text, "op ", TypedText(*op), "\n");
  if (epilogue.has_value()) {
    absl::StrAppend(&text, "epilogue ", TypedText(*epilogue), "\n");
  }
  for (Word word : identity) {
    absl::StrAppend(&text, "identity ", absl::Hex(word), "\n");
  }
  return text;
}

std::optional<Function> PartOf(const PassFunctions& pass, Part part) {
  switch (part) {
    case Part::kPrologue:
      return pass.prologue;
    case Part::kOp:
      return pass.op;
    case Part::kEpilogue:
      return pass.epilogue;
    case Part::kStep:
      break;
  }
  return pass.op.has_value() ? StepOf(pass) : std::nullopt;
}

absl::StatusOr<std::string> FillPlaceOfPass(const PassFunctions& pass,
                                            bool wide, const Place& place,
                                            const PassCode* code) {
  return Filler(pass, wide, place, code).Fill();
}

}  // namespace concord::spliced
