// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Steps that move values, and the loop over tiles.

#include "concord/backends/tbb/interpreter/step_kernel.h"

namespace concord::interpreter {
namespace CONCORD_SIMD {

template <int kCount>
struct LoadStep {
  static inline void Do(const Step& s, Frame& f, Raw (&v)[8]) {
    const char* const from = f.pointers[s.operand];
#pragma GCC unroll 8
    for (int j = 0; j < kCount; ++j) {
      std::memcpy(&v[j], from + j * CONCORD_SIMD_BYTES, sizeof(Raw));
    }
  }
};

template <int kCount>
struct PutStep {
  static inline void Do(const Step& s, Frame& f, Raw (&v)[8]) {
    char* const to = f.pointers[s.operand];
#pragma GCC unroll 8
    for (int j = 0; j < kCount; ++j) {
      std::memcpy(to + j * CONCORD_SIMD_BYTES, &v[j], sizeof(Raw));
    }
  }
};

template <int W, typename T>
struct PutFloatStep {
  static inline void Do(const Step& s, Frame& f, Raw (&v)[8]) {
    T* const to = reinterpret_cast<T*>(f.pointers[s.operand]);
#pragma GCC unroll 8
    for (int j = 0; j < kVectors<W, T>; ++j) {
      Store<T>(Canonical<T>((Vector<T>)v[j]), to + j * kLanes<T>);
    }
  }
};

template <int kCount>
struct LoadBoolStep {
  static inline void Do(const Step& s, Frame& f, Raw (&v)[8]) {
    const std::uint8_t* const from = Values<std::uint8_t>(f, s.operand);
#pragma GCC unroll 8
    for (int j = 0; j < kCount; ++j) {
      const auto bytes = Load(from + j * CONCORD_SIMD_BYTES);
      v[j] = (Raw)((Vector<std::uint8_t>)(bytes != 0) & 1);
    }
  }
};

struct IndexStep {
  static inline void Do(const Step&, Frame& f, Raw (&v)[8]) {
    using Indices = Vector<std::int64_t>;
    Indices indices;
    for (int k = 0; k < kLanes<std::int64_t>; ++k) indices[k] = f.index + k;
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) {
      v[j] = (Raw)(indices + j * std::int64_t{kLanes<std::int64_t>});
    }
  }
};

inline void End(const Step*, Frame*, Raw, Raw, Raw, Raw, Raw, Raw, Raw, Raw) {}

template <template <int> typename Step>
inline StepFunction OfCount(int vectors) {
  switch (vectors) {
    case 1:
      return Erased(Execute<Step<1>>);
    case 2:
      return Erased(Execute<Step<2>>);
    case 4:
      return Erased(Execute<Step<4>>);
    default:
      return Erased(Execute<Step<8>>);
  }
}

inline StepFunction Move(const StepForm& form) {
  const int vectors = 8 * BytesOf(form.type) / form.width;
  switch (form.kind) {
    case StepForm::Kind::kLoad:
      return OfCount<LoadStep>(vectors);
    case StepForm::Kind::kPut:
      return OfCount<PutStep>(vectors);
    case StepForm::Kind::kPutFloat:
      return form.type == Type::kFloat64
                 ? Erased(Execute<PutFloatStep<8, double>>)
             : form.width == 8 ? Erased(Execute<PutFloatStep<8, float>>)
                               : Erased(Execute<PutFloatStep<4, float>>);
    case StepForm::Kind::kLoadBool:
      return OfCount<LoadBoolStep>(vectors);
    case StepForm::Kind::kIndex:
      return Erased(Execute<IndexStep>);
    case StepForm::Kind::kEnd:
      return Erased(End);
    default:
      return nullptr;
  }
}

// Far enough, and still in the same page most of the time.
inline constexpr int kPrefetchAhead = 1536;

inline void RunAll(const Step* steps, Frame* frame, std::int64_t tiles,
                   const BetweenTiles& between) {
  const Raw z{};
  const auto run = reinterpret_cast<Run>(steps[0].run);
  char** const pointers = frame->pointers;
  for (std::int64_t t = 0; t < tiles; ++t) {
    run(steps, frame, z, z, z, z, z, z, z, z);
    for (int k = 0; k < between.swapped; ++k) {
      std::swap(pointers[between.first + k], pointers[between.second + k]);
    }
    for (int k = 0; k < between.advanced; ++k) {
      char*& pointer = pointers[between.advances[k].pointer];
      pointer += between.advances[k].bytes;
      for (int ahead = 0; ahead < between.prefetched; ahead += 64) {
        __builtin_prefetch(pointer + kPrefetchAhead + ahead);
      }
    }
    frame->index += between.index;
  }
}

inline constexpr int kVectorBytes = CONCORD_SIMD_BYTES;

}  // namespace CONCORD_SIMD
}  // namespace concord::interpreter
