// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_MEMORY_H_
#define CONCORD_CORE_MEMORY_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace concord {

// Which memory an array lives in. The backends that compute on the CPU share
// the host's memory; each GPU has its own. A backend that brings a new kind of
// memory names it; nothing else has to know.
class Memory {
 public:
  static Memory Host() { return Memory("host"); }

  // `kind` is a string literal; `device` counts the memories of that kind.
  Memory(const char* kind, int device) : kind_(kind), device_(device) {}

  // A memory that is one of its kind or spans several devices: "gpus:0+1".
  // `name` lives as long as the program.
  explicit Memory(const char* name) : Memory(name, kAlone) {}

  bool is_host() const { return *this == Host(); }

  // "host", "cuda:1", "gpus:0+1".
  std::string name() const {
    return device_ == kAlone ? std::string(kind_)
                             : absl::StrCat(kind_, ":", device_);
  }

  friend bool operator==(const Memory& a, const Memory& b) {
    // The same literal has mostly the same address, and every call of every
    // implementation compares.
    return a.device_ == b.device_ &&
           (a.kind_ == b.kind_ || absl::string_view(a.kind_) == b.kind_);
  }
  friend bool operator!=(const Memory& a, const Memory& b) { return !(a == b); }

 private:
  static constexpr int kAlone = -1;

  const char* kind_;
  int device_;
};

}  // namespace concord

#endif  // CONCORD_CORE_MEMORY_H_
