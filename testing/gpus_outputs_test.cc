// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Algorithms whose results members of a group share out: that the suite notices
// what can go wrong between them, and that a call ends where a member does not
// answer. That results are right is for the differential suites.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "concord/backends/gpus/gpus_backend.h"
#include "concord/core/backend.h"
#include "concord/core/call.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/planted_faults.h"
#include "concord/testing/gpus_faults.h"
#include "concord/testing/gpus_fixture.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::HasSubstr;

using GpusOutputs = GpusFixture;

absl::Status RunRight(const FaultyRun& run) {
  return run.runner.Run(run.inputs, run.outputs);
}

// Runs right, and then `spoil` changes an output, which is in host memory.
absl::Status SpoilOutput(const FaultyRun& run, const std::string& name,
                         const std::function<void(HostArray&)>& spoil) {
  RETURN_IF_ERROR(RunRight(run));
  const ArrayView output = run.outputs.at(name);
  HostArray there(output.type(), {output.size()});
  RETURN_IF_ERROR(run.backend.Copy(output, there.view()));
  spoil(there);
  return run.backend.Copy(there.view(), output);
}

// Elements [first, end), and behind them those up to `last`, change places.
void Rotate(HostArray& array, std::int64_t first, std::int64_t end,
            std::int64_t last) {
  char* const bytes = array.data<char>();
  const std::int64_t size = SizeOf(array.type());
  std::rotate(bytes + first * size, bytes + end * size, bytes + last * size);
}

// --- Outputs of which each member writes what lies with it ---

// The second member writes what belongs one place before.
absl::Status WriteOneBefore(const FaultyRun& run) {
  const ArrayView out = run.outputs.at("out");
  const std::int64_t cut = EndOfFirstStripe(out);
  if (cut == out.size()) return RunRight(run);
  return SpoilOutput(run, "out", [&](HostArray& there) {
    char* const bytes = there.data<char>();
    const std::int64_t size = SizeOf(there.type());
    std::copy_backward(bytes + (cut - 1) * size,
                       bytes + (out.size() - 1) * size,
                       bytes + out.size() * size);
  });
}

// The element at the border is nobody's.
absl::Status LeaveOneOut(const FaultyRun& run) {
  const ArrayView out = run.outputs.at("out");
  const std::int64_t cut = EndOfFirstStripe(out);
  if (cut == out.size()) return RunRight(run);
  HostArray before(out.type(), {1});
  RETURN_IF_ERROR(run.backend.Copy(out.Slice(cut, 1), before.view()));
  RETURN_IF_ERROR(RunRight(run));
  return run.backend.Copy(before.view(), out.Slice(cut, 1));
}

// The second member's part is that of the first one.
absl::Status RepeatTheFirst(const FaultyRun& run) {
  const ArrayView out = run.outputs.at("out");
  const std::int64_t cut = EndOfFirstStripe(out);
  RETURN_IF_ERROR(RunRight(run));
  const std::int64_t size = std::min(cut, out.size() - cut);
  return run.backend.Copy(out.Slice(0, size), out.Slice(cut, size));
}

// The second member writes before others have sent what it takes: what the run
// before has left, in every second run.
absl::Status WriteTooEarly(const FaultyRun& run) {
  std::int64_t largest = 0;
  for (const auto& [name, output] : run.outputs) {
    largest = std::max(largest, output.size());
  }
  return run.number % 2 == 1 && largest > 1 ? absl::OkStatus() : RunRight(run);
}

// --- tensor_sketch: rows ---

// Which row the second member begins with; 0 where all are the first one's.
std::int64_t FirstRowOfSecond(const FaultyRun& run) {
  return run.outputs.at("out").size() /
         NumberOption(run.test_case.options, "dim") / 2;
}

// A sequence ends one letter late, and the next one begins there.
absl::Status CutALetterLate(const FaultyRun& run) {
  const ConstArrayView offsets = run.inputs.at("offsets");
  const std::int64_t row = FirstRowOfSecond(run);
  if (row == 0 || NumberOption(run.test_case.options, "window") > 0) {
    return RunRight(run);
  }
  HostArray moved(offsets.type(), {offsets.size()});
  RETURN_IF_ERROR(run.backend.Copy(offsets, moved.view()));
  auto* const cuts = moved.data<std::int64_t>();
  cuts[row] = std::min(cuts[row] + 1, cuts[row + 1]);
  ASSIGN_OR_RETURN(const Array there,
                   run.backend.Allocate(offsets.type(), offsets.size()));
  RETURN_IF_ERROR(run.backend.Copy(moved.view(), there.view()));
  Inputs inputs = run.inputs;
  inputs.at("offsets") = there.view();
  RETURN_IF_ERROR(run.runner.Run(inputs, run.outputs));
  // The array goes when this returns.
  return run.backend.Synchronize();
}

// Changes the numbers of the row by `change`, of int64 or float64.
absl::Status SpoilRow(const FaultyRun& run,
                      const std::function<double(double)>& change) {
  const std::int64_t row = FirstRowOfSecond(run);
  if (row == 0) return RunRight(run);
  const std::int64_t dim = NumberOption(run.test_case.options, "dim");
  return SpoilOutput(run, "out", [&](HostArray& there) {
    for (std::int64_t i = row * dim; i < (row + 1) * dim; ++i) {
      if (there.type() == ElementType::kFloat64) {
        auto& value = there.data<double>()[i];
        value = change(value);
      } else {
        auto& value = there.data<std::int64_t>()[i];
        value = change(1) == 0 ? 0 : value + value;
      }
    }
  });
}

// Both members add it up.
absl::Status SketchARowTwice(const FaultyRun& run) {
  return SpoilRow(run, [](double value) { return 2 * value; });
}

absl::Status LeaveARowOut(const FaultyRun& run) {
  return SpoilRow(run, [](double) { return 0.0; });
}

// --- similar_pairs: pairs behind those of the members before ---

// How many pairs the output has.
absl::StatusOr<std::int64_t> PairsWritten(const FaultyRun& run) {
  HostArray count(ElementType::kInt64, {1});
  RETURN_IF_ERROR(run.backend.Copy(run.outputs.at("count"), count.view()));
  return std::min(*count.data<std::int64_t>(),
                  run.outputs.at("pairs").size() / 2);
}

// Those of the second member come first.
absl::Status PutTheFirstLast(const FaultyRun& run) {
  RETURN_IF_ERROR(RunRight(run));
  ASSIGN_OR_RETURN(const std::int64_t written, PairsWritten(run));
  return SpoilOutput(run, "pairs", [&](HostArray& there) {
    Rotate(there, 0, written / 2 * 2, 2 * written);
  });
}

// The second member counts as if nothing preceded it.
absl::Status ForgetWhatIsFound(const FaultyRun& run) {
  return SpoilOutput(run, "count", [&](HostArray& there) {
    auto& count = *there.data<std::int64_t>();
    count -= count / 2;
  });
}

// The last pair of the first member is lost under the first one of the second.
absl::Status PutBehindOneBefore(const FaultyRun& run) {
  RETURN_IF_ERROR(RunRight(run));
  ASSIGN_OR_RETURN(const std::int64_t written, PairsWritten(run));
  if (written < 2) return absl::OkStatus();
  return SpoilOutput(run, "pairs", [&](HostArray& there) {
    auto* const pairs = there.data<std::int64_t>();
    const std::int64_t at = written / 2;
    std::copy(pairs + 2 * at, pairs + 2 * written, pairs + 2 * (at - 1));
  });
}

TEST_F(GpusOutputs, TheSuiteNoticesFaultsBetweenMembers) {
  const Fault before = {"writes_one_before", "writes from one place before", 1,
                        WriteOneBefore};
  const Fault leaves = {"leaves_one_out", "leaves an element at a border", 1,
                        LeaveOneOut};
  const Fault repeats = {"repeats_the_first", "writes a part twice", 1,
                         RepeatTheFirst};
  const Fault early = {"writes_too_early", "writes before all have sent", 1,
                       WriteTooEarly};
  const Fault late_cut = {"cuts_a_letter_late", "cuts a letter late", 1,
                          CutALetterLate};
  const Fault twice = {"sketches_a_row_twice", "sketches a row twice", 1,
                       SketchARowTwice};
  const Fault no_row = {"leaves_a_row_out", "leaves a row out", 1,
                        LeaveARowOut};
  const Fault swaps = {"puts_the_first_last", "puts the first pairs last", 1,
                       PutTheFirstLast};
  const Fault forgets = {"forgets_what_is_found",
                         "forgets what members before it find", 1,
                         ForgetWhatIsFound};
  const Fault behind = {"puts_behind_one_before",
                        "puts pairs behind all but one", 1, PutBehindOneBefore};
  const std::map<std::string, std::vector<Fault>> faults = {
      {"cyclospectrum", {before, leaves, repeats, early}},
      {"look_and_say", {before, leaves, repeats, early}},
      {"similar_pairs", {swaps, forgets, behind, early}},
      {"tensor_sketch", {late_cut, twice, no_row, early}}};
  for (const auto& [algorithm, planted] : faults) {
    const AlgorithmSpec* const spec = *FindSpec(algorithm);
    int distributed = 0;
    for (const ImplementationInfo& info : spec->implementations()) {
      if (info.backend != "gpus") continue;
      ++distributed;
      for (const Fault& fault : planted) {
        EXPECT_TRUE(IsNoticed(fault, *spec, info))
            << info.name() << " " << fault.what;
      }
    }
    EXPECT_EQ(distributed, 1) << algorithm;
  }
}

// --- A member that does not answer ---

struct SharedCall {
  std::string algorithm;
  std::string distribution;
  std::int64_t size;
};

// Of a group that waits for 0.3 seconds.
std::shared_ptr<GpusBackend> OpenImpatient(const std::string& spec) {
  EXPECT_EQ(setenv("CONCORD_PATIENCE", "0.3", 1), 0);
  const std::shared_ptr<Backend> opened = Open(spec);
  EXPECT_EQ(unsetenv("CONCORD_PATIENCE"), 0);
  return AsGpus(opened);
}

// Large enough for each member to have a part.
TEST_F(GpusOutputs, ACallEndsWhereAMemberDoesNotAnswer) {
  for (const SharedCall& shared :
       {SharedCall{"cyclospectrum", "amino_acids", 3'000'000},
        {"look_and_say", "one", 3'000'000},
        {"similar_pairs", "families", 1'000'000},
        {"tensor_sketch", "equal_lengths", 3'000'000}}) {
    const AlgorithmSpec& spec = **FindSpec(shared.algorithm);
    const Case test_case = ValueOf(spec.Generate({shared.size,
                                                  spec.element_types().front(),
                                                  shared.distribution,
                                                  {},
                                                  /*seed=*/1}));
    const Sources sources = SourcesOf(test_case);
    for (const char* const group : {"gpus:0+0", "gpus:0+0+0@striped"}) {
      SCOPED_TRACE(shared.algorithm + " on " + group);
      const std::shared_ptr<GpusBackend> backend = OpenImpatient(group);
      absl::StatusOr<Call> call = Call::Create(spec.algorithm(), backend, "",
                                               test_case.options, sources, {});
      ASSERT_TRUE(call.ok()) << call.status();
      ASSERT_EQ(call->Launch(), absl::OkStatus());
      ASSERT_EQ(backend->Synchronize(), absl::OkStatus());
      backend->set_unanswering(1);
      ASSERT_EQ(call->Launch(), absl::OkStatus());
      const absl::Status status = backend->Synchronize();
      EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr("waited 0.3 seconds for member 1 (cuda:0)"));
    }
  }
}

}  // namespace
}  // namespace concord
