// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/bindings/c/array.h"

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/backends/cuda/cuda_address.h"
#include "concord/core/errors.h"
#include "concord/core/signature_data.h"

namespace concord::bindings {
namespace {

template <typename T>
constexpr concord_type kTypeOf = {std::is_floating_point_v<T> ? CONCORD_FLOAT
                                  : std::is_signed_v<T>       ? CONCORD_INT
                                                              : CONCORD_UINT,
                                  8 * sizeof(T), 1};

absl::StatusOr<Memory> MemoryOf(const concord_array& array,
                                absl::string_view name, Memory backend) {
  switch (array.device.type) {
    case CONCORD_CPU:
    case CONCORD_CUDA_HOST:
      return Memory::Host();
    case CONCORD_CUDA:
      return Memory("cuda", array.device.index);
    case CONCORD_CUDA_MANAGED:
      return backend;
  }
  return InvalidArgumentError("'", name, "' lies on a device of type ",
                              array.device.type,
                              "; there are 1 (CPU), 2 (CUDA), 3 (CUDA host) "
                              "and 13 (CUDA managed)");
}

// A stride in a dimension of one element says nothing, and callers write there
// what they like.
Shape WithStridesOf(const concord_array& array, Shape shape) {
  if (array.strides == nullptr || shape.extent(0) == 0 ||
      shape.extent(1) == 0) {
    return shape;
  }
  const auto stride = [&](int dimension) {
    return dimension < array.dimensions && shape.extent(dimension) != 1
               ? array.strides[dimension]
               : shape.stride(dimension);
  };
  return shape.WithStrides(stride(0), stride(1));
}

// Whether an array that is said to lie in `memory` may have such an address.
bool Agree(Memory memory, const CudaAddress& address) {
  switch (address.kind) {
    case CudaAddress::Kind::kUnknown:
      return memory.is_host();
    case CudaAddress::Kind::kDevice:
      return memory == Memory("cuda", address.device);
    case CudaAddress::Kind::kHost:
    case CudaAddress::Kind::kManaged:
      break;
  }
  return true;  // the host and the GPUs both read and write it
}

// A kernel that touches what is not the GPU's ends all work on it, and the host
// ends the process. So CUDA is asked for the first element and for the last.
absl::Status CheckAddresses(absl::string_view name, const ArrayView& view) {
  if (view.data() == nullptr || !view.shape().IsCountable() || view.empty()) {
    return absl::OkStatus();
  }
  const auto first = reinterpret_cast<std::uintptr_t>(view.data());
  const auto bytes = static_cast<std::uintptr_t>(view.bytes());
  for (const auto& [which, place] :
       {std::pair("first", first), std::pair("last", first + bytes - 1)}) {
    ASSIGN_OR_RETURN(const CudaAddress address,
                     LookUpCudaAddress(reinterpret_cast<void*>(place)));
    if (Agree(view.memory(), address)) continue;
    const bool on_gpu = address.kind == CudaAddress::Kind::kDevice;
    return InvalidArgumentError(
        "'", name, "' is said to lie in ", view.memory().name(),
        " memory, but ", on_gpu ? "" : "CUDA knows of none at ", "its ", which,
        " element",
        on_gpu ? absl::StrCat(" lies in cuda:", address.device, " memory")
               : "");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ElementType> TypeOf(const concord_array& array,
                                   absl::string_view name) {
  concord_type type = array.type;
  if (type.code == CONCORD_BOOL && type.bits == 8) type.code = CONCORD_UINT;
#define CONCORD_TYPE(enumerator, cpp_type, text)                \
  if (type.code == kTypeOf<cpp_type>.code &&                    \
      type.bits == kTypeOf<cpp_type>.bits && type.lanes == 1) { \
    return ElementType::enumerator;                             \
  }
  CONCORD_FOR_EACH_ELEMENT_TYPE(CONCORD_TYPE)
#undef CONCORD_TYPE
  return InvalidArgumentError(
      "'", name, "' has elements of DLPack's type code ", int{type.code},
      " with ", int{type.bits}, " bits and ", type.lanes,
      " lanes; arrays are of ", AnyOf(AllElementTypes()));
}

absl::StatusOr<Shape> ShapeOf(const concord_array& array,
                              absl::string_view name) {
  if (array.dimensions < 0 || array.dimensions > Shape::kMostDimensions) {
    return InvalidArgumentError("'", name, "' has ", array.dimensions,
                                " dimensions; arrays have 0, 1 or 2");
  }
  if (array.dimensions == 0) return Shape(1);
  if (array.shape == nullptr) {
    return InvalidArgumentError("'", name, "' has ", array.dimensions,
                                " dimensions and no shape");
  }
  return Shape(absl::MakeConstSpan(array.shape,
                                   static_cast<std::size_t>(array.dimensions)));
}

absl::StatusOr<ArrayView> ViewOf(const concord_array& array,
                                 absl::string_view name, Memory memory) {
  ASSIGN_OR_RETURN(const ElementType type, TypeOf(array, name));
  ASSIGN_OR_RETURN(const Shape shape, ShapeOf(array, name));
  ASSIGN_OR_RETURN(const Memory where, MemoryOf(array, name, memory));
  // As a number: NULL and an offset are no address.
  auto address = reinterpret_cast<std::uintptr_t>(array.data);
  if (address != 0) {
    // No array is so large; the sum would begin before `data`, or nowhere.
    if (array.byte_offset > PTRDIFF_MAX) {
      return InvalidArgumentError("'", name, "' begins ", array.byte_offset,
                                  " bytes behind its address, more than any "
                                  "array has");
    }
    address += array.byte_offset;
  }
  if (address % static_cast<std::uintptr_t>(SizeOf(type)) != 0) {
    return InvalidArgumentError("'", name, "' lies at an address that no ",
                                Name(type), " can have: it is no multiple of ",
                                SizeOf(type));
  }
  const ArrayView view(reinterpret_cast<void*>(address), type,
                       WithStridesOf(array, shape), where);
  if (shape.IsCountable() &&
      static_cast<std::uintptr_t>(view.bytes()) > UINTPTR_MAX - address) {
    return InvalidArgumentError("'", name, "' would end behind the last ",
                                "address that there is");
  }
  return view;
}

absl::StatusOr<ArrayView> ViewOf(const concord_array& array,
                                 absl::string_view name, Backend& backend) {
  ASSIGN_OR_RETURN(const ArrayView view, ViewOf(array, name, backend.memory()));
  if (backend.info().name == "cuda") {
    RETURN_IF_ERROR(backend.Activate());
    RETURN_IF_ERROR(CheckAddresses(name, view));
  }
  return view;
}

concord_type ToC(ElementType type) {
  return Dispatch(
      type, [](auto tag) { return kTypeOf<typename decltype(tag)::type>; });
}

absl::StatusOr<concord_device> ToC(Memory memory) {
  if (memory.is_host()) return concord_device{CONCORD_CPU, 0};
  const std::string name = memory.name();
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(name, ':');
  concord_device device = {CONCORD_CUDA, 0};
  if (parts.first != "cuda" || !absl::SimpleAtoi(parts.second, &device.index)) {
    return UnimplementedError("C has no name for ", name, " memory");
  }
  return device;
}

}  // namespace concord::bindings
