// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/backend.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "concord/core/choices.h"
#include "concord/core/chooser.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/host_array.h"

namespace concord {
namespace {

std::vector<BackendProvider>& Providers() {
  static auto* const providers = new std::vector<BackendProvider>();
  return *providers;
}

std::string Unavailability(const BackendStatus& status) {
  return absl::StrCat(status.name, " is not available (", status.WhyNot(), ")");
}

std::string KnownNames() {
  return absl::StrJoin(Providers(), ", ",
                       [](std::string* out, const BackendProvider& provider) {
                         out->append(provider.name);
                       });
}

bool IsKnown(absl::string_view name) {
  return std::any_of(
      Providers().begin(), Providers().end(),
      [&](const BackendProvider& provider) { return provider.name == name; });
}

// A backend, and how it came to be this one.
using OpenedBecause = std::pair<std::shared_ptr<Backend>, std::string>;

// The available backend of the highest rank.
absl::StatusOr<OpenedBecause> OpenBest(
    const std::vector<BackendStatus>& statuses) {
  std::vector<std::string> passed_over;
  for (std::size_t i = statuses.size(); i-- > 0;) {
    if (!statuses[i].available()) {
      passed_over.push_back(Unavailability(statuses[i]));
      continue;
    }
    ASSIGN_OR_RETURN(std::shared_ptr<Backend> backend, Providers()[i].open(""));
    return OpenedBecause(std::move(backend),
                         passed_over.empty()
                             ? "the fastest backend of this program"
                             : absl::StrJoin(passed_over, "; "));
  }
  return UnavailableError(passed_over.empty()
                              ? "this program was linked without any backend"
                              : absl::StrJoin(passed_over, "; "));
}

// What `concord tune` has found here, if anything; `because` then says so, or
// why it is ignored.
absl::StatusOr<Choices> ChoicesOf(const std::string& machine,
                                  std::string& because) {
  const std::string path = ChoicesFile(machine);
  absl::StatusOr<Choices> choices = LoadChoices(path, machine);
  if (choices.ok()) {
    because = absl::StrCat("each call by ", path, ", measured ",
                           choices->measured, "; without it ", because);
  } else if (!absl::IsNotFound(choices.status())) {
    absl::StrAppend(&because, "; ", path,
                    " is ignored: ", choices.status().message());
  }
  return choices;
}

}  // namespace

std::string BackendStatus::WhyNot() const {
  return absl::StrCat(Name(stage), ": ", reason);
}

absl::string_view Name(BackendStage stage) {
  switch (stage) {
    case BackendStage::kNotCompiled:
      return "not_compiled";
    case BackendStage::kLibraryMissing:
      return "library_missing";
    case BackendStage::kDriverTooOld:
      return "driver_too_old";
    case BackendStage::kNoDevice:
      return "no_device";
    case BackendStage::kNoPeerAccess:
      return "no_peer_access";
    case BackendStage::kNoCodeForArch:
      return "no_code_for_arch";
    case BackendStage::kOutOfMemory:
      return "out_of_memory";
    case BackendStage::kOk:
      return "ok";
  }
  return "unknown";
}

absl::StatusOr<Array> Backend::AllocateHost(ElementType type,
                                            std::int64_t size) {
  return Guarded([&]() -> absl::StatusOr<Array> {
    // An empty array has an address of its own, like every other.
    const std::int64_t acquired = size == 0 ? 1 : size;
    ASSIGN_OR_RETURN(HostArray array, HostArray::Make(type, {acquired}));
    auto owner = std::make_shared<HostArray>(std::move(array));
    return Array(ArrayView(owner->view().data(), type, size, Memory::Host()),
                 owner);
  });
}

absl::Status Backend::Copy(ConstArrayView from, ArrayView to) {
  return Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(CheckType("to", to, from.type()));
    RETURN_IF_ERROR(CheckSize("to", to, from.size()));
    const auto check = [&](absl::string_view name, const ConstArrayView& view) {
      const Memory wanted = view.memory().is_host() ? Memory::Host() : memory();
      return CheckArray(name, view, wanted, info_.spec);
    };
    RETURN_IF_ERROR(check("from", from));
    RETURN_IF_ERROR(check("to", to));
    if (from.empty()) return absl::OkStatus();
    return CopyChecked(from, to);
  });
}

absl::Status Backend::ReadOnce(ConstArrayView data) {
  return Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(CheckArray("data", data, memory(), info_.spec));
    if (data.empty()) return absl::OkStatus();
    return ReadChecked(data);
  });
}

absl::StatusOr<std::unique_ptr<Timer>> Backend::NewTimer() {
  return Guarded([&] { return MakeTimer(); });
}

absl::Status Backend::CopyByTheSide(ConstArrayView from, ArrayView to) {
  ASSIGN_OR_RETURN(const Array beside, Allocate(from.type(), from.size()));
  RETURN_IF_ERROR(CopyChecked(from, beside.view()));
  return CopyChecked(beside.view(), to);
}

bool RegisterBackend(BackendProvider provider) {
  auto& providers = Providers();
  providers.push_back(std::move(provider));
  std::stable_sort(providers.begin(), providers.end(),
                   [](const BackendProvider& a, const BackendProvider& b) {
                     return a.rank < b.rank;
                   });
  return true;
}

absl::Status NoBackendError() {
  return absl::InvalidArgumentError("the backend is a null pointer");
}

std::vector<BackendStatus> ListBackends() {
  std::vector<BackendStatus> statuses;
  for (const BackendProvider& provider : Providers()) {
    statuses.push_back(provider.probe());
    statuses.back().library = provider.library;
  }
  return statuses;
}

absl::StatusOr<std::shared_ptr<Backend>> OpenBackend(absl::string_view spec) {
  return Guarded([&]() -> absl::StatusOr<std::shared_ptr<Backend>> {
    std::string from_environment;
    if (spec.empty()) {
      const char* variable = std::getenv("CONCORD_BACKEND");
      from_environment = variable != nullptr ? variable : "";
      spec = from_environment;
      if (spec.empty()) spec = "auto";
    }
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(spec, absl::MaxSplits(':', 1));
    const auto& [name, argument] = parts;

    if (name == "auto" && spec != "auto:") {
      const std::vector<BackendStatus> statuses = ListBackends();
      OpenedBecause best;
      if (argument.empty()) {
        ASSIGN_OR_RETURN(best, OpenBest(statuses));
      } else {
        if (!IsKnown(argument.substr(0, argument.find(':')))) {
          return InvalidArgumentError("a backend follows 'auto:', and not '",
                                      argument, "'; the backends are ",
                                      KnownNames());
        }
        ASSIGN_OR_RETURN(best.first, OpenBackend(argument));
        best.second = "asked for by name";
      }
      auto& [opened, because] = best;
      absl::StatusOr<Choices> choices = ChoicesOf(MachineOf(statuses), because);
      opened->info_.chosen_because = absl::StrCat("auto: ", because);
      if (!choices.ok()) return opened;
      return Chooser::Attach(std::move(opened), *std::move(choices));
    }

    for (const BackendProvider& provider : Providers()) {
      if (provider.name != name) continue;
      if (spec.size() == name.size() + 1) {
        return InvalidArgumentError("nothing follows the colon in backend '",
                                    spec, "'");
      }
      const BackendStatus status = provider.probe();
      if (!status.available()) {
        return UnavailableError(Unavailability(status));
      }
      absl::StatusOr<std::shared_ptr<Backend>> backend =
          provider.open(argument);
      if (backend.ok()) {
        (*backend)->info_.chosen_because = from_environment.empty()
                                               ? "asked for by name"
                                               : "named by CONCORD_BACKEND";
      }
      return backend;
    }
    return InvalidArgumentError("unknown backend '", spec,
                                "'; the backends are ", KnownNames(),
                                " and auto");
  });
}

}  // namespace concord
