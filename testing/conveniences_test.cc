// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The functions that give callers a vector, a string or a value of the host's
// throw nothing, whichever allocation fails in them: it is a status, and the
// next call computes as if nothing had happened. On every backend that is here
// they are right.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/algorithms/transform/transform.h"
#include "concord/testing/engine/required.h"
#include "concord/testing/support/named_backends.h"
#include "concord/testing/support/scarce_memory.h"

namespace concord {
namespace {

using expression::Expression;
using BackendPtr = std::shared_ptr<Backend>;
using Ints = std::vector<int>;

const Ints kInts = {3, 1, 1, 0, 2};

// Of a call that has given something.
absl::Status IsRight(bool right) {
  return right ? absl::OkStatus() : absl::DataLossError("it is wrong");
}
// The wanted value allocates as well, so it is there beforehand.
template <typename T>
absl::Status Is(const absl::StatusOr<T>& got, const T& wanted) {
  return got.ok() ? IsRight(*got == wanted) : got.status();
}

absl::Status EncodedIs(const absl::StatusOr<EncodedRuns<int>>& got) {
  static const Ints values = {3, 1, 0, 2};
  static const std::vector<std::int64_t> lengths = {1, 2, 1, 1};
  if (!got.ok()) return got.status();
  return IsRight(got->values == values && got->lengths == lengths);
}

absl::Status PairsAre(const absl::StatusOr<PairsOfSketches>& got) {
  if (!got.ok()) return got.status();
  return IsRight(got->pairs.size() == 1 && got->pairs[0][0] == 1 &&
                 got->pairs[0][1] == 2 && got->distances[0] == 0);
}

// One letter a word: a sketch counts letters.
template <typename T>
absl::Status Sketch(absl::StatusOr<std::vector<T>> (*compute)(
                        const BackendPtr&, absl::Span<const std::uint8_t>,
                        absl::Span<const std::int64_t>, const SketchTables&,
                        const TensorSketch::Options&, absl::string_view),
                    const BackendPtr& backend) {
  static const SketchTables tables = {{0, 1}, {1, 1}};
  static const std::vector<std::uint8_t> letters = {0, 1, 1, 1};
  static const std::vector<std::int64_t> offsets = {0, 4};
  TensorSketch::Options options;
  options.alphabet_size = 2;
  options.t = 1;
  options.dim = 2;
  const auto sketch = compute(backend, letters, offsets, tables, options, "");
  if (!sketch.ok()) return sketch.status();
  return IsRight((*sketch)[0] * 3 == (*sketch)[1] && (*sketch)[0] != 0);
}

// A lazy sequence whose program has been compiled by nobody: `fresh` is another
// number each time.
absl::Status Lazy(const BackendPtr& backend, std::int64_t fresh) {
  const ConstArrayView view(absl::MakeConstSpan(kInts));
  const Sequence x = Sequence::Borrow(backend, view);
  // The caller makes them: beforehand, while there is memory.
  static auto* const tables = new std::map<BackendPtr, Sequence::Tables>;
  if (tables->count(backend) == 0) (*tables)[backend] = {{"k", x}};
  const auto parity = [](Expression x) { return x % 2; };
  const auto add = [](Expression a, Expression b) { return a + b; };
  const Sequence sums =
      Zip(x.Map("2 * x"), x.Map("k[x] + x", tables->at(backend)))
          .Filter("x > 0")
          .Scan("(s, m), (t, n) -> (s + t, max(m, n))")
          .Slice(0, fresh)[0];
  static const Ints wanted = {6, 8, 10, 14};
  absl::Status status = Is(sums.ToVector<int>(), wanted);
  if (!status.ok()) return status;
  status = Is(x.SortBy(parity)
                  .GroupReduce("x", "a + b")
                  .Map([fresh](std::vector<Expression> x) {
                    return x[0] + static_cast<int>(fresh) * x[1] -
                           x[1] * static_cast<int>(fresh);
                  })
                  .Filter([](Expression x) { return x >= 0; })
                  .Histogram([](Expression x) { return x; })[1]
                  .ScanBefore(add)
                  .Last()
                  .Reduce(add)
                  .Get<std::int64_t>(),
              std::int64_t{3});
  if (!status.ok()) return status;
  status = Sequence::Of<int>(backend, {}).Text().status();
  if (status.ok()) status = x.Map("x + 1").Explain().status();
  if (!status.ok()) return status;
  const auto both = Get<std::int64_t, int>(
      Sequence::Range(backend, 0, fresh).Count(), Concat({x, x}).Max());
  if (!both.ok()) return both.status();
  return IsRight(std::get<0>(*both) == fresh && std::get<1>(*both) == 3);
}

struct Convenience {
  std::string algorithm;
  // OK if what it gives is right.
  std::function<absl::Status(const BackendPtr&, std::int64_t fresh)> compute;
  std::string of = "";
};

std::ostream& operator<<(std::ostream& out, const Convenience& convenience) {
  return out << convenience.algorithm << convenience.of;
}

const std::vector<std::int64_t> kLengths = {1, 0, 2, 0, 1};

// An array from an array.
std::vector<Convenience> ConveniencesOfArrays() {
  static const Ints decoded = {3, 1, 1, 2};
  static const Ints scanned = {0, 3, 4, 5, 5};
  static const Ints sorted = {0, 1, 1, 2, 3};
  static const Ints kept = {3, 1, 1, 2};
  static const std::vector<double> wide = {3, 1, 1, 0, 2};
  const absl::Span<const int> ints = kInts;
  return {
      {"compact",
       [=](const auto& backend, auto) {
         return Is(ComputeCompact<int>(backend, ints), kept);
       }},
      {"compact",
       [](const auto&, auto) {
         const auto keep = ParsePredicate("between:1,2");
         return keep.ok() ? IsRight(keep->kind == Predicate::Kind::kBetween)
                          : keep.status();
       },
       "_predicate"},
      {"radix_sort",
       [=](const auto& backend, auto) {
         return Is(ComputeRadixSort<int>(backend, ints), sorted);
       }},
      {"run_length_decode",
       [=](const auto& backend, auto) {
         return Is(ComputeRunLengthDecode<int>(backend, ints, kLengths),
                   decoded);
       }},
      {"run_length_encode",
       [=](const auto& backend, auto) {
         return EncodedIs(ComputeRunLengthEncode<int>(backend, ints));
       }},
      {"scan",
       [=](const auto& backend, auto) {
         return Is(ComputeScan<int>(backend, ints), scanned);
       }},
      {"transform",
       [=](const auto& backend, auto) {
         Transform::Options options;
         options.op = Transform::Op::kCast;
         options.to = ElementType::kFloat64;
         return Is(ComputeTransform<double, int>(backend, ints, options), wide);
       }},
  };
}

// A value from an array, and what sequences compute.
std::vector<Convenience> ConveniencesOfValues() {
  const absl::Span<const int> ints = kInts;
  return {
      {"match_parens",
       [](const auto& backend, auto) {
         return Is(ComputeMatchParens(backend, "(a))"), std::int64_t{3});
       }},
      {"max_subarray",
       [=](const auto& backend, auto) {
         const auto best = ComputeMaxSubarray<int>(backend, ints);
         return best.ok() ? IsRight(best->sum == 7) : best.status();
       }},
      {"reduce",
       [=](const auto& backend, auto) {
         return Is(ComputeReduce<int>(backend, ints), 7);
       }},
      {"sequence", Lazy},
      {"sequence",
       [=](const auto& backend, auto) {
         const auto sum = ComputeSequence(backend, "map 2 * x |> reduce a + b",
                                          {ConstArrayView(ints)});
         return sum.ok() ? IsRight(*sum->front().template data<int>() == 14)
                         : sum.status();
       },
       "_as_text"},
  };
}

// From and to what files of texts and of biology hold.
std::vector<Convenience> ConveniencesOfTexts() {
  static const std::vector<std::int32_t> peptide = {1, 2};
  static const std::vector<std::int32_t> spectrum = {0, 1, 2, 3};
  static const std::string term = "111221";
  // So many that a string has to allocate.
  static const std::vector<std::uint8_t> digits(30, 1);
  static const std::string text(30, '1');
  static const std::string spaced = [] {
    std::string all = "1";
    for (int i = 1; i < 30; ++i) all += " 1";
    return all;
  }();
  static const std::vector<double> sketches = {7, 1, 1};
  return {
      {"cyclospectrum",
       [](const auto& backend, auto) {
         return Is(ComputeCyclospectrum(backend, peptide), spectrum);
       }},
      {"cyclospectrum",
       [](const auto&, auto) { return MassesOfPeptide("LEQN").status(); },
       "_masses"},
      {"look_and_say",
       [](const auto& backend, auto) {
         return Is(ComputeLookAndSay(backend, "1", {/*steps=*/4}), term);
       }},
      {"look_and_say",
       [](const auto&, auto) { return ParseDigits("12").status(); }, "_digits"},
      {"look_and_say",
       [](const auto&, auto) { return Is(FormatDigits(digits), text); },
       "_text"},
      {"look_and_say",
       [](const auto&, auto) { return Is(FormatSymbols(digits), spaced); },
       "_symbols"},
      {"look_and_say",
       [](const auto&, auto) {
         const auto output = OutputOfLookAndSay(digits, {/*steps=*/2});
         return output.ok() ? IsRight(output->size == 6) : output.status();
       },
       "_size"},
      {"similar_pairs",
       [](const auto& backend, auto) {
         return PairsAre(ComputeSimilarPairs(
             backend, ConstArrayView(absl::MakeConstSpan(sketches)),
             {/*distance2=*/0, /*dim=*/1}));
       }},
      {"tensor_sketch",
       [](const auto& backend, auto) {
         return Sketch(&ComputeTensorSketch, backend);
       }},
      {"tensor_sketch",
       [](const auto& backend, auto) {
         return Sketch(&ComputeNormalizedTensorSketch, backend);
       },
       "_normalized"},
      {"tensor_sketch",
       [](const auto&, auto) {
         const auto tables = RandomSketchTables({}, /*seed=*/1);
         return tables.ok() ? IsRight(tables->hashes.size() == 16 &&
                                      tables->hashes[0] == 18)
                            : tables.status();
       },
       "_tables"},
  };
}

std::vector<Convenience> AllConveniences() {
  std::vector<Convenience> all;
  for (auto* const some :
       {ConveniencesOfArrays, ConveniencesOfValues, ConveniencesOfTexts}) {
    for (Convenience& convenience : some()) {
      all.push_back(std::move(convenience));
    }
  }
  return all;
}

class Conveniences : public testing::TestWithParam<Convenience> {};

TEST_P(Conveniences, ThrowNothing) {
  std::int64_t fresh = 1000;
  for (const char* name : {"serial", "tbb:2"}) {
    SCOPED_TRACE(name);
    const BackendPtr backend = Open(name);
    ExpectStatusWithoutMemory(
        [&] { return GetParam().compute(backend, ++fresh); });
  }
}

// Of an algorithm that is there, or on the backend's stand-in.
bool RunsOn(const std::string& algorithm, Backend& backend) {
  if (backend.stand_in() != nullptr) return true;
  for (const ImplementationInfo& info :
       (**FindAlgorithm(algorithm)).implementations()) {
    if (info.backend == backend.info().name &&
        info.RefusalOn(backend).empty()) {
      return true;
    }
  }
  return false;
}

TEST_P(Conveniences, AreRightOnEveryBackend) {
  ASSERT_EQ(CheckRequiredBackends(), absl::OkStatus());
  for (const BackendStatus& status : ListBackends()) {
    if (!status.available()) continue;
    const BackendPtr backend = Open(status.name);
    if (!RunsOn(GetParam().algorithm, *backend)) continue;
    EXPECT_EQ(GetParam().compute(backend, 1000), absl::OkStatus())
        << status.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Conveniences,
                         testing::ValuesIn(AllConveniences()),
                         [](const auto& info) {
                           return info.param.algorithm + info.param.of;
                         });

TEST(AllConveniences, AreThoseOfEveryAlgorithm) {
  std::set<std::string> listed;
  for (const Convenience& convenience : AllConveniences()) {
    listed.insert(convenience.algorithm);
  }
  for (const Algorithm* algorithm : AllAlgorithms()) {
    EXPECT_EQ(listed.count(algorithm->name()), 1) << algorithm->name();
  }
}

TEST(LazySequence, HoldsWhatALambdaThrows) {
  const Sequence x = Sequence::Of<int>(Open("serial"), {1, 2});
  const Sequence failed = x.Map([](Expression) -> Expression {
    throw std::runtime_error("of the caller's");
  });
  EXPECT_EQ(failed.status(), absl::InternalError("of the caller's"));
  // Later stages are not even called: there are no values for them.
  EXPECT_EQ(failed.Map([](std::vector<Expression> x) { return x[0]; }).status(),
            failed.status());
  EXPECT_EQ(x.Map("k[x]", {{"k", failed}}).status(), failed.status());
  EXPECT_EQ(Zip(x, failed).status(), failed.status());
}

}  // namespace
}  // namespace concord
