// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Interpreted passes with their kernels on the host (host_kernels.cc), on
// random programs, beside the reference: all but the kernels themselves.

#include "concord/algorithms/sequence/interpreted/pass.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/key_sorter.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/algorithms/sequence/random_program.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/algorithms/sequence/run_program.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/core/backend.h"
#include "concord/core/errors.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/random.h"

namespace concord::sequence {
namespace {

// What passes ask of a GPU, in host memory. Its name is that of the backend
// whose scan a filter takes.
class HostGpu : public CudaBackend {
 public:
  explicit HostGpu(const std::shared_ptr<Backend>& serial)
      : CudaBackend(serial->info(), serial->pool().shared_from_this()) {}

  absl::Status Activate() override { return absl::OkStatus(); }
  cudaStream_t stream() const override { return nullptr; }
  int device() const override { return 0; }
  int multiprocessors() const override { return 4; }
  int architecture() const override { return 90; }
  std::int64_t max_shared_memory_per_block() const override { return 99 << 10; }
  absl::Status Synchronize() override { return absl::OkStatus(); }

 protected:
  absl::Status CopyChecked(ConstArrayView from, ArrayView to) override {
    std::memcpy(to.data(), from.data(), static_cast<std::size_t>(from.bytes()));
    return absl::OkStatus();
  }
  absl::Status ReadChecked(ConstArrayView) override { return absl::OkStatus(); }
  absl::StatusOr<std::unique_ptr<Timer>> MakeTimer() override {
    return absl::UnimplementedError("no time");
  }
};

// Each pass is made once and run twice: what it keeps must not show.
class InterpretedPasses : public PassRunner {
 public:
  // Sorts are not interpreted: they are the host's.
  InterpretedPasses(std::shared_ptr<CudaBackend> backend,
                    std::shared_ptr<Backend> host)
      : backend_(std::move(backend)), host_(std::move(host)) {}

  absl::StatusOr<PassOutcome> Run(const PassCall& call) override {
    if (call.pass.kind == Pass::Kind::kSort) {
      RETURN_IF_ERROR(sorter_.Run(*host_, call));
      return PassOutcome();
    }
    // Kept, as a filter's has the number of what it keeps.
    std::unique_ptr<InterpretedPass>& pass = made_[&call.pass];
    ASSIGN_OR_RETURN(pass, InterpretedPass::Of(backend_, call.pass));
    const auto run = [&] {
      return pass->Run(call.n, call.inputs, call.tables, call.outputs,
                       call.index);
    };
    RETURN_IF_ERROR(run().status());
    return run();
  }

 private:
  const std::shared_ptr<CudaBackend> backend_;
  const std::shared_ptr<Backend> host_;
  KeySorter sorter_;
  std::map<const Pass*, std::unique_ptr<InterpretedPass>> made_;
};

// Results, or an error, of the program in room for so many elements.
struct Outcome {
  absl::Status status;
  std::vector<std::vector<char>> columns;
};

class InterpretedPassTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kRoom = 100'000;

  // Whether there are results.
  bool Compare(const std::string& text, const RandomColumns& columns) {
    SCOPED_TRACE(text);
    const absl::StatusOr<Program> program =
        Program::Parse(text, RandomProgramColumns());
    if (!program.ok()) return false;
    const Outcome wanted = ByReference(*program, columns);
    for (const Fusion fusion : {Fusion::kAll, Fusion::kNone}) {
      const Outcome given = ByPasses(*program, columns, fusion);
      EXPECT_EQ(given.status, wanted.status);
      if (wanted.status.ok()) {
        EXPECT_EQ(given.columns, wanted.columns);
      }
    }
    return wanted.status.ok();
  }

 private:
  Outcome ByReference(const Program& program, const RandomColumns& columns) {
    absl::StatusOr<std::vector<Tuple>> tuples =
        RunProgram(program, columns.views());
    if (!tuples.ok()) return {tuples.status(), {}};
    Outcome outcome;
    for (std::size_t k = 0; k < program.types().size(); ++k) {
      const auto bytes = BytesOf(program.types()[k]);
      std::vector<char> column(tuples->size() * bytes);
      for (std::size_t i = 0; i < tuples->size(); ++i) {
        expression::StoreValue(program.types()[k], column.data(),
                               static_cast<std::int64_t>(i), (*tuples)[i][k]);
      }
      outcome.columns.push_back(std::move(column));
    }
    return outcome;
  }

  Outcome ByPasses(const Program& program, const RandomColumns& columns,
                   Fusion fusion) {
    const absl::StatusOr<Plan> plan = MakePlan(program, fusion);
    if (!plan.ok()) return {plan.status(), {}};
    std::vector<Array> arrays;
    std::vector<ArrayView> results;
    for (expression::Type type : program.types()) {
      arrays.push_back(*backend_->Allocate(StoredAs(type), kRoom));
      results.push_back(arrays.back().view());
    }
    InterpretedPasses passes(backend_, serial_);
    const absl::StatusOr<std::int64_t> size =
        RunPlan(program, *plan, columns.views(), results, *backend_, passes);
    if (!size.ok()) return {size.status(), {}};
    Outcome outcome;
    for (const ArrayView& result : results) {
      const char* const data = static_cast<const char*>(result.data());
      outcome.columns.emplace_back(data, data + result.Slice(0, *size).bytes());
    }
    return outcome;
  }

  const std::shared_ptr<Backend> serial_ = *OpenBackend("serial");
  const std::shared_ptr<CudaBackend> backend_ =
      std::make_shared<HostGpu>(serial_);
};

TEST_F(InterpretedPassTest, RandomProgramsHaveTheBitsOfTheReference) {
  int right = 0;
  for (std::uint64_t seed = 0; seed < 1500 && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Random random(seed);
    const auto size = static_cast<std::int64_t>(
        random.Below(3) == 0 ? random.Below(6) : 100 + random.Below(900));
    right += Compare(RandomProgram(seed), RandomColumns(seed, size));
  }
  EXPECT_GT(right, 700);
}

TEST_F(InterpretedPassTest, EveryPassOfSeveralBlocksHasThem) {
  const RandomColumns columns(7, 70'001);
  for (const char* program :
       {"z |> map x * 1.5 |> reduce a + b from 3",
        "z |> map float64(x) / 3 |> reduce a * b", "z |> scan a + b",
        "w |> reduce a ^ b", "map x > 0 |> reduce a | b",
        "map v -> (v, float32(i)) |> reduce (s, m), (t, n) -> (s * 3 + t, "
        "m * 0.5 + n) unchecked |> map s, m -> m",
        "map v -> (v, v) |> scan (s, m), (t, n) -> (s + t, min(m, s + n))",
        "scan_before a * 3 - b from 5 unchecked",
        "map x > 0 |> scan a | b |> map x, i",
        "slice 1000, 40000 |> filter i % 2 == 0",
        "zip x y z |> filter x < int32(y) |> map x, y, z -> (z, y)"}) {
    Compare(program, columns);
  }
}

}  // namespace
}  // namespace concord::sequence
