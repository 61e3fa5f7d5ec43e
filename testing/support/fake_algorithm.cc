// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/support/fake_algorithm.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"
#include "concord/testing/support/plain_backend.h"

namespace concord {
namespace {

// --- A backend that inverts every byte ---

class InvertedBackend : public PlainBackend {
 public:
  InvertedBackend() : PlainBackend("inverted", Memory("inverted", 0)) {}

 protected:
  absl::Status CopyChecked(ConstArrayView from, ArrayView to) override {
    const auto* source = from.data<unsigned char>();
    const unsigned char flip = from.memory() == to.memory() ? 0x00 : 0xff;
    std::transform(
        source, source + from.bytes(), to.data<unsigned char>(),
        [flip](unsigned char byte) -> unsigned char { return byte ^ flip; });
    return absl::OkStatus();
  }
};

const bool kBackendRegistered = RegisterBackend(
    {"inverted", /*rank=*/-1,
     [] {
       BackendStatus status;
       status.name = "inverted";
       status.devices = {{"inverted", {}}};
       return status;
     },
     [](absl::string_view) -> absl::StatusOr<std::shared_ptr<Backend>> {
       return std::make_shared<InvertedBackend>();
     }});

// --- The implementations ---

template <typename T>
T Subtract(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a - b;
  return static_cast<T>(static_cast<std::uint32_t>(a) -
                        static_cast<std::uint32_t>(b));
}

void ComputeDifferences(const ConstArrayView& in, const ArrayView& out,
                        std::int64_t lag) {
  Dispatch(in.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    // From the end, so that it works in place.
    for (std::int64_t i = in.size() - 1; i >= 0; --i) {
      const T before = i >= lag ? in.data<T>()[i - lag] : T{0};
      out.data<T>()[i] = Subtract(in.data<T>()[i], before);
    }
  });
}

template <typename Interface>
class SerialDifference : public Interface {
 public:
  explicit SerialDifference(std::shared_ptr<Backend>) {}

  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const FakeDifference::Options& options) override {
    ComputeDifferences(in, out, options.lag);
    if (std::is_same_v<Interface, FakeBroken> &&
        out.size() >= FakeBroken::kFirstBrokenSize) {
      std::fill_n(out.data<char>(), 1, 77);
    }
    return absl::OkStatus();
  }
};

class InvertedDifference : public FakeDifference {
 public:
  explicit InvertedDifference(std::shared_ptr<Backend> backend)
      : backend_(std::move(backend)) {}

  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    HostArray values(in.type(), {in.size()});
    RETURN_IF_ERROR(backend_->Copy(in, values.view()));
    ComputeDifferences(values.view(), values.view(), options.lag);
    return backend_->Copy(values.view(), out);
  }

 private:
  std::shared_ptr<Backend> backend_;
};

Contract FakeContract() {
  return Contract()
      .InPlace()
      // Also its largest case is to be a matter of moments.
      .AtMost(std::int64_t{1} << 23)
      .SpecialValues("as IEEE 754 subtraction has it")
      .Boundaries({48});
}

template <typename Interface, typename Implementation>
bool Add(const std::string& backend, const std::string& variant = "plain",
         Requirement requirement = {}) {
  return Registry<Interface>::Get().template Add<Implementation>(
      backend, variant, /*rank=*/0, "one loop", FakeContract(),
      std::move(requirement));
}

const bool kSerialRegistered =
    Add<FakeDifference, SerialDifference<FakeDifference>>("serial");
const bool kInvertedRegistered =
    Add<FakeDifference, InvertedDifference>("inverted");
const bool kBrokenRegistered =
    Add<FakeBroken, SerialDifference<FakeBroken>>("serial");

const bool kPickyRegistered = Add<FakeBroken, SerialDifference<FakeBroken>>(
    "serial", "picky", {"a miracle", [](Backend&) { return false; }});

// --- The signature ---

template <typename Interface>
Signature<Interface> SignatureOfDifference() {
  using Options = FakeDifference::Options;
  constexpr ElementType kTypes[] = {ElementType::kInt32, ElementType::kFloat32};
  return Signature<Interface>("differences, for tests")
      .Number("lag", "how far apart", &Options::lag, 1, 1000)
      .Input({"in", "the elements", {std::begin(kTypes), std::end(kTypes)}})
      .Output({"out", "the differences", SameTypeAs{0}, {"n"}, "in"})
      .Calls([](Interface& difference, Views in, MutableViews out,
                const Options& options) {
        return difference.Compute(in[0], out[0], options);
      });
}

const bool kAlgorithmsRegistered =
    RegisterAlgorithm<FakeDifference>() && RegisterAlgorithm<FakeBroken>();

// --- The spec ---

template <typename Interface>
class SpecOfDifference : public SpecOf<Interface> {
 public:
  std::vector<OptionMap> OptionCombinations(ElementType) const override {
    return {{{"lag", "1"}}, {{"lag", "7"}}};
  }

  std::vector<Case> SpecialCases() const override {
    return {FakeCase(std::vector<std::int32_t>{5, 3, 8})};
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    const HostArray& in = test_case.inputs.at("in");
    Expectation expectation;
    expectation.value = HostArray(in.type(), in.shape());
    const std::int64_t lag = NumberOption(test_case.options, "lag");
    ComputeDifferences(in.view(), expectation.value.view(), lag);
    if (IsFloat(in.type())) {
      // Wider than need be, so that tolerances are met with in the tests.
      for (float value : expectation.value.template span<float>()) {
        expectation.tolerance.push_back(4e-7 *
                                        std::fabs(static_cast<double>(value)));
      }
    }
    return Expectations{{"out", expectation}};
  }

  std::vector<Law> laws() const override {
    Law prefix;
    prefix.name = "prefix";
    prefix.statement = "the result of a prefix is a prefix of the result";
    prefix.check = [](const Law::Run& run, const Case& test_case) {
      const HostArray& in = test_case.inputs.at("in");
      Case half = test_case;
      half.inputs.at("in") = in.Without(in.size() / 2, in.size());
      ASSIGN_OR_RETURN(Results all, run(test_case));
      ASSIGN_OR_RETURN(Results some, run(half));
      const HostArray& out = all.at("out");
      if (out.Without(in.size() / 2, in.size()) == some.at("out")) {
        return absl::OkStatus();
      }
      return absl::InternalError("it is not");
    };
    return {prefix};
  }
};

const bool kSpecRegistered = RegisterSpec(new SpecOfDifference<FakeDifference>);
const bool kBrokenSpecRegistered =
    RegisterSpec(new SpecOfDifference<FakeBroken>);

template <typename T>
Case MakeCase(const std::vector<T>& values, std::int64_t lag) {
  return concord::MakeCase("by hand", {{"lag", absl::StrCat(lag)}},
                           HostArray::Of<T>(absl::Span<const T>(values)));
}

}  // namespace

const Signature<FakeDifference>& FakeDifference::GetSignature() {
  static const auto* const signature =
      new Signature<FakeDifference>(SignatureOfDifference<FakeDifference>());
  return *signature;
}

const Signature<FakeBroken>& FakeBroken::GetSignature() {
  static const auto* const signature =
      new Signature<FakeBroken>(SignatureOfDifference<FakeBroken>());
  return *signature;
}

const AlgorithmSpec& FakeSpec() { return **FindSpec(FakeDifference::kName); }

ImplementationInfo FakeImplementation(const std::string& backend) {
  std::vector<ImplementationInfo> all = FakeSpec().implementations();
  return *std::find_if(
      all.begin(), all.end(),
      [&](const ImplementationInfo& info) { return info.backend == backend; });
}

Case FakeCase(const std::vector<std::int32_t>& values, std::int64_t lag) {
  return MakeCase(values, lag);
}
Case FakeCase(const std::vector<float>& values, std::int64_t lag) {
  return MakeCase(values, lag);
}

}  // namespace concord
