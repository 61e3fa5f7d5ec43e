// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_PEERS_PEER_H_
#define CONCORD_BENCHMARKS_PEERS_PEER_H_

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/contract.h"
#include "concord/core/implementation.h"
#include "concord/core/registry.h"

namespace concord {

// Another library's implementation of an algorithm, for the rows of the
// benchmarks alone. Its library need not have all that the algorithm has
// options for: a run that it cannot do returns Unimplemented, and has no row.

// Of all of them: never a default, whatever else there is.
inline constexpr int kPeerRank = -1;

// From now on, the implementation with this name is a peer:
// "compact/serial/std_copy_if".
bool MarkAsPeer(std::string name);
bool IsPeer(const ImplementationInfo& info);

// Stands at the bottom of a peer's file, as Registry::Add does elsewhere. The
// class is made from nothing or from its backend, or by a `factory`.
template <typename Interface, typename Made>
bool AddPeer(const std::string& backend, const std::string& variant,
             const std::string& summary, Contract contract) {
  return MarkAsPeer(
             absl::StrCat(Interface::kName, "/", backend, "/", variant)) &&
         Registry<Interface>::Get().template Add<Made>(
             backend, variant, kPeerRank, summary, std::move(contract));
}
template <typename Interface>
bool AddPeer(const std::string& backend, const std::string& variant,
             const std::string& summary, Contract contract,
             typename Registry<Interface>::Factory factory) {
  return MarkAsPeer(
             absl::StrCat(Interface::kName, "/", backend, "/", variant)) &&
         Registry<Interface>::Get().Add(backend, variant, kPeerRank, summary,
                                        std::move(contract),
                                        std::move(factory));
}

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_PEERS_PEER_H_
