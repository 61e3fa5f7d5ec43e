// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/bindings/c/status.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "concord/core/errors.h"

struct concord_status {
  absl::StatusCode code;
  std::string message;
};

namespace concord::bindings {
namespace {

// Takes no memory when it is needed.
concord_status* NoMemory() {
  static auto* const status = new concord_status{
      absl::StatusCode::kResourceExhausted, "there is not enough host memory"};
  return status;
}
// Made while there is some.
concord_status* const kNoMemory = NoMemory();

}  // namespace

concord_status* ToC(const absl::Status& status) noexcept {
  if (status.ok()) return nullptr;
  try {
    return new concord_status{status.code(), std::string(status.message())};
  } catch (const std::bad_alloc&) {
    return kNoMemory;
  }
}

absl::Status NotNull(std::initializer_list<Argument> arguments) {
  for (const Argument& argument : arguments) {
    if (argument.value != nullptr) continue;
    return InvalidArgumentError("'", argument.name, "' is NULL");
  }
  return absl::OkStatus();
}

char* CopyOf(absl::string_view text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

}  // namespace concord::bindings

int32_t concord_version() {
  return 10000 * CONCORD_VERSION_MAJOR + 100 * CONCORD_VERSION_MINOR +
         CONCORD_VERSION_PATCH;
}

int32_t concord_status_code(const concord_status* status) {
  return status == nullptr ? CONCORD_OK : static_cast<int32_t>(status->code);
}

const char* concord_status_message(const concord_status* status) {
  return status == nullptr ? "" : status->message.c_str();
}

void concord_status_free(concord_status* status) {
  if (status != concord::bindings::kNoMemory) delete status;
}

void concord_text_free(char* text) { std::free(text); }
