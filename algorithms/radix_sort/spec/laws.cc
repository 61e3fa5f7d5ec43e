// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "concord/algorithms/radix_sort/spec/order.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord::radix_sort {
namespace {

// The elements of an array as bits, 0 for an array that is not there.
std::vector<std::uint64_t> BitsOf(const HostArray* array, std::int64_t size) {
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(size), 0);
  if (array == nullptr) return bits;
  const auto width = static_cast<std::size_t>(SizeOf(array->type()));
  for (std::size_t i = 0; i < bits.size(); ++i) {
    std::memcpy(&bits[i], array->data<char>() + i * width, width);
  }
  return bits;
}

const HostArray* Find(const std::map<std::string, HostArray>& arrays,
                      const char* name) {
  const auto it = arrays.find(name);
  return it == arrays.end() ? nullptr : &it->second;
}

// Keys, and the values where the case has some, as a sorted list of pairs.
std::vector<std::pair<std::uint64_t, std::uint64_t>> Multiset(
    const HostArray& keys, const HostArray* values) {
  const std::vector<std::uint64_t> first = BitsOf(&keys, keys.size());
  const std::vector<std::uint64_t> second = BitsOf(values, keys.size());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (std::size_t i = 0; i < first.size(); ++i) {
    pairs.emplace_back(first[i], second[i]);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

absl::Status CheckSorted(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(RadixSort::Options options,
                   ParseOptions<RadixSort>(test_case.options));
  ASSIGN_OR_RETURN(Results results, run(test_case));
  const std::vector<std::uint64_t> ranks =
      RadixSortRanks(results.at(kRadixSortSortedKeys), options);
  const auto wrong = std::is_sorted_until(ranks.begin(), ranks.end());
  if (wrong == ranks.end()) return absl::OkStatus();
  return InternalError("out[", wrong - ranks.begin(),
                       "] belongs further ahead");
}

absl::Status CheckPermutation(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(Results results, run(test_case));
  const HostArray* values_in = Find(test_case.inputs, kRadixSortValues);
  // Positions are not among the inputs.
  const HostArray* values_out =
      values_in == nullptr ? nullptr : Find(results, kRadixSortSortedValues);
  if (Multiset(test_case.inputs.at(kRadixSortKeys), values_in) ==
      Multiset(results.at(kRadixSortSortedKeys), values_out)) {
    return absl::OkStatus();
  }
  return InternalError("an element was lost or made up");
}

absl::Status CheckStability(const Law::Run& run, Case test_case) {
  test_case.inputs.erase(kRadixSortValues);
  test_case.options["argsort"] = "yes";
  ASSIGN_OR_RETURN(RadixSort::Options options,
                   ParseOptions<RadixSort>(test_case.options));
  ASSIGN_OR_RETURN(Results results, run(test_case));
  const HostArray& keys = test_case.inputs.at(kRadixSortKeys);
  const std::vector<std::uint64_t> ranks = RadixSortRanks(keys, options);
  const std::vector<std::uint64_t> in = BitsOf(&keys, keys.size());
  const std::vector<std::uint64_t> out =
      BitsOf(&results.at(kRadixSortSortedKeys), keys.size());
  const auto positions =
      results.at(kRadixSortSortedValues).span<std::int64_t>();
  for (std::int64_t i = 0; i < keys.size(); ++i) {
    const std::int64_t here = positions[i];
    if (here < 0 || here >= keys.size() || out[i] != in[here]) {
      return InternalError("out[", i, "] did not stand at position ", here);
    }
    if (i > 0 && ranks[positions[i - 1]] == ranks[here] &&
        positions[i - 1] >= here) {
      return InternalError("of equal keys, that from position ",
                           positions[i - 1],
                           " comes before that from position ", here);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckIdempotence(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(Results once, run(test_case));
  Case again = test_case;
  again.inputs.at(kRadixSortKeys) = once.at(kRadixSortSortedKeys);
  if (again.inputs.count(kRadixSortValues) > 0) {
    again.inputs.at(kRadixSortValues) = once.at(kRadixSortSortedValues);
  }
  ASSIGN_OR_RETURN(Results twice, run(again));
  for (const auto& [name, value] : once) {
    // Positions become 0, 1, 2, ...
    if (name == kRadixSortSortedValues &&
        again.inputs.count(kRadixSortValues) == 0) {
      continue;
    }
    if (twice.at(name) == value) continue;
    return InternalError("sorting what is sorted changes '", name, "'");
  }
  return absl::OkStatus();
}

const bool kRegistered = RegisterLaws<RadixSort>({
    {"sorted", "out[i] <= out[i + 1] in the order asked for", CheckSorted},
    {"permutation", "the output has the elements of the input, each as often",
     CheckPermutation},
    {"stability",
     "argsort: out[i] = in[values[i]], and values rise where keys are equal",
     CheckStability},
    {"idempotence", "sort(sort(x)) = sort(x)", CheckIdempotence},
});

}  // namespace
}  // namespace concord::radix_sort
