// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_SHRINK_H_
#define CONCORD_TESTING_ENGINE_SHRINK_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "concord/testing/engine/examiner.h"

namespace concord {

struct ShrinkLimits {
  int attempts = 20'000;
  double seconds = 20;
  // A case of this size, in the spec's unit, or less is small enough after so
  // many attempts.
  std::int64_t small_size = -1;
  int attempts_when_small = 0;
  // Asked before each attempt: whether there is to be no other, from then on.
  // Replicas (replicas.h) answer alike.
  std::function<bool()> stopped = {};
};

inline bool IsStopped(const ShrinkLimits& limits) {
  return limits.stopped && limits.stopped();
}

struct Shrunk {
  Trial trial;
  // Of the shrunk trial.
  Failure failure;
  int attempts = 0;
  // No step makes it smaller; false when a limit came first.
  bool minimal = false;
};

// Makes a failing trial as small as it gets while it fails in the same way:
// leaves out ranges along the axes of the spec, sets options to their defaults
// and numbers among them nearer to those, or to smaller ones of their choices
// where they have some, values to 0, 1, -1 or nearer to 0, placement to
// aligned, repetitions and further backend specs to few; until none of this is
// possible. An error of another code is another way to fail.
//
// The method is delta debugging: Zeller and Hildebrandt, "Simplifying and
// isolating failure-inducing input" (2002).
Shrunk Shrink(
    const AlgorithmSpec& spec, Trial trial, Failure failure,
    const std::function<std::optional<Failure>(const Trial&)>& examine,
    const ShrinkLimits& limits = {});

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_SHRINK_H_
