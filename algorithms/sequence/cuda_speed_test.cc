// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What programs cost by each variant of cuda, as a multiple of what moving
// their columns once takes. The times are for people; that variants agree, and
// that none takes several times as long as it should, is tested.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "concord/algorithms/sequence/sequence.h"
#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/spliced/driver_api.h"
#include "concord/core/algorithm.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/call.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"

namespace concord::sequence {
namespace {

constexpr char kSixMaps[] = "map ((((x * 2 + 1) ^ 0x55) * 3) - 7) & 0xffff |> ";

struct Work {
  std::string what;
  std::string program;
  std::vector<ElementType> results;
  // Whether results have as many elements as the column.
  bool long_results;
  // How many reads of the column its columns are.
  double reads;
  // That the interpreter takes at most, as a multiple of it; loosely.
  double most;
};

std::vector<Work> AllWork() {
  constexpr ElementType kInt = ElementType::kInt32;
  constexpr ElementType kLong = ElementType::kInt64;
  return {
      {"sum of six maps",
       std::string(kSixMaps) + "reduce a + b",
       {kInt},
       false,
       1,
       1.5},
      {"maximum", "reduce max(a, b)", {kInt}, false, 1, 1.5},
      {"float32 sum of x / 3",
       "map float32(x) / 3 |> reduce a + b",
       {ElementType::kFloat32},
       false,
       1,
       6},
      {"sum of int64", "map int64(x) |> reduce a + b", {kLong}, false, 1, 3.5},
      {"map of six", std::string(kSixMaps) + "map x ^ 1", {kInt}, true, 2, 2},
      {"scan of six maps",
       std::string(kSixMaps) + "scan a + b",
       {kInt},
       true,
       2,
       4},
      {"filter, three quarters", "filter (x & 3) != 0", {kInt}, true, 2, 5},
      {"brackets, two int32",
       "map (x, min(x, 0)) |> reduce (s, m), (t, n) -> (s + t, min(m, s + n))",
       {kInt, kInt},
       false,
       1,
       70},
      {"largest run, four int64",
       "map { v = int64(x); (v, v, v, v) } |> reduce (s, p, f, b), "
       "(t, q, g, c) -> (s + t, max(p, s + q), max(g, t + f), "
       "max(b, max(c, f + q)))",
       {kLong, kLong, kLong, kLong},
       false,
       1,
       115},
  };
}

class CudaSpeed : public ::testing::Test {
 protected:
  void SetUp() override {
    backend_ = OpenOrSkip("cuda");
    if (backend_ == nullptr) return;
    n_ = std::int64_t{1} << 28;
    absl::StatusOr<Array> x = backend_->Allocate(ElementType::kInt32, n_);
    if (!x.ok()) GTEST_SKIP() << "not enough memory";
    x_ = *std::move(x);
    Fill();
  }

  void Fill() {
    SequenceProgram::Options options;
    options.program =
        "tabulate int32((i * 2654435761) >> 7) % 100, " + std::to_string(n_);
    const auto runner = ValueOf(
        Registry<SequenceProgram>::Get().Create(backend_, "interpreter"));
    ASSERT_EQ(runner->Run({}, {{x_.view()}}, options), absl::OkStatus());
  }

  // The median of 9 runs.
  double Seconds(const std::function<absl::Status()>& run) {
    std::vector<double> times;
    std::unique_ptr<Timer> timer = ValueOf(backend_->NewTimer());
    for (int k = 0; k < 11; ++k) {
      EXPECT_TRUE(timer->Start().ok());
      EXPECT_EQ(run(), absl::OkStatus());
      EXPECT_TRUE(timer->Stop().ok());
      const double seconds = ValueOf(timer->Seconds());
      if (k >= 2) times.push_back(seconds);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

  // The results' first bytes.
  std::vector<std::vector<char>> Run(const Work& work,
                                     const std::string& variant, double read) {
    std::vector<Array> arrays;
    SequenceProgram::Outputs outputs;
    SequenceProgram::Options options;
    options.program = work.program;
    bool* const wanted[] = {nullptr, &options.output_y, &options.output_z,
                            &options.output_w};
    for (std::size_t k = 0; k < work.results.size(); ++k) {
      arrays.push_back(ValueOf(
          backend_->Allocate(work.results[k], work.long_results ? n_ : 1)));
      outputs.columns[k] = arrays.back().view();
      if (k > 0) *wanted[k] = true;
    }
    Array count = ValueOf(backend_->Allocate(ElementType::kInt64, 1));
    if (work.program.find("filter") != std::string::npos) {
      outputs.count = count.view();
    }
    const auto runner =
        ValueOf(Registry<SequenceProgram>::Get().Create(backend_, variant));
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(runner->Run({x_.view()}, outputs, options), absl::OkStatus());
    const std::chrono::duration<double> first =
        std::chrono::steady_clock::now() - begin;
    const double seconds =
        Seconds([&] { return runner->Run({x_.view()}, outputs, options); });
    std::printf(
        "%-26s %-12s %9.4f ms = %6.3f x its traffic; first run %6.1f ms\n",
        work.what.c_str(), variant.c_str(), seconds * 1e3,
        seconds / (read * work.reads), first.count() * 1e3);
    if (variant == "interpreter") {
      EXPECT_LT(seconds, work.most * read * work.reads) << work.what;
    }
    std::vector<std::vector<char>> bytes;
    for (const Array& array : arrays) {
      const std::int64_t size = std::min<std::int64_t>(array.size(), 1 << 20);
      Array host = ValueOf(backend_->AllocateHost(array.type(), size));
      EXPECT_TRUE(
          backend_->Copy(array.view().Slice(0, size), host.view()).ok());
      bytes.emplace_back(host.data<char>(),
                         host.data<char>() + host.view().bytes());
    }
    return bytes;
  }

  std::shared_ptr<Backend> backend_;
  std::int64_t n_ = 0;
  Array x_;
};

TEST_F(CudaSpeed, VariantsAgreeAtTheirSpeeds) {
  const double read = Seconds([&] { return backend_->ReadOnce(x_.view()); });
  std::printf("%-39s %9.4f ms\n", "read once", read * 1e3);
  // Only some machines have its library.
  const bool nvrtc =
      Registry<SequenceProgram>::Get().Create(backend_, "nvrtc").ok();
  for (const Work& work : AllWork()) {
    const auto spliced = Run(work, "spliced", read);
    EXPECT_EQ(Run(work, "interpreter", read), spliced) << work.what;
    EXPECT_EQ(Run(work, "primitives", read), spliced) << work.what;
    if (!nvrtc) continue;
    EXPECT_EQ(Run(work, "nvrtc", read), spliced) << work.what;
  }
}

double Microseconds(const std::function<void()>& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  const std::chrono::duration<double, std::micro> taken =
      std::chrono::steady_clock::now() - begin;
  return taken.count();
}

// A kernel that does nothing, by the driver alone.
class EmptyKernel {
 public:
  explicit EmptyKernel(CudaBackend& backend)
      : driver_(ValueOf(spliced::DriverApi::Get())), stream_(backend.stream()) {
    EXPECT_EQ(backend.Activate(), absl::OkStatus());
    constexpr char kWhat[] = "a kernel that does nothing";
    const std::string code = ValueOf(driver_->Compile(
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry nothing(.param .align 8 .b8 arguments[256]) { ret; }",
        kWhat));
    module_ = ValueOf(driver_->Load(code, kWhat));
    kernel_ = ValueOf(driver_->Kernel(module_.get(), "nothing"));
  }

  absl::Status Launch() const {
    char arguments[256] = {};
    void* parameters[] = {arguments};
    return driver_->Launch(kernel_, {1, 128}, stream_, parameters, "nothing");
  }

 private:
  const spliced::DriverApi* driver_;
  cudaStream_t stream_;
  std::shared_ptr<CUmod_st> module_;
  CUfunction kernel_ = nullptr;
};

// What the host does from asking for a result until the kernel is launched: all
// of a call that is not waited for, but for what the driver takes to launch.
TEST(CudaLaunch, OfAPreparedProgramTakesMicroseconds) {
  const std::shared_ptr<Backend> backend = OpenOrSkip("cuda");
  if (backend == nullptr) return;
  const EmptyKernel nothing(*AsCuda(backend));
  Array x = ValueOf(backend->Allocate(ElementType::kInt32, 1024));
  Array sum = ValueOf(backend->Allocate(ElementType::kInt32, 1));
  const Sequence prepared =
      Sequence::Borrow(backend, x.view()).Map("2 * x + 1").Sum();
  ASSERT_EQ(prepared.Prepare(), absl::OkStatus());
  const ArrayView place[] = {sum.view()};
  const Algorithm* sequence = ValueOf(FindAlgorithm("sequence"));
  const OptionMap options = {{"program", ValueOf(prepared.Text())}};
  const auto runner = ValueOf(sequence->NewRunner(backend, ""));
  ASSERT_EQ(runner->Configure(options), absl::OkStatus());
  const std::vector<OutputSpec> specs = ValueOf(
      sequence->Plan(options, {{"x", WithoutElements(x.type(), x.size())}}));
  const Sources sources = {{"x", std::make_shared<ArraySource>(x.view())}};

  // As Sequence does it (lazy_run.cc).
  const auto get = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(
        Call call, Call::Place(*backend, specs, sources, {{"out", sum.view()}},
                               WhereTheyAre()));
    return call.Launch(*runner);
  };
  const auto run = [&] {
    return runner->Run({{"x", x.view()}}, {{"out", sum.view()}});
  };
  const auto least_of = [&](const std::function<absl::Status()>& call) {
    constexpr int kRounds = 200, kCalls = 20;
    double least = 1e9;
    for (int round = 0; round < kRounds; ++round) {
      least = std::min(least, Microseconds([&] {
                                for (int k = 0; k < kCalls; ++k) {
                                  ASSERT_EQ(call(), absl::OkStatus());
                                }
                              }) / kCalls);
      EXPECT_EQ(backend->Synchronize(), absl::OkStatus());
    }
    return least;
  };
  const double driver = least_of([&] { return nothing.Launch(); });
  const double from_get = least_of(get), from_run = least_of(run);
  const double all = least_of([&] { return prepared.Into(place); });
  std::printf(
      "the driver launches a kernel in %.2f us; before that, Get takes %.2f "
      "us, Run %.2f us; until the result is there %.2f us\n",
      driver, from_get - driver, from_run - driver, all);
  EXPECT_LT(from_get - driver, 10);
}

}  // namespace
}  // namespace concord::sequence
