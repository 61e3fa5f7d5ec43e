// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Registers the fake backend and the fake algorithm for concord_bench_test.py.
// With $FAULT set, runs give a wrong result, from the second on. With $SLOW
// set, they do everything twice. With $SCARCE set, the first run finds no
// memory. With $REFUSE set to one of the variants loop and peer, which there
// are then, that one refuses every run. With $RETYPED set, cases are of a type
// that the contract does not have. With $SEEDS set, cases say that they have
// one element. With $NOT_FANCY set to a type, mode:fancy is not for it.

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "concord/benchmarks/fake_spec.h"
#include "concord/benchmarks/peers/peer.h"

namespace concord {
namespace {

FakeSpec* NewSpec() {
  auto* const spec = new FakeSpec;
  if (std::getenv("FAULT") != nullptr) {
    spec->behave = [](int run) {
      return run == 0 ? FakeSpec::Behaviour::kRight
                      : FakeSpec::Behaviour::kWrong;
    };
  }
  if (std::getenv("SLOW") != nullptr) {
    spec->behave = [](int) { return FakeSpec::Behaviour::kTwice; };
  }
  if (std::getenv("SCARCE") != nullptr) {
    spec->behave = [is_first = true](int) mutable {
      if (!std::exchange(is_first, false)) return FakeSpec::Behaviour::kRight;
      throw std::bad_alloc();
    };
  }
  if (std::getenv("RETYPED") != nullptr) {
    spec->case_type = ElementType::kFloat64;
  }
  if (std::getenv("SEEDS") != nullptr) spec->case_size = 1;
  if (const char* type = std::getenv("NOT_FANCY")) {
    spec->not_fancy = *ParseElementType(type);
  }
  if (const char* refusing = std::getenv("REFUSE")) {
    spec->set_variants({{"loop", 1}, {"peer", kPeerRank}});
    MarkAsPeer("negate/fake/peer");
    spec->behave_of = [name = std::string(refusing)](absl::string_view variant,
                                                     int) {
      return variant == name ? FakeSpec::Behaviour::kRefusal
                             : FakeSpec::Behaviour::kRight;
    };
  }
  return spec;
}

BackendStatus Status(const char* name, BackendStage stage) {
  BackendStatus status;
  status.name = name;
  status.stage = stage;
  if (!status.available()) status.reason = "pulled out";
  return status;
}

const bool kRegistered =
    RegisterSpec(NewSpec()) &&
    RegisterBackend(
        {"fake", /*rank=*/0, [] { return Status("fake", BackendStage::kOk); },
         [](absl::string_view members) {
           return std::make_shared<FakeBackend>(std::string(members));
         }}) &&
    RegisterBackend(
        {"absent", /*rank=*/1,
         [] { return Status("absent", BackendStage::kNoDevice); },
         [](absl::string_view) -> absl::StatusOr<std::shared_ptr<Backend>> {
           return absl::UnavailableError("absent is not there");
         }});

}  // namespace
}  // namespace concord
