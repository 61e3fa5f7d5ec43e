// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/spliced/pass_testing.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>

#include "concord/backends/cuda/spliced/spliced_module.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_function.h"
#include "concord/core/memory.h"
#include "concord/testing/support/named_backends.h"

namespace concord::sequence {

using expression::Function;
using expression::Op;
using expression::Operator;
using expression::Type;
using expression::Word;

void SplicedPassTest::SetUp() {
  folder_ = ::testing::TempDir() + "/modulesXXXXXX";
  ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  setenv("CONCORD_CACHE", folder_.c_str(), 1);
  spliced::SplicedModule::ForgetAll();
  const std::shared_ptr<Backend> opened = OpenOrSkip("cuda");
  if (opened == nullptr) return;
  backend_ = AsCuda(opened);
}

namespace {

// The elements from number `skip` on.
ArrayView Behind(const Array& array, int skip) {
  const ElementType type = array.type();
  return ArrayView(
      array.data<char>() + skip * static_cast<std::int64_t>(SizeOf(type)), type,
      array.size() - skip, array.view().memory());
}

}  // namespace

MirroredColumns RandomMirroredColumns(CudaBackend& backend, std::uint64_t seed,
                                      const std::vector<Type>& types,
                                      std::int64_t n, int skip) {
  MirroredColumns columns;
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
                        const MirroredColumns& wanted,
                        const MirroredColumns& given) {
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

void ExpectTuples(CudaBackend& backend, const std::vector<Type>& types,
                  const std::vector<Tuple>& wanted,
                  const MirroredColumns& given) {
  for (std::size_t k = 0; k < types.size(); ++k) {
    const std::vector<Word> values = ValuesOf(backend, given.device_views[k]);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(values[i], expression::Canonical(types[k], wanted[i][k]))
          << "value " << k << " of element " << i;
    }
  }
}

std::vector<Tuple> TuplesOf(const Function& prologue,
                            const MirroredColumns& columns, std::int64_t n) {
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

Function Identity(const std::vector<Type>& types) {
  expression::Nodes nodes;
  for (std::size_t k = 0; k < types.size(); ++k) {
    nodes.nodes.push_back({Op::kParameter, types[k], -1, -1, -1, k});
    nodes.results.push_back(static_cast<int>(k));
  }
  return *Function::Create(expression::Scope::OfColumns(types), nodes);
}

void CheckReduce(const std::shared_ptr<CudaBackend>& backend,
                 const Function& prologue, const Operator& op,
                 const std::vector<std::int64_t>& sizes, int skip) {
  SCOPED_TRACE(expression::OperatorToText(op.function()));
  SplicedPass pass = *SplicedPass::Reduce(backend, prologue, op, std::nullopt);
  const std::int64_t most = *std::max_element(sizes.begin(), sizes.end());
  const MirroredColumns in =
      RandomMirroredColumns(*backend, static_cast<std::uint64_t>(most),
                            prologue.ParameterTypes(), most, skip);
  const std::vector<Tuple> all = TuplesOf(prologue, in, most);
  for (std::int64_t n : sizes) {
    const MirroredColumns out =
        RandomMirroredColumns(*backend, 5, prologue.ResultTypes(), 1);
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

const std::vector<std::int64_t>& Sizes() {
  static const auto* const kSizes = new std::vector<std::int64_t>{
      1,   2,    3,    63,   64,    65,    127,   128,   129,   255,
      257, 4095, 4096, 4097, 16383, 16384, 16385, 32769, 65537, 70000};
  return *kSizes;
}

}  // namespace concord::sequence
