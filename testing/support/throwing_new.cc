// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Under AddressSanitizer and ThreadSanitizer an operator new that finds no
// memory ends the program, where the standard has std::bad_alloc thrown. These
// throw. All are weak: a program can bring its own (scarce_memory.cc). What is
// lost by them is the report of memory that came by new and went by free.

#include <cstdlib>
#include <new>

#define CONCORD_WEAK __attribute__((weak, noinline))

namespace {

void* OrThrow(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* AllocateAligned(std::size_t size, std::align_val_t alignment) {
  void* memory = nullptr;
  const int error =
      posix_memalign(&memory, static_cast<std::size_t>(alignment), size);
  return error == 0 ? memory : nullptr;
}

template <typename Allocate>
void* OrNull(const Allocate& allocate) noexcept {
  try {
    return allocate();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

CONCORD_WEAK void* operator new(std::size_t size) {
  return OrThrow(std::malloc(size));
}
CONCORD_WEAK void* operator new(std::size_t size, std::align_val_t alignment) {
  return OrThrow(AllocateAligned(size, alignment));
}
CONCORD_WEAK void operator delete(void* memory) noexcept { std::free(memory); }
CONCORD_WEAK void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}

// The others come down to these.
CONCORD_WEAK void* operator new[](std::size_t size) {
  return operator new(size);
}
CONCORD_WEAK void* operator new[](std::size_t size,
                                  std::align_val_t alignment) {
  return operator new(size, alignment);
}
CONCORD_WEAK void* operator new(std::size_t size,
                                const std::nothrow_t&) noexcept {
  return OrNull([&] { return operator new(size); });
}
CONCORD_WEAK void* operator new[](std::size_t size,
                                  const std::nothrow_t&) noexcept {
  return OrNull([&] { return operator new(size); });
}
CONCORD_WEAK void* operator new(std::size_t size, std::align_val_t alignment,
                                const std::nothrow_t&) noexcept {
  return OrNull([&] { return operator new(size, alignment); });
}
CONCORD_WEAK void* operator new[](std::size_t size, std::align_val_t alignment,
                                  const std::nothrow_t&) noexcept {
  return OrNull([&] { return operator new(size, alignment); });
}
CONCORD_WEAK void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}
CONCORD_WEAK void operator delete[](void* memory) noexcept {
  operator delete(memory);
}
CONCORD_WEAK void operator delete[](void* memory, std::size_t) noexcept {
  operator delete(memory);
}
CONCORD_WEAK void operator delete(void* memory, std::size_t,
                                  std::align_val_t alignment) noexcept {
  operator delete(memory, alignment);
}
CONCORD_WEAK void operator delete[](void* memory,
                                    std::align_val_t alignment) noexcept {
  operator delete(memory, alignment);
}
CONCORD_WEAK void operator delete[](void* memory, std::size_t,
                                    std::align_val_t alignment) noexcept {
  operator delete(memory, alignment);
}
CONCORD_WEAK void operator delete(void* memory,
                                  const std::nothrow_t&) noexcept {
  operator delete(memory);
}
CONCORD_WEAK void operator delete[](void* memory,
                                    const std::nothrow_t&) noexcept {
  operator delete(memory);
}
CONCORD_WEAK void operator delete(void* memory, std::align_val_t alignment,
                                  const std::nothrow_t&) noexcept {
  operator delete(memory, alignment);
}
CONCORD_WEAK void operator delete[](void* memory, std::align_val_t alignment,
                                    const std::nothrow_t&) noexcept {
  operator delete(memory, alignment);
}
