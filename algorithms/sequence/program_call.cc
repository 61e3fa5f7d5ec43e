// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/program_call.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/program_cache.h"
#include "concord/core/errors.h"

namespace concord::sequence {
namespace {

// What of an input a program and sizes depend on.
struct InputFacts {
  explicit InputFacts(const ConstArrayView& input)
      : given(input.given()), type(input.type()), size(input.size()) {}

  friend bool operator==(const InputFacts& x, const ConstArrayView& y) {
    return x.given == y.given() && x.type == y.type() && x.size == y.size();
  }

  bool given;
  ElementType type;
  std::int64_t size;
};

absl::StatusOr<KnownSize> SizeOfResult(const Program& program, Views inputs) {
  std::vector<std::int64_t> sizes;
  for (const ConstArrayView& input : inputs) {
    if (input.given()) sizes.push_back(input.size());
  }
  ASSIGN_OR_RETURN(const std::vector<KnownSize> known,
                   KnownSizes(program, sizes));
  return known.back();
}

struct LastCall {
  bool Is(absl::string_view other_text, Views other_inputs) const {
    return call.program != nullptr && text == other_text &&
           std::equal(inputs.begin(), inputs.end(), other_inputs.begin(),
                      other_inputs.end());
  }

  std::string text;
  std::vector<InputFacts> inputs;
  ProgramCall call;
};

}  // namespace

absl::StatusOr<ProgramCall> CallOf(absl::string_view text, Views inputs) {
  thread_local LastCall last;
  if (!last.Is(text, inputs)) {
    ASSIGN_OR_RETURN(std::shared_ptr<const Program> program,
                     ProgramOf(text, inputs));
    absl::StatusOr<KnownSize> size = SizeOfResult(*program, inputs);
    last = {std::string(text),
            std::vector<InputFacts>(inputs.begin(), inputs.end()),
            {std::move(program), std::move(size)}};
  }
  return last.call;
}

}  // namespace concord::sequence
