// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/look_and_say/mpi/local_parts.h"

#include <algorithm>
#include <cstdint>

#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::look_and_say {
namespace {

using Options = LookAndSay::Options;

// Of the part that is wanted, the stretch `mine`. The stretch at the end of the
// output has to end where the part does, so the rank that has it finds out
// whether the output has the right size.
Options ForStretch(Options options, Range mine, std::int64_t out_size) {
  options.from += std::min(mine.first, LookAndSay::kAll - options.from);
  if (mine.last < out_size) {
    options.count = mine.size();
  } else if (options.count != LookAndSay::kAll) {
    options.count -= std::min(mine.first, options.count);
  }
  return options;
}

// Why a call is refused, where the implementation has seen no more of it than
// the rank's stretch and says `of_stretch`.
absl::Status RefusalOfAll(Backend& local, ConstArrayView in, ArrayView out,
                          const Options& options,
                          const absl::Status& of_stretch) {
  Array room;
  ASSIGN_OR_RETURN(const ConstArrayView digits, ToHost(local, in, room));
  ASSIGN_OR_RETURN(const LookAndSayOutput wanted,
                   OutputOfLookAndSay(digits.span<std::uint8_t>(), options));
  RETURN_IF_ERROR(CheckSize("out", out, wanted.size));
  return of_stretch;
}

}  // namespace

absl::Status LocalParts::Prepare(TeamBackend& backend, ConstArrayView in,
                                 ArrayView out, const Options& options) {
  Backend& local = *backend.local();
  if (local_ == nullptr) {
    ASSIGN_OR_RETURN(local_,
                     Registry<LookAndSay>::Get().Create(backend.local()));
  }
  ASSIGN_OR_RETURN(outputs_, backend.Stretches(out));
  const std::int64_t length = options.length_only ? out.size() : 0;
  ASSIGN_OR_RETURN(length_, local.Allocate(out.type(), length));
  ASSIGN_OR_RETURN(length_on_host_, local.AllocateHost(out.type(), length));
  return input_.Prepare(backend, in, AllOf(in.size(), backend.team().size()));
}

absl::Status LocalParts::Write(TeamBackend& backend, ArrayView out,
                               const Options& options) {
  ASSIGN_OR_RETURN(const ConstArrayView in, input_.Fetch(backend));
  RETURN_IF_ERROR(backend.team().Agree(WriteOwn(backend, in, out, options)));
  return options.length_only ? backend.Copy(length_on_host_.view(), out)
                             : absl::OkStatus();
}

absl::Status LocalParts::WriteOwn(TeamBackend& backend, ConstArrayView in,
                                  ArrayView out, const Options& options) {
  if (options.length_only) {
    RETURN_IF_ERROR(local_->Run(in, length_.view(), options));
    return backend.local()->Copy(length_.view(), length_on_host_.view());
  }
  const Range mine = backend.Mine(outputs_);
  // Of no output at all each rank finds out whether none is right.
  if (mine.empty() && !out.empty()) return absl::OkStatus();
  const absl::Status status = local_->Run(
      in, backend.Here(out, mine), ForStretch(options, mine, out.size()));
  return absl::IsInvalidArgument(status) || absl::IsOutOfRange(status)
             ? RefusalOfAll(*backend.local(), in, out, options, status)
             : status;
}

}  // namespace concord::look_and_say
