// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What pass_speed_test measures spliced passes beside: the same work by CUB and
// Thrust, and by the passes' own frames, whose functions are compiled into the
// program. A program that was built without a CUDA toolkit has none of them.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_COMPILED_PEERS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_COMPILED_PEERS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "concord/backends/cuda/cuda_backend.h"

namespace concord::sequence {

// The library of those that differ from a pass by their compiler alone.
inline constexpr char kSameFrame[] = "nvcc, same frame";

// Arrays on the device.
struct PeerArrays {
  const std::int32_t* x = nullptr;
  std::int64_t n = 0;
  // Of n elements, for what has as many results.
  std::int32_t* out = nullptr;
  // What a reduction comes to, or how many elements a filter keeps (int64).
  void* result = nullptr;
};

class CompiledPeer {
 public:
  virtual ~CompiledPeer() = default;
  // Queues the work on the backend's stream. Thrust waits for it.
  virtual absl::Status Run(const PeerArrays& arrays) = 0;
};

struct PeerEntry {
  std::string work;     // as pass_speed_test calls it
  std::string library;  // "CUB", "Thrust", or whose frame it is
  // The least that it runs on, 90 for compute capability 9.0.
  int architecture;
  std::unique_ptr<CompiledPeer> (*make)(std::shared_ptr<CudaBackend> backend);
};

// All that are linked.
std::vector<PeerEntry>& CompiledPeers();

template <typename P>
bool RegisterPeer(const char* work, const char* library,
                  int architecture = 80) {
  CompiledPeers().push_back({work, library, architecture,
                             [](std::shared_ptr<CudaBackend> backend)
                                 -> std::unique_ptr<CompiledPeer> {
                               return std::make_unique<P>(std::move(backend));
                             }});
  return true;
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_COMPILED_PEERS_H_
