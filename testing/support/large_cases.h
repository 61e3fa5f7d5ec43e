// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_LARGE_CASES_H_
#define CONCORD_TESTING_SUPPORT_LARGE_CASES_H_

namespace concord {

// Whether CONCORD_LARGE=1 says that there are minutes to spare.
bool LargeCasesAreWanted();

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_LARGE_CASES_H_
