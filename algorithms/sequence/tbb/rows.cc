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
#include "concord/backends/tbb/simd.h"
#include "concord/core/element_width.h"
#include "concord/core/operators.h"

#define CONCORD_SIMD_FILE "concord/algorithms/sequence/tbb/rows_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::sequence {
namespace {

using expression::Type;

// Rows of a chunk, a power of two: its total is a node of the pairs.
constexpr std::int64_t kRows = 256;
constexpr std::int64_t kRowElements = kRow;
constexpr std::int64_t kChunk = kRows * kRowElements;

// to[e * kRows + r] = from[r * 128 + e], of n elements.
template <typename T>
void Transpose(const T* from, T* to, std::int64_t n) {
  const std::int64_t rows = CONCORD_SIMD_CHOOSE(TransposeRows<T>)(
      from, n / kRowElements, kRowElements, to, kRows);
  for (std::int64_t i = rows * kRowElements; i < n; ++i) {
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
      DispatchWidth(StoredAs(functions_.input_types[k]), [&](auto width) {
        using T = decltype(width);
        Transpose(static_cast<const T*>(from), static_cast<T*>(to), n);
      });
    }
    if (functions_.uses_index) NumberElements(call_.index + first);
    const std::int64_t rows = (n + kRowElements - 1) / kRowElements;
    first_.Apply(InputsAt(0), states_[0].pointers(), 0, rows);
    const std::int64_t tile = functions_.next.tile();
    for (std::int64_t lane = 0; lane < rows; lane += tile) {
      next_.StartSteps(PointersAt<void, ArrayView>(states_[0].views(), lane),
                       PointersAt<void, ArrayView>(states_[1].views(), lane),
                       InputsAt(kRows + lane), kRows);
      if (lane + tile < rows) {
        next_.TakeSteps(kSteps);
      } else {
        TakeLastSteps(rows, n - (rows - 1) * kRowElements);
      }
    }
    return pairs_.Total(combine_, states_[1], rows);
  }

 private:
  // After the first element of a row. An odd number: results are in the second
  // states.
  static constexpr std::int64_t kSteps = kRowElements - 1;
  static_assert(kSteps % 2 == 1);

  // The last row has `present` elements. Lanes go on with anything, but its
  // total is what it was then.
  void TakeLastSteps(std::int64_t rows, std::int64_t present) {
    next_.TakeSteps(present - 1);
    const Tuple total = states_[(present - 1) % 2].Get(rows - 1);
    next_.TakeSteps(kRowElements - present);
    states_[1].Set(rows - 1, total);
  }

  // Transposed inputs from there on.
  std::vector<const void*> InputsAt(std::int64_t first) const {
    return PointersAt<const void, ArrayView>(transposed_.views(), first);
  }

  // The last input, of elements from there on.
  void NumberElements(std::int64_t first) {
    auto* const indices = transposed_.views().back().data<std::int64_t>();
    for (std::int64_t e = 0; e < kRowElements; ++e) {
      for (std::int64_t r = 0; r < kRows; ++r) {
        indices[e * kRows + r] = first + r * kRowElements + e;
      }
    }
  }

  const PassCall& call_;
  const OrderedPass& functions_;
  InterpreterThread first_, next_, combine_;
  ValueArrays states_[2];
  ValueArrays transposed_;
  Pairs pairs_;
};

}  // namespace

Tuple ReduceInRows(TbbBackend& backend, const PassCall& call,
                   const OrderedPass& functions) {
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
