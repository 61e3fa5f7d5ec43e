// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What there is.

#include <string>
#include <vector>

#include "concord/core/algorithm.h"
#include "concord/core/backend.h"
#include "concord/core/errors.h"
#include "concord/tools/bindings/c/status.h"
#include "concord/tools/concord/descriptions.h"

using concord::bindings::CopyOf;
using concord::bindings::Do;
using concord::bindings::Give;

namespace concord::bindings {
namespace {

absl::StatusOr<std::string> Describe(const char* name) {
  if (name == nullptr) return AsJson(AllAlgorithms());
  ASSIGN_OR_RETURN(const Algorithm* const algorithm, FindAlgorithm(name));
  return AsJson(*algorithm);
}

// Texts that stay where they are.
class Names {
 public:
  explicit Names(std::vector<std::string> names) : names_(std::move(names)) {
    for (const std::string& name : names_) pointers_.push_back(name.c_str());
  }
  const char* const* data() const { return pointers_.data(); }
  std::size_t size() const { return pointers_.size(); }

 private:
  std::vector<std::string> names_;
  std::vector<const char*> pointers_;
};

std::vector<std::string> AlgorithmNames() {
  std::vector<std::string> names;
  for (const Algorithm* algorithm : AllAlgorithms()) {
    names.push_back(algorithm->name());
  }
  return names;
}

std::vector<std::string> ImplementationNames() {
  std::vector<std::string> names;
  for (const Algorithm* algorithm : AllAlgorithms()) {
    for (const ImplementationInfo& info : algorithm->implementations()) {
      names.push_back(info.name());
    }
  }
  return names;
}

absl::Status GiveNames(const Names& from, const char* const** names,
                       std::size_t* count) {
  Clear(names, count);
  RETURN_IF_ERROR(NotNull({{"names", names}, {"count", count}}));
  *names = from.data();
  *count = from.size();
  return absl::OkStatus();
}

}  // namespace
}  // namespace concord::bindings

concord_status* concord_describe(const char* algorithm, char** json) {
  return Give("json", json, [&]() -> absl::StatusOr<char*> {
    ASSIGN_OR_RETURN(const std::string text,
                     concord::bindings::Describe(algorithm));
    return CopyOf(text);
  });
}

concord_status* concord_list_implementations(char** json) {
  return Give("json", json, []() -> absl::StatusOr<char*> {
    return CopyOf(concord::AsJson(concord::EntriesOf("")));
  });
}

concord_status* concord_list_backends(char** json) {
  return Give("json", json, []() -> absl::StatusOr<char*> {
    return CopyOf(concord::AsJson(concord::ListBackends()));
  });
}

concord_status* concord_algorithm_names(const char* const** names,
                                        size_t* count) {
  return Do([&] {
    static const auto* const all =
        new concord::bindings::Names(concord::bindings::AlgorithmNames());
    return concord::bindings::GiveNames(*all, names, count);
  });
}

concord_status* concord_implementation_names(const char* const** names,
                                             size_t* count) {
  return Do([&] {
    static const auto* const all =
        new concord::bindings::Names(concord::bindings::ImplementationNames());
    return concord::bindings::GiveNames(*all, names, count);
  });
}
