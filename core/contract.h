// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_CONTRACT_H_
#define CONCORD_CORE_CONTRACT_H_

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "concord/core/element_type.h"

namespace concord {

// Which bits of a floating-point result repeat. Results of integer types, and
// of operations that are exact, are always the same on every backend.
enum class Determinism {
  kNone,                   // may differ from run to run, within the error bound
  kRunToRun,               // the same in every run of this implementation
  kBitwiseAcrossBackends,  // the same as the reference, whatever the machine
};

// "none", "run_to_run", "bitwise_across_backends".
absl::string_view Name(Determinism determinism);

// What an implementation promises. It is data: the differential engine reads it
// and tries to break it, `concord list` prints it.
struct Contract {
  std::vector<ElementType> element_types = AllElementTypes();
  // The output may be the very array that is the input.
  bool in_place = false;
  Determinism determinism = Determinism::kBitwiseAcrossBackends;
  // The largest number of elements.
  std::int64_t max_size = std::numeric_limits<std::int64_t>::max();
  // What NaN, -0.0 and infinities do, in words; empty without float types.
  std::string special_values;
  // Sizes at which the work is cut differently: tiles, chunks, cut-offs. The
  // engine tests each of them, one element less and one more.
  std::vector<std::int64_t> boundaries;
  // What an object keeps from call to call, and what its first call pays for
  // it, in words: "a word a tile, which later calls need not clear". Empty when
  // it keeps nothing that a result or a time depends on.
  std::string keeps;
  // Anything else that a user has to know, such as where another method starts.
  std::string notes;

  bool Allows(ElementType type) const;

  // Each sets a member, for a contract that is one expression:
  //   Contract().InPlace().Boundaries({kTile})
  Contract& Types(std::vector<ElementType> only) {
    return Set(element_types, std::move(only));
  }
  Contract& InPlace() { return Set(in_place, true); }
  Contract& Determined(Determinism how) { return Set(determinism, how); }
  Contract& AtMost(std::int64_t elements) { return Set(max_size, elements); }
  Contract& SpecialValues(std::string words) {
    return Set(special_values, std::move(words));
  }
  // Adds to those there are. Amounts of bytes are divided by each of the sizes
  // that elements can have.
  Contract& Boundaries(const std::vector<std::int64_t>& amounts,
                       const std::vector<std::int64_t>& sizes = {1}) {
    for (const std::int64_t size : sizes) {
      for (const std::int64_t all : amounts) boundaries.push_back(all / size);
    }
    return *this;
  }
  Contract& Keeps(std::string words) { return Set(keeps, std::move(words)); }
  Contract& Notes(std::string words) { return Set(notes, std::move(words)); }

 private:
  template <typename T>
  Contract& Set(T& member, T value) {
    member = std::move(value);
    return *this;
  }
};

}  // namespace concord

#endif  // CONCORD_CORE_CONTRACT_H_
