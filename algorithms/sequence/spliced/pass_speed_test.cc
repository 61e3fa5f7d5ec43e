// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What spliced passes cost: their kernels the first time, from the disk and
// from memory, and a run over many elements, as a multiple of reading once what
// they read, and beside CUB, Thrust and frames of ours, which are compiled for
// the work. The times are for people; that the results are right, and that no
// pass takes several times as long as it should, is tested.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/spliced/compiled_peers.h"
#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/parser.h"
#include "concord/testing/support/named_backends.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Operator;
using expression::Type;
using expression::Word;
using spliced::SplicedModule;

constexpr std::int64_t kElements = std::int64_t{1} << 28;
constexpr char kSixMaps[] = "((((x * 2 + 1) ^ 0x55) * 3) - 7) & 0xffff";

// As FortyEightMaps and FortyEightFloatMaps (compiled_functions.cuh) have them.
std::string FortyEightMaps() {
  std::string text = "x";
  for (int k = 0; k < 8; ++k) {
    text = absl::StrCat("(((((", text, " * 2 + 1) ^ 0x55) * 3) - 7) & 0xffff)");
  }
  return text;
}
std::string FortyEightFloatMaps() {
  std::string text = "float32(x)";
  for (int k = 0; k < 24; ++k) text = absl::StrCat("(", text, " * 0.75 + 1.5)");
  return text;
}

// a + b, which nobody knows to be one.
constexpr char kSumOfUsers[] = "(a ^ b) + 2 * (a & b)";
constexpr char kBrackets[] = "(s, m), (t, n) -> (s + t, min(m, s + n))";
constexpr char kBestRun[] =
    "(s, p, f, b), (t, q, g, c) -> (s + t, max(p, s + q), max(g, t + f), "
    "max(b, max(c, f + q)))";

class SpeedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = ::testing::TempDir() + "/modulesXXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    setenv("CONCORD_CACHE", folder.c_str(), 1);
    const std::shared_ptr<Backend> opened = OpenOrSkip("cuda");
    if (opened == nullptr) return;
    backend_ = AsCuda(opened);
    n_ = kElements;
    absl::StatusOr<Array> x = backend_->Allocate(ElementType::kInt32, n_);
    absl::StatusOr<Array> y = backend_->Allocate(ElementType::kInt32, n_);
    if (!x.ok() || !y.ok()) GTEST_SKIP() << "not enough memory";
    x_ = *std::move(x);
    y_ = *std::move(y);
    SplicedPass fill = *SplicedPass::Map(
        backend_, *expression::ParseFunction(
                      "int32((i * 2654435761) >> 7) % 100 - 50", {}));
    ASSERT_TRUE(fill.Run(n_, {}, {}, {x_.view()}).ok());
    read_ = Seconds([&] { return backend_->ReadOnce(x_.view()); });
    copy_ = Seconds([&] { return backend_->Copy(x_.view(), y_.view()); });
    std::printf("%-44s %9.4f ms, copy %.4f ms\n", "read once", read_ * 1e3,
                copy_ * 1e3);
  }

  // The median of 15 runs.
  double Seconds(const std::function<absl::Status()>& run) {
    std::vector<double> times;
    std::unique_ptr<Timer> timer = ValueOf(backend_->NewTimer());
    for (int k = 0; k < 17; ++k) {
      EXPECT_TRUE(timer->Start().ok());
      EXPECT_TRUE(run().ok());
      EXPECT_TRUE(timer->Stop().ok());
      const double seconds = ValueOf(timer->Seconds());
      if (k >= 2) times.push_back(seconds);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

  // `reads`: how many times what `read once` reads travels.
  void Report(
      const char* what,
      const std::function<absl::StatusOr<SplicedPass>()>& make, double reads,
      double most,
      const std::function<absl::StatusOr<PassOutcome>(SplicedPass&)>& run) {
    double milliseconds[3];
    SplicedModule::ForgetAll();
    std::optional<SplicedPass> pass;
    for (double& time : milliseconds) {
      if (&time == &milliseconds[1]) SplicedModule::ForgetAll();
      const auto start = std::chrono::steady_clock::now();
      absl::StatusOr<SplicedPass> made = make();
      time = std::chrono::duration<double, std::milli>(
                 std::chrono::steady_clock::now() - start)
                 .count();
      ASSERT_TRUE(made.ok()) << made.status();
      pass = *std::move(made);
    }
    const double seconds = Seconds([&] { return run(*pass).status(); });
    const spliced::KernelResources resources = *pass->Resources();
    std::printf(
        "%-44s %9.4f ms = %5.3f x its traffic, %.3f of a copy's speed; "
        "compiler %6.1f, disk %6.2f, memory %6.3f ms; %d registers, %d bytes "
        "spilled\n",
        what, seconds * 1e3, seconds / (read_ * reads),
        copy_ / 2 * reads / seconds, milliseconds[0], milliseconds[1],
        milliseconds[2], resources.registers, resources.local_bytes);
    EXPECT_LT(seconds, most * read_ * reads) << what;
  }

  // The libraries that do the same work, and whether what they compute in
  // `result` are the bytes of `right`.
  void ReportPeers(const char* what, const std::vector<char>& right) {
    const Array result = ValueOf(backend_->Allocate(ElementType::kUInt8, 64));
    const PeerArrays arrays{x_.data<std::int32_t>(), n_,
                            y_.data<std::int32_t>(), result.data<char>()};
    for (const PeerEntry& entry : CompiledPeers()) {
      if (entry.work != what) continue;
      if (entry.architecture > backend_->architecture()) continue;
      const std::unique_ptr<CompiledPeer> peer = entry.make(backend_);
      const double seconds = Seconds([&] { return peer->Run(arrays); });
      std::vector<char> given;
      Append<std::uint8_t>(result.view(), given);
      const bool wrong = !std::equal(right.begin(), right.end(), given.begin());
      std::printf("  beside %-37s %9.4f ms%s\n", entry.library.c_str(),
                  seconds * 1e3, wrong ? ", a WRONG result" : "");
      // CUB's may be: it asks for operators that commute.
      if (entry.library == kSameFrame) {
        EXPECT_FALSE(wrong) << what;
      }
    }
  }

  // Of an array of bytes, or of one element.
  template <typename T>
  void Append(ConstArrayView array, std::vector<char>& bytes) {
    std::vector<T> values(array.size());
    EXPECT_TRUE(backend_->Copy(array, ArrayView(absl::MakeSpan(values))).ok());
    const char* const first = reinterpret_cast<const char*>(values.data());
    bytes.insert(bytes.end(), first, first + sizeof(T) * values.size());
  }

  // How many elements of two arrays of n int32 differ.
  std::int64_t Differences(ConstArrayView x, ConstArrayView y) {
    SplicedPass differences = *SplicedPass::Reduce(
        backend_,
        *expression::ParseFunction("int64(x != y)",
                                   {Type::kInt32, Type::kInt32}),
        *Operator::Parse("a + b", {Type::kInt64}), std::nullopt);
    const Array count = ValueOf(backend_->Allocate(ElementType::kInt64, 1));
    EXPECT_TRUE(differences.Run(n_, {x, y}, {}, {count.view()}).ok());
    std::int64_t given[1] = {-1};
    EXPECT_TRUE(
        backend_->Copy(count.view(), ArrayView(absl::MakeSpan(given))).ok());
    return given[0];
  }

  void ReportReduce(const char* what, const std::string& prologue,
                    const char* op, const std::vector<Type>& types,
                    double most) {
    const Function function =
        *expression::ParseFunction(prologue, {Type::kInt32});
    const Operator combine =
        *Operator::Parse(op, types, expression::AssumeAssociative());
    std::vector<Array> results;
    std::vector<ArrayView> out;
    for (Type type : types) {
      results.push_back(ValueOf(backend_->Allocate(StoredAs(type), 1)));
      out.push_back(results.back().view());
    }
    Report(
        what,
        [&] {
          return SplicedPass::Reduce(backend_, function, combine, std::nullopt);
        },
        1, most,
        [&](SplicedPass& pass) { return pass.Run(n_, {x_.view()}, {}, out); });
    std::vector<char> right;
    for (const Array& result : results) {
      if (result.type() == ElementType::kInt32) {
        Append<std::int32_t>(result.view(), right);
      } else if (result.type() == ElementType::kInt64) {
        Append<std::int64_t>(result.view(), right);
      } else if (result.type() == ElementType::kFloat32) {
        Append<float>(result.view(), right);
      }
    }
    ReportPeers(what, right);
  }

  // Of x, where no columns are named.
  void ReportScan(const char* what, const Function& function, const char* op,
                  const std::vector<Type>& types, double reads, double most,
                  std::vector<ConstArrayView> columns = {}) {
    if (columns.empty()) columns = {x_.view()};
    const Operator combine =
        *Operator::Parse(op, types, expression::AssumeAssociative());
    std::vector<Array> results;
    std::vector<ArrayView> out;
    for (Type type : types) {
      results.push_back(ValueOf(backend_->Allocate(StoredAs(type), n_)));
      out.push_back(results.back().view());
    }
    Report(
        what,
        [&] {
          return SplicedPass::Scan(backend_, function, combine, std::nullopt,
                                   false, std::nullopt);
        },
        reads, most,
        [&](SplicedPass& pass) { return pass.Run(n_, columns, {}, out); });
    ReportPeers(what, {});
  }

  // Three quarters are kept.
  void ReportFilter(const char* what, const std::string& text, double reads,
                    double most) {
    const Function function = *expression::ParseFunction(text, {Type::kInt32});
    std::optional<std::int64_t> kept;
    const Array index = ValueOf(backend_->Allocate(ElementType::kInt64, n_));
    std::vector<ArrayView> out = {y_.view(), index.view()};
    out.resize(function.ResultTypes().size() - 1);
    Report(
        what, [&] { return SplicedPass::Filter(backend_, function); }, reads,
        most,
        [&](SplicedPass& pass) {
          absl::StatusOr<PassOutcome> outcome =
              pass.Run(n_, {x_.view()}, {}, out);
          // The first call is not among those that are timed.
          if (outcome.ok() && !kept.has_value()) {
            kept = *outcome->kept.Get(*backend_);
          }
          return outcome;
        });
    ASSERT_TRUE(kept.has_value());
    const char* const count = reinterpret_cast<const char*>(&*kept);
    ReportPeers(what, {count, count + sizeof(*kept)});
  }

  std::shared_ptr<CudaBackend> backend_;
  std::int64_t n_ = 0;
  Array x_;
  Array y_;  // a copy of x, at first
  double read_ = 0, copy_ = 0;
};

TEST_F(SpeedTest, MapsRunAtTheSpeedOfMemory) {
  const Function six = *expression::ParseFunction(kSixMaps, {Type::kInt32});
  Report(
      "map of six operations", [&] { return SplicedPass::Map(backend_, six); },
      2, 1.5,
      [&](SplicedPass& pass) {
        return pass.Run(n_, {x_.view()}, {}, {y_.view()});
      });
  const Function narrow = *expression::ParseFunction(
      "int8(x) + int8(y)", {Type::kInt32, Type::kInt32});
  const Array bytes = ValueOf(backend_->Allocate(ElementType::kInt8, n_));
  Report(
      "map of two int32 to an int8",
      [&] { return SplicedPass::Map(backend_, narrow); }, 2.25, 1.5,
      [&](SplicedPass& pass) {
        return pass.Run(n_, {x_.view(), y_.view()}, {}, {bytes.view()});
      });
}

// What limits them is no longer memory, but the number of operations.
TEST_F(SpeedTest, LongFunctionsRunLikeThoseOfNvcc) {
  ReportReduce("sum of 48 operations", FortyEightMaps(), "a + b",
               {Type::kInt32}, 3);
  ReportReduce("float32 sum of 48 operations", FortyEightFloatMaps(), "a + b",
               {Type::kFloat32}, 4);
  constexpr char kMap[] = "map of 48 operations";
  const Function map =
      *expression::ParseFunction(FortyEightMaps(), {Type::kInt32});
  const Array mapped = ValueOf(backend_->Allocate(ElementType::kInt32, n_));
  Report(
      kMap, [&] { return SplicedPass::Map(backend_, map); }, 2, 2,
      [&](SplicedPass& pass) {
        return pass.Run(n_, {x_.view()}, {}, {mapped.view()});
      });
  ASSERT_TRUE(backend_->Copy(x_.view(), y_.view()).ok());
  ReportPeers(kMap, {});
  EXPECT_EQ(Differences(mapped.view(), y_.view()), 0);
}

TEST_F(SpeedTest, FiltersRunAtTheSpeedOfMemory) {
  ReportFilter("filter of six operations, one result",
               absl::StrCat("v = ", kSixMaps, "; ((v & 7) < 6, v)"), 1.75, 2);
  ReportFilter("filter of six operations, and an index",
               absl::StrCat("v = ", kSixMaps, "; ((v & 7) < 6, v, i)"), 3.25,
               3);
}

TEST_F(SpeedTest, ScansRunAtTheSpeedOfMemory) {
  const Function six = *expression::ParseFunction(kSixMaps, {Type::kInt32});
  const Function six_floats = *expression::ParseFunction(
      absl::StrCat("float32(", kSixMaps, ")"), {Type::kInt32});
  const Function pairs =
      *expression::ParseFunction("(x, min(x, 0))", {Type::kInt32});
  const Function runs =
      *expression::ParseFunction("v = int64(x); (v, v, v, v)", {Type::kInt32});
  ReportScan("scan of six operations", six, "a + b", {Type::kInt32}, 2, 1.5);
  ReportScan("the same by an operator of the user's", six, kSumOfUsers,
             {Type::kInt32}, 2, 2);
  ReportScan("float32 scan of six operations", six_floats, "a + b",
             {Type::kFloat32}, 2, 2);
  ReportScan("scan of brackets, two int32", pairs, kBrackets,
             {Type::kInt32, Type::kInt32}, 3, 3);
  const Function two =
      *expression::ParseFunction("(x, y)", {Type::kInt32, Type::kInt32});
  ReportScan("scan of pairs of int32", two, kBrackets,
             {Type::kInt32, Type::kInt32}, 4, 2, {x_.view(), y_.view()});
  const Array longs = ValueOf(backend_->Allocate(ElementType::kInt64, n_));
  SplicedPass widen = *SplicedPass::Map(
      backend_, *expression::ParseFunction("int64(x) * 3", {Type::kInt32}));
  ASSERT_TRUE(widen.Run(n_, {x_.view()}, {}, {longs.view()}).ok());
  ReportScan("scan of int64 by an operator of the user's",
             *expression::ParseFunction("x", {Type::kInt64}), kSumOfUsers,
             {Type::kInt64}, 4, 2, {longs.view()});
  ReportScan("scan of largest runs, four int64", runs, kBestRun,
             std::vector<Type>(4, Type::kInt64), 9, 4);
}

TEST_F(SpeedTest, ReductionsRunAtTheSpeedOfMemory) {
  const Array sum = ValueOf(backend_->Allocate(ElementType::kInt32, 1));
  const Function product =
      *expression::ParseFunction("x * y", {Type::kInt32, Type::kInt32});
  const Operator plus = *Operator::Parse("a + b", {Type::kInt32});
  Report(
      "sum of x * y",
      [&] {
        return SplicedPass::Reduce(backend_, product, plus, std::nullopt);
      },
      2, 1.5,
      [&](SplicedPass& pass) {
        return pass.Run(n_, {x_.view(), y_.view()}, {}, {sum.view()});
      });
  ReportReduce("sum of six operations", kSixMaps, "a + b", {Type::kInt32}, 1.5);
  ReportReduce("float32 sum of six operations",
               "float32(((((x * 2 + 1) ^ 0x55) * 3) - 7) & 0xffff)", "a + b",
               {Type::kFloat32}, 1.5);
  ReportReduce("maximum of |x|", "abs(x)", "max(a, b)", {Type::kInt32}, 1.5);
  ReportReduce("parentheses, two int32", "(x, min(x, 0))", kBrackets,
               {Type::kInt32, Type::kInt32}, 3);
  ReportReduce("maximum subarray, four int64", "v = int64(x); (v, v, v, v)",
               kBestRun, std::vector<Type>(4, Type::kInt64), 3);
}

// In any order and in that of nodes: operators that are exact must agree.
TEST_F(SpeedTest, ScansOfManyElementsAgree) {
  const Function six = *expression::ParseFunction(kSixMaps, {Type::kInt32});
  const Array z = ValueOf(backend_->Allocate(ElementType::kInt32, n_));
  for (const auto& [op, out] :
       {std::pair<const char*, ArrayView>("a + b", y_.view()),
        std::pair<const char*, ArrayView>(kSumOfUsers, z.view())}) {
    SplicedPass pass = *SplicedPass::Scan(
        backend_, six,
        *Operator::Parse(op, {Type::kInt32}, expression::AssumeAssociative()),
        std::nullopt, false, std::nullopt);
    ASSERT_TRUE(pass.Run(n_, {x_.view()}, {}, {out}).ok());
  }
  EXPECT_EQ(Differences(y_.view(), z.view()), 0);
}

// Of more elements than 32 bits count bytes: the sum of the definition.
TEST_F(SpeedTest, TheSumOfManyElementsIsRight) {
  const Function six = *expression::ParseFunction(
      std::string("int64(") + kSixMaps + ")", {Type::kInt32});
  SplicedPass pass = *SplicedPass::Reduce(
      backend_, six, *Operator::Parse("a + b", {Type::kInt64}), std::nullopt);
  const Array total = ValueOf(backend_->Allocate(ElementType::kInt64, 1));
  ASSERT_TRUE(pass.Run(n_, {x_.view()}, {}, {total.view()}).ok());
  std::int64_t given[1];
  ASSERT_TRUE(
      backend_->Copy(total.view(), ArrayView(absl::MakeSpan(given))).ok());
  std::int64_t wanted = 0;
  for (std::int64_t i = 0; i < n_; ++i) {
    const auto shifted =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(i) * 2654435761u);
    const auto x = static_cast<std::uint32_t>(
        static_cast<std::int32_t>(shifted >> 7) % 100 - 50);
    wanted += ((((x * 2 + 1) ^ 0x55u) * 3) - 7) & 0xffffu;
  }
  EXPECT_EQ(given[0], wanted);
}

}  // namespace
}  // namespace concord::sequence
