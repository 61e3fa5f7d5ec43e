// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Functions of the caller's, and numbers, are read from text, made of lambdas,
// run and refused without a throw, whichever allocation fails.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/compact/predicate.h"
#include "concord/algorithms/transform/transform.h"
#include "concord/core/algorithm.h"
#include "concord/core/backend.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/function_of.h"
#include "concord/core/expression/operator.h"
#include "concord/core/expression/parser.h"
#include "concord/core/functions.h"
#include "concord/core/host_array.h"
#include "concord/core/number.h"
#include "concord/testing/support/named_backends.h"
#include "concord/testing/support/scarce_memory.h"

namespace concord {
namespace {

using expression::Expression;
using expression::FunctionOf;
using expression::OperatorOf;
using expression::Type;

class FunctionsOn : public testing::TestWithParam<std::string> {
 protected:
  const std::shared_ptr<Backend> backend_ = Open(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Backends, FunctionsOn,
                         testing::Values("serial", "tbb:2"), NameOfParameter);

// Calls with a function of the caller's: one that is right, and others.
TEST_P(FunctionsOn, AreCallsOrAStatus) {
  const Algorithm& reduce = **FindAlgorithm("reduce");
  const HostArray in = HostArray::Of<std::int32_t>({3, 1, 4});
  HostArray out(ElementType::kInt32, {1});
  const Inputs right = {{"in", in.view()}};
  const Outputs outputs = {{"out", out.view()}};
  NamedCalls calls;
  for (const OptionMap& options : {OptionMap{{"op", "a > b ? a : b"}},
                                   {{"op", "a |> b"}},
                                   {{"op", "a +"}},
                                   {{"op", "max"}},
                                   {{"op", "none"}}}) {
    const std::string name = ToString(options);
    calls.push_back({absl::StrCat("AsProgram ", name), [&reduce, options] {
                       return AsProgram(reduce, options).status();
                     }});
    const std::shared_ptr<const Algorithm> taking =
        *TakingFunctions(reduce, options);
    calls.push_back(
        {absl::StrCat("TakingFunctions ", name), [&reduce, taking, options] {
           const auto again = TakingFunctions(reduce, options);
           if (!again.ok()) return again.status();
           const Algorithm& one = **again;
           const Algorithm& other = *taking;
           return typeid(one) == typeid(other)
                      ? absl::OkStatus()
                      : absl::DataLossError("it is another");
         }});
    const std::shared_ptr<Runner> runner = *taking->NewRunner(backend_, "");
    calls.push_back({absl::StrCat("NewRunner ", name), [this, taking] {
                       return taking->NewRunner(backend_, "").status();
                     }});
    calls.push_back({absl::StrCat("Configure ", name),
                     [runner, options] { return runner->Configure(options); }});
    for (const Inputs& inputs : {right, Inputs{}, {{"none", in.view()}}}) {
      calls.push_back({absl::StrCat("Plan ", name), [taking, options, inputs] {
                         return taking->Plan(options, inputs).status();
                       }});
      calls.push_back({absl::StrCat("Run ", name), [runner, inputs, &outputs] {
                         return runner->Run(inputs, outputs);
                       }});
    }
  }
  ExpectSameWithoutMemory(calls);
}

TEST(Expressions, AreMadeOrAStatus) {
  const std::vector<Type> types = {Type::kInt32, Type::kInt32};
  const auto distance = [](const Expression& x, const Expression& y) {
    return Select(x < y, y - x, x - y);
  };
  const auto sum = [](const Expression& a, const Expression& b) {
    return a + b;
  };
  const std::vector<Type> one = {Type::kInt32};
  NamedCalls calls = {
      {"OperatorOf", [&] { return OperatorOf(one, sum).status(); }},
      {"OperatorOf too many", [&] { return OperatorOf(types, sum).status(); }},
  };
  for (const std::vector<Type>& given : {types, one}) {
    calls.push_back({absl::StrCat("FunctionOf ", given.size()), [&, given] {
                       return WithCopyOf(given, [&](std::vector<Type> copy) {
                         return FunctionOf(std::move(copy), distance).status();
                       });
                     }});
  }
  for (const std::string text :
       {"x < y ? y - x : x - y", "x +", "(s, m), (t, n) -> (s + t, max(m, n))",
        "(1, -2)", "(a, b), (c, d) -> (a - c, b - d)"}) {
    calls.push_back({absl::StrCat("ParseFunction ", text), [&, text] {
                       return expression::ParseFunction(text, types).status();
                     }});
    calls.push_back({absl::StrCat("ParseOperator ", text), [&, text] {
                       return expression::ParseOperator(text, types).status();
                     }});
    calls.push_back({absl::StrCat("ParseConstants ", text), [&, text] {
                       return expression::ParseConstants(text, types).status();
                     }});
    calls.push_back({absl::StrCat("Operator::Parse ", text), [&, text] {
                       return expression::Operator::Parse(text, types).status();
                     }});
  }
  const expression::Function function = *FunctionOf(types, distance);
  const HostArray x = HostArray::Of<std::int32_t>({3, 1, 4});
  HostArray out(ElementType::kInt32, {3});
  for (const std::int64_t n : {3, 4}) {
    calls.push_back({absl::StrCat("EvaluateColumns of ", n), [&, n] {
                       return expression::EvaluateColumns(
                           function, n, {x.view(), x.view()}, {}, {out.view()});
                     }});
  }
  ExpectSameWithoutMemory(calls);
}

TEST(Numbers, AreParsedOrAStatus) {
  NamedCalls calls;
  for (const std::string text : {"1", "many", "1e999"}) {
    calls.push_back({absl::StrCat("Number::Parse ", text),
                     [text] { return Number::Parse(text).status(); }});
    const OptionMap options = {{"op", "affine"}, {"scale", text}};
    calls.push_back({absl::StrCat("transform's --scale=", text), [options] {
                       return Transform::GetSignature().Parse(options).status();
                     }});
    const std::string predicate = absl::StrCat("less:", text);
    calls.push_back({absl::StrCat("ParsePredicate ", predicate), [predicate] {
                       return ParsePredicate(predicate).status();
                     }});
  }
  ExpectSameWithoutMemory(calls);
}

}  // namespace
}  // namespace concord
