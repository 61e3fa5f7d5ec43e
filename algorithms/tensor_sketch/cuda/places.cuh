// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the count of a word goes in a sketch.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_PLACES_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_PLACES_CUH_

#include <cstdint>

namespace concord::tensor_sketch {

struct Tables {
  const int* hashes;
  const int* signs;
  int alphabet_size, t, dim;
};

// The sign is zero for words that have a letter outside of the alphabet.
struct Place {
  int index;
  int sign;
};

// `word` is a number with the t digits 0 to base - 1, the first letter
// foremost.
__device__ inline Place PlaceOf(int word, int base, const Tables& tables) {
  Place place = {0, 1};
  for (int k = tables.t - 1; k >= 0; --k, word /= base) {
    const int letter = word % base;
    if (letter >= tables.alphabet_size) return {0, 0};
    const int entry = letter * tables.t + k;
    // An int holds either summand, but not always their sum.
    place.index = static_cast<int>(
        (int64_t{place.index} + tables.hashes[entry]) % tables.dim);
    place.sign *= tables.signs[entry];
  }
  return place;
}

__device__ inline void AddAt(const Place& place, uint64_t count,
                             uint64_t* sketch) {
  const uint64_t value = count * static_cast<uint64_t>(place.sign);
  if (value == 0) return;
  static_assert(sizeof(unsigned long long) == sizeof(uint64_t));
  atomicAdd(reinterpret_cast<unsigned long long*>(sketch) + place.index, value);
}

// Of a normalized sketch.
__device__ inline void AddAt(const Place& place, double share, double* sketch) {
  if (share != 0 && place.sign != 0) {
    atomicAdd(sketch + place.index, share * place.sign);
  }
}

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_PLACES_CUH_
