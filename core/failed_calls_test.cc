// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Which failed calls an implementation is told of, that clears its memory then.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "concord/core/implementation.h"
#include "concord/core/signature.h"
#include "concord/testing/support/plain_backend.h"

namespace concord {
namespace {

// An algorithm whose calls do what a test says.
class Anything : public Implementation {
 public:
  struct Options {
    bool unused = false;
  };
  using Work = std::function<absl::Status()>;

  Anything() {
    EXPECT_TRUE(Bind({}, std::make_shared<PlainBackend>("plain")).ok());
  }

  absl::Status Run(Work work) {
    static const auto* const signature = new Signature<Anything>(
        Signature<Anything>("anything")
            .Calls([](Anything& self, Views, MutableViews, const Options&) {
              return self.work_();
            }));
    work_ = std::move(work);
    return signature->Run(*this, {}, {}, {});
  }

 private:
  Work work_;
};

absl::Status Fail() { return absl::InternalError("as the test wants it"); }

void FailElsewhere() {
  std::thread([] { EXPECT_FALSE(Anything().Run(Fail).ok()); }).join();
}

TEST(FailedCalls, AreToldOfOnce) {
  FailedCalls failed;
  EXPECT_FALSE(failed.AnyNew());
  EXPECT_FALSE(Anything().Run(Fail).ok());
  EXPECT_TRUE(failed.AnyNew());
  EXPECT_FALSE(failed.AnyNew());
  FailElsewhere();
  EXPECT_TRUE(failed.AnyNew());
  EXPECT_FALSE(FailedCalls().AnyNew());
}

// What a call has put into its memory has to stay until it ends.
TEST(FailedCalls, AreNoneThatFailDuringACall) {
  Anything anything;
  FailedCalls failed;
  FailElsewhere();
  const auto ask = [&](bool before) {
    return anything.Run([&failed, before] {
      EXPECT_EQ(failed.AnyNew(), before);
      FailElsewhere();
      EXPECT_FALSE(failed.AnyNew());
      EXPECT_FALSE(FailedCalls().AnyNew());
      return absl::OkStatus();
    });
  };
  EXPECT_TRUE(ask(true).ok());
  // The next call is told.
  EXPECT_TRUE(ask(true).ok());
  EXPECT_TRUE(failed.AnyNew());
  EXPECT_FALSE(failed.AnyNew());
}

// Its memory is not as it should be then.
TEST(FailedCalls, AreThoseOfTheSameObject) {
  Anything anything;
  FailedCalls failed;
  EXPECT_FALSE(anything
                   .Run([&] {
                     EXPECT_FALSE(failed.AnyNew());
                     return Fail();
                   })
                   .ok());
  EXPECT_TRUE(anything
                  .Run([&] {
                    EXPECT_TRUE(failed.AnyNew());
                    return absl::OkStatus();
                  })
                  .ok());
}

// One that does something else then.
TEST(FailedCalls, AreToldOfWithinACallThatGoesOn) {
  Anything outer;
  FailedCalls of_outer;
  FailedCalls of_inner;
  EXPECT_TRUE(outer
                  .Run([&] {
                    Anything inner;
                    EXPECT_FALSE(inner
                                     .Run([&] {
                                       EXPECT_FALSE(of_inner.AnyNew());
                                       return Fail();
                                     })
                                     .ok());
                    EXPECT_FALSE(of_outer.AnyNew());
                    EXPECT_TRUE(inner
                                    .Run([&] {
                                      EXPECT_TRUE(of_inner.AnyNew());
                                      return absl::OkStatus();
                                    })
                                    .ok());
                    // Nor is it told of fewer, as if that were news.
                    EXPECT_FALSE(of_inner.AnyNew());
                    EXPECT_FALSE(of_outer.AnyNew());
                    return absl::OkStatus();
                  })
                  .ok());
  EXPECT_TRUE(of_outer.AnyNew());
}

TEST(FailedCalls, AreToldOfAfterACallThatThrows) {
  FailedCalls failed;
  EXPECT_FALSE(
      Anything().Run([]() -> absl::Status { throw std::bad_alloc(); }).ok());
  EXPECT_TRUE(failed.AnyNew());
  FailElsewhere();
  EXPECT_TRUE(failed.AnyNew());
}

}  // namespace
}  // namespace concord
