// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// An algorithm and a backend that the tests of the command line link instead
// of the real ones. Some of the implementations are wrong, which no test could
// ask of a real one.

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"
#include "concord/core/spec.h"

namespace concord {
namespace {

// out[i] = in[i] + addend, after `sleep` milliseconds.
class Toy : public Implementation {
 public:
  static constexpr char kName[] = "toy";

  struct Options {
    std::int64_t addend = 1;
    std::int64_t sleep = 0;
    bool first = false;
    std::string thrown;
  };

  static const Signature<Toy>& GetSignature();
  virtual absl::Status Compute(ConstArrayView in, ArrayView out,
                               const Options& options) = 0;
};

// The first element of the output, alone, if there is one.
void CopyFirst(const ArrayView& out, const ArrayView& first,
               const ArrayView& how_many) {
  const std::int64_t count = std::min<std::int64_t>(out.size(), 1);
  *how_many.data<std::int64_t>() = count;
  std::copy_n(out.data<char>(), count * SizeOf(out.type()), first.data<char>());
}

const Signature<Toy>& Toy::GetSignature() {
  const Rule<Options, bool> with_first = {
      "with --output-first",
      [](const Options& options, Views) { return options.first; }};
  static const auto* const signature = new Signature<Toy>(
      Signature<Toy>("adds a number")
          .Number("addend", "What is added to every element", &Options::addend,
                  0, 100)
          .Number("sleep", "Milliseconds that a run takes at least",
                  &Options::sleep, 0, 100000)
          .Option(OptionSpec::Choice("mood", "Changes nothing", "good",
                                     {"good", "bad"}))
          .Option(OptionSpec::Switch("polite", "Changes nothing either"))
          .Text("throw", "What a run throws", "",
                [](absl::string_view text, Options& options) {
                  options.thrown = std::string(text);
                  return absl::OkStatus();
                })
          .WantedOutput("output-first",
                        "Where the first result is to stand alone",
                        &Options::first)
          .Input({"in", "the elements"})
          .Output({"out", "the sums", SameTypeAs{0}, {"n"}})
          // There is room for more than there is.
          .Output({"first",
                   "the first sum",
                   SameTypeAs{0},
                   {"n"},
                   "",
                   "how many",
                   {},
                   with_first})
          .Output({"how many",
                   "1, or 0",
                   Always{ElementType::kInt64},
                   {"1"},
                   "",
                   "",
                   {},
                   with_first})
          .Calls(
              [](Toy& toy, Views in, MutableViews out, const Options& options) {
                absl::Status status = toy.Compute(in[0], out[0], options);
                if (status.ok() && options.first) {
                  CopyFirst(out[0], out[1], out[2]);
                }
                return status;
              }));
  return *signature;
}

const bool kRegistered = RegisterAlgorithm<Toy>();

class RightToy : public Toy {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(options.sleep));
    if (options.thrown == "memory") throw std::bad_alloc();
    if (options.thrown == "number") throw 1;
    if (!options.thrown.empty()) throw std::out_of_range(options.thrown);
    Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (std::int64_t i = 0; i < in.size(); ++i) {
        out.data<T>()[i] =
            static_cast<T>(in.data<T>()[i] + static_cast<T>(options.addend));
      }
    });
    return absl::OkStatus();
  }
};

// One too many in the last element.
class WrongToy : public RightToy {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    absl::Status status = RightToy::Compute(in, out, options);
    if (!status.ok() || in.empty()) return status;
    Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      out.data<T>()[in.size() - 1] += T{1};
    });
    return absl::OkStatus();
  }
};

class BrokenToy : public Toy {
 public:
  absl::Status Compute(ConstArrayView, ArrayView, const Options&) override {
    return absl::InternalError("the toy is broken");
  }
};

class ToySpec : public SpecOf<Toy> {
 public:
  absl::StatusOr<HostArray> DrawInput(
      const CaseRequest& request) const override {
    HostArray in(request.type, {request.size});
    Dispatch(request.type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (T& value : in.span<T>()) value = T{1};
    });
    return in;
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    const HostArray& in = test_case.inputs.at("in");
    HostArray out(in.type(), {in.size()});
    Toy::Options options;
    options.addend = NumberOption(test_case.options, "addend");
    RETURN_IF_ERROR(RightToy().Compute(in.view(), out.view(), options));
    Expectations expected;
    if (SwitchOption(test_case.options, "output-first")) {
      const std::int64_t first = std::min<std::int64_t>(in.size(), 1);
      expected["first"].value = out.Without(first, in.size());
      expected["how many"].value = HostArray::Of<std::int64_t>({first});
    }
    expected["out"].value = std::move(out);
    return expected;
  }
};

template <typename Implementation>
bool Add(const std::string& backend, const std::string& variant, int rank,
         const Contract& contract = {}, const Requirement& requirement = {}) {
  return Registry<Toy>::Get().Add<Implementation>(
      backend, variant, rank, absl::StrCat("the ", variant, " one"), contract,
      requirement);
}

const bool kSpecRegistered = RegisterSpec(new ToySpec);
const bool kImplementationsRegistered =
    Add<RightToy>("serial", "loop", 0) && Add<RightToy>("tbb", "right", 10) &&
    Add<WrongToy>("tbb", "wrong", 2) && Add<BrokenToy>("tbb", "broken", 1) &&
    Add<RightToy>("tbb", "narrow", 0,
                  Contract().Types({ElementType::kInt32}).AtMost(4)) &&
    Add<RightToy>("tbb", "picky", -1, {},
                  {"a better machine", [](Backend&) { return false; }}) &&
    Add<RightToy>("absent", "any", 0);

BackendStatus ProbeAbsent() {
  BackendStatus status;
  status.name = "absent";
  status.stage = BackendStage::kNoDevice;
  status.reason = "there is no such device";
  return status;
}

absl::StatusOr<std::shared_ptr<Backend>> OpenAbsent(absl::string_view) {
  return absl::InternalError("opened although it is not available");
}

// A backend that can run nowhere.
const bool kBackendRegistered =
    RegisterBackend({"absent", /*rank=*/30, ProbeAbsent, OpenAbsent});

}  // namespace
}  // namespace concord
