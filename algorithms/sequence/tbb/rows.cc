// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Reductions by a user's operator (order.h): a lane for each row of 128
// elements, which all take their next element in a step. For that, elements are
// transposed in the cache.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/tbb/ordered.h"
#include "concord/algorithms/sequence/tbb/passes.h"

namespace concord::sequence {
namespace {

using expression::Type;

// Rows of a chunk, a power of two: its total is a node of the pairs.
constexpr std::int64_t kRows = 256;
constexpr std::int64_t kRowElements = kRow;
constexpr std::int64_t kChunk = kRows * kRowElements;

// to[e * kRows + r] = from[r * 128 + e], of n elements, in squares that are a
// few cache lines.
template <typename T>
void Transpose(const T* from, T* to, std::int64_t n) {
  constexpr std::int64_t kSide = 16;
  const std::int64_t whole = n / kRowElements;
  std::int64_t r = 0;
  for (; r + kSide <= whole; r += kSide) {
    for (std::int64_t e = 0; e < kRowElements; e += kSide) {
      for (std::int64_t p = 0; p < kSide; ++p) {
        for (std::int64_t q = 0; q < kSide; ++q) {
          to[(e + p) * kRows + r + q] = from[(r + q) * kRowElements + e + p];
        }
      }
    }
  }
  for (std::int64_t i = r * kRowElements; i < n; ++i) {
    to[i % kRowElements * kRows + i / kRowElements] = from[i];
  }
}

class Rows {
 public:
  Rows(const PassCall& call, const OrderedPass& functions)
      : call_(call),
        functions_(functions),
        first_(functions.first),
        next_(functions.next),
        combine_(functions.combine),
        states_{{call.pass.op->types(), kRows}, {call.pass.op->types(), kRows}},
        transposed_(functions.input_types, kChunk),
        pairs_(call.pass.op->types(), kRows) {}

  // What elements [first, first + n) amount to; at most a chunk.
  Tuple Total(std::int64_t first, std::int64_t n) {
    for (std::size_t k = 0; k < call_.inputs.size(); ++k) {
      const ConstArrayView& input = call_.inputs[k];
      const void* const from = input.Slice(first, n).data();
      void* const to = transposed_.views()[k].data();
      ByWidth(BytesOf(functions_.input_types[k]), [&](auto width) {
        using T = decltype(width);
        Transpose(static_cast<const T*>(from), static_cast<T*>(to), n);
      });
    }
    const std::int64_t rows = (n + kRowElements - 1) / kRowElements;
    const std::int64_t last = n - (rows - 1) * kRowElements;
    first_.Apply(Inputs(first, 0), states_[0].pointers(), 0, rows);
    int now = 0;
    Tuple total_of_last;
    for (std::int64_t e = 1; e < kRowElements; ++e) {
      if (e == last) total_of_last = states_[now].Get(rows - 1);
      const std::int64_t lanes = e < last ? rows : rows - 1;
      if (lanes == 0) break;
      std::vector<const void*> parameters = Pointers(states_[now]);
      for (const void* input : Inputs(first, e)) parameters.push_back(input);
      next_.Apply(parameters, states_[1 - now].pointers(), 0, lanes);
      now = 1 - now;
    }
    if (!total_of_last.empty()) states_[now].Set(rows - 1, total_of_last);
    return pairs_.Total(combine_, states_[now], rows);
  }

 private:
  // Of element e of each row; the first row begins at `first`.
  std::vector<const void*> Inputs(std::int64_t first, std::int64_t e) {
    std::vector<const void*> inputs;
    for (std::size_t k = 0; k < transposed_.views().size(); ++k) {
      const ArrayView& view = transposed_.views()[k];
      if (k == call_.inputs.size()) {
        // The index, made anew for each e.
        for (std::int64_t r = 0; functions_.uses_index && r < kRows; ++r) {
          view.data<std::int64_t>()[r] =
              call_.index + first + r * kRowElements + e;
        }
        inputs.push_back(view.data());
        continue;
      }
      inputs.push_back(view.Slice(e * kRows, kRows).data());
    }
    return inputs;
  }

  const PassCall& call_;
  const OrderedPass& functions_;
  InterpreterThread first_, next_, combine_;
  ValueArrays states_[2];
  ValueArrays transposed_;
  Pairs pairs_;
};

}  // namespace

Tuple ReduceInRows(TbbBackend& backend, const PassCall& call) {
  const OrderedPass functions(call.pass);
  const std::int64_t chunks = (call.n + kChunk - 1) / kChunk;
  ValueArrays totals(call.pass.op->types(), chunks);
  ForEachChunk(backend, call.n, kChunk, [&] {
    return [&, rows = std::make_unique<Rows>(call, functions)](
               std::int64_t c, std::int64_t first, std::int64_t n) {
      totals.Set(c, rows->Total(first, n));
    };
  });
  InterpreterThread combine(functions.combine);
  return Pairs(call.pass.op->types(), chunks).Total(combine, totals, chunks);
}

}  // namespace concord::sequence
