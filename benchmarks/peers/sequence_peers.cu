// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Thrust on programs of `sequence`. It runs functions that nvcc has compiled,
// so these programs are all that it can run: a column that is moved, and six
// maps of int32 with what may follow them. Maps are fused with what reads them
// by iterators, or not at all.

#include <thrust/copy.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/algorithms/sequence/program_text.h"
#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/backends/cuda/on_cuda.cuh"
#include "concord/backends/cuda/thrust_calls.cuh"
#include "concord/backends/cuda/thrust_memory.cuh"
#include "concord/benchmarks/peers/peer.h"
#include "concord/core/errors.h"

namespace concord::sequence {
namespace {

// An int32: sums and products wrap.
using Word = std::uint32_t;

struct Times {
  Word factor;
  __host__ __device__ Word operator()(Word x) const { return x * factor; }
};
struct Plus {
  Word summand;
  __host__ __device__ Word operator()(Word x) const { return x + summand; }
};
struct Xor {
  Word bits;
  __host__ __device__ Word operator()(Word x) const { return x ^ bits; }
};
struct And {
  Word bits;
  __host__ __device__ Word operator()(Word x) const { return x & bits; }
};

constexpr char kMaps[] =
    "map x * 2 |> map x + 1 |> map x ^ 0x55 |> map x * 3 |> map x - 7 |> map x "
    "& 0xffff";
constexpr auto kMinusSeven = static_cast<Word>(-7);

struct AllMaps {
  __host__ __device__ Word operator()(Word x) const {
    const Word y = Xor{0x55}(Plus{1}(Times{2}(x)));
    return And{0xffff}(Plus{kMinusSeven}(Times{3}(y)));
  }
};

// The predicate of kFilter.
struct IsKept {
  __host__ __device__ bool operator()(Word x) const { return (x & 7) < 6; }
};

// What becomes of the maps' results. kMove: there are no maps.
enum class End { kMove, kStore, kSum, kScan, kFilter };

struct CompiledProgram {
  End end;
  std::string text;
  // The same as Program prints it.
  std::string stages;
};

const std::vector<CompiledProgram>& CompiledPrograms() {
  static const auto* const programs = [] {
    auto* const all = new std::vector<CompiledProgram>();
    const auto add = [&](End end, std::string text) {
      const absl::StatusOr<Program> program =
          Program::Parse(text, {{"x", expression::Type::kInt32}});
      all->push_back({end, std::move(text), ToText(program.value())});
    };
    add(End::kMove, "x");
    add(End::kStore, kMaps);
    add(End::kSum, absl::StrCat(kMaps, " |> reduce a + b"));
    add(End::kScan, absl::StrCat(kMaps, " |> scan a + b"));
    add(End::kFilter, absl::StrCat(kMaps, " |> filter (x & 7) < 6"));
    return all;
  }();
  return *programs;
}

bool IsOfOneInt32(const Program& program) {
  const std::vector<expression::Parameter>& columns = program.columns();
  return columns.size() == 1 && columns[0].type == expression::Type::kInt32;
}

// Of the program with these stages, however its text is written.
absl::StatusOr<End> FindEnd(const std::string& name, const Program& program) {
  const std::string stages = ToText(program);
  std::vector<std::string> texts;
  for (const CompiledProgram& compiled : CompiledPrograms()) {
    if (compiled.stages == stages && IsOfOneInt32(program)) return compiled.end;
    texts.push_back(absl::StrCat("'", compiled.text, "'"));
  }
  return UnimplementedError(
      name, " runs programs that nvcc has compiled, on an int32 x: ",
      absl::StrJoin(texts, ", "));
}

struct Arrays {
  const Word* x;
  std::int64_t n;
  Word* out;
};

// What Thrust returns to the host.
struct Returned {
  Word sum = 0;
  std::int64_t kept = 0;
};

// `first` are the maps' results.
template <typename Policy, typename Iterator>
Returned Finish(const Policy& policy, End end, Iterator first,
                const Arrays& arrays) {
  Returned returned;
  const Iterator last = first + arrays.n;
  if (end == End::kSum) {
    returned.sum = thrust::reduce(policy, first, last, Word{0});
  } else if (end == End::kScan) {
    thrust::inclusive_scan(policy, first, last, arrays.out);
  } else if (end == End::kFilter) {
    returned.kept =
        thrust::copy_if(policy, first, last, arrays.out, IsKept()) - arrays.out;
  }
  return returned;
}

class ThrustPeer : public OnCuda<SequenceProgram> {
 public:
  using OnCuda::OnCuda;

  absl::Status Compute(const Program& program, Views columns,
                       MutableViews outputs) override {
    ASSIGN_OR_RETURN(const End end, EndOf(program));
    const Arrays arrays = {static_cast<const Word*>(columns[0].data()),
                           columns[0].size(),
                           static_cast<Word*>(outputs[0].data())};
    ASSIGN_OR_RETURN(const Returned returned, Run(end, arrays));
    if (end == End::kSum) return Store(returned.sum, arrays.out);
    const ArrayView& count = outputs[kMostColumns];
    if (!count.given()) return absl::OkStatus();
    return Store(returned.kept, count.data<std::int64_t>());
  }

 protected:
  virtual absl::StatusOr<Returned> Run(End end, const Arrays& arrays) = 0;

  // f(policy), which calls Thrust, unless there is nothing but a move.
  template <typename F>
  absl::StatusOr<Returned> Call(End end, const Arrays& arrays, const F& f) {
    Returned returned;
    RETURN_IF_ERROR(ThrustStatus(name(), [&] {
      WithThrustPolicy(*backend(), [&](const auto& policy) {
        if (end == End::kMove) {
          thrust::copy(policy, arrays.x, arrays.x + arrays.n, arrays.out);
        } else {
          returned = f(policy);
        }
      });
    }));
    return returned;
  }

 private:
  // Finds that of the program before this one at once.
  absl::StatusOr<End> EndOf(const Program& program) {
    if (last_program_ != program.id()) {
      ASSIGN_OR_RETURN(last_end_, FindEnd(name(), program));
      last_program_ = program.id();
    }
    return last_end_;
  }

  std::optional<std::uint64_t> last_program_;
  End last_end_ = End::kMove;
};

class OneCall : public ThrustPeer {
 public:
  using ThrustPeer::ThrustPeer;

 protected:
  absl::StatusOr<Returned> Run(End end, const Arrays& arrays) override {
    return Call(end, arrays, [&](const auto& policy) {
      if (end == End::kStore) {
        thrust::transform(policy, arrays.x, arrays.x + arrays.n, arrays.out,
                          AllMaps());
      }
      return Finish(policy, end,
                    thrust::make_transform_iterator(arrays.x, AllMaps()),
                    arrays);
    });
  }
};

class CallForEachStage : public ThrustPeer {
 public:
  using ThrustPeer::ThrustPeer;

 protected:
  absl::StatusOr<Returned> Run(End end, const Arrays& arrays) override {
    // What is as long as the column can be made where the result goes.
    Array between;
    Word* mapped = arrays.out;
    if (end == End::kSum || end == End::kFilter) {
      ASSIGN_OR_RETURN(between,
                       backend()->Allocate(ElementType::kInt32, arrays.n));
      mapped = static_cast<Word*>(between.view().data());
    }
    return Call(end, arrays, [&](const auto& policy) {
      const auto map = [&](const Word* from, const auto& function) {
        thrust::transform(policy, from, from + arrays.n, mapped, function);
      };
      map(arrays.x, Times{2});
      map(mapped, Plus{1});
      map(mapped, Xor{0x55});
      map(mapped, Times{3});
      map(mapped, Plus{kMinusSeven});
      map(mapped, And{0xffff});
      return Finish(policy, end, mapped, arrays);
    });
  }
};

Contract PeerContract() {
  return SequenceContract()
      .Types({ElementType::kInt32})
      .Notes("runs a few programs, which nvcc has compiled, and no others");
}

const bool kRegistered =
    AddPeer<SequenceProgram, OneCall>(
        "cuda", "thrust", "one call of Thrust, with the maps in an iterator",
        PeerContract()) &&
    AddPeer<SequenceProgram, CallForEachStage>(
        "cuda", "thrust_stages", "a call of Thrust for each stage",
        PeerContract());

}  // namespace
}  // namespace concord::sequence
