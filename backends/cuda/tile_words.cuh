// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_TILE_WORDS_CUH_
#define CONCORD_BACKENDS_CUDA_TILE_WORDS_CUH_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/tile_status.cuh"

namespace concord {

// For the contract of an implementation that has TileWords.
inline constexpr char kKeepsTileWords[] =
    "a word for each tile, which says in which call it was written, so that "
    "only the first call clears them";

// What the tiles of a launch share on the device, kept from call to call: the
// counter that they are drawn from, bytes of the kernel's own, and the words in
// which they tell each other what they amount to. Nothing but words may ever
// stand where they are: see tile_status.cuh.
class TileWords {
 public:
  // The kernel's own bytes are zero at first, and again when epochs repeat.
  explicit TileWords(std::shared_ptr<CudaBackend> backend,
                     std::int64_t own_bytes = 0, std::int64_t epochs = kEpochs)
      : scratch_(std::move(backend)),
        words_at_(kLine + (own_bytes + kLine - 1) / kLine * kLine),
        epochs_(epochs) {}

  // Goes before that many launches, with up to `count` words each.
  template <typename Word>
  absl::Status Prepare(std::int64_t count, std::int64_t launches = 1) {
    absl::Status status = scratch_.Reserve(
        words_at_ + count * static_cast<std::int64_t>(sizeof(Word)));
    launches_ += launches;
    if (!status.ok() || launches_ < epochs_) return status;
    launches_ = launches;
    return scratch_.Clear();
  }

  unsigned long long* counter() const {
    return scratch_.data<unsigned long long>();
  }
  template <typename T>
  T* own() const {
    return scratch_.data<T>(kLine);
  }
  template <typename Word>
  Word* words() const {
    return scratch_.data<Word>(words_at_);
  }

 private:
  // The counter is alone in its cache line.
  static constexpr std::int64_t kLine = 128;

  Scratch scratch_;
  const std::int64_t words_at_;
  const std::int64_t epochs_;
  std::int64_t launches_ = 0;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_TILE_WORDS_CUH_
