// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/spliced/compiled_peers.h"

namespace concord::sequence {

std::vector<PeerEntry>& CompiledPeers() {
  static auto& peers = *new std::vector<PeerEntry>();
  return peers;
}

}  // namespace concord::sequence
