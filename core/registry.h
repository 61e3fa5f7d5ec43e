// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_REGISTRY_H_
#define CONCORD_CORE_REGISTRY_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "concord/core/backend.h"
#include "concord/core/guarded.h"
#include "concord/core/implementation.h"

namespace concord {

// The implementations of one algorithm, an abstract class `Interface` with a
// static `kName`. Each implementing file registers itself at its bottom:
//
//   const bool kRegistered = Registry<Scan>::Get().Add<ScanTbb>(
//       "tbb", "one_pass", /*rank=*/10, "one pass over cached chunks",
//       Contract().InPlace());
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
           std::string summary, Contract contract, Factory factory,
           Requirement requirement = {}, std::vector<OptionSpec> tuning = {}) {
    entries_.push_back(
        {{Interface::kName, std::move(backend), std::move(variant),
          std::move(summary), std::move(contract), rank, std::move(requirement),
          std::move(tuning)},
         std::move(factory)});
    std::sort(
        entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
          return std::make_tuple(a.info.backend, -a.info.rank, a.info.variant) <
                 std::make_tuple(b.info.backend, -b.info.rank, b.info.variant);
        });
    return true;
  }

  // The same for a class that is made from nothing, or from its backend.
  template <typename Made>
  bool Add(std::string backend, std::string variant, int rank,
           std::string summary, Contract contract, Requirement requirement = {},
           std::vector<OptionSpec> tuning = {}) {
    return Add(
        std::move(backend), std::move(variant), rank, std::move(summary),
        std::move(contract),
        [](std::shared_ptr<Backend> opened) -> std::unique_ptr<Interface> {
          if constexpr (std::is_default_constructible_v<Made>) {
            return std::make_unique<Made>();
          } else {
            return std::make_unique<Made>(std::move(opened));
          }
        },
        std::move(requirement), std::move(tuning));
  }

  // By backend, and by falling rank: where its requirement is met, the first is
  // the backend's default.
  std::vector<ImplementationInfo> All() const {
    std::vector<ImplementationInfo> all;
    for (const Entry& entry : entries_) all.push_back(entry.info);
    return all;
  }

  // The contract and names of the backend's highest-ranked variant (empty
  // `variant`) or of the one named, whether or not it can run here; NotFound
  // lists those there are.
  absl::StatusOr<ImplementationInfo> Find(absl::string_view backend,
                                          absl::string_view variant) const {
    return Guarded([&]() -> absl::StatusOr<ImplementationInfo> {
      absl::StatusOr<const Entry*> entry = FindEntry(backend, variant);
      if (!entry.ok()) return entry.status();
      return (*entry)->info;
    });
  }

  // An implementation that runs on `backend`: the one named, or without a name
  // the highest-ranked whose requirement the backend meets. It keeps the
  // backend alive, and its scratch memory from call to call; it serves one
  // thread at a time. A backend for which nothing is registered hands over to
  // its stand-in, where it has one: the implementation's backend() tells.
  //
  // NotFound lists those there are; Unavailable says what the one named needs,
  // or where else the algorithm runs when nothing of it runs on `backend`.
  // InvalidArgument: no backend.
  absl::StatusOr<std::unique_ptr<Interface>> Create(
      std::shared_ptr<Backend> backend, absl::string_view variant = "") const {
    return Guarded([&]() -> absl::StatusOr<std::unique_ptr<Interface>> {
      if (backend == nullptr) return NoBackendError();
      if (!Serves(backend->info().name)) {
        std::shared_ptr<Backend> other = backend->stand_in();
        if (other != nullptr) return Create(std::move(other), variant);
      }
      absl::StatusOr<const Entry*> entry =
          FindEntry(backend->info().name, variant, backend.get());
      if (!entry.ok()) return entry.status();
      std::unique_ptr<Interface> made = (*entry)->factory(backend);
      // Interfaces that are no Implementation keep no name and no backend.
      if constexpr (std::is_base_of_v<Implementation, Interface>) {
        absl::Status bound = made->Bind((*entry)->info, std::move(backend));
        if (!bound.ok()) return bound;
      }
      return made;
    });
  }

 private:
  struct Entry {
    ImplementationInfo info;
    Factory factory;
  };

  // Whether anything is registered for the backend of this name.
  bool Serves(absl::string_view backend) const {
    return std::any_of(
        entries_.begin(), entries_.end(),
        [&](const Entry& entry) { return entry.info.backend == backend; });
  }

  // Any entry will do when `opened` is null, otherwise one that can run on it.
  absl::StatusOr<const Entry*> FindEntry(absl::string_view backend,
                                         absl::string_view variant,
                                         Backend* opened = nullptr) const {
    std::vector<std::string> there_are;
    std::vector<std::string> refusals;
    for (const Entry& entry : entries_) {
      there_are.push_back(
          absl::StrCat(entry.info.backend, "/", entry.info.variant));
      if (entry.info.backend != backend ||
          (!variant.empty() && entry.info.variant != variant)) {
        continue;
      }
      const std::string refusal =
          opened == nullptr ? "" : entry.info.RefusalOn(*opened);
      if (refusal.empty()) return &entry;
      refusals.push_back(absl::StrCat(entry.info.name(), " cannot run on ",
                                      opened->info().spec, ": ", refusal));
    }
    if (!refusals.empty()) {
      return absl::UnavailableError(absl::StrJoin(refusals, "; "));
    }
    const std::string none = absl::StrCat(
        Interface::kName, " has no implementation ", backend,
        variant.empty() ? "" : "/", variant, "; it has ",
        there_are.empty() ? "none" : absl::StrJoin(there_are, ", "));
    return opened != nullptr && !Serves(backend) ? absl::UnavailableError(none)
                                                 : absl::NotFoundError(none);
  }

  std::vector<Entry> entries_;
};

}  // namespace concord

#endif  // CONCORD_CORE_REGISTRY_H_
