// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/implementation.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

std::atomic<std::uint64_t> failed_calls{0};

// How many had failed before the call that this thread is in; null: it is in
// none.
thread_local const std::uint64_t* failed_before_call = nullptr;

}  // namespace

void FailedCalls::Count() {
  failed_calls.fetch_add(1, std::memory_order_relaxed);
}

bool FailedCalls::AnyNew() {
  const std::uint64_t all = All();
  // A call within this one may have seen more.
  return std::exchange(seen_, std::max(seen_, all)) < all;
}

std::uint64_t FailedCalls::All() {
  return failed_before_call != nullptr
             ? *failed_before_call
             : failed_calls.load(std::memory_order_relaxed);
}

FailedCalls::DuringCall::DuringCall()
    : failed_before_(failed_calls.load(std::memory_order_relaxed)),
      of_outer_call_(std::exchange(failed_before_call, &failed_before_)) {}

FailedCalls::DuringCall::~DuringCall() { failed_before_call = of_outer_call_; }

std::string ImplementationInfo::RefusalOn(Backend& opened) const {
  if (!requirement.is_met || requirement.is_met(opened)) return "";
  return absl::StrCat("it needs ", requirement.what);
}

std::string ImplementationInfo::RefusalOn(
    absl::string_view backend_spec) const {
  if (!requirement.is_met) return "";
  absl::StatusOr<std::shared_ptr<Backend>> opened = OpenBackend(backend_spec);
  if (!opened.ok()) return std::string(opened.status().message());
  return RefusalOn(**opened);
}

absl::Status Implementation::Bind(const ImplementationInfo& info,
                                  std::shared_ptr<Backend> backend) {
  return Guarded([&] {
    name_ = info.name();
    tuning_specs_ = info.tuning;
    backend_ = std::move(backend);
    return Tune({});
  });
}

absl::Status Implementation::Tune(const OptionMap& options) {
  return Guarded([&]() -> absl::Status {
    OptionMap mine;
    for (const OptionSpec& spec : tuning_specs_) {
      const auto given = options.find(spec.name);
      if (given != options.end()) mine.insert(*given);
    }
    ASSIGN_OR_RETURN(const OptionMap complete,
                     CompleteOptions(tuning_specs_, mine));
    std::vector<std::int64_t> values;
    for (const OptionSpec& spec : tuning_specs_) {
      values.push_back(NumberOption(complete, spec.name));
    }
    tuning_ = std::move(values);
    return absl::OkStatus();
  });
}

std::int64_t Implementation::tuning(absl::string_view option) const {
  for (std::size_t i = 0; i < tuning_specs_.size(); ++i) {
    if (tuning_specs_[i].name == option) return tuning_[i];
  }
  return 0;
}

}  // namespace concord
