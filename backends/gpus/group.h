// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_GPUS_GROUP_H_
#define CONCORD_BACKENDS_GPUS_GROUP_H_

#include <memory>

#include "absl/status/statusor.h"
#include "concord/backends/gpus/gpus_backend.h"
#include "concord/backends/gpus/group_spec.h"

namespace concord {

// A group of devices that are there and reach each other's memory.
absl::StatusOr<std::shared_ptr<GpusBackend>> MakeGroup(const GroupSpec& spec);

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_GROUP_H_
