// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_FAKE_SPEC_H_
#define CONCORD_BENCHMARKS_FAKE_SPEC_H_

#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "concord/core/backend.h"
#include "concord/core/spec.h"
#include "concord/testing/support/plain_backend.h"

namespace concord {

// A backend that counts what it is asked to do.
class FakeBackend : public PlainBackend {
 public:
  // What follows the colon of its spec: how many members it is to have.
  explicit FakeBackend(const std::string& members = "")
      : PlainBackend({"fake",
                      members.empty() ? "fake" : "fake:" + members,
                      "",
                      {{"speed", "imaginary"},
                       {"members", members.empty() ? "1" : members}}},
                     std::make_shared<PlainPool>(Memory("fake", 0))) {}

  absl::Status Synchronize() override {
    ++synchronizations;
    return absl::OkStatus();
  }

  absl::StatusOr<Array> AllocateHost(ElementType type,
                                     std::int64_t size) override {
    host_bytes_allocated += size * SizeOf(type);
    return Backend::AllocateHost(type, size);
  }

  int copies_to_host = 0;
  std::int64_t bytes_copied_there = 0;
  std::int64_t host_bytes_allocated = 0;
  int synchronizations = 0;
  // The size of the copies within the backend's memory, and of the last one.
  std::int64_t bytes_copied_within = 0;
  std::int64_t bytes_of_last_copy = 0;

 protected:
  absl::Status CopyChecked(ConstArrayView from, ArrayView to) override {
    if (to.memory().is_host() && !from.memory().is_host()) ++copies_to_host;
    if (from.memory().is_host() && !to.memory().is_host()) {
      bytes_copied_there += from.bytes();
    }
    if (!from.memory().is_host() && !to.memory().is_host()) {
      // Nothing is copied: flushing 256 MiB would make slow tests.
      bytes_copied_within += from.bytes();
      bytes_of_last_copy = from.bytes();
      return absl::OkStatus();
    }
    return PlainBackend::CopyChecked(from, to);
  }
  absl::StatusOr<std::unique_ptr<Timer>> MakeTimer() override {
    return std::make_unique<FakeTimer>();
  }

 private:
  class FakeTimer : public Timer {
   public:
    absl::Status Start() override {
      start_ = std::chrono::steady_clock::now();
      return absl::OkStatus();
    }
    absl::Status Stop() override {
      seconds_ = std::chrono::duration<double>(
                     std::chrono::steady_clock::now() - start_)
                     .count();
      return absl::OkStatus();
    }
    absl::StatusOr<double> Seconds() override { return seconds_; }

   private:
    std::chrono::steady_clock::time_point start_;
    double seconds_ = 0;
  };
};

// Negates int32 elements, in the way that a test gives it: `behave` gets the
// number of the run, from 0 on, and says how it goes.
class FakeSpec : public AlgorithmSpec {
 public:
  enum class Behaviour {
    kRight,
    kWrong,
    kNothing,
    kError,
    kRefusal,
    kSlow,
    kTwice,
  };
  std::function<Behaviour(int run)> behave = [](int) {
    return Behaviour::kRight;
  };
  // The same of each variant, where it is set.
  std::function<Behaviour(absl::string_view variant, int run)> behave_of;

  // The type that cases are about, where it is not that of their elements.
  std::optional<ElementType> case_type;

  // A type that calls with `mode` set to "fancy" are not for.
  std::optional<ElementType> not_fancy;

  // The size that cases say they have, where it is not that of their input.
  std::optional<std::int64_t> case_size;

  // How often an implementation that can has run from host memory; -1: it
  // cannot.
  mutable int runs_from_host = -1;

  std::string name() const override { return "negate"; }
  const Algorithm& algorithm() const override { return algorithm_; }
  // The options in place of those that there are.
  void set_options(std::vector<OptionSpec> options) {
    algorithm_.signature_.options = std::move(options);
  }
  // Names and ranks in place of the one variant.
  void set_variants(std::vector<std::pair<std::string, int>> variants) {
    algorithm_.variants_ = std::move(variants);
  }
  absl::StatusOr<Case> MakeFrom(const CaseRequest& request) const override {
    absl::StatusOr<Case> made = AlgorithmSpec::MakeFrom(request);
    if (made.ok()) made->type = case_type.value_or(made->type);
    return made;
  }
  std::int64_t SizeOfCase(const Case& test_case) const override {
    return case_size.value_or(AlgorithmSpec::SizeOfCase(test_case));
  }
  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    HostArray out = test_case.inputs.at("in");
    for (std::int32_t& value : out.span<std::int32_t>()) value = Negate(value);
    Expectations expected;
    expected["out"].value = std::move(out);
    return expected;
  }

 private:
  static std::int32_t Negate(std::int32_t value) {
    return static_cast<std::int32_t>(0u - static_cast<std::uint32_t>(value));
  }

  class FakeRunner : public Runner {
   public:
    FakeRunner(const FakeSpec& spec, absl::string_view variant)
        : spec_(spec), variant_(variant) {}
    absl::Status Configure(const OptionMap&) override {
      return absl::OkStatus();
    }
    absl::Status Run(const Inputs& inputs, const Outputs& outputs) override {
      const Behaviour behaviour = spec_.behave_of
                                      ? spec_.behave_of(variant_, run_++)
                                      : spec_.behave(run_++);
      if (behaviour == Behaviour::kNothing) return absl::OkStatus();
      if (behaviour == Behaviour::kError) {
        return absl::InternalError("launch failed");
      }
      if (behaviour == Behaviour::kRefusal) {
        return absl::UnimplementedError("not for this");
      }
      const ConstArrayView in = inputs.at("in");
      const ArrayView out = outputs.at("out");
      for (int i = behaviour == Behaviour::kTwice ? 0 : 1; i < 2; ++i) {
        NegateAll(in, out);
      }
      if (behaviour == Behaviour::kWrong) ++out.data<std::int32_t>()[0];
      if (behaviour == Behaviour::kSlow) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      return absl::OkStatus();
    }

    absl::Status RunFromHost(const Inputs& inputs,
                             const Outputs& outputs) override {
      if (spec_.runs_from_host < 0) return Runner::RunFromHost(inputs, outputs);
      ++spec_.runs_from_host;
      return Run(inputs, outputs);
    }

   private:
    const FakeSpec& spec_;
    const std::string variant_;
    static void NegateAll(const ConstArrayView& in, const ArrayView& out) {
      for (std::int64_t i = 0; i < in.size(); ++i) {
        out.data<std::int32_t>()[i] = Negate(in.data<std::int32_t>()[i]);
      }
    }

    int run_ = 0;
  };

  class FakeAlgorithm : public Algorithm {
   public:
    explicit FakeAlgorithm(const FakeSpec& spec) : spec_(spec) {
      signature_.summary = "changes signs";
      signature_.inputs = {{"in", "the elements"}};
      signature_.options = {
          OptionSpec::Choice("mode", "how", "plain", {"plain", "fancy"}),
          OptionSpec::Number("t", "a number", 4, 1, 9)};
      signature_.outputs = {{"out", "the results", "that of in", {"n"}}};
    }

    std::string name() const override { return spec_.name(); }
    const SignatureData& signature() const override { return signature_; }
    std::vector<OptionSpec> options() const override {
      return signature_.options;
    }
    std::vector<ImplementationInfo> implementations() const override {
      std::vector<ImplementationInfo> infos;
      for (const auto& [variant, rank] : variants_) {
        ImplementationInfo info{"negate", "fake",     variant,
                                "",       Contract(), rank};
        info.contract.element_types = {ElementType::kInt32,
                                       ElementType::kInt64};
        info.contract.max_size = 5000;
        infos.push_back(std::move(info));
      }
      return infos;
    }
    absl::StatusOr<std::unique_ptr<Runner>> NewRunner(
        std::shared_ptr<Backend>, absl::string_view variant) const override {
      return std::make_unique<FakeRunner>(spec_, variant);
    }
    absl::StatusOr<std::vector<OutputSpec>> Plan(
        const OptionMap& options, const Inputs& inputs) const override {
      const ConstArrayView& in = inputs.at("in");
      if (in.type() == spec_.not_fancy && options.at("mode") == "fancy") {
        return absl::InvalidArgumentError("nothing fancy of this type");
      }
      return std::vector<OutputSpec>{
          {"out", in.type(), in.shape().extents(), "in"}};
    }
    absl::Status PlanWithNumbers(const OptionMap&) const override {
      return absl::OkStatus();
    }

    SignatureData signature_;
    std::vector<std::pair<std::string, int>> variants_ = {{"loop", 0}};

   private:
    const FakeSpec& spec_;
  };

  FakeAlgorithm algorithm_{*this};
};

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_FAKE_SPEC_H_
