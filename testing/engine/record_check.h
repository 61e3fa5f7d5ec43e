// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_RECORD_CHECK_H_
#define CONCORD_TESTING_ENGINE_RECORD_CHECK_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/testing/engine/examiner.h"

namespace concord {

// What a file says may be anything. The engine relies on what is checked here:
// after it nothing reads past an input, misses one, or asks for more memory
// than there is.

// "scan/tbb/one_pass"; NotFound when this program has no such implementation.
absl::StatusOr<Subject> FindSubject(absl::string_view implementation);

// Ok when the subject can run the case of the request, if Generate makes it;
// otherwise InvalidArgument.
absl::Status CheckRequest(const Subject& subject, const CaseRequest& request);

// Ok when the trial can be examined: its case is one of the algorithm, and the
// subject, placement, law and backends are as the engine itself combines them.
// InvalidArgument says what is wrong; Unavailable, which backend is not there.
// Unless it is `sound`, OutputsOf may refuse the case: that is the failure.
absl::Status CheckTrial(const Subject& subject, const Trial& trial, bool sound);

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_RECORD_CHECK_H_
