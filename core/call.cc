// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/call.h"

#include <array>
#include <cstddef>
#include <utility>

#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

// What a plan may look at: views of the inputs, without elements where they are
// in no host memory.
Inputs PlannedInputs(const Sources& sources) {
  Inputs inputs;
  for (const auto& [name, source] : sources) {
    const std::optional<ConstArrayView> view = source->View();
    inputs.emplace(name,
                   view.has_value() && view->memory().is_host()
                       ? *view
                       : WithoutElements(source->type(), source->shape()));
  }
  return inputs;
}

// In the order of the signature.
CallFacts FactsOf(const Algorithm& algorithm, const Sources& sources,
                  const std::vector<OutputSpec>& specs) {
  CallFacts facts;
  for (const InputSpec& input : algorithm.signature().inputs) {
    const auto found = sources.find(input.name);
    if (found == sources.end()) continue;
    const Source& source = *found->second;
    facts.AddInput(source.View().value_or(ConstArrayView(
        nullptr, source.type(), source.shape(), Memory::Host())));
  }
  for (const OutputSpec& spec : specs) facts.AddOutput(spec.type);
  return facts;
}

// Algorithm::IsUsualWork, which parses options and takes longer than all else
// in a choice. Programs make the same few calls again and again, so each thread
// remembers what it was told.
bool IsUsualCall(const Algorithm& algorithm, const OptionMap& options) {
  struct Told {
    const Algorithm* algorithm = nullptr;
    OptionMap options;
    bool is_usual = false;
  };
  constexpr std::size_t kRemembered = 16;
  thread_local std::array<Told, kRemembered> remembered;
  thread_local std::size_t next = 0;
  std::size_t i = 0;
  while (i < kRemembered && remembered[i].algorithm != &algorithm) ++i;
  if (i == kRemembered) i = next++ % kRemembered;
  Told& told = remembered[i];
  if (told.algorithm != &algorithm || told.options != options) {
    told = {&algorithm, options, algorithm.IsUsualWork(options)};
  }
  return told.is_usual;
}

// Elements in a row of an output; of one dimension, one.
std::int64_t RowOf(const OutputSpec& spec) {
  return spec.shape.size() < 2 ? 1 : spec.shape[1];
}

// Where replicas share out a backend's arrays, no allocation and no copy is one
// replica's alone: if one of them fails before, all have to.
absl::Status AgreeOn(const Backend& backend, const absl::Status& mine) {
  return IsSharedOut(backend.memory()) ? AgreeAsOne(mine) : mine;
}

// What a call needs before it has arrays.
struct Preparation {
  std::shared_ptr<Backend> backend;
  std::unique_ptr<Runner> runner;
  std::vector<OutputSpec> specs;
};

absl::StatusOr<Preparation> Prepare(const Algorithm& algorithm,
                                    std::shared_ptr<Backend> backend,
                                    absl::string_view variant,
                                    const OptionMap& options,
                                    const Sources& sources) {
  return Guarded([&]() -> absl::StatusOr<Preparation> {
    absl::StatusOr<std::vector<OutputSpec>> specs =
        algorithm.Plan(options, PlannedInputs(sources));
    std::string chosen(variant);
    if (specs.ok()) {
      Chooser::Choice choice = Choose(
          backend, variant, algorithm.name(),
          [&] { return algorithm.implementations(); },
          [&] { return IsUsualCall(algorithm, options); },
          [&] { return FactsOf(algorithm, sources, *specs); });
      backend = std::move(choice.backend);
      chosen = std::move(choice.variant);
    }
    ASSIGN_OR_RETURN(std::unique_ptr<Runner> runner,
                     algorithm.NewRunner(backend, chosen));
    RETURN_IF_ERROR(runner->Configure(options));
    RETURN_IF_ERROR(specs.status());
    return Preparation{std::move(backend), std::move(runner),
                       SizesFirst(*std::move(specs))};
  });
}

}  // namespace

absl::StatusOr<ArrayView> HostArraySink::Room(
    ElementType type, const std::vector<std::int64_t>& shape) {
  return Guarded([&]() -> absl::StatusOr<ArrayView> {
    value_ = HostArray(type, shape);
    return value_.view();
  });
}

absl::Status HostArraySink::Take(const std::vector<std::int64_t>& shape) {
  return Guarded([&] {
    value_.Cut(shape);
    taken_ = true;
    return absl::OkStatus();
  });
}

std::int64_t ResultSize(const OutputSpec& spec, const Outputs& host) {
  if (spec.size_in.empty()) return Capacity(spec);
  const std::int64_t rows = *host.at(spec.size_in).data<std::int64_t>();
  return 0 <= rows && rows <= spec.shape[0] ? rows * RowOf(spec)
                                            : Capacity(spec);
}

std::vector<std::int64_t> ResultShape(const OutputSpec& spec,
                                      std::int64_t size) {
  std::vector<std::int64_t> shape = spec.shape;
  if (!spec.size_in.empty()) shape[0] = size / RowOf(spec);
  return shape;
}

absl::Status CopyResults(Backend& backend, const std::vector<OutputSpec>& specs,
                         const Outputs& from, const Outputs& to) {
  return Guarded([&]() -> absl::Status {
    for (const OutputSpec& spec : SizesFirst(specs)) {
      const ArrayView& source = from.at(spec.name);
      const ArrayView& target = to.at(spec.name);
      if (source.data() == target.data()) continue;
      const std::int64_t size = ResultSize(spec, to);
      RETURN_IF_ERROR(
          backend.Copy(source.Slice(0, size), target.Slice(0, size)));
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<Results> CopyResults(Backend& backend,
                                    const std::vector<OutputSpec>& specs,
                                    const Outputs& from) {
  return Guarded([&]() -> absl::StatusOr<Results> {
    Results results;
    Outputs host;
    for (const OutputSpec& spec : SizesFirst(specs)) {
      const std::int64_t size = ResultSize(spec, host);
      HostArray value(spec.type, ResultShape(spec, size));
      RETURN_IF_ERROR(
          backend.Copy(from.at(spec.name).Slice(0, size), value.view()));
      HostArray& kept =
          results.emplace(spec.name, std::move(value)).first->second;
      host.emplace(spec.name, kept.view());
    }
    return results;
  });
}

absl::StatusOr<Call> Call::Create(const Algorithm& algorithm,
                                  std::shared_ptr<Backend> backend,
                                  absl::string_view variant,
                                  const OptionMap& options,
                                  const Sources& sources, const Sinks& sinks) {
  return Guarded([&]() -> absl::StatusOr<Call> {
    if (backend == nullptr) return NoBackendError();
    absl::StatusOr<Preparation> prepared =
        Prepare(algorithm, backend, variant, options, sources);
    RETURN_IF_ERROR(AgreeOn(*backend, prepared.status()));
    Call call;
    call.runner_ = std::move(prepared->runner);
    call.specs_ = std::move(prepared->specs);
    backend = std::move(prepared->backend);
    if (backend->memory().is_host()) {
      for (const OutputSpec& spec : call.specs_) {
        const auto sink = sinks.find(spec.name);
        if (sink == sinks.end()) continue;
        ASSIGN_OR_RETURN(ArrayView room,
                         sink->second->Room(spec.type, spec.shape));
        call.rooms_.emplace(spec.name, room);
      }
    }
    ASSIGN_OR_RETURN(call.arrays_,
                     concord::Place(*backend, sources, call.specs_, call.rooms_,
                                    WhereTheyAre()));
    call.sources_ = sources;
    call.sinks_ = sinks;
    call.backend_ = backend.get();
    call.owner_ = std::move(backend);
    return call;
  });
}

absl::StatusOr<Call> Call::Place(Backend& backend,
                                 const std::vector<OutputSpec>& specs,
                                 const Sources& sources, const Outputs& wanted,
                                 Placing& placing) {
  return Guarded([&]() -> absl::StatusOr<Call> {
    Call call;
    call.backend_ = &backend;
    call.specs_ = SizesFirst(specs);
    ASSIGN_OR_RETURN(call.arrays_, concord::Place(backend, sources, call.specs_,
                                                  wanted, placing));
    call.sources_ = sources;
    return call;
  });
}

absl::Status Call::Launch(Runner& runner) const {
  return Guarded([&] { return runner.Run(arrays_.inputs, arrays_.outputs); });
}

absl::Status Call::Finish() {
  return Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(backend_->Synchronize());
    // Sizes are needed on the host, also those that nobody else wants.
    std::map<std::string, std::int64_t> sizes;
    Outputs host;
    for (const OutputSpec& spec : specs_) {
      if (spec.size_in.empty()) continue;
      auto [size, is_new] = sizes.emplace(spec.size_in, 0);
      host.emplace(spec.size_in, ArrayView(&size->second, 1, Memory::Host()));
      if (!is_new) continue;
      RETURN_IF_ERROR(backend_->Copy(arrays_.outputs.at(spec.size_in),
                                     host.at(spec.size_in)));
    }
    for (const OutputSpec& spec : specs_) {
      const auto sink = sinks_.find(spec.name);
      if (sink == sinks_.end()) continue;
      const std::int64_t size = ResultSize(spec, host);
      const std::vector<std::int64_t> shape = ResultShape(spec, size);
      if (rooms_.count(spec.name) == 0) {
        const absl::StatusOr<ArrayView> room =
            sink->second->Room(spec.type, shape);
        RETURN_IF_ERROR(AgreeOn(*backend_, room.status()));
        RETURN_IF_ERROR(backend_->Copy(
            arrays_.outputs.at(spec.name).Slice(0, size), *room));
        // A copy within a device is queued.
        if (!room->memory().is_host()) {
          RETURN_IF_ERROR(backend_->Synchronize());
        }
      }
      RETURN_IF_ERROR(sink->second->Take(shape));
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<Results> RunCall(const Algorithm& algorithm,
                                std::shared_ptr<Backend> backend,
                                absl::string_view variant,
                                const OptionMap& options,
                                const Sources& sources) {
  return Guarded([&]() -> absl::StatusOr<Results> {
    std::map<std::string, HostArraySink> arrays;
    Sinks sinks;
    for (const OutputText& output : algorithm.signature().outputs) {
      sinks.emplace(output.name, &arrays[output.name]);
    }
    ASSIGN_OR_RETURN(Call call, Call::Create(algorithm, std::move(backend),
                                             variant, options, sources, sinks));
    RETURN_IF_ERROR(call.Launch());
    RETURN_IF_ERROR(call.Finish());
    Results results;
    for (auto& [name, array] : arrays) {
      if (array.taken()) results.emplace(name, std::move(array.value()));
    }
    return results;
  });
}

absl::Status RunFromHost(Runner& runner, Backend& backend,
                         const std::vector<OutputSpec>& specs,
                         const Inputs& inputs, const Outputs& outputs) {
  return Guarded([&]() -> absl::Status {
    if (!backend.memory().is_host()) {
      absl::Status status = runner.RunFromHost(inputs, outputs);
      if (!absl::IsUnimplemented(status)) return status;
    }
    ASSIGN_OR_RETURN(Call call, Call::Place(backend, specs, SourcesOf(inputs),
                                            outputs, WhereTheyAre()));
    absl::Status status = call.Launch(runner);
    // The arrays go when this returns.
    if (status.ok()) status = call.CopyResultsTo(outputs);
    status.Update(backend.Synchronize());
    return status;
  });
}

}  // namespace concord
