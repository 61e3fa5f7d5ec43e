// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Memory of a backend, and copies to it and from it.

#include "concord/core/errors.h"
#include "concord/core/signature_data.h"
#include "concord/tools/bindings/c/array.h"
#include "concord/tools/bindings/c/backend.h"
#include "concord/tools/bindings/c/status.h"

struct concord_memory {
  concord::Array array;
};

using concord::bindings::Do;
using concord::bindings::Give;
using concord::bindings::NotNull;

namespace concord::bindings {
namespace {

using Allocator = absl::StatusOr<Array> (*)(Backend& backend, ElementType type,
                                            std::int64_t size);

absl::StatusOr<concord_memory*> Allocate(concord_backend* backend,
                                         concord_array* array,
                                         Allocator allocate) {
  RETURN_IF_ERROR(NotNull({{"backend", backend}, {"array", array}}));
  const char* const name = array->name == nullptr ? "array" : array->name;
  ASSIGN_OR_RETURN(const ElementType type, TypeOf(*array, name));
  ASSIGN_OR_RETURN(const Shape shape, ShapeOf(*array, name));
  RETURN_IF_ERROR(CheckCountable({name, type, shape.extents()}));
  const auto turn = backend->shared->TakeTurn();
  Backend& opened = *backend->shared->backend();
  RETURN_IF_ERROR(opened.Activate());
  ASSIGN_OR_RETURN(Array made, allocate(opened, type, shape.size()));
  ASSIGN_OR_RETURN(array->device, ToC(made.view().memory()));
  array->data = made.view().data();
  array->strides = nullptr;
  array->byte_offset = 0;
  return new concord_memory{std::move(made)};
}

absl::Status Copy(concord_backend* backend, const concord_array* from,
                  const concord_array* to) {
  RETURN_IF_ERROR(NotNull({{"backend", backend}, {"from", from}, {"to", to}}));
  const auto turn = backend->shared->TakeTurn();
  Backend& opened = *backend->shared->backend();
  ASSIGN_OR_RETURN(const ArrayView source, ViewOf(*from, "from", opened));
  ASSIGN_OR_RETURN(const ArrayView target, ViewOf(*to, "to", opened));
  // Which memory may be copied, the backend knows.
  RETURN_IF_ERROR(
      CheckArray("from", source, source.memory(), opened.info().spec));
  RETURN_IF_ERROR(
      CheckArray("to", target, target.memory(), opened.info().spec));
  RETURN_IF_ERROR(opened.Activate());
  return opened.Copy(source, target);
}

}  // namespace
}  // namespace concord::bindings

concord_status* concord_memory_allocate(concord_backend* backend,
                                        concord_array* array,
                                        concord_memory** memory) {
  return Give("memory", memory, [&] {
    return concord::bindings::Allocate(
        backend, array,
        [](concord::Backend& opened, concord::ElementType type,
           std::int64_t size) { return opened.Allocate(type, size); });
  });
}

concord_status* concord_memory_allocate_host(concord_backend* backend,
                                             concord_array* array,
                                             concord_memory** memory) {
  return Give("memory", memory, [&] {
    return concord::bindings::Allocate(
        backend, array,
        [](concord::Backend& opened, concord::ElementType type,
           std::int64_t size) { return opened.AllocateHost(type, size); });
  });
}

void concord_memory_free(concord_memory* memory) { delete memory; }

concord_status* concord_copy(concord_backend* backend,
                             const concord_array* from,
                             const concord_array* to) {
  return Do([&] { return concord::bindings::Copy(backend, from, to); });
}
