// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/law_checks.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "concord/core/errors.h"

namespace concord {

HostArray Concatenation(const HostArray& a, const HostArray& b) {
  HostArray both(a.type(), {a.size() + b.size()});
  const std::int64_t bytes = a.view().bytes();
  std::copy_n(a.data<char>(), bytes, both.data<char>());
  std::copy_n(b.data<char>(), b.view().bytes(), both.data<char>() + bytes);
  return both;
}

absl::Status MustEqual(const HostArray& got, const HostArray& wanted,
                       absl::string_view what) {
  if (got.size() != wanted.size()) {
    return InternalError(what, " has ", got.size(), " elements instead of ",
                         wanted.size());
  }
  const std::int64_t width = SizeOf(got.type());
  for (std::int64_t i = 0; i < got.size(); ++i) {
    if (std::memcmp(got.data<char>() + i * width,
                    wanted.data<char>() + i * width,
                    static_cast<std::size_t>(width)) != 0) {
      return InternalError(what, "[", i, "] is ", got.ToString(i),
                           " instead of ", wanted.ToString(i));
    }
  }
  return absl::OkStatus();
}

}  // namespace concord
