// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/sequence/tbb/passes.h"
#include "concord/backends/tbb/simd.h"
#include "concord/core/operators.h"

#define CONCORD_SIMD_FILE "concord/algorithms/reduce/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::reduce {
namespace {

template <typename T, typename Op>
T BestReduceChunk(const T* x, std::int64_t n) {
  return CONCORD_SIMD_CHOOSE(ReduceChunk<T, Op>)(x, n);
}

}  // namespace
}  // namespace concord::reduce

namespace concord::sequence {
namespace {

using expression::Op;
using expression::Type;
using expression::Word;

// Elements, a multiple of all tiles: up to 128 KiB of a column.
constexpr std::int64_t kChunk = std::int64_t{1} << 14;

// The first elements of call's inputs from `first` on.
std::vector<const void*> InputsAt(const PassCall& call, std::int64_t first) {
  return PointersAt<const void, ConstArrayView>(call.inputs, first);
}

// The tree of reduce.h over chunks of it, which are combined already.
template <typename T, typename Operation>
T TreeOfChunks(std::vector<T> results) {
  constexpr std::size_t kMost = concord::Reduce::kChunkBytes / sizeof(T);
  while (results.size() > 1) {
    std::vector<T> next;
    for (std::size_t i = 0; i < results.size(); i += kMost) {
      const std::size_t size = std::min(kMost, results.size() - i);
      next.push_back(reduce::BestReduceChunk<T, Operation>(
          results.data() + i, static_cast<std::int64_t>(size)));
    }
    results = std::move(next);
  }
  return results[0];
}

template <typename T, typename Operation>
Tuple ReduceFloats(TbbBackend& backend, const PassCall& call,
                   OutsideReads& outside) {
  constexpr std::int64_t kTreeChunk = concord::Reduce::kChunkBytes / sizeof(T);
  const Interpreter prologue(*call.pass.prologue);
  std::vector<T> results(
      static_cast<std::size_t>((call.n + kTreeChunk - 1) / kTreeChunk));
  ForEachChunk(backend, call.n, kTreeChunk, [&] {
    return [&, thread = InterpreterThread(prologue, call.tables),
            values = std::vector<T>(
                static_cast<std::size_t>(std::min(call.n, kTreeChunk)))](
               std::int64_t c, std::int64_t first, std::int64_t n) mutable {
      thread.Apply(InputsAt(call, first), {values.data()}, call.index + first,
                   n);
      outside.Add(thread);
      results[static_cast<std::size_t>(c)] =
          reduce::BestReduceChunk<T, Operation>(values.data(), n);
    };
  });
  return {expression::ToWord(TreeOfChunks<T, Operation>(std::move(results)))};
}

}  // namespace

void RunMap(TbbBackend& backend, const PassCall& call, OutsideReads& outside,
            const std::vector<ArrayView>& results) {
  const Interpreter prologue(*call.pass.prologue);
  ForEachChunk(backend, call.n, kChunk, [&] {
    return [&, thread = InterpreterThread(prologue, call.tables)](
               std::int64_t, std::int64_t first, std::int64_t n) mutable {
      thread.Apply(InputsAt(call, first),
                   PointersAt<void, ArrayView>(results, first),
                   call.index + first, n);
      outside.Add(thread);
    };
  });
}

Tuple ReduceExactly(TbbBackend& backend, const PassCall& call,
                    OutsideReads& outside) {
  const expression::Operator& op = *call.pass.op;
  const Type type = op.types()[0];
  const Word identity = (*op.identity())[0];
  const Interpreter combining =
      Interpreter::Combining(*call.pass.prologue, *op.built_in());
  const Interpreter plain(*call.pass.prologue);
  // Each thread's total goes to one of all; a range is enough to make that
  // cheap.
  constexpr std::int64_t kRange = 16 * kChunk;
  Tuple total = {identity};
  std::mutex mutex;
  ForEachChunk(backend, call.n, kRange, [&] {
    return [&, thread = InterpreterThread(combining, call.tables)](
               std::int64_t, std::int64_t first, std::int64_t n) mutable {
      const std::int64_t whole = n / combining.tile() * combining.tile();
      thread.Start(identity);
      thread.Combine(InputsAt(call, first), call.index + first, whole);
      outside.Add(thread);
      Tuple sum = {thread.Combined()};
      if (whole < n) {
        ValueArrays rest({type}, n - whole);
        InterpreterThread last(plain, call.tables);
        last.Apply(InputsAt(call, first + whole), rest.pointers(),
                   call.index + first + whole, n - whole);
        outside.Add(last);
        for (std::int64_t i = 0; i < n - whole; ++i) {
          sum = op.Apply(sum, rest.Get(i));
        }
      }
      const std::lock_guard<std::mutex> lock(mutex);
      total = op.Apply(total, sum);
    };
  });
  return total;
}

Tuple ReduceInTree(TbbBackend& backend, const PassCall& call,
                   OutsideReads& outside) {
  const bool sum = call.pass.op->built_in() == Op::kAdd;
  if (call.pass.op->types()[0] == Type::kFloat32) {
    return sum ? ReduceFloats<float, Add<float>>(backend, call, outside)
               : ReduceFloats<float, Multiply<float>>(backend, call, outside);
  }
  return sum ? ReduceFloats<double, Add<double>>(backend, call, outside)
             : ReduceFloats<double, Multiply<double>>(backend, call, outside);
}

}  // namespace concord::sequence
