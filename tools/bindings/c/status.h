// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_BINDINGS_C_STATUS_H_
#define CONCORD_TOOLS_BINDINGS_C_STATUS_H_

#include <initializer_list>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/guarded.h"
#include "concord/tools/bindings/concord.h"

namespace concord::bindings {

// NULL of ok. Where there is no memory for an object, one that is always there.
concord_status* ToC(const absl::Status& status) noexcept;

// An argument that must not be NULL, and what it is called.
struct Argument {
  const char* name;
  const void* value;
};
absl::Status NotNull(std::initializer_list<Argument> arguments);

// The body of a function that gives nothing but a status.
template <typename F>
concord_status* Do(F&& f) noexcept {
  return ToC(Guarded(std::forward<F>(f)));
}

// What there is after a failure, wherever there is a place for it.
template <typename... T>
void Clear(T*... places) {
  ((places == nullptr ? void() : void(*places = T())), ...);
}

// The body of a function that gives a value, which `f` returns in a StatusOr.
template <typename T, typename F>
concord_status* Give(const char* name, T* out, F&& f) noexcept {
  Clear(out);
  return Do([&]() -> absl::Status {
    absl::Status status = NotNull({{name, out}});
    if (!status.ok()) return status;
    absl::StatusOr<T> value = f();
    if (!value.ok()) return value.status();
    *out = *value;
    return absl::OkStatus();
  });
}

// For concord_text_free.
char* CopyOf(absl::string_view text);

// "" for NULL.
inline absl::string_view TextOf(const char* text) {
  return text == nullptr ? "" : text;
}

}  // namespace concord::bindings

#endif  // CONCORD_TOOLS_BINDINGS_C_STATUS_H_
