// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The differential engine for functions of the caller's.

#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/testing/engine/comparison.h"
#include "concord/testing/engine/interview.h"
#include "concord/tools/bindings/c/array.h"
#include "concord/tools/bindings/c/description.h"
#include "concord/tools/bindings/c/engine_options.h"
#include "concord/tools/bindings/c/kernel.h"
#include "concord/tools/bindings/c/status.h"
#include "concord/tools/concord/json_text.h"

namespace concord::bindings {
namespace {

using Json = nlohmann::ordered_json;

// A case as a caller of C sees it.
struct ShownCase {
  Case test_case;
  std::string options;  // JSON
  std::vector<concord_array> inputs;
};

// In the order of the description.
std::unique_ptr<ShownCase> Show(const DescribedSpec& spec, Case test_case) {
  auto shown = std::make_unique<ShownCase>();
  shown->test_case = std::move(test_case);
  shown->options = Json(shown->test_case.options).dump();
  for (const DescribedInput& input : spec.description().inputs) {
    HostArray& value = shown->test_case.inputs.at(input.name);
    concord_array array = {};
    array.name = input.name.c_str();
    array.data = value.data<void>();
    array.device = {CONCORD_CPU, 0};
    array.dimensions = static_cast<int32_t>(value.shape().size());
    array.type = ToC(value.type());
    array.shape = value.shape().data();
    shown->inputs.push_back(array);
  }
  return shown;
}

}  // namespace
}  // namespace concord::bindings

struct concord_differential {
  concord::bindings::Allowance allowance;
  std::unique_ptr<concord::Interview> interview;
  std::mutex mutex;  // of what follows; not held while the engine works
  std::unique_ptr<concord::bindings::ShownCase> shown;
  bool is_asked = false;
  bool cancelled = false;
};

using concord::bindings::CArrays;
using concord::bindings::Clear;
using concord::bindings::Do;
using concord::bindings::Give;
using concord::bindings::NotNull;

namespace concord::bindings {
namespace {

const std::vector<OptionSpec>& DifferentialOptions() {
  static const auto* const options =
      new std::vector<OptionSpec>(EngineOptionsAnd({
          OptionSpec::Text("repeat", "the line that repeats it, with $FILE"),
          OptionSpec::Text("replay", "a saved case, which is the only one"),
      }));
  return *options;
}

absl::StatusOr<InterviewOptions> HowToAsk(const DescribedSpec& spec,
                                          const OptionMap& given) {
  ASSIGN_OR_RETURN(OptionMap map,
                   CompleteOptions(DifferentialOptions(), given));
  ASSIGN_OR_RETURN(EngineOptions engine, EngineOptionsOf(map));
  InterviewOptions options;
  options.cases = engine.cases;
  options.seconds = engine.seconds;
  options.seed = engine.seed;
  options.investigation.folder = std::move(engine.folder);
  options.investigation.repeat = map["repeat"];
  if (map["replay"].empty()) return options;
  ASSIGN_OR_RETURN(const std::string text, ReadFile(map["replay"]));
  ASSIGN_OR_RETURN(
      FailureRecord record,
      ParseFailureOf({&spec, spec.AsImplementation()}, text, map["replay"]));
  RETURN_IF_ERROR(spec.OutputsOf(record.trial.test_case).status());
  options.replay = std::move(record.trial);
  // It is there already, as small as it gets.
  options.investigation.save = false;
  options.investigation.limits.attempts = 0;
  return options;
}

absl::StatusOr<concord_differential*> NewDifferential(
    absl::string_view description, const char* const* texts,
    std::size_t count) {
  ASSIGN_OR_RETURN(const OptionMap given, OptionsOf(texts, count));
  ASSIGN_OR_RETURN(DescribedFunction function, ParseDescription(description));
  ASSIGN_OR_RETURN(std::unique_ptr<DescribedSpec> spec,
                   DescribedSpec::Create(std::move(function.description)));
  ASSIGN_OR_RETURN(InterviewOptions options, HowToAsk(*spec, given));
  auto made = std::make_unique<concord_differential>();
  made->allowance = function.allowance;
  made->interview =
      std::make_unique<Interview>(std::move(spec), std::move(options));
  return made.release();
}

std::string ShapeAndType(const ConstArrayView& view) {
  return absl::StrCat(Name(view.type()), " ", view.shape().ToString());
}

// What is wrong with one result; nothing when it is right.
absl::StatusOr<std::optional<Failure>> CompareOne(const Allowance& allowance,
                                                  const concord_array& got,
                                                  const concord_array& wanted) {
  const Memory host = Memory::Host();
  ASSIGN_OR_RETURN(const ConstArrayView is, ViewOf(got, "got", host));
  ASSIGN_OR_RETURN(const ConstArrayView should, ViewOf(wanted, "wanted", host));
  RETURN_IF_ERROR(CheckArray("got", is, host, "a result"));
  RETURN_IF_ERROR(CheckArray("wanted", should, host, "a result"));
  const std::string name = wanted.name == nullptr ? "out" : wanted.name;
  if (is.type() != should.type() || is.shape() != should.shape()) {
    return Failure{FailureKind::kValue,
                   absl::StrCat("'", name, "' is ", ShapeAndType(is),
                                " instead of ", ShapeAndType(should))};
  }
  const HostArray value = HostArray::CopyOf(should);
  std::vector<double> tolerance;
  if (allowance.absolute > 0 || allowance.relative > 0) {
    Dispatch(value.type(), [&](auto tag) {
      for (const auto element : value.span<typename decltype(tag)::type>()) {
        tolerance.push_back(allowance.absolute +
                            allowance.relative *
                                std::fabs(static_cast<double>(element)));
      }
    });
  }
  const std::optional<Difference> difference =
      Compare(HostArray::CopyOf(is), value, tolerance);
  if (!difference.has_value()) return std::nullopt;
  return Failure{FailureKind::kValue,
                 absl::StrCat("'", name, "': ", difference->ToString())};
}

absl::StatusOr<std::optional<Failure>> CompareAll(const Allowance& allowance,
                                                  CArrays got, CArrays wanted) {
  if (got.size() != wanted.size()) {
    return Failure{FailureKind::kValue,
                   absl::StrCat("there are ", got.size(),
                                " results instead of ", wanted.size())};
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSIGN_OR_RETURN(std::optional<Failure> failure,
                     CompareOne(allowance, got[i], wanted[i]));
    if (failure.has_value()) return failure;
  }
  return std::nullopt;
}

absl::StatusOr<std::optional<Failure>> FailureOf(
    const concord_differential& differential, std::int32_t verdict,
    absl::string_view message, CArrays got, CArrays wanted) {
  switch (verdict) {
    case CONCORD_COMPARE:
      return CompareAll(differential.allowance, got, wanted);
    case CONCORD_RAISED:
      return Failure{FailureKind::kStatus, std::string(message)};
    case CONCORD_CHANGED_INPUT:
      return Failure{FailureKind::kInput, std::string(message)};
    case CONCORD_REFERENCE_RAISED:
      return Failure{FailureKind::kSpec, std::string(message)};
  }
  return InvalidArgumentError("there is no verdict ", verdict);
}

std::string AsJson(const concord_differential& differential) {
  const VerifyProgress progress = differential.interview->progress();
  Json json = {{"executed", progress.executed},
               {"seconds", progress.seconds},
               {"cancelled", differential.cancelled},
               {"failure", nullptr}};
  const std::optional<Counterexample>& found = differential.interview->found();
  if (found.has_value()) {
    json["failure"] = {
        {"kind", found->record.kind}, {"message", found->record.message},
        {"report", found->Report()},  {"file", found->path},
        {"size", found->size},        {"minimal", !found->limited}};
  }
  return JsonText(json);
}

void ShowTo(const ShownCase& shown, const concord_array** inputs,
            std::size_t* count, const char** options) {
  *inputs = shown.inputs.data();
  *count = shown.inputs.size();
  *options = shown.options.c_str();
}

bool HasCase(concord_differential& differential) {
  const std::lock_guard<std::mutex> lock(differential.mutex);
  return differential.is_asked;
}

absl::Status Unanswered() {
  return FailedPreconditionError("the last case has no answer");
}

absl::Status Next(concord_differential& differential,
                  const concord_array** inputs, std::size_t* count,
                  const char** options) {
  {
    const std::lock_guard<std::mutex> lock(differential.mutex);
    if (differential.is_asked) return Unanswered();
    differential.shown = nullptr;
  }
  std::optional<Case> asked = differential.interview->Next();
  if (!asked.has_value()) return differential.interview->status();
  const std::lock_guard<std::mutex> lock(differential.mutex);
  // Another thread may have cancelled meanwhile, or been given the same case.
  if (differential.cancelled) return absl::OkStatus();
  if (differential.is_asked) return Unanswered();
  differential.shown = Show(differential.interview->spec(), *std::move(asked));
  differential.is_asked = true;
  ShowTo(*differential.shown, inputs, count, options);
  return absl::OkStatus();
}

}  // namespace
}  // namespace concord::bindings

concord_status* concord_differential_create(
    const char* description, const char* const* options, size_t option_count,
    concord_differential** differential) {
  return Give("differential", differential,
              [&]() -> absl::StatusOr<concord_differential*> {
                RETURN_IF_ERROR(NotNull({{"description", description}}));
                return concord::bindings::NewDifferential(description, options,
                                                          option_count);
              });
}

concord_status* concord_differential_next(concord_differential* differential,
                                          const concord_array** inputs,
                                          size_t* input_count,
                                          const char** options) {
  Clear(inputs, input_count, options);
  return Do([&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull({{"differential", differential},
                             {"inputs", inputs},
                             {"input_count", input_count},
                             {"options", options}}));
    return concord::bindings::Next(*differential, inputs, input_count, options);
  });
}

concord_status* concord_differential_answer(
    concord_differential* differential, int32_t verdict, const char* message,
    const concord_array* got, size_t got_count, const concord_array* wanted,
    size_t wanted_count) {
  return Do([&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull({{"differential", differential}}));
    if (got_count > 0) RETURN_IF_ERROR(NotNull({{"got", got}}));
    if (wanted_count > 0) RETURN_IF_ERROR(NotNull({{"wanted", wanted}}));
    const std::lock_guard<std::mutex> lock(differential->mutex);
    if (!differential->is_asked) {
      return concord::FailedPreconditionError("no case waits for an answer");
    }
    ASSIGN_OR_RETURN(
        std::optional<concord::Failure> failure,
        concord::bindings::FailureOf(
            *differential, verdict, concord::bindings::TextOf(message),
            CArrays(got, got_count), CArrays(wanted, wanted_count)));
    differential->is_asked = false;
    differential->interview->Answer(std::move(failure));
    return absl::OkStatus();
  });
}

concord_status* concord_differential_progress(
    const concord_differential* differential, concord_progress* progress) {
  return Give("progress", progress, [&]() -> absl::StatusOr<concord_progress> {
    RETURN_IF_ERROR(NotNull({{"differential", differential}}));
    const concord::VerifyProgress so_far = differential->interview->progress();
    return concord_progress{so_far.executed, so_far.failures, so_far.planned,
                            so_far.seconds};
  });
}

concord_status* concord_differential_cancel(
    concord_differential* differential) {
  return Do([&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull({{"differential", differential}}));
    const std::lock_guard<std::mutex> lock(differential->mutex);
    differential->cancelled = true;
    differential->is_asked = false;
    differential->interview->Stop();
    return absl::OkStatus();
  });
}

concord_status* concord_differential_result(concord_differential* differential,
                                            const concord_array** inputs,
                                            size_t* input_count,
                                            const char** options, char** json) {
  Clear(inputs, input_count, options);
  return Give("json", json, [&]() -> absl::StatusOr<char*> {
    RETURN_IF_ERROR(NotNull({{"differential", differential},
                             {"inputs", inputs},
                             {"input_count", input_count},
                             {"options", options}}));
    if (concord::bindings::HasCase(*differential) ||
        differential->interview->Next().has_value()) {
      return concord::FailedPreconditionError("there are cases left");
    }
    RETURN_IF_ERROR(differential->interview->status());
    const std::lock_guard<std::mutex> lock(differential->mutex);
    const auto& found = differential->interview->found();
    if (found.has_value()) {
      differential->shown = concord::bindings::Show(
          differential->interview->spec(), found->record.trial.test_case);
      concord::bindings::ShowTo(*differential->shown, inputs, input_count,
                                options);
    }
    return concord::bindings::CopyOf(concord::bindings::AsJson(*differential));
  });
}

void concord_differential_free(concord_differential* differential) {
  delete differential;
}
