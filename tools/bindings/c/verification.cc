// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The differential engine.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "concord/backends/cuda/cuda_address.h"
#include "concord/core/errors.h"
#include "concord/core/options.h"
#include "concord/testing/engine/verify.h"
#include "concord/tools/bindings/c/engine_options.h"
#include "concord/tools/bindings/c/kernel.h"
#include "concord/tools/bindings/c/status.h"
#include "concord/tools/concord/json_text.h"
#include "concord/tools/concord/selection.h"

struct concord_verification {
  std::string pattern;
  concord::VerifyOptions options;
  std::atomic<bool> cancelled{false};
  mutable std::mutex mutex;  // of what follows
  bool started = false;
  concord_progress progress = {};
  std::optional<concord::VerifyReport> report;
};

using concord::bindings::Do;
using concord::bindings::Give;
using concord::bindings::NotNull;

namespace concord::bindings {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<OptionSpec>& VerificationOptions() {
  static const auto* const options =
      new std::vector<OptionSpec>(EngineOptionsAnd({
          OptionSpec::Text("backends", "separated by commas"),
          OptionSpec::Number("largest-size", "elements of random cases",
                             VerifyOptions().largest_size, 1, kLargestNumber),
      }));
  return *options;
}

absl::StatusOr<VerifyOptions> Parse(const OptionMap& given) {
  ASSIGN_OR_RETURN(OptionMap map,
                   CompleteOptions(VerificationOptions(), given));
  ASSIGN_OR_RETURN(EngineOptions engine, EngineOptionsOf(map));
  VerifyOptions options;
  options.backends = map["backends"];
  options.cases = engine.cases;
  options.seconds = engine.seconds;
  options.seed = engine.seed;
  options.largest_size = NumberOption(map, "largest-size");
  options.folder = std::move(engine.folder);
  return options;
}

absl::StatusOr<concord_verification*> NewVerification(absl::string_view pattern,
                                                      const char* const* texts,
                                                      std::size_t count) {
  ASSIGN_OR_RETURN(const OptionMap given, OptionsOf(texts, count));
  ASSIGN_OR_RETURN(VerifyOptions options, Parse(given));
  auto made = std::make_unique<concord_verification>();
  made->pattern = std::string(pattern);
  made->options = std::move(options);
  concord_verification& verification = *made;
  made->options.selects = [&verification](const std::string& implementation) {
    return Matches(verification.pattern, implementation);
  };
  made->options.progress = [&verification](const VerifyProgress& progress) {
    const std::lock_guard<std::mutex> lock(verification.mutex);
    verification.progress = {progress.executed, progress.failures,
                             progress.planned, progress.seconds};
    return !verification.cancelled;
  };
  return made.release();
}

absl::Status Run(concord_verification& verification) {
  {
    const std::lock_guard<std::mutex> lock(verification.mutex);
    if (verification.started) {
      return FailedPreconditionError("this verification has run before");
    }
    verification.started = true;
  }
  const KeptCudaDevice device(/*wanted=*/true);
  absl::StatusOr<VerifyReport> report = Verify(verification.options);
  if (absl::IsNotFound(report.status())) {
    return NotFoundError("no implementation matches '", verification.pattern,
                         "'",
                         verification.options.backends.empty() ? "" : " on ",
                         verification.options.backends);
  }
  if (!report.ok()) return report.status();
  const std::lock_guard<std::mutex> lock(verification.mutex);
  verification.progress.executed = report->executed();
  verification.progress.failures =
      static_cast<std::int64_t>(report->failures.size());
  verification.progress.seconds = report->seconds;
  verification.report = *std::move(report);
  return absl::OkStatus();
}

std::string AsJson(const VerifyReport& report) {
  Json json = {{"executed", report.executed()},
               {"seconds", report.seconds},
               {"cancelled", report.stopped},
               {"implementations", Json::array()},
               {"failures", Json::array()}};
  for (const VerifyRow& row : report.rows) {
    json["implementations"].push_back({{"implementation", row.implementation},
                                       {"executed", row.executed},
                                       {"skipped", row.skipped}});
  }
  for (const Counterexample& failure : report.failures) {
    json["failures"].push_back(
        {{"implementation", failure.record.implementation},
         {"report", failure.Report()},
         {"file", failure.path}});
  }
  return JsonText(json);
}

}  // namespace
}  // namespace concord::bindings

concord_status* concord_verification_create(
    const char* pattern, const char* const* options, size_t option_count,
    concord_verification** verification) {
  return Give("verification", verification, [&] {
    return concord::bindings::NewVerification(
        concord::bindings::TextOf(pattern), options, option_count);
  });
}

concord_status* concord_verification_run(concord_verification* verification) {
  return Do([&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull({{"verification", verification}}));
    return concord::bindings::Run(*verification);
  });
}

concord_status* concord_verification_progress(
    const concord_verification* verification, concord_progress* progress) {
  return Give("progress", progress, [&]() -> absl::StatusOr<concord_progress> {
    RETURN_IF_ERROR(NotNull({{"verification", verification}}));
    const std::lock_guard<std::mutex> lock(verification->mutex);
    return verification->progress;
  });
}

concord_status* concord_verification_cancel(
    concord_verification* verification) {
  return Do([&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull({{"verification", verification}}));
    verification->cancelled = true;
    return absl::OkStatus();
  });
}

concord_status* concord_verification_result(
    const concord_verification* verification, char** json) {
  return Give("json", json, [&]() -> absl::StatusOr<char*> {
    RETURN_IF_ERROR(NotNull({{"verification", verification}}));
    const std::lock_guard<std::mutex> lock(verification->mutex);
    if (!verification->report.has_value()) {
      return concord::FailedPreconditionError(
          "this verification has not run to its end");
    }
    return concord::bindings::CopyOf(
        concord::bindings::AsJson(*verification->report));
  });
}

void concord_verification_free(concord_verification* verification) {
  delete verification;
}
