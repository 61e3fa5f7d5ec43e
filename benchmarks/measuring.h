// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_MEASURING_H_
#define CONCORD_BENCHMARKS_MEASURING_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/benchmarks/axes.h"
#include "concord/benchmarks/flags.h"
#include "concord/benchmarks/record.h"
#include "concord/core/backend.h"

namespace concord {

// By the spec that rows name.
using Backends = std::map<std::string, std::shared_ptr<Backend>>;

// Exit statuses.
inline constexpr int kFailure = 1;
inline constexpr int kUsage = 2;
inline constexpr int kUnavailable = 3;

// Says why on standard error, of several replicas once, and returns the status,
// with which the program ends.
int Fail(int status, absl::string_view message);

// The first SIGINT, SIGTERM or SIGHUP ends the run after the sample that is
// being taken; the second one ends the program.
void StopWhenInterrupted();

// For SamplingPlan: whether to go on, and waiting for our turn.
std::function<absl::Status()> BeforeSample(const Flags& flags);

// Measures, pass after pass, the rows that `record` still lacks, into it and
// the file that the flags name. One that fails keeps its error and is measured
// no more; the next call, by --continue, does it again. `backends` are those of
// the rows and of `flags.checker`. The exit status.
int MeasureRows(const Flags& flags, const std::vector<Row>& rows,
                const Backends& backends, Record& record);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_MEASURING_H_
