// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Programs that are tried on every type and distribution of values, most of
// them with a plain loop that says what is right: without programs, functions
// and operators as data, and without the order in which these are applied.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPEC_CATALOGUE_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPEC_CATALOGUE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "concord/core/element_type.h"
#include "concord/core/host_array.h"

namespace concord::sequence {

// The columns of a result.
using Columns = std::vector<HostArray>;

struct Entry {
  std::string text;
  bool (*is_for)(ElementType);
  // From x and y, of one type and as long as each other. Nothing for types of
  // which the order decides: then the answer is RunProgram's.
  std::function<std::optional<Columns>(const HostArray& x, const HostArray& y)>
      plain;
  // The reference is quick enough for large columns.
  bool is_quick = false;
};

const std::vector<Entry>& Catalogue();
// Its part with every operation, for all types that have it.
std::vector<Entry> OperationEntries();
// Its part with keys.
std::vector<Entry> GroupEntries();
// Its part with many stages.
std::vector<Entry> SixMapEntries();

// Null if there is none for the type.
const Entry* FindEntry(absl::string_view text, ElementType type);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPEC_CATALOGUE_H_
