// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_REGISTRY_H_
#define CONCORD_CORE_REGISTRY_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "core/backend.h"
#include "core/contract.h"

namespace concord {

// One implementation of an algorithm as the generic tools see it.
struct ImplementationInfo {
  std::string algorithm;
  std::string backend;
  std::string variant;
  std::string summary;
  Contract contract;
  // The variant of the highest rank is its backend's default.
  int rank = 0;

  // "scan/cuda/lookback"
  std::string name() const {
    return absl::StrCat(algorithm, "/", backend, "/", variant);
  }
};

// The implementations of one algorithm, an abstract class `Interface` with a
// static `kName`. Each implementing file registers itself at its bottom:
//
//   const bool kRegistered = Registry<Scan>::Get().Add(
//       "tbb", "one_pass", /*rank=*/10, "one pass over cached chunks",
//       MakeContract(), [](std::shared_ptr<Backend> backend) {
//         return std::make_unique<ScanTbb>(std::move(backend));
//       });
template <typename Interface>
class Registry {
 public:
  using Factory =
      std::function<std::unique_ptr<Interface>(std::shared_ptr<Backend>)>;

  static Registry& Get() {
    static auto* const registry = new Registry();
    return *registry;
  }

  bool Add(std::string backend, std::string variant, int rank,
           std::string summary, Contract contract, Factory factory) {
    entries_.push_back(
        {{Interface::kName, std::move(backend), std::move(variant),
          std::move(summary), std::move(contract), rank},
         std::move(factory)});
    std::sort(
        entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
          return std::make_tuple(a.info.backend, -a.info.rank, a.info.variant) <
                 std::make_tuple(b.info.backend, -b.info.rank, b.info.variant);
        });
    return true;
  }

  // By backend, each backend's default first.
  std::vector<ImplementationInfo> All() const {
    std::vector<ImplementationInfo> all;
    for (const Entry& entry : entries_) all.push_back(entry.info);
    return all;
  }

  // The contract and names of the backend's default variant (empty `variant`)
  // or of the one named; NotFound lists those there are.
  absl::StatusOr<ImplementationInfo> Find(absl::string_view backend,
                                          absl::string_view variant) const {
    absl::StatusOr<const Entry*> entry = FindEntry(backend, variant);
    if (!entry.ok()) return entry.status();
    return (*entry)->info;
  }

  // An implementation that runs on `backend`. It keeps the backend alive, and
  // its scratch memory from call to call; it serves one thread at a time.
  absl::StatusOr<std::unique_ptr<Interface>> Create(
      std::shared_ptr<Backend> backend, absl::string_view variant = "") const {
    absl::StatusOr<const Entry*> entry =
        FindEntry(backend->info().name, variant);
    if (!entry.ok()) return entry.status();
    return (*entry)->factory(std::move(backend));
  }

 private:
  struct Entry {
    ImplementationInfo info;
    Factory factory;
  };

  absl::StatusOr<const Entry*> FindEntry(absl::string_view backend,
                                         absl::string_view variant) const {
    std::vector<std::string> there_are;
    for (const Entry& entry : entries_) {
      if (entry.info.backend == backend &&
          (variant.empty() || entry.info.variant == variant)) {
        return &entry;
      }
      there_are.push_back(
          absl::StrCat(entry.info.backend, "/", entry.info.variant));
    }
    return absl::NotFoundError(absl::StrCat(
        Interface::kName, " has no implementation ", backend,
        variant.empty() ? "" : "/", variant, "; it has ",
        there_are.empty() ? "none" : absl::StrJoin(there_are, ", ")));
  }

  std::vector<Entry> entries_;
};

}  // namespace concord

#endif  // CONCORD_CORE_REGISTRY_H_
