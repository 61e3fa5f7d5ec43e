// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/support/scarce_memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <new>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace {

// How many allocations succeed before one fails; none does if this is negative.
std::atomic<std::int64_t> allocations_left{-1};
std::atomic<bool> all_that_follow_fail{false};
std::atomic<bool> has_failed{false};

bool Fails() {
  std::int64_t left = allocations_left;
  while (left > 0 && !allocations_left.compare_exchange_weak(left, left - 1)) {
  }
  if (left != 0) return false;
  if (!all_that_follow_fail) allocations_left = -1;
  has_failed = true;
  return true;
}

// Not inlined, or GCC takes what is freed for something else than what was
// allocated.
__attribute__((noinline)) void* Allocate(std::size_t size, std::size_t align) {
  void* const memory =
      Fails() ? nullptr
              : std::aligned_alloc(align, size / align * align + align);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
__attribute__((noinline)) void Free(void* memory) { std::free(memory); }

}  // namespace

// All the others come down to these.
void* operator new(std::size_t size) {
  return Allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t size, std::align_val_t align) {
  return Allocate(size, static_cast<std::size_t>(align));
}
// By itself this one comes down to the first, but not under AddressSanitizer.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  Free(memory);
}

namespace concord {

Scarcity::Scarcity(std::int64_t k, bool from_then_on) {
  has_failed = false;
  all_that_follow_fail = from_then_on;
  allocations_left = k;
}
Scarcity::~Scarcity() { allocations_left = -1; }

bool Scarcity::HasFailed() { return has_failed; }

namespace {

std::ptrdiff_t OpenFiles() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

// Whether they say the same, but for numbers: how many bytes are free changes
// from call to call, as other programs take some. Allocates nothing.
bool SayTheSame(const absl::Status& a, const absl::Status& b) {
  const absl::string_view words[2] = {a.message(), b.message()};
  std::size_t at[2] = {0, 0};
  for (;;) {
    for (int k = 0; k < 2; ++k) {
      while (at[k] < words[k].size() && absl::ascii_isdigit(words[k][at[k]])) {
        ++at[k];
      }
    }
    if (at[0] == words[0].size() || at[1] == words[1].size()) {
      return a.code() == b.code() && at[0] == words[0].size() &&
             at[1] == words[1].size();
    }
    if (words[0][at[0]++] != words[1][at[1]++]) return false;
  }
}

}  // namespace

void ExpectStatusWithoutMemory(const std::function<absl::Status()>& f) {
  for (const bool from_then_on : {false, true}) {
    ASSERT_EQ(f(), absl::OkStatus());
    const std::ptrdiff_t open_files = OpenFiles();
    bool failed = true;
    for (std::int64_t k = 0; failed; k = NextAllocation(k)) {
      SCOPED_TRACE(absl::StrCat("allocation ", k,
                                from_then_on ? " and all that follow" : ""));
      ASSERT_LT(k, 10'000'000);
      absl::Status status;
      {
        const Scarcity scarcity(k, from_then_on);
        ASSERT_NO_THROW(status = f());
      }
      failed = Scarcity::HasFailed();
      if (!status.ok()) {
        ASSERT_TRUE(failed) << status;
        ASSERT_EQ(status.code(), absl::StatusCode::kResourceExhausted)
            << status;
      }
      ASSERT_EQ(f(), absl::OkStatus());
    }
    ASSERT_EQ(OpenFiles(), open_files) << "a failure left files open";
  }
}

void ExpectSameWithoutMemory(const NamedCalls& calls) {
  for (const NamedCall& call : calls) {
    const absl::Status before = call.make();
    SCOPED_TRACE(absl::StrCat(call.name, ": ", before.ToString()));
    ExpectStatusWithoutMemory([&] {
      absl::Status status = call.make();
      return SayTheSame(status, before) ? absl::OkStatus() : status;
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace concord
