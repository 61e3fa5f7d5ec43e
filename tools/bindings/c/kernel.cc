// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/bindings/c/kernel.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/core/choosing_runner.h"
#include "concord/core/errors.h"
#include "concord/core/functions.h"
#include "concord/core/host_array.h"
#include "concord/core/signature_data.h"
#include "concord/tools/bindings/c/array.h"
#include "concord/tools/bindings/c/status.h"
#include "concord/tools/concord/selection.h"

namespace concord::bindings {
namespace {

// The views of arrays for work on a backend.
auto InMemoryOf(Backend& backend) {
  return [&](const concord_array& array) {
    return ViewOf(array, array.name, backend);
  };
}

// Whether sizes of outputs depend on more than types and shapes.
bool LooksAtElements(const SignatureData& signature) {
  return std::any_of(
      signature.extents.begin(), signature.extents.end(),
      [](const ExtentText& extent) { return !extent.data_of.empty(); });
}

}  // namespace

absl::Status RefuseFiles(const Algorithm& algorithm, const OptionMap& options) {
  for (const OptionSpec& spec : algorithm.options()) {
    if (spec.kind != OptionSpec::Kind::kFile || options.count(spec.name) == 0) {
      continue;
    }
    return InvalidArgumentError("the option '", spec.name,
                                "' is a file of the command line's; give an "
                                "array");
  }
  return absl::OkStatus();
}

absl::StatusOr<OptionMap> OptionsOf(const char* const* texts,
                                    std::size_t count) {
  OptionMap options;
  if (count > 0) RETURN_IF_ERROR(NotNull({{"options", texts}}));
  for (std::size_t i = 0; i < count; ++i) {
    if (texts[i] == nullptr) {
      return InvalidArgumentError("option number ", i, " is NULL");
    }
    const std::vector<std::string> parts =
        absl::StrSplit(texts[i], absl::MaxSplits('=', 1));
    const std::string value = parts.size() == 1 ? "yes" : parts[1];
    if (options.emplace(parts[0], value).second) continue;
    return InvalidArgumentError("the option '", parts[0], "' is given twice");
  }
  return options;
}

absl::StatusOr<std::shared_ptr<Kernel>> Kernel::Create(
    std::shared_ptr<SharedBackend> backend, absl::string_view algorithm,
    absl::string_view variant, const OptionMap& options) {
  std::shared_ptr<Kernel> kernel(new Kernel);
  ASSIGN_OR_RETURN(const Algorithm* const named, FindAlgorithm(algorithm));
  RETURN_IF_ERROR(RefuseFiles(*named, options));
  ASSIGN_OR_RETURN(kernel->algorithm_, TakingFunctions(*named, options));
  ASSIGN_OR_RETURN(kernel->options_,
                   CompleteOptions(*kernel->algorithm_, options));
  kernel->backend_ = std::move(backend);
  const auto turn = kernel->backend_->TakeTurn();
  const std::shared_ptr<Backend>& opened = kernel->backend_->backend();
  ASSIGN_OR_RETURN(kernel->runner_,
                   NewChoosingRunner(*kernel->algorithm_, opened, variant));
  RETURN_IF_ERROR(kernel->runner_->Configure(kernel->options_));
  if (ChoosesForEachRun(opened, variant)) {
    kernel->name_ = absl::StrCat(algorithm, "/auto");
    return kernel;
  }
  ASSIGN_OR_RETURN(const ImplementationInfo info,
                   FindImplementation(*kernel->algorithm_, *opened, variant,
                                      kernel->algorithm_->name()));
  kernel->name_ = info.name();
  return kernel;
}

Kernel::~Kernel() {
  if (runner_ == nullptr) return;
  const auto turn = backend_->TakeTurn();
  runner_ = nullptr;
}

template <typename Views>
absl::StatusOr<Views> Kernel::ByName(CArrays arrays) const {
  Views views;
  RETURN_IF_ERROR(ForEachView(arrays, InMemoryOf(*backend_->backend()),
                              [&](const char* name, const ArrayView& view) {
                                return views.emplace(name, view).second;
                              }));
  return views;
}

absl::Status Kernel::RunInTurn(CArrays inputs, CArrays outputs) {
  ASSIGN_OR_RETURN(const Inputs named_inputs, ByName<Inputs>(inputs));
  ASSIGN_OR_RETURN(const Outputs named_outputs, ByName<Outputs>(outputs));
  return runner_->Run(named_inputs, named_outputs);
}

absl::Status Kernel::Run(CArrays inputs, CArrays outputs,
                         std::unique_ptr<Timer>* timer) {
  const auto turn = backend_->TakeTurn();
  if (timer == nullptr) return RunInTurn(inputs, outputs);
  Backend& backend = *backend_->backend();
  RETURN_IF_ERROR(backend.Activate());
  ASSIGN_OR_RETURN(*timer, backend.NewTimer());
  RETURN_IF_ERROR((*timer)->Start());
  RETURN_IF_ERROR(RunInTurn(inputs, outputs));
  return (*timer)->Stop();
}

absl::Status Kernel::RunToTheEnd(CArrays inputs, CArrays outputs) {
  const auto turn = backend_->TakeTurn();
  RETURN_IF_ERROR(RunInTurn(inputs, outputs));
  return backend_->backend()->Synchronize();
}

absl::StatusOr<std::vector<OutputSpec>> Kernel::Plan(CArrays arrays) const {
  const bool looks_at_elements = LooksAtElements(algorithm_->signature());
  // Shapes alone need no backend, and wait for nobody's run.
  const Turn turn =
      looks_at_elements ? backend_->TakeTurn() : backend_->UseBesideOthers();
  ASSIGN_OR_RETURN(Inputs inputs, ByName<Inputs>(arrays));
  std::vector<HostArray> copies;
  copies.reserve(inputs.size());
  for (auto& [name, view] : inputs) {
    if (view.memory().is_host()) continue;
    const char* elements = nullptr;
    if (looks_at_elements && view.data() != nullptr) {
      ASSIGN_OR_RETURN(HostArray copy,
                       HostArray::Make(view.type(), {view.size()}));
      RETURN_IF_ERROR(backend_->backend()->Copy(view, copy.view()));
      copies.push_back(std::move(copy));
      elements = copies.back().data<char>();
    }
    view = ConstArrayView(elements, view.type(), view.shape(), Memory::Host());
  }
  return algorithm_->Plan(options_, inputs);
}

}  // namespace concord::bindings

using concord::bindings::CArrays;
using concord::bindings::Do;
using concord::bindings::Give;
using concord::bindings::NotNull;

namespace {

// That there are arrays where some are said to be.
absl::Status CheckArguments(const concord_kernel* kernel,
                            const concord_array* inputs,
                            std::size_t input_count,
                            const concord_array* outputs,
                            std::size_t output_count) {
  RETURN_IF_ERROR(NotNull({{"kernel", kernel}}));
  if (input_count > 0) RETURN_IF_ERROR(NotNull({{"inputs", inputs}}));
  if (output_count > 0) RETURN_IF_ERROR(NotNull({{"outputs", outputs}}));
  return absl::OkStatus();
}

}  // namespace

concord_status* concord_kernel_create(
    concord_backend* backend, const char* algorithm, const char* variant,
    const char* const* options, size_t option_count, concord_kernel** kernel) {
  return Give("kernel", kernel, [&]() -> absl::StatusOr<concord_kernel*> {
    RETURN_IF_ERROR(NotNull({{"backend", backend}, {"algorithm", algorithm}}));
    ASSIGN_OR_RETURN(const concord::OptionMap map,
                     concord::bindings::OptionsOf(options, option_count));
    ASSIGN_OR_RETURN(auto created,
                     concord::bindings::Kernel::Create(
                         backend->shared, algorithm,
                         concord::bindings::TextOf(variant), map));
    return new concord_kernel{std::move(created)};
  });
}

concord_status* concord_kernel_name(const concord_kernel* kernel,
                                    const char** name) {
  return Give("name", name, [&]() -> absl::StatusOr<const char*> {
    RETURN_IF_ERROR(NotNull({{"kernel", kernel}}));
    return kernel->kernel->name().c_str();
  });
}

concord_status* concord_kernel_run(concord_kernel* kernel,
                                   const concord_array* inputs,
                                   size_t input_count,
                                   const concord_array* outputs,
                                   size_t output_count) {
  return Do([&]() -> absl::Status {
    RETURN_IF_ERROR(
        CheckArguments(kernel, inputs, input_count, outputs, output_count));
    return kernel->kernel->RunToTheEnd(CArrays(inputs, input_count),
                                       CArrays(outputs, output_count));
  });
}

void concord_kernel_free(concord_kernel* kernel) { delete kernel; }

// --- Events ---

struct concord_event {
  // Its memory is in use until the run is over.
  std::shared_ptr<concord::bindings::Kernel> kernel;
  std::unique_ptr<concord::Timer> timer;
};

concord_status* concord_kernel_start(
    concord_kernel* kernel, const concord_array* inputs, size_t input_count,
    const concord_array* outputs, size_t output_count, concord_event** event) {
  const auto check = [&] {
    return CheckArguments(kernel, inputs, input_count, outputs, output_count);
  };
  const auto run = [&](std::unique_ptr<concord::Timer>* timer) {
    return kernel->kernel->Run(CArrays(inputs, input_count),
                               CArrays(outputs, output_count), timer);
  };
  if (event == nullptr) {
    return Do([&]() -> absl::Status {
      RETURN_IF_ERROR(check());
      return run(nullptr);
    });
  }
  return Give("event", event, [&]() -> absl::StatusOr<concord_event*> {
    RETURN_IF_ERROR(check());
    auto started = std::make_unique<concord_event>();
    started->kernel = kernel->kernel;
    RETURN_IF_ERROR(run(&started->timer));
    return started.release();
  });
}

concord_status* concord_event_wait(concord_event* event) {
  return Do([&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull({{"event", event}}));
    return event->timer->Seconds().status();
  });
}

concord_status* concord_event_seconds(concord_event* event, double* seconds) {
  return Give("seconds", seconds, [&]() -> absl::StatusOr<double> {
    RETURN_IF_ERROR(NotNull({{"event", event}}));
    return event->timer->Seconds();
  });
}

void concord_event_free(concord_event* event) { delete event; }
