// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What callers of the library call beside the algorithms throws nothing,
// whichever allocation fails: each of these calls is made with the first one
// failing, then the second, and so on until all succeed. Errors take memory to
// say, so that calls which are refused are among them.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/algorithms/transform/transform.h"
#include "concord/core/algorithm.h"
#include "concord/core/backend.h"
#include "concord/core/choosing_runner.h"
#include "concord/core/explanation.h"
#include "concord/core/host_array.h"
#include "concord/core/names.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"
#include "concord/testing/support/scarce_memory.h"

namespace concord {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

class OnHostBackend : public testing::TestWithParam<std::string> {
 protected:
  const std::shared_ptr<Backend> backend_ = Open(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Backends, OnHostBackend,
                         testing::Values("serial", "tbb:2"), NameOfParameter);

template <typename Interface>
void AddCallsOfRegistry(const std::shared_ptr<Backend>& backend,
                        NamedCalls& calls) {
  const auto& registry = Registry<Interface>::Get();
  for (const char* const variant : {"", "none"}) {
    calls.push_back({absl::StrCat("Create ", Interface::kName, "/", variant),
                     [&registry, backend, variant] {
                       return registry.Create(backend, variant).status();
                     }});
    for (const std::string& name : {backend->info().name, std::string("no")}) {
      calls.push_back({absl::StrCat("Find ", Interface::kName, "/", variant),
                       [&registry, name, variant] {
                         return registry.Find(name, variant).status();
                       }});
    }
  }
  calls.push_back({absl::StrCat("Create ", Interface::kName, " on no backend"),
                   [&registry] { return registry.Create(nullptr).status(); }});
}

template <typename... Interfaces>
NamedCalls CallsOfRegistries(const std::shared_ptr<Backend>& backend) {
  NamedCalls calls;
  (AddCallsOfRegistry<Interfaces>(backend, calls), ...);
  return calls;
}

TEST_P(OnHostBackend, Registries) {
  ExpectSameWithoutMemory(
      CallsOfRegistries<Compact, Cyclospectrum, LookAndSay, MatchParens,
                        MaxSubarray, RadixSort, Reduce, RunLengthDecode,
                        RunLengthEncode, Scan, SequenceProgram, SimilarPairs,
                        TensorSketch, Transform>(backend_));
}

// An implementation that has an option for tuning.
class Tuned : public Implementation {
 public:
  static constexpr char kName[] = "tuned";
  std::int64_t block() const { return tuning("block"); }
};

TEST_P(OnHostBackend, Tuning) {
  Registry<Tuned>& registry = Registry<Tuned>::Get();
  registry.Add<Tuned>(
      backend_->info().name, "plain", /*rank=*/1, "does nothing", Contract(),
      /*requirement=*/{},
      {OptionSpec::Number("block", "", /*default_value=*/64, 32, 1024)});
  const auto block_is = [](const Tuned& tuned, std::int64_t block) {
    return tuned.block() == block ? absl::OkStatus()
                                  : absl::DataLossError("another block");
  };
  // What cannot keep its options is not made.
  NamedCalls calls = {{"Create", [&] {
                         const auto made = registry.Create(backend_);
                         return made.ok() ? block_is(**made, 64)
                                          : made.status();
                       }}};
  const std::unique_ptr<Tuned> tuned = *registry.Create(backend_);
  for (const auto& [text, block] :
       {std::pair{"128", 128}, {"many", 128}, {"4096", 128}}) {
    const OptionMap options = {{"block", text}};
    calls.push_back({absl::StrCat("Tune to ", text),
                     [&, options] { return tuned->Tune(options); }});
    calls.push_back({absl::StrCat("after it there is ", block),
                     [&, block = block] { return block_is(*tuned, block); }});
  }
  ExpectSameWithoutMemory(calls);
}

// Arrays that are none, or not where they have to be.
std::vector<std::pair<std::string, ArrayView>> WrongArrays() {
  static std::vector<std::int32_t> elements(8);
  const auto type = ElementType::kInt32;
  const Memory host = Memory::Host();
  return {
      {"of another type", {elements.data(), ElementType::kFloat32, 4, host}},
      {"of another size", {elements.data(), type, 3, host}},
      {"of a negative size", {elements.data(), type, -4, host}},
      {"with gaps", {elements.data(), type, Shape(4).WithStrides(2), host}},
      {"without an address", {nullptr, type, 4, host}},
      {"elsewhere", {elements.data(), type, 4, Memory("elsewhere", 1)}}};
}

TEST_P(OnHostBackend, Copies) {
  const HostArray from(ElementType::kInt32, {4});
  HostArray to(ElementType::kInt32, {4});
  NamedCalls calls = {
      {"Copy", [&] { return backend_->Copy(from.view(), to.view()); }},
      {"ReadOnce", [&] { return backend_->ReadOnce(from.view()); }},
      {"NewTimer", [&] { return backend_->NewTimer().status(); }}};
  for (const auto& [name, wrong] : WrongArrays()) {
    const ArrayView view = wrong;
    calls.push_back({absl::StrCat("Copy from an array ", name),
                     [&, view] { return backend_->Copy(view, to.view()); }});
    calls.push_back({absl::StrCat("Copy to an array ", name),
                     [&, view] { return backend_->Copy(from.view(), view); }});
    calls.push_back({absl::StrCat("ReadOnce of an array ", name),
                     [&, view] { return backend_->ReadOnce(view); }});
  }
  ExpectSameWithoutMemory(calls);
}

// Sizes that are negative, that no memory has, and that it has.
TEST_P(OnHostBackend, Allocations) {
  NamedCalls calls;
  for (const std::int64_t size :
       {std::int64_t{-1}, kMost, kMost / 64, std::int64_t{10}}) {
    for (const auto allocate : {&Backend::Allocate, &Backend::AllocateHost}) {
      calls.push_back(
          {absl::StrCat("an array of ", size), [this, allocate, size] {
             return ((*backend_).*allocate)(ElementType::kInt8, size).status();
           }});
    }
    const std::vector<std::int64_t> shape = {size};
    calls.push_back(
        {absl::StrCat("HostArray::Make of ", size), [shape] {
           return WithCopyOf(shape, [](std::vector<std::int64_t> copy) {
             return HostArray::Make(ElementType::kInt8, std::move(copy))
                 .status();
           });
         }});
  }
  ExpectSameWithoutMemory(calls);
}

// Algorithms by their names, with options as text.
TEST_P(OnHostBackend, Algorithms) {
  NamedCalls calls = {{"CheckNames", [] { return CheckNames(); }}};
  for (const Algorithm* const algorithm : AllAlgorithms()) {
    const std::string name = algorithm->name();
    for (const char* const variant : {"", "none"}) {
      calls.push_back(
          {absl::StrCat("NewChoosingRunner ", name, "/", variant),
           [this, algorithm, variant] {
             return NewChoosingRunner(*algorithm, backend_, variant).status();
           }});
    }
    calls.push_back({absl::StrCat("PlanWithNumbers ", name),
                     [algorithm] { return algorithm->PlanWithNumbers({}); }});
    calls.push_back({absl::StrCat("ExplainCall ", name),
                     [name] { return ExplainCall(name, {}, {}).status(); }});
    const std::shared_ptr<Runner> runner = *algorithm->NewRunner(backend_, "");
    for (const OptionMap& options : {OptionMap(), {{"none", "0"}}}) {
      calls.push_back(
          {absl::StrCat("Configure ", name, ToString(options)),
           [runner, options] { return runner->Configure(options); }});
    }
    calls.push_back({absl::StrCat("RunFromHost ", name),
                     [runner] { return runner->RunFromHost({}, {}); }});
  }
  ExpectSameWithoutMemory(calls);
}

}  // namespace
}  // namespace concord
