// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/planted_faults.h"

#include <algorithm>
#include <cstring>

#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord {
namespace {

// A size that is a tile to many implementations.
constexpr std::int64_t kTile = 64;

absl::Status RunUnchanged(const FaultyRun& run) {
  return run.runner.Run(run.inputs, run.outputs);
}

// On the other side of 0 and farther from it; 0 for NaN.
template <typename T>
T FarFrom(T value) {
  if (value != value) return T{0};
  return value >= T{0} ? -value - T{1} : -value + T{1};
}

// Changes one element of memory that the backend owns.
absl::Status ChangeElement(Backend& backend, const ArrayView& array,
                           std::int64_t index) {
  HostArray element(array.type(), {1});
  const ArrayView place = array.Slice(index, 1);
  RETURN_IF_ERROR(backend.Copy(place, element.view()));
  // Far from what it was, so that no error bound of floats hides it.
  Dispatch(array.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T& value = *element.data<T>();
    if constexpr (std::is_floating_point_v<T>) {
      value = FarFrom(value);
    } else {
      value ^= T{1};
    }
  });
  return backend.Copy(element.view(), place);
}

absl::Status ChangeSomeElement(const FaultyRun& run) {
  for (const auto& [name, output] : run.outputs) {
    if (output.empty()) continue;
    // Any element: an output may have some about which nothing is asked.
    const auto index = static_cast<std::int64_t>(
        RandomBits(1, static_cast<std::uint64_t>(run.number)) %
        static_cast<std::uint64_t>(output.size()));
    return ChangeElement(run.backend, output, index);
  }
  return absl::OkStatus();
}

absl::Status DoNothing(const FaultyRun&) { return absl::OkStatus(); }

absl::Status OffInOneElement(const FaultyRun& run) {
  absl::Status status = RunUnchanged(run);
  return status.ok() ? ChangeSomeElement(run) : status;
}

absl::Status DifferFromRunToRun(const FaultyRun& run) {
  absl::Status status = RunUnchanged(run);
  if (!status.ok() || run.number % 2 == 0) return status;
  return ChangeSomeElement(run);
}

absl::Status WritePastTheEnd(const FaultyRun& run) {
  RETURN_IF_ERROR(RunUnchanged(run));
  const ArrayView& output = run.outputs.begin()->second;
  HostArray element(output.type(), {1});
  std::memset(element.data<char>(), 0, element.view().bytes());
  return run.backend.Copy(element.view(), output.Slice(output.size(), 1));
}

absl::Status ChangeInput(const FaultyRun& run) {
  RETURN_IF_ERROR(RunUnchanged(run));
  for (const auto& [name, input] : run.inputs) {
    if (input.empty()) continue;
    const ArrayView writable(const_cast<void*>(input.data()), input.type(),
                             input.size(), input.memory());
    return ChangeElement(run.backend, writable, input.size() - 1);
  }
  return absl::OkStatus();
}

// Runs the implementation on another case, and puts as much of its outputs as
// fits where the true outputs belong.
absl::Status RunOn(const FaultyRun& run, const Case& other) {
  absl::StatusOr<std::vector<OutputSpec>> specs = run.spec.OutputsOf(other);
  if (!specs.ok()) return RunUnchanged(run);
  ASSIGN_OR_RETURN(Call call, Call::Place(run.backend, *specs, SourcesOf(other),
                                          {}, InBackendMemory()));
  // Leaving something out may have changed the options.
  RETURN_IF_ERROR(run.runner.Configure(other.options));
  RETURN_IF_ERROR(call.Launch(run.runner));
  for (const auto& [name, output] : call.outputs()) {
    const auto place = run.outputs.find(name);
    if (place == run.outputs.end()) continue;
    const std::int64_t size = std::min(output.size(), place->second.size());
    RETURN_IF_ERROR(
        run.backend.Copy(output.Slice(0, size), place->second.Slice(0, size)));
  }
  // The arrays go when this returns.
  return run.backend.Synchronize();
}

absl::Status DropTheLastTile(const FaultyRun& run) {
  const std::vector<Axis> axes = run.spec.Axes(run.test_case);
  const auto longest = std::max_element(
      axes.begin(), axes.end(),
      [](const Axis& a, const Axis& b) { return a.length < b.length; });
  if (longest == axes.end() || longest->length % kTile == 0) {
    return RunUnchanged(run);
  }
  const std::int64_t whole_tiles = longest->length - longest->length % kTile;
  return RunOn(run, longest->without(whole_tiles, longest->length));
}

HostArray& LargestInput(Case& test_case) {
  return std::max_element(test_case.inputs.begin(), test_case.inputs.end(),
                          [](const auto& a, const auto& b) {
                            return a.second.size() < b.second.size();
                          })
      ->second;
}

absl::Status SwapOperands(const FaultyRun& run) {
  if (run.inputs.empty()) return RunUnchanged(run);
  Case reversed = run.test_case;
  HostArray& input = LargestInput(reversed);
  Dispatch(input.type(), [&](auto tag) {
    const auto values = input.span<typename decltype(tag)::type>();
    std::reverse(values.begin(), values.end());
  });
  return RunOn(run, reversed);
}

// Has every output repeat its first elements, as many as `period`.
absl::Status WrapOutputs(const FaultyRun& run, std::int64_t period) {
  absl::Status status = RunUnchanged(run);
  for (const auto& [name, output] : run.outputs) {
    for (std::int64_t first = period; status.ok() && first < output.size();
         first += period) {
      const std::int64_t count = std::min(period, output.size() - first);
      status =
          run.backend.Copy(output.Slice(0, count), output.Slice(first, count));
    }
  }
  return status;
}

// Reads element i as if only the low bits of i had been kept, or writes it so
// where the results are more than the elements.
absl::Status WrapIndexes(const FaultyRun& run, int bits) {
  if (run.inputs.empty()) return RunUnchanged(run);
  Case wrapped = run.test_case;
  HostArray& input = LargestInput(wrapped);
  const std::int64_t period = std::int64_t{1} << bits;
  if (input.size() <= period) return WrapOutputs(run, period);
  const std::int64_t width = SizeOf(input.type());
  char* const bytes = input.data<char>();
  for (std::int64_t first = period; first < input.size(); first += period) {
    const std::int64_t count = std::min(period, input.size() - first);
    std::memcpy(bytes + first * width, bytes,
                static_cast<std::size_t>(count * width));
  }
  return RunOn(run, wrapped);
}

// Whether there was one.
template <typename T>
bool FlipSignsOfNans(absl::Span<T> values) {
  bool any = false;
  for (T& value : values) {
    if (value == value) continue;
    value = -value;
    any = true;
  }
  return any;
}

absl::Status GiveOtherNans(const FaultyRun& run) {
  RETURN_IF_ERROR(RunUnchanged(run));
  for (const auto& [name, output] : run.outputs) {
    if (!IsFloat(output.type())) continue;
    HostArray values(output.type(), {output.size()});
    RETURN_IF_ERROR(run.backend.Copy(output, values.view()));
    const bool any = output.type() == ElementType::kFloat32
                         ? FlipSignsOfNans(values.span<float>())
                         : FlipSignsOfNans(values.span<double>());
    if (any) RETURN_IF_ERROR(run.backend.Copy(values.view(), output));
  }
  return absl::OkStatus();
}

}  // namespace

const std::vector<Fault>& PlantedFaults() {
  static const auto* const faults = new std::vector<Fault>{
      {"does_nothing", "returns success and computes nothing", 1, DoNothing},
      {"off_in_one_element", "gets a single element wrong", 1, OffInOneElement},
      {"drops_last_tile", "leaves out what does not fill a tile", 1,
       DropTheLastTile},
      {"writes_past_end", "writes one element too many", 0, WritePastTheEnd},
      {"changes_input", "uses its input as scratch memory", 1, ChangeInput},
      {"swaps_operands", "takes its operands in the wrong order", 2,
       SwapOperands},
      {"indexes_with_16_bits", "keeps only the low 16 bits of indexes",
       (1 << 16) + 1,
       [](const FaultyRun& run) { return WrapIndexes(run, 16); }},
      {"differs_from_run_to_run", "is right in every other run only", 1,
       DifferFromRunToRun},
  };
  return *faults;
}

const Fault& FaultOfNans() {
  static const auto* const fault = new Fault{
      "gives_other_nans", "gives NaNs of the other sign", 1, GiveOtherNans};
  return *fault;
}

const Fault& FaultOf32BitIndexes() {
  static const auto* const fault =
      new Fault{"indexes_with_32_bits", "keeps only the low 32 bits of indexes",
                (std::int64_t{1} << 32) + 1,
                [](const FaultyRun& run) { return WrapIndexes(run, 32); }};
  return *fault;
}

}  // namespace concord
