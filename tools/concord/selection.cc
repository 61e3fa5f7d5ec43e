// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/concord/selection.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "concord/core/errors.h"
#include "concord/tools/concord/text.h"

namespace concord {
namespace {

// A backend that was asked for, open or with the reason why it is not.
struct Opened {
  std::string spec;
  std::string name;
  std::shared_ptr<Backend> backend;
  std::string reason;
};

absl::StatusOr<std::vector<Opened>> OpenNamed(absl::string_view backends) {
  std::vector<Opened> opened;
  for (absl::string_view spec : absl::StrSplit(backends, ',')) {
    if (spec.empty()) {
      return InvalidArgumentError("--backend=", backends,
                                  " has an empty name in it");
    }
    ASSIGN_OR_RETURN(std::shared_ptr<Backend> backend, OpenBackend(spec));
    const std::string name = backend->info().name;
    opened.push_back({std::string(spec), name, std::move(backend), ""});
  }
  return opened;
}

std::vector<Opened> OpenAll() {
  std::vector<Opened> opened;
  for (const BackendStatus& status : ListBackends()) {
    opened.push_back({status.name, status.name, nullptr, ""});
    if (!status.available()) {
      opened.back().reason = status.WhyNot();
      continue;
    }
    absl::StatusOr<std::shared_ptr<Backend>> backend = OpenBackend(status.name);
    if (backend.ok()) {
      opened.back().backend = *std::move(backend);
    } else {
      opened.back().reason = std::string(backend.status().message());
    }
  }
  return opened;
}

// Whether the algorithm has an implementation for the backend of this name.
bool HasAny(const Algorithm& algorithm, absl::string_view backend) {
  for (const ImplementationInfo& info : algorithm.implementations()) {
    if (info.backend == backend) return true;
  }
  return false;
}

// The algorithm, as a whole, is not for this backend.
absl::Status NotForBackend(absl::string_view asked, absl::string_view backend) {
  std::vector<std::string> others;
  for (const Algorithm* other : AllAlgorithms()) {
    if (HasAny(*other, backend)) others.push_back(other->name());
  }
  return UnavailableError(asked, " cannot run on ", backend, "; on ", backend,
                          " there are ", absl::StrJoin(others, ", "));
}

// Unavailable where another backend has the variant, otherwise NotFound.
absl::Status NothingFits(const Algorithm& algorithm, absl::string_view backends,
                         absl::string_view variant, absl::string_view asked) {
  const std::vector<ImplementationInfo> all = algorithm.implementations();
  const std::string message = absl::StrCat(
      asked, " has no",
      variant.empty() ? "" : absl::StrCat(" variant '", variant, "'"),
      variant.empty() ? " implementation" : "",
      backends.empty() ? "" : absl::StrCat(" on ", backends), "; it has ",
      absl::StrJoin(all, ", ",
                    [](std::string* out, const ImplementationInfo& info) {
                      absl::StrAppend(out, info.backend, "/", info.variant);
                    }));
  const bool is_elsewhere =
      std::any_of(all.begin(), all.end(), [&](const ImplementationInfo& info) {
        return variant.empty() || info.variant == variant;
      });
  return is_elsewhere ? absl::UnavailableError(message)
                      : absl::NotFoundError(message);
}

}  // namespace

std::string Candidate::name() const {
  return absl::StrCat(backend_spec, "/", info.variant);
}

absl::StatusOr<std::vector<Candidate>> SelectCandidates(
    const Algorithm& algorithm, absl::string_view backends,
    absl::string_view variant, absl::string_view asked) {
  ASSIGN_OR_RETURN(std::vector<Opened> opened,
                   backends.empty() ? OpenAll() : OpenNamed(backends));
  const std::vector<ImplementationInfo> all = algorithm.implementations();
  std::vector<Candidate> candidates;
  for (const Opened& backend : opened) {
    for (const ImplementationInfo& info : all) {
      if (info.backend != backend.name) continue;
      if (!variant.empty() && info.variant != variant) continue;
      candidates.push_back(
          {backend.spec, info, backend.backend, backend.reason});
      if (backend.backend == nullptr) continue;
      const std::string refusal = info.RefusalOn(*backend.backend);
      if (refusal.empty()) continue;
      candidates.back().backend = nullptr;
      candidates.back().reason = refusal;
    }
  }
  if (candidates.empty()) {
    return NothingFits(algorithm, backends, variant, asked);
  }
  return candidates;
}

absl::StatusOr<ImplementationInfo> FindImplementation(
    const Algorithm& algorithm, Backend& backend, absl::string_view variant,
    absl::string_view asked) {
  if (!HasAny(algorithm, backend.info().name)) {
    const std::shared_ptr<Backend> stand_in = backend.stand_in();
    if (stand_in == nullptr) {
      return NotForBackend(asked, backend.info().name);
    }
    return FindImplementation(algorithm, *stand_in, variant, asked);
  }
  absl::Status unfit =
      NothingFits(algorithm, backend.info().name, variant, asked);
  for (const ImplementationInfo& info : algorithm.implementations()) {
    if (info.backend != backend.info().name ||
        (!variant.empty() && info.variant != variant)) {
      continue;
    }
    const std::string refusal = info.RefusalOn(backend);
    if (refusal.empty()) return info;
    unfit = UnavailableError(info.name(), " cannot run on ",
                             backend.info().spec, ": ", refusal);
  }
  return unfit;
}

std::string RefusalOf(const ImplementationInfo& info, ElementType type,
                      std::int64_t size, absl::string_view unit) {
  const Contract& contract = info.contract;
  if (!contract.Allows(type)) {
    return absl::StrCat("it does not take ", Name(type), ", only ",
                        absl::StrJoin(NamesOf(contract.element_types), ", "));
  }
  if (size > contract.max_size) {
    return absl::StrCat("it takes at most ", WithThousands(contract.max_size),
                        " ", unit);
  }
  return "";
}

bool Matches(const std::string& pattern, const std::string& name) {
  if (pattern.find_first_of("*?[") == std::string::npos) {
    return absl::StrContains(name, pattern);
  }
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

}  // namespace concord
