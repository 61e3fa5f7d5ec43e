// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What all steps of a target are made of, for files of kernels
// (backends/tbb/simd.h), which include this file at their top.

#include "concord/backends/tbb/simd_vector.h"

namespace concord::interpreter {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// A vector of the accumulator, of whatever type.
using Raw = Vector<std::uint32_t>;
using Run = void (*)(const Step*, Frame*, Raw, Raw, Raw, Raw, Raw, Raw, Raw,
                     Raw);

// Elements of a tile whose widest type has W bytes, and vectors of T in it.
template <int W>
inline constexpr int kTile = 8 * CONCORD_SIMD_BYTES / W;
template <int W, typename T>
inline constexpr int kVectors = 8 * static_cast<int>(sizeof(T)) / W;

template <typename F>
inline StepFunction Erased(F* run) {
  return reinterpret_cast<StepFunction>(run);
}

// A step on the accumulator v: Body::Do(s, f, v), then the next one.
template <typename Body>
void Execute(const Step* s, Frame* f, Raw a, Raw b, Raw c, Raw d, Raw e, Raw g,
             Raw h, Raw i) {
  Raw v[8] = {a, b, c, d, e, g, h, i};
  Body::Do(*s, *f, v);
  return reinterpret_cast<Run>(s[1].run)(s + 1, f, v[0], v[1], v[2], v[3], v[4],
                                         v[5], v[6], v[7]);
}

template <typename T>
inline const T* Values(const Frame& f, int pointer) {
  return reinterpret_cast<const T*>(f.pointers[pointer]);
}

template <typename T>
inline Vector<T> ConstantOf(const Step& s) {
  return Broadcast(expression::FromWord<T>(s.constant));
}

}  // namespace CONCORD_SIMD
}  // namespace concord::interpreter
