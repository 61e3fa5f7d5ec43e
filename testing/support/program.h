// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_PROGRAM_H_
#define CONCORD_TESTING_SUPPORT_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"

namespace concord {

// What the tests of one program share: work that has to be done between static
// initialisation and the first test, and the count of what the differential
// suite ran. All of it is for one thread.

// main() calls `action` before the first test: when every algorithm and every
// backend is registered, and tests can still be added.
bool BeforeTests(std::function<void()> action);
void RunActionsBeforeTests();

// Counts cases of the differential suite by backend name.
void CountExecuted(absl::string_view backend, std::int64_t cases);
void CountSkipped(absl::string_view backend, std::int64_t cases,
                  absl::string_view reason);
// Counts planted faults, and those of them that the suite noticed.
void CountPlantedFault(bool caught);

// Ends the current test: as skipped, for this reason, or as failed when
// $CONCORD_REQUIRE names the backend. The caller returns at once.
void SkipOrFail(absl::string_view backend, absl::string_view reason);

// The last line of a program, such as "differential: serial 812 executed, 0
// skipped; cuda 0 executed, 96 skipped (no_device: ...); 16 of 16 planted
// faults caught"; "" when the program has no differential suite.
std::string Summary();

// Why the program as a whole must fail although its tests passed: a required
// backend is not there, or nothing was executed. "" when there is no reason.
// `partial`: only some of the tests were selected.
std::string WholeProgramFailure(bool partial);

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_PROGRAM_H_
