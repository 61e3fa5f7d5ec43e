// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Mistakes that show only in arrays which reach a second member of a group: the
// suite has to have cases of that size, which it learns from the contracts.

#include "concord/testing/gpus_faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "concord/core/errors.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/planted_faults.h"
#include "concord/testing/gpus_fixture.h"

namespace concord {
namespace {

// Whether the results are for the array as a whole, and not one for each of its
// elements.
bool IsOfTheWhole(const FaultyRun& run) {
  return run.outputs.begin()->second.size() != run.inputs.at("in").size();
}

// The second member starts as if nothing preceded it; what it tells of the
// whole is left out.
absl::Status DropACarry(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size()) return run.runner.Run(run.inputs, run.outputs);
  if (IsOfTheWhole(run)) {
    return run.runner.Run({{"in", in.Slice(0, cut)}}, run.outputs);
  }
  const ArrayView out = run.outputs.at("out");
  RETURN_IF_ERROR(
      run.runner.Run({{"in", in.Slice(0, cut)}}, {{"out", out.Slice(0, cut)}}));
  return run.runner.Run({{"in", in.Slice(cut, in.size() - cut)}},
                        {{"out", out.Slice(cut, in.size() - cut)}});
}

// The second member reads its stretch from one element before.
absl::Status ReadOneBefore(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const ArrayView out = run.outputs.at("out");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size() || in.data() == out.data()) {
    return run.runner.Run(run.inputs, run.outputs);
  }
  RETURN_IF_ERROR(
      run.runner.Run({{"in", in.Slice(0, cut)}}, {{"out", out.Slice(0, cut)}}));
  return run.runner.Run({{"in", in.Slice(cut - 1, in.size() - cut)}},
                        {{"out", out.Slice(cut, in.size() - cut)}});
}

// The second member counts, and places what it keeps, as if nothing preceded
// it.
absl::Status ForgetWhatIsKept(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size()) return run.runner.Run(run.inputs, run.outputs);
  for (const ConstArrayView& part :
       {in.Slice(0, cut), in.Slice(cut, in.size() - cut)}) {
    Outputs outputs = run.outputs;
    for (auto& [name, output] : outputs) {
      if (output.size() == in.size()) output = output.Slice(0, part.size());
    }
    RETURN_IF_ERROR(run.runner.Run({{"in", part}}, outputs));
  }
  return absl::OkStatus();
}

// Elements [first, first + count).
struct Part {
  std::int64_t first;
  std::int64_t count;
};

// An array of these parts of one: as many elements.
absl::StatusOr<Array> Join(Backend& backend, const ConstArrayView& from,
                           const std::vector<Part>& parts) {
  ASSIGN_OR_RETURN(Array joined, backend.Allocate(from.type(), from.size()));
  std::int64_t first = 0;
  for (const auto& [begin, count] : parts) {
    RETURN_IF_ERROR(backend.Copy(from.Slice(begin, count),
                                 joined.view().Slice(first, count)));
    first += count;
  }
  return joined;
}

// Runs on these parts of the inputs in place of them.
absl::Status RunOnParts(const FaultyRun& run, const std::vector<Part>& parts) {
  std::vector<Array> joined;
  Inputs inputs;
  for (const auto& [name, in] : run.inputs) {
    ASSIGN_OR_RETURN(Array all, Join(run.backend, in, parts));
    inputs[name] = all.view();
    joined.push_back(std::move(all));
  }
  RETURN_IF_ERROR(run.runner.Run(inputs, run.outputs));
  // The arrays go when this returns.
  return run.backend.Synchronize();
}

// What the second member and those behind it keep comes first.
absl::Status PutTheFirstLast(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  return RunOnParts(run, {{cut, in.size() - cut}, {0, cut}});
}

// The second member tests its stretch from one element before.
absl::Status TestOneBefore(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size()) return run.runner.Run(run.inputs, run.outputs);
  return RunOnParts(run, {{0, cut}, {cut - 1, in.size() - cut}});
}

// Runs, and then puts these parts of the outputs in place of them.
absl::Status RunAndRearrange(const FaultyRun& run,
                             const std::vector<Part>& parts) {
  RETURN_IF_ERROR(run.runner.Run(run.inputs, run.outputs));
  for (const auto& [name, out] : run.outputs) {
    ASSIGN_OR_RETURN(const Array joined, Join(run.backend, out, parts));
    RETURN_IF_ERROR(run.backend.Copy(joined.view(), out));
    RETURN_IF_ERROR(run.backend.Synchronize());
  }
  return absl::OkStatus();
}

// Each member of a sort gets what is another's.
absl::Status SendToTheWrongMember(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  return RunAndRearrange(run, {{cut, in.size() - cut}, {0, cut}});
}

// The second member's part of the sorted elements begins one too early.
absl::Status CutOneTooEarly(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size()) return run.runner.Run(run.inputs, run.outputs);
  return RunAndRearrange(run, {{0, cut}, {cut - 1, in.size() - cut}});
}

// Equal keys of the second member come first. Positions tell it from keys
// alone, and so do values.
absl::Status TakeEqualKeysBackwards(const FaultyRun& run) {
  if (run.inputs.count("in_values") == 0) {
    return run.runner.Run(run.inputs, run.outputs);
  }
  return PutTheFirstLast(run);
}

// What the second member has to merge never comes to it.
absl::Status DropAPart(const FaultyRun& run) {
  const std::int64_t size = run.inputs.at("in").size();
  const std::int64_t cut = EndOfFirstStripe(run.inputs.at("in"));
  const Part dropped = {cut, size - cut};
  std::vector<Array> before;
  for (const auto& [name, out] : run.outputs) {
    ASSIGN_OR_RETURN(Array all, Join(run.backend, out, {{0, size}}));
    before.push_back(std::move(all));
  }
  RETURN_IF_ERROR(run.runner.Run(run.inputs, run.outputs));
  auto old = before.begin();
  for (const auto& [name, out] : run.outputs) {
    RETURN_IF_ERROR(
        run.backend.Copy((old++)->view().Slice(dropped.first, dropped.count),
                         out.Slice(dropped.first, dropped.count)));
  }
  return run.backend.Synchronize();
}

// The element at the border is nobody's.
absl::Status CutAStretchShort(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size()) return run.runner.Run(run.inputs, run.outputs);
  if (IsOfTheWhole(run)) {
    return run.runner.Run({{"in", in.Slice(1, in.size() - 1)}}, run.outputs);
  }
  const ArrayView out = run.outputs.at("out");
  HostArray before(out.type(), {1});
  RETURN_IF_ERROR(run.backend.Copy(out.Slice(cut, 1), before.view()));
  RETURN_IF_ERROR(run.runner.Run(run.inputs, run.outputs));
  return run.backend.Copy(before.view(), out.Slice(cut, 1));
}

// The second member takes its first element for the start of a run, whatever
// stands before it.
absl::Status CutARunInTwo(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size()) return run.runner.Run(run.inputs, run.outputs);
  std::int64_t runs = 0;
  for (const ConstArrayView& part :
       {in.Slice(0, cut), in.Slice(cut, in.size() - cut)}) {
    Outputs outputs = run.outputs;
    for (const char* const name : {"values", "lengths"}) {
      outputs[name] = outputs.at(name).Slice(runs, part.size());
    }
    RETURN_IF_ERROR(run.runner.Run({{"in", part}}, outputs));
    HostArray count(ElementType::kInt64, {1});
    RETURN_IF_ERROR(run.backend.Copy(outputs.at("runs"), count.view()));
    runs += *count.data<std::int64_t>();
  }
  const HostArray all = HostArray::Of<std::int64_t>({runs});
  return run.backend.Copy(all.view(), run.outputs.at("runs"));
}

// What the lengths of the second member add up to is left out.
absl::Status ForgetASum(const FaultyRun& run) {
  const std::int64_t cut = EndOfFirstStripe(run.inputs.at("lengths"));
  Inputs inputs = run.inputs;
  for (auto& [name, input] : inputs) input = input.Slice(0, cut);
  return run.runner.Run(inputs, run.outputs);
}

// The second member writes its part of the results from one before.
absl::Status WriteOneBefore(const FaultyRun& run) {
  RETURN_IF_ERROR(run.runner.Run(run.inputs, run.outputs));
  const ArrayView out = run.outputs.at("out");
  const std::int64_t cut = EndOfFirstStripe(out);
  if (cut == out.size()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Array before,
                   run.backend.Allocate(out.type(), out.size() - cut));
  RETURN_IF_ERROR(
      run.backend.Copy(out.Slice(cut - 1, out.size() - cut), before.view()));
  RETURN_IF_ERROR(
      run.backend.Copy(before.view(), out.Slice(cut, out.size() - cut)));
  // The array goes when this returns.
  return run.backend.Synchronize();
}

// What the second member tells comes after it is read: what the run before has
// left, in every second run.
absl::Status MeetTooLate(const FaultyRun& run) {
  const bool reaches =
      std::any_of(run.inputs.begin(), run.inputs.end(), [](const auto& named) {
        return EndOfFirstStripe(named.second) < named.second.size();
      });
  return reaches && run.number % 2 == 1
             ? absl::OkStatus()
             : run.runner.Run(run.inputs, run.outputs);
}

struct Planted {
  const char* algorithm;
  Fault fault;
};

const Planted kPlanted[] = {
    {"compact",
     {"forgets_what_is_kept", "forgets what members before it keep", 1,
      ForgetWhatIsKept}},
    {"compact",
     {"puts_the_first_last", "puts the first stretch last", 1,
      PutTheFirstLast}},
    {"compact",
     {"tests_one_before", "tests a stretch from one before", 1, TestOneBefore}},
    {"compact",
     {"meets_too_late", "reads before all have told", 1, MeetTooLate}},
    {"match_parens",
     {"drops_a_carry", "forgets what precedes a stretch", 1, DropACarry}},
    {"match_parens",
     {"cuts_a_stretch_short", "is off by one at a border", 1,
      CutAStretchShort}},
    {"match_parens",
     {"puts_the_first_last", "puts the first stretch last", 1,
      PutTheFirstLast}},
    {"match_parens",
     {"meets_too_late", "reads before all have told", 1, MeetTooLate}},
    {"max_subarray",
     {"drops_a_carry", "forgets what precedes a stretch", 1, DropACarry}},
    {"max_subarray",
     {"cuts_a_stretch_short", "is off by one at a border", 1,
      CutAStretchShort}},
    {"max_subarray",
     {"meets_too_late", "reads before all have told", 1, MeetTooLate}},
    {"radix_sort",
     {"sends_to_the_wrong_member", "sends a part to the wrong member", 1,
      SendToTheWrongMember}},
    {"radix_sort",
     {"cuts_one_too_early", "cuts sorted runs one too early", 1,
      CutOneTooEarly}},
    {"radix_sort",
     {"takes_equal_keys_backwards",
      "takes equal keys of the second member first", 1,
      TakeEqualKeysBackwards}},
    {"radix_sort",
     {"drops_a_part", "drops a part of a sorted run", 1, DropAPart}},
    {"radix_sort",
     {"meets_too_late", "reads before all have told", 1, MeetTooLate}},
    {"reduce",
     {"drops_a_carry", "forgets what precedes a stretch", 1, DropACarry}},
    {"reduce",
     {"cuts_a_stretch_short", "is off by one at a border", 1,
      CutAStretchShort}},
    {"reduce",
     {"meets_too_late", "reads before all have told", 1, MeetTooLate}},
    {"run_length_decode",
     {"forgets_a_sum", "forgets lengths of a second member", 1, ForgetASum}},
    {"run_length_decode",
     {"writes_one_before", "writes results from one before", 1,
      WriteOneBefore}},
    {"run_length_decode",
     {"meets_too_late", "reads before all have told", 1, MeetTooLate}},
    {"run_length_encode",
     {"forgets_what_is_kept", "forgets what members before it keep", 1,
      ForgetWhatIsKept}},
    {"run_length_encode",
     {"puts_the_first_last", "puts the first stretch last", 1,
      PutTheFirstLast}},
    {"run_length_encode",
     {"tests_one_before", "tests a stretch from one before", 1, TestOneBefore}},
    {"run_length_encode",
     {"cuts_a_run_in_two", "starts a run at each border", 1, CutARunInTwo}},
    {"run_length_encode",
     {"meets_too_late", "reads before all have told", 1, MeetTooLate}},
    {"scan",
     {"drops_a_carry", "forgets what precedes a stretch", 1, DropACarry}},
    {"scan",
     {"reads_one_before", "reads a stretch from one before", 1, ReadOneBefore}},
    {"scan",
     {"cuts_a_stretch_short", "is off by one at a border", 1,
      CutAStretchShort}},
    {"scan", {"meets_too_late", "reads before all have told", 1, MeetTooLate}},
    {"transform",
     {"reads_one_before", "reads a stretch from one before", 1, ReadOneBefore}},
    {"transform",
     {"cuts_a_stretch_short", "is off by one at a border", 1,
      CutAStretchShort}},
    {"transform",
     {"meets_too_late", "reads before all have told", 1, MeetTooLate}},
};

class FaultsBetweenMembers : public GpusFixture,
                             public ::testing::WithParamInterface<Planted> {};

TEST_P(FaultsBetweenMembers, AreNoticed) {
  const auto& [algorithm, fault] = GetParam();
  const AlgorithmSpec& spec = **FindSpec(algorithm);
  int tried = 0;
  for (const ImplementationInfo& info : spec.implementations()) {
    // Scans in a fixed order run on one member.
    if (info.backend != "gpus" || info.variant == "fixed_order") continue;
    ++tried;
    EXPECT_TRUE(IsNoticed(fault, spec, info))
        << info.name() << " " << fault.what;
  }
  EXPECT_GT(tried, 0);
}

INSTANTIATE_TEST_SUITE_P(, FaultsBetweenMembers, ::testing::ValuesIn(kPlanted),
                         [](const ::testing::TestParamInfo<Planted>& info) {
                           return std::string(info.param.algorithm) + "_" +
                                  info.param.fault.name;
                         });

}  // namespace
}  // namespace concord
