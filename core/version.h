// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_VERSION_H_
#define CONCORD_CORE_VERSION_H_

namespace concord {

// CHANGELOG.md has the same at its head; a test compares them.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace concord

#endif  // CONCORD_CORE_VERSION_H_
