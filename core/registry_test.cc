// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "concord/testing/support/plain_backend.h"

namespace concord {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A backend of one fact: its generation, which its spec names.
class Engine : public PlainBackend {
 public:
  explicit Engine(int generation, const std::string& name = "engine")
      : PlainBackend({name, absl::StrCat(name, ":", generation), "", {}},
                     std::make_shared<PlainPool>(Memory::Host())),
        generation_(generation) {}

  int generation() const { return generation_; }

 private:
  const int generation_;
};

// Two engines as one; what nothing is registered for runs on the first.
class Twin : public Engine {
 public:
  Twin() : Engine(0, "twin") {}
  std::shared_ptr<Backend> stand_in() override {
    return std::make_shared<Engine>(9);
  }
};

const bool kEngineRegistered = RegisterBackend(
    {"engine", /*rank=*/-1,
     [] {
       return BackendStatus{"engine", BackendStage::kOk, "", {}};
     },
     [](absl::string_view argument)
         -> absl::StatusOr<std::shared_ptr<Backend>> {
       return std::make_shared<Engine>(
           std::atoi(std::string(argument).c_str()));
     }});

// Its implementations tell their variant.
struct Naming {
  static constexpr char kName[] = "naming";
  std::string variant;
};

Registry<Naming>::Factory Named(const std::string& variant) {
  return [variant](const std::shared_ptr<Backend>&) {
    return std::make_unique<Naming>(Naming{variant});
  };
}

Requirement Generation(int least) {
  return {absl::StrCat("generation ", least), [least](Backend& backend) {
            return static_cast<Engine&>(backend).generation() >= least;
          }};
}

// "portable" runs anywhere, "modern" is better and needs generation 9,
// "futuristic" is best and needs 20.
Registry<Naming> ThreeVariants() {
  Registry<Naming> registry;
  registry.Add("engine", "portable", 10, "", {}, Named("portable"));
  registry.Add("engine", "futuristic", 30, "", {}, Named("futuristic"),
               Generation(20));
  registry.Add("engine", "modern", 20, "", {}, Named("modern"), Generation(9));
  return registry;
}

std::string DefaultOn(int generation) {
  auto made = ThreeVariants().Create(std::make_shared<Engine>(generation));
  return made.ok() ? (*made)->variant : made.status().ToString();
}

TEST(Registry, DefaultIsTheHighestRankWhoseRequirementIsMet) {
  EXPECT_EQ(DefaultOn(8), "portable");
  EXPECT_EQ(DefaultOn(9), "modern");
  EXPECT_EQ(DefaultOn(25), "futuristic");
}

TEST(Registry, ANullPointerIsNoBackend) {
  EXPECT_EQ(ThreeVariants().Create(nullptr).status(), NoBackendError());
  EXPECT_EQ(ThreeVariants().Create(nullptr, "modern").status(),
            NoBackendError());
}

TEST(Registry, NamedVariantWhoseRequirementIsNotMetIsUnavailable) {
  const Registry<Naming> registry = ThreeVariants();
  const auto old = std::make_shared<Engine>(8);
  EXPECT_TRUE(registry.Create(old, "portable").ok());
  const auto refused = registry.Create(old, "modern");
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("naming/engine/modern cannot run on engine:8: it needs "
                        "generation 9"));
  EXPECT_TRUE(registry.Create(std::make_shared<Engine>(9), "modern").ok());
}

TEST(Registry, EveryRefusalIsToldWhenNothingCanRun) {
  Registry<Naming> registry;
  registry.Add("engine", "modern", 20, "", {}, Named("modern"), Generation(9));
  registry.Add("engine", "futuristic", 30, "", {}, Named("futuristic"),
               Generation(20));
  const absl::Status status =
      registry.Create(std::make_shared<Engine>(8)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("generation 20"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("generation 9"));
}

TEST(Registry, UnknownVariantIsNotFoundAndListsThoseThereAre) {
  const absl::Status status =
      ThreeVariants().Create(std::make_shared<Engine>(9), "odd").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("engine/futuristic, engine/modern, engine/portable"));
}

TEST(Registry, ABackendThatNothingIsRegisteredForIsUnavailable) {
  Registry<Naming> registry;
  registry.Add("twin", "halves", 10, "", {}, Named("halves"));
  const absl::Status status =
      registry.Create(std::make_shared<Engine>(9)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("naming has no implementation engine; it has "
                        "twin/halves"));
}

TEST(Registry, StandInRunsWhatHasNothingRegisteredForTheBackend) {
  Registry<Naming> registry = ThreeVariants();
  const auto twin = std::make_shared<Twin>();
  EXPECT_EQ((*registry.Create(twin))->variant, "modern");
  EXPECT_EQ((*registry.Create(twin, "portable"))->variant, "portable");
  EXPECT_EQ(registry.Create(twin, "futuristic").status().code(),
            absl::StatusCode::kUnavailable);
  registry.Add("twin", "halves", 10, "", {}, Named("halves"));
  EXPECT_EQ((*registry.Create(twin))->variant, "halves");
  EXPECT_EQ(registry.Create(twin, "portable").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(Registry, InfoSaysWhyItCannotRun) {
  std::vector<std::string> refusals;
  for (const ImplementationInfo& info : ThreeVariants().All()) {
    refusals.push_back(info.RefusalOn("engine:9"));
  }
  EXPECT_THAT(refusals, ElementsAre("it needs generation 20", "", ""));
}

TEST(Registry, InfoWithoutRequirementOpensNoBackend) {
  ImplementationInfo info;
  EXPECT_EQ(info.RefusalOn("no_such_backend"), "");
  info.requirement = Generation(9);
  EXPECT_THAT(info.RefusalOn("no_such_backend"), HasSubstr("no_such_backend"));
}

}  // namespace
}  // namespace concord
