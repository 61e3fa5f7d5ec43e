// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/spliced/pass.h"

#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/order.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_function.h"
#include "concord/core/expression/random_operator.h"
#include "concord/core/memory.h"
#include "concord/testing/support/named_backends.h"
#include "concord/testing/support/program.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Op;
using expression::Operator;
using expression::Type;
using expression::Word;
using spliced::SplicedModule;
using ::testing::ElementsAre;
using ::testing::Optional;

// Every test begins with an empty cache of its own on disk.
class SplicedPassTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/modulesXXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    setenv("CONCORD_CACHE", folder_.c_str(), 1);
    SplicedModule::ForgetAll();
    absl::StatusOr<std::shared_ptr<Backend>> opened = OpenBackend("cuda");
    if (!opened.ok()) {
      SkipOrFail("cuda", opened.status().message());
      return;
    }
    backend_ = AsCuda(*opened);
  }

  std::shared_ptr<CudaBackend> backend_;
  std::string folder_;
};

// Columns in host memory and their copies on the device.
struct Columns {
  std::vector<Array> host;
  std::vector<Array> device;
  std::vector<ConstArrayView> host_views;
  std::vector<ConstArrayView> device_views;
  std::vector<ArrayView> host_outputs;
  std::vector<ArrayView> device_outputs;
};

// The elements from number `skip` on.
ArrayView Behind(const Array& array, int skip) {
  const ElementType type = array.type();
  return ArrayView(
      array.data<char>() + skip * static_cast<std::int64_t>(SizeOf(type)), type,
      array.size() - skip, array.view().memory());
}

// n random values of each type, `skip` elements behind an aligned address.
Columns RandomColumns(CudaBackend& backend, std::uint64_t seed,
                      const std::vector<Type>& types, std::int64_t n,
                      int skip = 0) {
  Columns columns;
  Random random(seed);
  for (Type type : types) {
    Array host = ValueOf(backend.AllocateHost(StoredAs(type), n + skip));
    for (std::int64_t i = 0; i < n + skip; ++i) {
      const Word value = expression::RandomValue(random, type);
      // What is not 0 is true.
      const bool any_true = type == Type::kBool && value != 0 && i % 2 == 0;
      expression::StoreValue(type, host.data<char>(), i,
                             any_true ? Word{254} : value);
    }
    Array device = ValueOf(backend.Allocate(StoredAs(type), n + skip));
    EXPECT_TRUE(backend.Copy(host.view(), device.view()).ok());
    columns.host_outputs.push_back(Behind(host, skip));
    columns.device_outputs.push_back(Behind(device, skip));
    columns.host_views.push_back(columns.host_outputs.back());
    columns.device_views.push_back(columns.device_outputs.back());
    columns.host.push_back(std::move(host));
    columns.device.push_back(std::move(device));
  }
  return columns;
}

std::vector<Word> ValuesOf(CudaBackend& backend, const ConstArrayView& view) {
  Array host = ValueOf(backend.AllocateHost(view.type(), view.size()));
  EXPECT_TRUE(backend.Copy(view, host.view()).ok());
  std::vector<Word> values;
  for (std::int64_t i = 0; i < view.size(); ++i) {
    values.push_back(expression::Load(view.type(), host.data<char>(), i));
  }
  return values;
}

void ExpectEqualColumns(CudaBackend& backend, const Function& function,
                        const Columns& wanted, const Columns& given) {
  for (std::size_t k = 0; k < wanted.host.size(); ++k) {
    const std::vector<Word> values = ValuesOf(backend, given.device_views[k]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const ConstArrayView& view = wanted.host_views[k];
      const Word want = expression::Load(view.type(), view.data(),
                                         static_cast<std::int64_t>(i));
      ASSERT_EQ(values[i], want) << "result " << k << ", element " << i
                                 << " of " << expression::ToText(function);
    }
  }
}

// The function of random columns, against its definition.
void CheckMap(const std::shared_ptr<CudaBackend>& backend,
              const Function& function, std::uint64_t seed, std::int64_t n,
              int skip) {
  SCOPED_TRACE(absl::StrCat("seed ", seed, ", n ", n, ", skip ", skip));
  std::vector<Type> table_types;
  for (const expression::Table& table : function.tables()) {
    table_types.push_back(expression::ValueTypeOf(table.type));
  }
  const Columns in =
      RandomColumns(*backend, seed, function.ParameterTypes(), n, skip);
  const Columns tables = RandomColumns(*backend, seed + 1, table_types, 13);
  const Columns out =
      RandomColumns(*backend, seed + 2, function.ResultTypes(), n, skip);
  const absl::Status wanted = expression::EvaluateColumns(
      function, n, in.host_views, tables.host_views, out.host_outputs);
  absl::StatusOr<SplicedPass> pass = SplicedPass::Map(backend, function);
  ASSERT_TRUE(pass.ok()) << pass.status() << expression::ToText(function);
  const absl::StatusOr<PassOutcome> outcome =
      pass->Run(n, in.device_views, tables.device_views, out.device_outputs);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  std::optional<std::int64_t> first;
  for (const std::optional<std::int64_t>& element : outcome->outside) {
    if (!element.has_value()) continue;
    first = std::min(first.value_or(*element), *element);
  }
  EXPECT_EQ(first.has_value(), !wanted.ok()) << wanted;
  if (first.has_value()) {
    EXPECT_THAT(std::string(wanted.message()),
                ::testing::StartsWith(absl::StrCat("element ", *first, " ")));
  }
  ExpectEqualColumns(*backend, function, out, out);
}

TEST_F(SplicedPassTest, RandomFunctionsHaveTheBitsOfEvaluate) {
  if (backend_ == nullptr) return;
  for (int seed = 0; seed < 300 && !HasFailure(); ++seed) {
    expression::RandomFunctionShape shape;
    shape.parameters = seed % 6;
    shape.tables = seed % 3;
    shape.operations = 1 + seed % 40;
    shape.results = 1 + seed % 4;
    const Function function = expression::RandomFunction(seed, shape);
    CheckMap(backend_, function, seed, seed % 5 == 0 ? 9001 : 4096, 0);
    // Of nearly every size, and where nothing is aligned.
    CheckMap(backend_, function, seed, seed * 7 + 1, seed % 2);
  }
}

// x op y of every operation and type, and every cast; 16 results at a time.
TEST_F(SplicedPassTest, EveryOperationHasTheBitsOfEvaluate) {
  if (backend_ == nullptr) return;
  for (Type type : expression::AllTypes()) {
    expression::Nodes nodes;
    for (Word k : {0, 1, 2}) {
      nodes.nodes.push_back({Op::kParameter, type, -1, -1, -1, k});
    }
    const auto check = [&] {
      const Function function = *Function::Create(
          expression::Scope::OfColumns({type, type, type}), nodes);
      CheckMap(backend_, function, 77, 16384, 0);
      nodes.results.clear();
      nodes.nodes.resize(3);
    };
    const auto add = [&](const expression::Node& node) {
      nodes.nodes.push_back(node);
      nodes.results.push_back(static_cast<int>(nodes.nodes.size()) - 1);
      if (nodes.results.size() == 16) check();
    };
    for (Type to : expression::AllTypes()) add({Op::kCast, to, 0});
    for (Op op : expression::AllOperations()) {
      const bool leaf = IsLeaf(op) || op == Op::kCast || op == Op::kGather;
      if (leaf || op == Op::kSelect || !expression::IsFor(op, type)) continue;
      const bool gives_bool = IsComparison(op) || op == Op::kIsNan;
      const int operands = expression::OperandsOf(op);
      add({op, gives_bool ? Type::kBool : type, 0, operands > 1 ? 1 : -1,
           operands > 2 ? 2 : -1});
    }
    if (!nodes.results.empty()) check();
    if (HasFailure()) return;
  }
}

TEST_F(SplicedPassTest, AMapMayBeInPlace) {
  if (backend_ == nullptr) return;
  const Function function =
      *expression::ParseFunction("3 * x - 7", {Type::kInt32});
  const Columns x = RandomColumns(*backend_, 1, {Type::kInt32}, 100001);
  SplicedPass pass = *SplicedPass::Map(backend_, function);
  ASSERT_TRUE(pass.Run(100001, x.device_views, {}, x.device_outputs).ok());
  ASSERT_TRUE(expression::EvaluateColumns(function, 100001, x.host_views, {},
                                          x.host_outputs)
                  .ok());
  ExpectEqualColumns(*backend_, function, x, x);
}

// What the prologue gives for every element.
std::vector<Tuple> TuplesOf(const Function& prologue, const Columns& columns,
                            std::int64_t n) {
  std::vector<Tuple> tuples;
  const std::vector<Type> types = prologue.ParameterTypes();
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<Word> arguments;
    for (std::size_t k = 0; k < types.size(); ++k) {
      arguments.push_back(
          expression::LoadValue(types[k], columns.host_views[k].data(), i));
    }
    tuples.push_back(expression::Evaluate(prologue, arguments, i).results);
  }
  return tuples;
}

void CheckReduce(const std::shared_ptr<CudaBackend>& backend,
                 const Function& prologue, const Operator& op,
                 const std::vector<std::int64_t>& sizes, int skip = 0) {
  SCOPED_TRACE(expression::OperatorToText(op.function()));
  SplicedPass pass = *SplicedPass::Reduce(backend, prologue, op, std::nullopt);
  const std::int64_t most = *std::max_element(sizes.begin(), sizes.end());
  const Columns in = RandomColumns(*backend, static_cast<std::uint64_t>(most),
                                   prologue.ParameterTypes(), most, skip);
  const std::vector<Tuple> all = TuplesOf(prologue, in, most);
  for (std::int64_t n : sizes) {
    const Columns out = RandomColumns(*backend, 5, prologue.ResultTypes(), 1);
    ASSERT_TRUE(pass.Run(n, in.device_views, {}, out.device_outputs).ok());
    const Tuple wanted = *concord::sequence::Reduce(
        op, absl::MakeConstSpan(all).first(n), std::nullopt);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      EXPECT_EQ(ValuesOf(*backend, out.device_views[k])[0],
                expression::Canonical(prologue.ResultTypes()[k], wanted[k]))
          << "value " << k << " of " << n << " elements";
    }
  }
}

// The results as they are.
Function Identity(const std::vector<Type>& types) {
  expression::Nodes nodes;
  for (std::size_t k = 0; k < types.size(); ++k) {
    nodes.nodes.push_back({Op::kParameter, types[k], -1, -1, -1, k});
    nodes.results.push_back(static_cast<int>(k));
  }
  return *Function::Create(expression::Scope::OfColumns(types), nodes);
}

const std::vector<std::int64_t>& Sizes() {
  static const auto* const kSizes = new std::vector<std::int64_t>{
      1,   2,    3,    63,   64,    65,    127,   128,   129,   255,
      257, 4095, 4096, 4097, 16383, 16384, 16385, 32769, 65537, 70000};
  return *kSizes;
}

TEST_F(SplicedPassTest, BuiltInOperatorsHaveTheOrderOfReduce) {
  if (backend_ == nullptr) return;
  for (Type type : expression::AllTypes()) {
    for (const char* text : {"a + b", "a * b", "min(a, b)", "max(a, b)",
                             "a & b", "a | b", "a ^ b"}) {
      absl::StatusOr<Operator> op = Operator::Parse(text, {type});
      if (!op.ok()) continue;
      ASSERT_TRUE(op->built_in().has_value()) << text;
      CheckReduce(backend_, Identity({type}), *op, Sizes());
      if (HasFailure()) return;
    }
  }
}

TEST_F(SplicedPassTest, LongSumsOfFloatsHaveTheirTree) {
  if (backend_ == nullptr) return;
  for (Type type : {Type::kFloat32, Type::kFloat64}) {
    CheckReduce(
        backend_,
        *expression::ParseFunction(type == Type::kFloat32
                                       ? "float32(x) * 0.7 + float32(i & 15)"
                                       : "float64(x) * 0.7 + float64(i & 15)",
                                   {Type::kInt32}),
        *Operator::Parse("a + b", {type}), {1 << 20, 3000001}, 1);
  }
}

TEST_F(SplicedPassTest, RandomOperatorsHaveTheOrderOfRows) {
  if (backend_ == nullptr) return;
  for (int seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Operator op = expression::RandomOperator(seed, 4);
    CheckReduce(backend_, Identity(op.types()), op, Sizes(), seed % 2);
  }
}

// Whoever combines in another order has other bits.
TEST_F(SplicedPassTest, OperatorsThatAreNotAssociativeHaveTheOrderOfRows) {
  if (backend_ == nullptr) return;
  const auto unchecked = [](const std::string& text,
                            const std::vector<Type>& types) {
    return *Operator::Parse(text, types, expression::AssumeAssociative());
  };
  const Type f = Type::kFloat32;
  const Type d = Type::kFloat64;
  const Type s = Type::kInt32;
  CheckReduce(backend_, Identity({s}), unchecked("3 * a - b", {s}), Sizes());
  CheckReduce(backend_, Identity({d}), unchecked("a * 0.5 + b", {d}), Sizes());
  CheckReduce(backend_, Identity({f, Type::kBool, Type::kInt8}),
              unchecked("(a, p, q), (b, r, t) -> (p ? a - b : b, p ^ r, q - t)",
                        {f, Type::kBool, Type::kInt8}),
              Sizes());
  CheckReduce(backend_,
              *expression::ParseFunction("(x, y, x * y, x - y, i)", {s, s}),
              unchecked("(a, b, c, d, e), (f, g, h, k, l) -> "
                        "(a + g, b - f, c ^ h, d * 5 + k, e * 7 + l)",
                        {s, s, s, s, Type::kInt64}),
              Sizes(), 1);
  // So many rows that blocks make several groups.
  CheckReduce(backend_, Identity({s}), unchecked("3 * a - b", {s}),
              {(1 << 21) + 12345});
}

TEST_F(SplicedPassTest, AnEpilogueMakesTheResults) {
  if (backend_ == nullptr) return;
  SplicedPass pass = *SplicedPass::Reduce(
      backend_, *expression::ParseFunction("x", {Type::kInt32}),
      *Operator::Parse("a + b", {Type::kInt32}),
      *expression::ParseFunction("(x, int8(x), x > 0)", {Type::kInt32}));
  const Columns in = RandomColumns(*backend_, 3, {Type::kInt32}, 5000);
  std::uint32_t sum = 0;
  for (int i = 0; i < 5000; ++i) sum += in.host[0].data<std::uint32_t>()[i];
  const Columns out =
      RandomColumns(*backend_, 4, {Type::kInt32, Type::kInt8, Type::kBool}, 1);
  ASSERT_TRUE(pass.Run(5000, in.device_views, {}, out.device_outputs).ok());
  const auto total = static_cast<std::int32_t>(sum);
  EXPECT_EQ(ValuesOf(*backend_, out.device_views[0])[0],
            expression::ToWord(total));
  EXPECT_EQ(ValuesOf(*backend_, out.device_views[1])[0],
            expression::ToWord(static_cast<std::int8_t>(total)));
  EXPECT_EQ(ValuesOf(*backend_, out.device_views[2])[0], total > 0 ? 1u : 0u);
}

TEST_F(SplicedPassTest, ReadsOutsideAreReportedForEachTable) {
  if (backend_ == nullptr) return;
  const Function prologue = *expression::ParseFunction(
      "t[i / 100] + u[i - 50] + x", {Type::kInt32},
      {{"t", ElementType::kInt32}, {"u", ElementType::kInt32}});
  SplicedPass pass = *SplicedPass::Reduce(
      backend_, prologue, *Operator::Parse("a + b", {Type::kInt32}),
      std::nullopt);
  const Columns in = RandomColumns(*backend_, 3, {Type::kInt32}, 100000);
  const Columns small = RandomColumns(*backend_, 3, {Type::kInt32}, 700);
  const Columns large = RandomColumns(*backend_, 3, {Type::kInt32}, 100000);
  const Columns out = RandomColumns(*backend_, 4, {Type::kInt32}, 1);
  const auto outside = [&](std::int64_t n) {
    return ValueOf(pass.Run(n, in.device_views,
                            {small.device_views[0], large.device_views[0]},
                            out.device_outputs))
        .outside;
  };
  EXPECT_THAT(outside(70000), ElementsAre(std::nullopt, Optional(0)));
  EXPECT_THAT(outside(100000), ElementsAre(Optional(70000), Optional(0)));
}

// --- Scans and filters ---

void ExpectTuples(CudaBackend& backend, const std::vector<Type>& types,
                  const std::vector<Tuple>& wanted, const Columns& given) {
  for (std::size_t k = 0; k < types.size(); ++k) {
    const std::vector<Word> values = ValuesOf(backend, given.device_views[k]);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(values[i], expression::Canonical(types[k], wanted[i][k]))
          << "value " << k << " of element " << i;
    }
  }
}

void CheckScan(const std::shared_ptr<CudaBackend>& backend, const Operator& op,
               const std::optional<Tuple>& start, std::int64_t n) {
  SCOPED_TRACE(absl::StrCat(expression::OperatorToText(op.function()), ", n ",
                            n, ", start ", start.has_value()));
  const Function prologue = Identity(op.types());
  const Columns in = RandomColumns(*backend, 8, op.types(), n);
  const Columns out = RandomColumns(*backend, 9, op.types(), n);
  const std::vector<Tuple> all = TuplesOf(prologue, in, n);
  for (bool before : {false, true}) {
    if (before && !start.has_value() && !OfNothing(op).has_value()) continue;
    SplicedPass pass =
        *SplicedPass::Scan(backend, prologue, op, start, before, std::nullopt);
    ASSERT_TRUE(pass.Run(n, in.device_views, {}, out.device_outputs).ok());
    ExpectTuples(
        *backend, op.types(),
        before ? ExclusiveScan(op, all, start) : InclusiveScan(op, all, start),
        out);
  }
}

TEST_F(SplicedPassTest, ScansHaveTheOrderOfNodes) {
  if (backend_ == nullptr) return;
  const Type f = Type::kFloat32;
  const Type s = Type::kInt32;
  const Operator sum = *Operator::Parse("a + b", {f});
  const Operator unordered =
      *Operator::Parse("3 * a - b", {s}, expression::AssumeAssociative());
  for (std::int64_t n : {1, 2, 255, 256, 257, 65536, 65537, 200001}) {
    CheckScan(backend_, sum, std::nullopt, n);
    CheckScan(backend_, unordered, std::nullopt, n);
    CheckScan(backend_, unordered, Tuple{7}, n);
    if (HasFailure()) return;
  }
}

TEST_F(SplicedPassTest, ScansByRandomOperatorsHaveTheOrderOfNodes) {
  if (backend_ == nullptr) return;
  for (int seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Operator op = expression::RandomOperator(seed, 8);
    CheckScan(backend_, op, std::nullopt, 1 + seed * 53);
  }
}

TEST_F(SplicedPassTest, FiltersKeepTheOrder) {
  if (backend_ == nullptr) return;
  const Function function = *expression::ParseFunction(
      "(x % 3 == 0 && y, x, i, y)", {Type::kInt32, Type::kBool});
  SplicedPass pass = *SplicedPass::Filter(backend_, function);
  const std::vector<Type> types = {Type::kInt32, Type::kInt64, Type::kBool};
  for (std::int64_t n : {1, 255, 256, 2047, 2048, 2049, 70000, 3000001}) {
    SCOPED_TRACE(n);
    const Columns in =
        RandomColumns(*backend_, 11, function.ParameterTypes(), n);
    const Columns out = RandomColumns(*backend_, 12, types, n);
    std::vector<Tuple> wanted;
    for (const Tuple& tuple : TuplesOf(function, in, n)) {
      if (tuple[0] != 0) wanted.emplace_back(tuple.begin() + 1, tuple.end());
    }
    const absl::StatusOr<PassOutcome> outcome =
        pass.Run(n, in.device_views, {}, out.device_outputs);
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_EQ(outcome->kept, static_cast<std::int64_t>(wanted.size()));
    ExpectTuples(*backend_, types, wanted, out);
  }
}

TEST_F(SplicedPassTest, AMapMayBeginAtAnIndex) {
  if (backend_ == nullptr) return;
  SplicedPass pass = *SplicedPass::Map(
      backend_, *expression::ParseFunction("int64(x) + i", {Type::kInt32}));
  const Columns in = RandomColumns(*backend_, 1, {Type::kInt32}, 1);
  const Columns out = RandomColumns(*backend_, 2, {Type::kInt64}, 1);
  ASSERT_TRUE(
      pass.Run(1, in.device_views, {}, out.device_outputs, 123456789).ok());
  EXPECT_EQ(
      ValuesOf(*backend_, out.device_views[0])[0],
      expression::ToWord(std::int64_t{in.host[0].data<int>()[0]} + 123456789));
}

TEST_F(SplicedPassTest, ModulesAreKeptInMemoryAndOnDisk) {
  if (backend_ == nullptr) return;
  const Columns in = RandomColumns(*backend_, 3, {Type::kInt32}, 5000);
  const Columns out = RandomColumns(*backend_, 4, {Type::kInt32}, 5000);
  const Function function =
      *expression::ParseFunction("x * 5 + 3", {Type::kInt32});
  ASSERT_TRUE(expression::EvaluateColumns(function, 5000, in.host_views, {},
                                          out.host_outputs)
                  .ok());
  const auto origin = [&] {
    SplicedPass pass = *SplicedPass::Map(backend_, function);
    EXPECT_TRUE(pass.Run(5000, in.device_views, {}, out.device_outputs).ok());
    ExpectEqualColumns(*backend_, function, out, out);
    return pass.origin();
  };
  EXPECT_EQ(origin(), SplicedModule::Origin::kCompiler);
  EXPECT_EQ(origin(), SplicedModule::Origin::kMemory);
  SplicedModule::ForgetAll();
  EXPECT_EQ(origin(), SplicedModule::Origin::kDisk);

  // Every file damaged.
  DIR* const open = opendir(folder_.c_str());
  while (const dirent* entry = readdir(open)) {
    const std::string path = folder_ + "/" + entry->d_name;
    struct stat status;
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(status.st_size / 2);
    file.put('\x5a');
    file.put('\xa5');
  }
  closedir(open);
  SplicedModule::ForgetAll();
  EXPECT_EQ(origin(), SplicedModule::Origin::kCompiler);
  setenv("CONCORD_CACHE", "", 1);
  SplicedModule::ForgetAll();
  EXPECT_EQ(origin(), SplicedModule::Origin::kCompiler);
  SplicedModule::ForgetAll();
  EXPECT_EQ(origin(), SplicedModule::Origin::kCompiler);
}

}  // namespace
}  // namespace concord::sequence
