// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The operations of core/expression/operations.h as PTX, one by one, with
// exactly their bits.
//
// Where values stand, by their type:
//
//   bool             a predicate
//   int8             a register of 32 bits, extended by its sign
//   uint8            a register of 32 bits, extended by zeros
//   int32, uint32, float32   a register of 32 bits
//   int64, uint64, float64   a register of 64 bits

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_PTX_OPERATIONS_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_PTX_OPERATIONS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "concord/backends/cuda/spliced/ptx_writer.h"
#include "concord/core/expression/operation.h"
#include "concord/core/expression/value_type.h"

namespace concord::spliced {

// The kind of register in which a value stands, and in which one travels from
// and to the kernel: there, a bool is a word.
Register KindOf(expression::Type type);
Register CarrierOf(expression::Type type);

// "b32" or "b64".
absl::string_view BitsOf(expression::Type type);

// "0x2a": the register-wide bits of a value, as an instruction takes them.
std::string Literal(expression::Type type, expression::Word value);

// Each of these returns the register that has the result.

std::string EmitConstant(PtxWriter& ptx, expression::Type type,
                         expression::Word value);

// Of every operation but leaves, casts and tables. `type` is that of the
// operands; of kSelect, of what it chooses from.
std::string EmitOperation(PtxWriter& ptx, expression::Op op,
                          expression::Type type, const std::string& a,
                          const std::string& b, const std::string& c);

std::string EmitCast(PtxWriter& ptx, expression::Type from, expression::Type to,
                     const std::string& a);

// A bool is 0 or 1 then; of other types, the value.
std::string EmitCarried(PtxWriter& ptx, expression::Type type,
                        const std::string& value);

// A value from the bits of one, of which those above its type may be anything;
// what is not 0 is a true bool.
std::string EmitUncarried(PtxWriter& ptx, expression::Type type,
                          const std::string& bits);

// Any NaN as the quiet NaN.
std::string EmitCanonical(PtxWriter& ptx, expression::Type type,
                          const std::string& value);

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_PTX_OPERATIONS_H_
