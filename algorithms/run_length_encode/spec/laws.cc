// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <utility>

#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord::run_length_encode {
namespace {

// The results for an input, in a form that is easy to handle.
struct Encoded {
  HostArray values;
  std::vector<std::int64_t> lengths;

  const char* value(std::size_t run) const {
    return values.data<char>() + run * width();
  }
  std::size_t width() const {
    return static_cast<std::size_t>(SizeOf(values.type()));
  }
  bool Same(std::size_t run, const Encoded& other, std::size_t its) const {
    return std::memcmp(value(run), other.value(its), width()) == 0;
  }
};

absl::StatusOr<Encoded> Encode(const Law::Run& run, Case test_case,
                               HostArray in) {
  test_case.inputs.at("in") = std::move(in);
  ASSIGN_OR_RETURN(Results results, run(test_case));
  Encoded encoded = {std::move(results.at("values")), {}};
  const HostArray& lengths = results.at("lengths");
  for (std::int64_t k = 0; k < lengths.size(); ++k) {
    encoded.lengths.push_back(lengths.type() == ElementType::kInt32
                                  ? lengths.data<std::int32_t>()[k]
                                  : lengths.data<std::int64_t>()[k]);
  }
  return encoded;
}

absl::Status CheckRestoration(const Law::Run& run, const Case& test_case) {
  const HostArray& in = test_case.inputs.at("in");
  ASSIGN_OR_RETURN(Encoded encoded, Encode(run, test_case, in));
  std::int64_t position = 0;
  for (std::size_t k = 0; k < encoded.lengths.size(); ++k) {
    for (std::int64_t i = 0; i < encoded.lengths[k]; ++i, ++position) {
      if (position >= in.size() ||
          std::memcmp(encoded.value(k),
                      in.data<char>() + position * SizeOf(in.type()),
                      encoded.width()) != 0) {
        return InternalError("run ", k, " does not give element ", position);
      }
    }
  }
  if (position == in.size()) return absl::OkStatus();
  return InternalError("the lengths add up to ", position, " instead of ",
                       in.size());
}

absl::Status CheckMaximality(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(Encoded encoded,
                   Encode(run, test_case, test_case.inputs.at("in")));
  for (std::size_t k = 0; k < encoded.lengths.size(); ++k) {
    if (encoded.lengths[k] < 1) {
      return InternalError("run ", k, " has no elements");
    }
    if (k > 0 && encoded.Same(k, encoded, k - 1)) {
      return InternalError("runs ", k - 1, " and ", k, " have the same value");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckConcatenation(const Law::Run& run, const Case& test_case) {
  const HostArray& in = test_case.inputs.at("in");
  const std::int64_t cut = in.size() / 3;
  ASSIGN_OR_RETURN(Encoded whole, Encode(run, test_case, in));
  ASSIGN_OR_RETURN(Encoded front,
                   Encode(run, test_case, in.Without(cut, in.size())));
  ASSIGN_OR_RETURN(Encoded back, Encode(run, test_case, in.Without(0, cut)));

  std::vector<std::int64_t> lengths = front.lengths;
  const std::size_t of_front = lengths.size();
  // The last run of the front and the first of the back may be one.
  const std::size_t merged = of_front > 0 && !back.lengths.empty() &&
                             front.Same(of_front - 1, back, 0);
  if (merged > 0) lengths.back() += back.lengths.front();
  lengths.insert(lengths.end(), back.lengths.begin() + merged,
                 back.lengths.end());
  if (whole.lengths != lengths) {
    return InternalError("the lengths of the parts, cut at ", cut, ", differ");
  }
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    const bool same = k < of_front ? whole.Same(k, front, k)
                                   : whole.Same(k, back, k - of_front + merged);
    if (same) continue;
    return InternalError("the values of run ", k, " differ, cut at ", cut);
  }
  return absl::OkStatus();
}

const bool kRegistered = RegisterLaws<RunLengthEncode>({
    {"restoration", "each value as often as its length says is the input",
     CheckRestoration},
    {"maximality", "no run is empty, and no two neighbours have the same value",
     CheckMaximality},
    {"concatenation",
     "encode(x ++ y) = encode(x) ++ encode(y), with the runs at the seam "
     "merged if their values are equal",
     CheckConcatenation},
});

}  // namespace
}  // namespace concord::run_length_encode
