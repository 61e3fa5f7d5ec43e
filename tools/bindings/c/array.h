// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_BINDINGS_C_ARRAY_H_
#define CONCORD_TOOLS_BINDINGS_C_ARRAY_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/element_type.h"
#include "concord/tools/bindings/concord.h"

namespace concord::bindings {

// The array where it is; `name` is what errors call it. A managed array is
// taken to lie in `memory`. InvalidArgument: what no view can say, such as a
// type that there is not; what is wrong with a view, its users find out.
absl::StatusOr<ArrayView> ViewOf(const concord_array& array,
                                 absl::string_view name, Memory memory);

// The same, for work on `backend`. InvalidArgument as well, where CUDA can
// tell: memory that is not the device's.
absl::StatusOr<ArrayView> ViewOf(const concord_array& array,
                                 absl::string_view name, Backend& backend);

// The type and shape alone.
absl::StatusOr<ElementType> TypeOf(const concord_array& array,
                                   absl::string_view name);
absl::StatusOr<Shape> ShapeOf(const concord_array& array,
                              absl::string_view name);

concord_type ToC(ElementType type);
// Unimplemented: a memory that DLPack has no kind for.
absl::StatusOr<concord_device> ToC(Memory memory);

}  // namespace concord::bindings

#endif  // CONCORD_TOOLS_BINDINGS_C_ARRAY_H_
