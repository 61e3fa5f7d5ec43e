// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_LAW_CHECKS_H_
#define CONCORD_CORE_LAW_CHECKS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/core/host_array.h"

namespace concord {

// What the laws of several algorithms (spec.h) are made of.

// The elements of `a` and then those of `b`, which is of the same type.
HostArray Concatenation(const HostArray& a, const HostArray& b);

// Whether two arrays of one type have the same size and bits. Internal: `what`
// with its first element that is another.
absl::Status MustEqual(const HostArray& got, const HostArray& wanted,
                       absl::string_view what);

}  // namespace concord

#endif  // CONCORD_CORE_LAW_CHECKS_H_
