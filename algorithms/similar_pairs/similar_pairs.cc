// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/similar_pairs/similar_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "concord/core/call.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

// What is more than that, as a sum of integers would be, has 129 bits.
constexpr double kPastIntegers = 0x1p128;

bool IsLimit(double distance2) {
  return std::isfinite(distance2) && distance2 >= 0;
}

// A whole number that float64 would round is refused: whoever writes it means
// it.
bool IsRounded(absl::string_view text, double value) {
  if (!std::all_of(text.begin(), text.end(), absl::ascii_isdigit)) return false;
  while (absl::ConsumePrefix(&text, "0")) {
  }
  return value != 0 && text != absl::StrFormat("%.0f", value);
}

absl::Status ParseLimit(absl::string_view text,
                        SimilarPairs::Options& options) {
  if (!absl::SimpleAtod(text, &options.distance2) ||
      !IsLimit(options.distance2)) {
    return InvalidArgumentError(
        "--distance2 takes a finite number from 0 on, not '", text, "'");
  }
  if (!IsRounded(text, options.distance2)) return absl::OkStatus();
  return InvalidArgumentError(
      "--distance2 takes numbers of float64: '", text, "' lies beside ",
      absl::StrFormat("%.0f", options.distance2), ", which is one");
}

std::int64_t SketchesOf(const SimilarPairs::Options& options, Views in) {
  return in[0].size() / options.dim;
}

std::int64_t RoomOf(const SimilarPairs::Options& options, Views in) {
  return SimilarPairs::RoomFor(SketchesOf(options, in), options);
}

absl::Status CheckShapeAndLimit(const SimilarPairs::Options& options,
                                Views in) {
  if (!IsLimit(options.distance2)) {
    return InvalidArgumentError("distance2 is ", options.distance2,
                                ", not a finite number from 0 on");
  }
  if (!IsFloat(in[0].type()) && options.distance2 >= kPastIntegers) {
    return InvalidArgumentError("distance2 is ", options.distance2,
                                ", and of integers it is less than 2^128");
  }
  const Shape& shape = in[0].shape();
  if (shape.dimensions() == 2 && shape.extent(1) != options.dim) {
    return InvalidArgumentError("the rows of 'in' have ", shape.extent(1),
                                " numbers, and --dim is ", options.dim);
  }
  if (in[0].size() % options.dim != 0) {
    return InvalidArgumentError("'in' has ", in[0].size(),
                                " numbers, which are not sketches of ",
                                options.dim, " (--dim)");
  }
  const std::int64_t sketches = SketchesOf(options, in);
  if (sketches <= SimilarPairs::kMostSketches) return absl::OkStatus();
  return InvalidArgumentError("there are ", sketches,
                              " sketches, more than 2^32");
}

std::int64_t PairsOf(std::int64_t sketches) {
  return sketches % 2 == 0 ? sketches / 2 * (sketches - 1)
                           : (sketches - 1) / 2 * sketches;
}

std::array<ArrayView, 3> InOrder(const SimilarPairs::Outputs& outputs) {
  return {outputs.pairs, outputs.count,
          outputs.distances.value_or(ArrayView())};
}

}  // namespace

const Signature<SimilarPairs>& SimilarPairs::GetSignature() {
  static const auto* const signature = new Signature<SimilarPairs>(
      Signature<SimilarPairs>(
          "the pairs of sketches that are close to each other")
          .Text("distance2", "the largest squared distance of a pair", "0",
                ParseLimit)
          .Number("dim", "numbers in a sketch", &Options::dim, 1, kMostDim)
          .Number("most", "room for so many pairs; more are an error",
                  &Options::most, 0, kMostRoom)
          .WantedOutput("output-distances", "their squared distances",
                        &Options::distances)
          .Input({"in",
                  "the sketches",
                  {ElementType::kInt32, ElementType::kInt64,
                   ElementType::kFloat32, ElementType::kFloat64},
                  {"sketches", "dim"}})
          .Extent({"sketches", "the numbers of the input, divided by --dim"},
                  SketchesOf)
          .Extent({"dim", "--dim"},
                  [](const Options& options, Views) {
                    return std::int64_t{options.dim};
                  })
          .Extent({"room", "--most, or all pairs if those are fewer"}, RoomOf)
          .Output({"pairs",
                   "which they are, i < j, in order",
                   Always{ElementType::kInt64},
                   {"room", "2"},
                   /*in_place_of=*/"",
                   /*size_in=*/"count"})
          .Output({"count",
                   "how many there are",
                   Always{ElementType::kInt64},
                   {"1"}})
          .Output({"distances",
                   "their squared distances",
                   Always{ElementType::kFloat64},
                   {"room"},
                   /*in_place_of=*/"",
                   /*size_in=*/"count",
                   {},
                   {"with --output-distances",
                    [](const Options& options, Views) {
                      return options.distances;
                    }}})
          .Requires(CheckShapeAndLimit)
          .Calls([](SimilarPairs& similar, Views in, MutableViews out,
                    const Options& options) {
            return similar.Compute(
                in[0],
                {out[0], out[1],
                 out[2].given() ? std::optional(out[2]) : std::nullopt},
                options);
          }));
  return *signature;
}

absl::Status SimilarPairs::Run(ConstArrayView in, const Outputs& outputs,
                               const Options& options) {
  return GetSignature().Run(*this, {in}, InOrder(outputs), options);
}

std::int64_t SimilarPairs::RoomFor(std::int64_t sketches,
                                   const Options& options) {
  return std::min(PairsOf(sketches), options.most);
}

absl::Status ComputeSimilarPairs(const std::shared_ptr<Backend>& backend,
                                 ConstArrayView in,
                                 const SimilarPairs::Outputs& outputs,
                                 const SimilarPairs::Options& options,
                                 absl::string_view variant) {
  return RunOnHost<SimilarPairs>(backend, variant, options, {in},
                                 InOrder(outputs));
}

absl::StatusOr<PairsOfSketches> ComputeSimilarPairs(
    const std::shared_ptr<Backend>& backend, ConstArrayView in,
    const SimilarPairs::Options& options, absl::string_view variant) {
  return Guarded([&]() -> absl::StatusOr<PairsOfSketches> {
    RETURN_IF_ERROR(SimilarPairs::GetSignature().Plan(options, {in}).status());
    // Each sketch is likely to have but a few that are similar.
    constexpr std::int64_t kLikely = 16;
    const std::int64_t sketches = in.size() / options.dim;
    SimilarPairs::Options with_room = options;
    with_room.most = std::min(options.most, kLikely * sketches);
    PairsOfSketches found;
    std::int64_t count = 0;
    const auto run = [&] {
      const std::int64_t room = SimilarPairs::RoomFor(sketches, with_room);
      found.pairs.resize(static_cast<std::size_t>(room));
      found.distances.resize(static_cast<std::size_t>(room));
      return ComputeSimilarPairs(
          backend, in,
          {ArrayView(reinterpret_cast<std::int64_t*>(found.pairs.data()),
                     Shape(room, 2), Memory::Host()),
           ArrayView(&count, 1, Memory::Host()),
           ArrayView(absl::MakeSpan(found.distances))},
          with_room, variant);
    };
    absl::Status status = run();
    if (count > with_room.most && with_room.most < options.most) {
      with_room.most = std::min(count, options.most);
      status = run();
    }
    RETURN_IF_ERROR(status);
    RETURN_IF_ERROR(similar_pairs::CheckPairsFit(count, with_room.most));
    found.pairs.resize(static_cast<std::size_t>(count));
    found.distances.resize(static_cast<std::size_t>(count));
    return found;
  });
}

Contract similar_pairs::SimilarPairsContract(
    const std::vector<std::int64_t>& rows) {
  std::vector<std::int64_t> pairs;
  for (const std::int64_t row : rows) {
    // The size of a case is its pairs: one row less, as many, and one more.
    pairs.push_back(PairsOf(row));
    pairs.push_back(PairsOf(row + 1));
  }
  return Contract().Boundaries(pairs).SpecialValues(
      "a sketch with a NaN or an infinity is similar to none; -0.0 equals 0");
}

absl::Status similar_pairs::CheckPairsFit(std::int64_t count,
                                          std::int64_t room) {
  if (count <= room) return absl::OkStatus();
  return OutOfRangeError("there are ", count, " similar pairs, and room for ",
                         room, "; --most=", count, " has room for all");
}

const bool kRegistered = RegisterAlgorithm<SimilarPairs>();

}  // namespace concord
