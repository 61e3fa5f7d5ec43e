// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/peers/peer.h"

#include <set>

namespace concord {
namespace {

std::set<std::string>& Names() {
  static auto* const names = new std::set<std::string>();
  return *names;
}

}  // namespace

bool MarkAsPeer(std::string name) {
  return Names().insert(std::move(name)).second;
}

bool IsPeer(const ImplementationInfo& info) {
  return Names().count(info.name()) > 0;
}

}  // namespace concord
