// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/interpreted/code_on_device.h"

#include <cstring>
#include <utility>

#include "concord/core/errors.h"

namespace concord::sequence {

using expression::Function;
using machine::Step;

absl::StatusOr<CodeOnDevice> CodeOnDevice::Create(CudaBackend& backend,
                                                  std::vector<Step> steps) {
  steps.emplace_back();  // the end
  constexpr std::size_t kWords = sizeof(Step) / sizeof(std::uint64_t);
  std::vector<std::uint64_t> words(steps.size() * kWords);
  std::memcpy(words.data(), steps.data(), steps.size() * sizeof(Step));
  ASSIGN_OR_RETURN(Array array,
                   backend.Allocate(ElementType::kUInt64,
                                    static_cast<std::int64_t>(words.size())));
  RETURN_IF_ERROR(
      backend.Copy(ConstArrayView(absl::MakeConstSpan(words)), array.view()));
  return CodeOnDevice(std::move(array));
}

absl::StatusOr<char*> DeviceScratch::Reserve(CudaBackend& backend,
                                             std::int64_t bytes) {
  if (bytes > bytes_.size()) {
    bytes_ = Array();  // what is given back first can serve the new array
    ASSIGN_OR_RETURN(bytes_, backend.Allocate(ElementType::kUInt8, bytes));
  }
  return bytes_.data<char>();
}

absl::StatusOr<SlotRoom> RoomFor(CudaBackend& backend, int slots, int threads,
                                 DeviceScratch& scratch) {
  // What kernels declare themselves.
  constexpr std::int64_t kReserved = 4 << 10;
  // Smaller blocks fit a multiprocessor better; larger ones start less often.
  constexpr std::int64_t kPleasant = 40 << 10;
  constexpr int kLeastThreads = 64;
  constexpr int kMostThreads = 128;
  const std::int64_t of_thread = std::int64_t{slots} * kSlotBytes;
  const std::int64_t most = backend.max_shared_memory_per_block() - kReserved;
  SlotRoom room{slots, threads, nullptr, 0};
  if (threads == 0) {
    room.threads = kMostThreads;
    while (room.threads > kLeastThreads &&
           room.threads * of_thread > kPleasant) {
      room.threads /= 2;
    }
  }
  if (room.threads * of_thread <= most) return room;
  constexpr int kBlocksOfMultiprocessor = 2;
  room.blocks =
      std::int64_t{backend.multiprocessors()} * kBlocksOfMultiprocessor;
  ASSIGN_OR_RETURN(
      room.global,
      scratch.Reserve(backend, room.blocks * room.threads * of_thread));
  return room;
}

absl::StatusOr<InterpretedFunction> InterpretedFunction::Create(
    CudaBackend& backend, const Function& function) {
  const bool wide = machine::NeedsWideWords(function);
  machine::Encoded encoded = Encode(function, machine::Places(), wide);
  ASSIGN_OR_RETURN(CodeOnDevice code,
                   CodeOnDevice::Create(backend, std::move(encoded.steps)));
  return InterpretedFunction(std::move(code), encoded.slots, wide);
}

absl::Status InterpretedFunction::Launch(CudaBackend& backend,
                                         const machine::Arrays& arrays) {
  ASSIGN_OR_RETURN(const SlotRoom room, RoomFor(backend, slots_, 0, scratch_));
  return LaunchMap(backend, wide_, arrays, code_.steps(), room);
}

}  // namespace concord::sequence
