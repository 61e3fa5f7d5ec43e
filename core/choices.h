// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_CHOICES_H_
#define CONCORD_CORE_CHOICES_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/backend.h"
#include "concord/core/element_type.h"

namespace concord {

// Where the arrays of a call lie, and which backends may then compute.
enum class DataPlace {
  kCpu,     // in host memory: backends that compute there
  kHost,    // in host memory: all backends, also those that copy
  kDevice,  // in the memory of a backend that has one of its own
};
inline constexpr int kPlaces = 3;

// "cpu", "host", "device".
absl::string_view Name(DataPlace place);

// From how many elements of the first input on which implementation is the
// fastest.
struct ChoiceStep {
  std::int64_t from = 0;
  std::string backend;  // a name such as "tbb"
  std::string variant;
};

// What `concord tune` has measured on a machine. `auto` chooses by it.
struct Choices {
  // By rising size, the first from 0 on.
  std::map<std::tuple<std::string, ElementType, DataPlace>,
           std::vector<ChoiceStep>>
      steps;
  std::string measured;  // when, as people read it
};

// What a table is for: this version of Concord and all that available backends
// say of this machine. One line.
std::string MachineOf(absl::Span<const BackendStatus> statuses);

// The file of that table in the user's cache folder; "" without such a folder.
std::string ChoicesFile(absl::string_view machine);

// The content of the file, which ends with a checksum.
std::string ToText(const Choices& choices, absl::string_view machine);

// And back. InvalidArgument: damaged, or of another machine or version.
absl::StatusOr<Choices> ParseChoices(absl::string_view text,
                                     absl::string_view machine);

// NotFound: there is no file. Otherwise as ParseChoices.
absl::StatusOr<Choices> LoadChoices(const std::string& path,
                                    absl::string_view machine);

}  // namespace concord

#endif  // CONCORD_CORE_CHOICES_H_
