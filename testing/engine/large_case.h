// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_LARGE_CASE_H_
#define CONCORD_TESTING_ENGINE_LARGE_CASE_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "concord/core/available_memory.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/examiner.h"

namespace concord {

// A case of more elements than 32 bits can count, and what is right for it.
struct LargeCase {
  // Without a backend, which the caller enters: a copy would be too large.
  Trial trial;
  Expectations expected;
};

// The sizes of large cases: past 2^32 for unsigned and past 2^31 for signed
// indexes, by so much that a tile of either kind is affected.
constexpr std::int64_t kPast32Bits = (std::int64_t{1} << 32) + 4099;
constexpr std::int64_t kPast31Bits = (std::int64_t{1} << 31) + 4099;

// The larger of the two that the contract allows and the host has memory for,
// of the narrowest element type, with default options. `on_host`: the backend
// takes the host's memory, too.
//
// The case is kept until another is asked for, because its making takes longer
// than most runs on it. `available`: bytes of the host's memory, without those
// of the kept case, which gives way to another.
//
// Replicas (replicas.h) make it together, each has it, and the memory and the
// clock of the first one decide for all.
//
// FailedPrecondition says what is missing: memory, or patience, where the
// expected result would take many minutes to compute.
absl::StatusOr<std::shared_ptr<LargeCase>> MakeLargeCase(
    const AlgorithmSpec& spec, const ImplementationInfo& implementation,
    bool on_host, std::int64_t available = AvailableMemory());

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_LARGE_CASE_H_
