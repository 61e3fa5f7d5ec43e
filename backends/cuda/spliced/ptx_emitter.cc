// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/ptx_emitter.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/spliced/ptx_operations.h"
#include "concord/backends/cuda/spliced/row_pieces.h"
#include "concord/core/expression/operation.h"

namespace concord::spliced {
namespace {

using absl::StrCat;
using expression::Function;
using expression::Node;
using expression::Op;
using expression::Type;

std::string LoadArgument(PtxWriter& ptx, const std::string& kernel_arguments,
                         std::size_t offset) {
  return ptx.Let(Register::kLong, "ld.param.b64",
                 StrCat("[", kernel_arguments, "+", offset, "]"));
}

// Of an array: the addresses of arguments are generic ones.
std::string LoadPointer(PtxWriter& ptx, const std::string& kernel_arguments,
                        std::size_t offset) {
  return ptx.Let(Register::kLong, "cvta.to.global.u64",
                 LoadArgument(ptx, kernel_arguments, offset));
}

// "s8" reads a byte and extends it by its sign.
absl::string_view ElementSuffix(Type type) {
  switch (BytesOf(type)) {
    case 1:
      return type == Type::kInt8 ? "s8" : "u8";
    case 4:
      return "b32";
    default:
      return "b64";
  }
}

// Enters the element, for the table of that number, where `inside` is false.
void EmitReport(PtxWriter& ptx, const std::string& kernel_arguments,
                std::size_t table, const std::string& inside,
                const std::string& element) {
  const std::string end = ptx.NewLabel();
  ptx.Line("@", inside, " bra ", end);
  const std::string first =
      StrCat(LoadPointer(ptx, kernel_arguments, offsetof(Arguments, outside)),
             "+", table * sizeof(std::uint64_t));
  // Most of many are not the first: those only look.
  const std::string seen = ptx.Let(Register::kLong, "ld.relaxed.gpu.global.b64",
                                   StrCat("[", first, "]"));
  const std::string earlier =
      ptx.Let(Register::kPredicate, "setp.lt.u64", element, seen);
  ptx.Line("@", earlier, " red.relaxed.gpu.global.min.u64 [", first, "], ",
           element);
  ptx.Label(end);
}

// Of element `first` of the array to which the argument points.
std::string EmitAddress(PtxWriter& ptx, const std::string& kernel_arguments,
                        std::size_t offset, int bytes,
                        const std::string& first) {
  return ptx.Let(Register::kLong, "mad.lo.s64", first, StrCat(bytes),
                 LoadPointer(ptx, kernel_arguments, offset));
}

std::vector<std::string> Addresses(PtxWriter& ptx, absl::Span<const Type> types,
                                   const std::string& kernel_arguments,
                                   std::size_t offset,
                                   const std::string& first) {
  std::vector<std::string> addresses;
  for (std::size_t k = 0; k < types.size(); ++k) {
    addresses.push_back(EmitAddress(ptx, kernel_arguments,
                                    offset + k * sizeof(void*),
                                    BytesOf(types[k]), first));
  }
  return addresses;
}

// How `bytes`, a power of two, travel at once: ".v4.b32" and four registers of
// 32 bits, and so on.
struct Piece {
  int registers;
  int bytes_each;

  static Piece Of(int bytes) {
    const int each = bytes < 4 ? bytes : 4;
    return {bytes / each, each};
  }
  std::string Suffix() const {
    const std::string type =
        bytes_each == 4 ? ".b32" : StrCat(".u", 8 * bytes_each);
    return registers == 1 ? type : StrCat(".v", registers, type);
  }
};

std::string Listed(const std::vector<std::string>& registers) {
  if (registers.size() == 1) return registers[0];
  std::string list = "{";
  for (const std::string& name : registers) {
    absl::StrAppend(&list, list.size() > 1 ? ", " : "", name);
  }
  return list + "}";
}

constexpr int kPieceBytes = 16;

// Elements of 8 bytes travel as registers of 64 bits, others as words.
std::vector<std::string> LoadPieces(PtxWriter& ptx, const char* load,
                                    const std::string& address, int at,
                                    int bytes, bool longs) {
  std::vector<std::string> all;
  for (int piece = 0; piece < bytes; piece += kPieceBytes) {
    const int of_piece = bytes < kPieceBytes ? bytes : kPieceBytes;
    const Piece as = longs ? Piece{of_piece / 8, 8} : Piece::Of(of_piece);
    std::vector<std::string> loaded;
    for (int k = 0; k < as.registers; ++k) {
      loaded.push_back(ptx.New(longs ? Register::kLong : Register::kWord));
    }
    const std::string suffix =
        longs ? (as.registers == 2 ? ".v2.b64" : ".b64") : as.Suffix();
    ptx.Line(load, suffix, " ", Listed(loaded), ", [", address, "+", at + piece,
             "]");
    all.insert(all.end(), loaded.begin(), loaded.end());
  }
  return all;
}

void StorePieces(PtxWriter& ptx, const std::string& address, int at, int bytes,
                 bool longs, const std::vector<std::string>& registers) {
  std::size_t next = 0;
  for (int piece = 0; piece < bytes; piece += kPieceBytes) {
    const int of_piece = bytes < kPieceBytes ? bytes : kPieceBytes;
    const Piece as = longs ? Piece{of_piece / 8, 8} : Piece::Of(of_piece);
    const std::vector<std::string> stored(
        registers.begin() + next, registers.begin() + next + as.registers);
    next += stored.size();
    const std::string suffix =
        longs ? (as.registers == 2 ? ".v2.b64" : ".b64") : as.Suffix();
    ptx.Line("st.global", suffix, " [", address, "+", at + piece, "], ",
             Listed(stored));
  }
}

// The elements that registers have, each in one of its own.
std::vector<std::string> Unpacked(PtxWriter& ptx, Type type, int count,
                                  const std::vector<std::string>& registers) {
  if (BytesOf(type) > 1) return registers;
  std::vector<std::string> elements;
  const char* const extract = type == Type::kInt8 ? "bfe.s32" : "bfe.u32";
  for (int k = 0; k < count; ++k) {
    elements.push_back(ptx.Let(Register::kWord, extract, registers[k / 4],
                               StrCat(k % 4 * 8), "8"));
  }
  return elements;
}

std::vector<std::string> Packed(PtxWriter& ptx, Type type,
                                const std::vector<std::string>& elements) {
  if (BytesOf(type) > 1) return elements;
  std::vector<std::string> words;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (k % 4 == 0) {
      words.push_back(elements[k]);
    } else {
      words.back() = ptx.Let(Register::kWord, "bfi.b32", elements[k],
                             words.back(), StrCat(k % 4 * 8), "8");
    }
  }
  return words;
}

}  // namespace

std::string EmitGather(PtxWriter& ptx, const Node& node,
                       const std::string& index, const std::string& element,
                       const std::string& kernel_arguments) {
  const std::size_t table = node.bits;
  const std::size_t at =
      offsetof(Arguments, tables) + table * sizeof(TableArgument);
  const std::string data =
      LoadPointer(ptx, kernel_arguments, at + offsetof(TableArgument, data));
  const std::string size =
      LoadArgument(ptx, kernel_arguments, at + offsetof(TableArgument, size));
  // An index below 0 is a large one without sign.
  const std::string inside =
      ptx.Let(Register::kPredicate, "setp.lt.u64", index, size);
  const std::string address = ptx.Let(Register::kLong, "mad.lo.s64", index,
                                      StrCat(BytesOf(node.type)), data);
  const std::string value =
      ptx.Let(CarrierOf(node.type), StrCat("mov.", BitsOf(node.type)), "0");
  ptx.Line("@", inside, " ld.global.", ElementSuffix(node.type), " ", value,
           ", [", address, "]");
  EmitReport(ptx, kernel_arguments, table, inside, element);
  return value;
}

Values EmitFunction(PtxWriter& ptx, const Function& function,
                    const Values& arguments, const std::string& index,
                    const std::string& kernel_arguments) {
  Values values;
  const auto value = [&](int operand) {
    return operand < 0 ? std::string() : values[operand];
  };
  for (const Node& node : function.nodes()) {
    switch (node.op) {
      case Op::kParameter:
        values.push_back(arguments[node.bits]);
        break;
      case Op::kIndex:
        values.push_back(index);
        break;
      case Op::kConstant:
        values.push_back(EmitConstant(ptx, node.type, node.bits));
        break;
      case Op::kCast:
        values.push_back(EmitCast(ptx, function.nodes()[node.a].type, node.type,
                                  value(node.a)));
        break;
      case Op::kGather:
        values.push_back(
            EmitGather(ptx, node, value(node.a), index, kernel_arguments));
        break;
      default: {
        const int operand = node.op == Op::kSelect ? node.b : node.a;
        values.push_back(
            EmitOperation(ptx, node.op, function.nodes()[operand].type,
                          value(node.a), value(node.b), value(node.c)));
      }
    }
  }
  Values results;
  for (int result : function.results()) results.push_back(values[result]);
  return results;
}

std::string EmitColumnAddress(PtxWriter& ptx,
                              const std::string& kernel_arguments,
                              std::size_t k, int bytes,
                              const std::string& first) {
  return EmitAddress(ptx, kernel_arguments,
                     offsetof(Arguments, in) + k * sizeof(void*), bytes, first);
}

ColumnReader::ColumnReader(PtxWriter& ptx, absl::Span<const Type> types,
                           const std::string& kernel_arguments,
                           const std::string& first)
    : ColumnReader(ptx, types, "ld.global",
                   Addresses(ptx, types, kernel_arguments,
                             offsetof(Arguments, in), first)) {}

ColumnReader ColumnReader::OfPiece(PtxWriter& ptx, absl::Span<const Type> types,
                                   const std::string& piece,
                                   const std::string& first) {
  const RowPieces pieces = RowPieces::Of(types);
  std::vector<std::string> addresses;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const std::string column =
        ptx.Let(Register::kWord, "add.s32", piece, StrCat(pieces.offsets[k]));
    addresses.push_back(ptx.Let(Register::kWord, "mad.lo.s32", first,
                                StrCat(BytesOf(types[k])), column));
  }
  return ColumnReader(ptx, types, "ld.shared", std::move(addresses));
}

std::vector<Values> ColumnReader::Read(int offset, int count, bool in_vectors) {
  std::vector<Values> elements(count);
  std::vector<std::vector<std::string>> loaded;
  for (std::size_t c = 0; c < types_.size(); ++c) {
    const Type type = types_[c];
    const int bytes = BytesOf(type);
    std::vector<std::string> registers;
    if (in_vectors) {
      registers = LoadPieces(ptx_, load_, addresses_[c], offset * bytes,
                             count * bytes, bytes == 8);
    } else {
      for (int k = 0; k < count; ++k) {
        registers.push_back(ptx_.Let(
            CarrierOf(type), StrCat(load_, ".", ElementSuffix(type)),
            StrCat("[", addresses_[c], "+", (offset + k) * bytes, "]")));
      }
    }
    loaded.push_back(std::move(registers));
  }
  for (std::size_t c = 0; c < types_.size(); ++c) {
    const Type type = types_[c];
    const std::vector<std::string> of_column =
        in_vectors ? Unpacked(ptx_, type, count, loaded[c]) : loaded[c];
    for (int k = 0; k < count; ++k) {
      // Bytes have been extended as their types are.
      elements[k].push_back(type == Type::kBool
                                ? EmitUncarried(ptx_, type, of_column[k])
                                : of_column[k]);
    }
  }
  return elements;
}

ColumnWriter::ColumnWriter(PtxWriter& ptx, absl::Span<const Type> types,
                           const std::string& kernel_arguments,
                           const std::string& first)
    : ptx_(ptx),
      types_(types.begin(), types.end()),
      addresses_(Addresses(ptx, types, kernel_arguments,
                           offsetof(Arguments, out), first)) {}

void ColumnWriter::Write(int offset, absl::Span<const Values> elements,
                         bool in_vectors) {
  const int count = static_cast<int>(elements.size());
  for (std::size_t c = 0; c < types_.size(); ++c) {
    const Type type = types_[c];
    const int bytes = BytesOf(type);
    std::vector<std::string> of_column;
    for (const Values& element : elements) {
      of_column.push_back(
          EmitCarried(ptx_, type, EmitCanonical(ptx_, type, element[c])));
    }
    if (in_vectors) {
      StorePieces(ptx_, addresses_[c], offset * bytes, count * bytes,
                  bytes == 8, Packed(ptx_, type, of_column));
      continue;
    }
    const char* const suffix = bytes == 1 ? "u8" : bytes == 4 ? "b32" : "b64";
    for (int k = 0; k < count; ++k) {
      ptx_.Line("st.global.", suffix, " [", addresses_[c], "+",
                (offset + k) * bytes, "], ", of_column[k]);
    }
  }
}

}  // namespace concord::spliced
