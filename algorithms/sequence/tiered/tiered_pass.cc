// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/tiered/tiered_pass.h"

#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "concord/core/errors.h"
#include "concord/core/expression/printer.h"

namespace concord::sequence {
namespace {

using expression::Function;

// Sums of more passes than a program is likely to have are begun anew.
constexpr std::size_t kMostEntries = 4096;

void AppendFunction(std::string& key, const std::optional<Function>& function) {
  if (!function.has_value()) return;
  for (expression::Type type : function->ParameterTypes()) {
    absl::StrAppend(&key, expression::Name(type), " ");
  }
  for (const expression::Table& table : function->tables()) {
    absl::StrAppend(&key, Name(table.type), "[] ");
  }
  absl::StrAppend(&key, expression::ToText(*function), "\n");
}

// The same only for passes that compute the same on the same device.
std::string KeyOf(const Tiers& tiers, const Pass& pass) {
  std::string key =
      absl::StrCat(tiers.device(), " ", static_cast<int>(pass.kind), " ",
                   pass.before ? "before\n" : "\n");
  AppendFunction(key, pass.prologue);
  if (pass.op.has_value()) AppendFunction(key, pass.op->function());
  AppendFunction(key, pass.epilogue);
  if (pass.start.has_value()) {
    for (expression::Word word : *pass.start) absl::StrAppend(&key, word, " ");
  }
  return key;
}

std::string Milliseconds(double seconds) {
  return absl::StrFormat("%.3g ms", seconds * 1e3);
}

}  // namespace

TierLedger& TierLedger::Get() {
  static auto* const kLedger = new TierLedger;
  return *kLedger;
}

TierLedger::Entry& TierLedger::Of(const std::string& pass) {
  if (entries_.size() >= kMostEntries && entries_.count(pass) == 0) {
    entries_.clear();
  }
  return entries_[pass];
}

double TierLedger::Add(const std::string& pass, double seconds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return Of(pass).seconds += seconds;
}

void TierLedger::SetRefused(const std::string& pass, const absl::Status& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Of(pass).refused = why;
}

absl::Status TierLedger::Refused(const std::string& pass) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return Of(pass).refused;
}

void TierLedger::Count(std::int64_t TierCounts::*which) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++(counts_.*which);
}

TierCounts TierLedger::counts() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

TieredPass::TieredPass(Tiers& tiers, Pass pass, JitMode mode)
    : tiers_(tiers),
      pass_(std::move(pass)),
      mode_(mode),
      key_(KeyOf(tiers, pass_)) {}

absl::StatusOr<PassOutcome> TieredPass::Run(
    std::int64_t n, absl::Span<const ConstArrayView> columns,
    absl::Span<const ConstArrayView> tables, absl::Span<const ArrayView> out,
    std::int64_t index) {
  if (spliced_ == nullptr) RETURN_IF_ERROR(Choose(n));
  if (spliced_ != nullptr) {
    return spliced_->Run(n, columns, tables, out, index);
  }
  if (interpreted_ == nullptr) {
    ASSIGN_OR_RETURN(interpreted_, tiers_.Interpreted(pass_));
  }
  TierLedger::Get().Count(&TierCounts::interpreted);
  return interpreted_->Run(n, columns, tables, out, index);
}

absl::Status TieredPass::Choose(std::int64_t n) {
  TierLedger& ledger = TierLedger::Get();
  if (mode_ == JitMode::kNever || !ledger.Refused(key_).ok()) {
    return absl::OkStatus();
  }
  if (mode_ == JitMode::kAlways) return Compile();
  if (!looked_) {
    looked_ = true;
    absl::StatusOr<std::unique_ptr<MadePass>> found = tiers_.Found(pass_);
    if (found.ok()) {
      ledger.Count(&TierCounts::found);
      spliced_ = *std::move(found);
      return absl::OkStatus();
    }
    if (absl::IsUnavailable(found.status())) {
      ledger.SetRefused(key_, found.status());
      return absl::OkStatus();
    }
    if (!absl::IsNotFound(found.status())) return found.status();
  }
  const double extra = static_cast<double>(n) *
                       ExtraSecondsOfElement(pass_, tiers_.multiprocessors());
  if (ledger.Add(key_, extra) <= CompileSeconds(pass_)) return absl::OkStatus();
  return Compile();
}

absl::Status TieredPass::Compile() {
  TierLedger& ledger = TierLedger::Get();
  absl::StatusOr<std::unique_ptr<MadePass>> compiled = tiers_.Compiled(pass_);
  if (compiled.ok()) {
    ledger.Count(&TierCounts::compiled);
    spliced_ = *std::move(compiled);
    return absl::OkStatus();
  }
  if (!absl::IsUnavailable(compiled.status())) return compiled.status();
  ledger.SetRefused(key_, compiled.status());
  return absl::OkStatus();
}

std::string ExplainTier(Tiers& tiers, const Pass& pass, std::int64_t n,
                        JitMode mode) {
  if (mode == JitMode::kNever) return "interpreted: CONCORD_JIT is never";
  const std::string key = KeyOf(tiers, pass);
  const absl::Status found = tiers.Found(pass).status();
  if (absl::IsUnavailable(found)) {
    return absl::StrCat("interpreted: ", found.message());
  }
  if (found.ok()) return "spliced: its machine code lies in a cache";
  const double compile = CompileSeconds(pass);
  if (mode == JitMode::kAlways) {
    return absl::StrCat("spliced: CONCORD_JIT is always; compiling takes ",
                        Milliseconds(compile));
  }
  const double extra = static_cast<double>(n) *
                       ExtraSecondsOfElement(pass, tiers.multiprocessors());
  const std::string cost =
      absl::StrCat("compiling takes some ", Milliseconds(compile),
                   " and saves some ", Milliseconds(extra), " a run");
  if (extra > compile) {
    return absl::StrCat("spliced from the first run on: ", cost);
  }
  return absl::StrCat("interpreted for ",
                      absl::StrFormat("%.0f", std::floor(compile / extra)),
                      " runs, then spliced: ", cost);
}

}  // namespace concord::sequence
