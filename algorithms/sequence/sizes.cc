// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/sizes.h"

#include <algorithm>

#include "concord/core/errors.h"

namespace concord::sequence {
namespace {

using Kind = Stage::Kind;
using Inputs = std::vector<KnownSize>;

// Of a sequence: sizes that are rounded up to whole chunks, and indices past
// the end, have to be numbers, too.
constexpr std::int64_t kMostElements = std::int64_t{1} << 62;

// Where one size is known, the others are the same or the run fails.
absl::StatusOr<KnownSize> OfZip(const Inputs& inputs) {
  KnownSize zipped = inputs[0];
  for (const KnownSize& input : inputs) {
    if (input.exact && zipped.exact) {
      if (input.most != zipped.most) return UnequalZip(zipped.most, input.most);
    } else if (input.exact || (!zipped.exact && input.most < zipped.most)) {
      zipped = input;
    }
  }
  return zipped;
}

KnownSize OfConcat(const Inputs& inputs) {
  KnownSize all = {0, true};
  for (const KnownSize& input : inputs) {
    all.most = SaturatedSum(all.most, input.most);
    all.exact &= input.exact;
  }
  return all;
}

KnownSize OfSlice(const Stage& stage, const KnownSize& input) {
  const std::int64_t behind = std::max(input.most - stage.first, INT64_C(0));
  const std::int64_t most = std::min(stage.count, behind);
  return {most, input.exact || most == 0};
}

absl::StatusOr<KnownSize> SizeOf(const Stage& stage, const Inputs& inputs,
                                 absl::Span<const std::int64_t> columns) {
  switch (stage.kind) {
    case Kind::kColumn:
      return KnownSize{columns[stage.first], true};
    case Kind::kTabulate:
      return KnownSize{stage.count, true};
    case Kind::kZip:
      return OfZip(inputs);
    case Kind::kConcat:
      return OfConcat(inputs);
    case Kind::kMap:
    case Kind::kScan:
    case Kind::kScanBefore:
    case Kind::kSortBy:
      return inputs[0];
    case Kind::kFilter:
    case Kind::kHistogram:
    case Kind::kGroupReduce:
      return KnownSize{inputs[0].most, inputs[0].most == 0};
    case Kind::kReduce:
    case Kind::kCount:
    case Kind::kLast:
      return KnownSize{1, true};
    case Kind::kSlice:
      return OfSlice(stage, inputs[0]);
  }
  return InternalError("no such stage");
}

}  // namespace

absl::StatusOr<std::vector<KnownSize>> KnownSizes(
    const Program& program, absl::Span<const std::int64_t> columns) {
  std::vector<KnownSize> sizes;
  for (const Stage& stage : program.stages()) {
    Inputs inputs;
    for (const int input : stage.inputs) inputs.push_back(sizes[input]);
    ASSIGN_OR_RETURN(KnownSize size, SizeOf(stage, inputs, columns));
    if (size.most > kMostElements) {
      return InvalidArgumentError("a sequence of ", size.most,
                                  " elements; there are at most ",
                                  kMostElements);
    }
    sizes.push_back(size);
  }
  return sizes;
}

std::set<std::int64_t> ColumnsRead(const Program& program) {
  const std::vector<Stage>& stages = program.stages();
  std::vector<bool> wanted(stages.size());
  wanted.back() = true;
  std::set<std::int64_t> read;
  for (std::size_t k = stages.size(); k-- > 0;) {
    if (!wanted[k]) continue;
    const Stage& stage = stages[k];
    for (const int input : stage.inputs) {
      wanted[static_cast<std::size_t>(input)] = true;
    }
    if (stage.kind == Kind::kColumn) read.insert(stage.first);
    if (!stage.function.has_value()) continue;
    // Every column is a table that a function may read.
    for (const expression::Node& node : stage.function->form().nodes) {
      if (node.op != expression::Op::kGather) continue;
      read.insert(stage.tables[static_cast<std::size_t>(node.bits)]);
    }
  }
  return read;
}

absl::Status UnequalZip(std::int64_t first, std::int64_t other) {
  return InvalidArgumentError("zip of ", first, " and ", other,
                              " elements; it needs as many of each");
}

}  // namespace concord::sequence
