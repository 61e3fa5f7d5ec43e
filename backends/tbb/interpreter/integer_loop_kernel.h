// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/interpreter/loop_kernel.h"

namespace concord::interpreter {
namespace CONCORD_SIMD {

// A choice by a bool, of values of unsigned T.
template <int W, typename T, bool kReversed>
struct ChooseLoop {
  static inline void Do(const Step& s, Frame& f, Raw (&v)[8]) {
    const std::uint8_t* const condition = Values<std::uint8_t>(f, s.left);
    const T* const z = Values<T>(f, s.operand);
    ForEachValue<W, T, T>(v, [=](T x, int k) {
      return (condition[k] != 0) != kReversed ? x : z[k];
    });
  }
};

// Elements of a table of unsigned T; the index is an int64.
template <typename T>
struct Gather {
  static inline void Do(const Step& s, Frame& f, Raw (&v)[8]) {
    TableView& table = f.tables[s.table];
    const T* const data = static_cast<const T*>(table.data);
    const auto size = static_cast<std::uint64_t>(table.size);
    ForEachValue<8, std::uint64_t, T>(v, [&](std::uint64_t index, int k) {
      const bool inside = index < size;
      if (!inside && k < f.count && f.index + k < table.outside) {
        table.outside = f.index + k;
      }
      return inside ? data[index] : T{0};
    });
  }
};

// Of unsigned T.
template <int W, typename T>
StepFunction UnsignedLoop(const StepForm& form) {
  if (form.kind == StepForm::Kind::kChoose) {
    return form.reversed ? Erased(Execute<ChooseLoop<W, T, true>>)
                         : Erased(Execute<ChooseLoop<W, T, false>>);
  }
  switch (form.op) {
    case Op::kGather:
      return Erased(Execute<Gather<T>>);
    case Op::kPopcount:
      return Erased(Execute<UnaryLoop<W, T, T, PopcountOf>>);
    case Op::kClz:
      return Erased(Execute<UnaryLoop<W, T, T, ClzOf>>);
    case Op::kCtz:
      return Erased(Execute<UnaryLoop<W, T, T, CtzOf>>);
    default:
      return nullptr;
  }
}

template <int W, typename T>
StepFunction IntegerLoopOf(const StepForm& form) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                sizeof(T) <= W) {
    if constexpr (std::is_unsigned_v<T>) {
      const StepFunction step = UnsignedLoop<W, T>(form);
      if (step != nullptr) return step;
    }
    switch (form.op) {
      case Op::kDivide:
        return LoopOf<W, T, T, DivideOf>(form);
      case Op::kRemainder:
        return LoopOf<W, T, T, RemainderOf>(form);
      case Op::kShiftLeft:
        if constexpr (sizeof(T) == 1) return LoopOf<W, T, T, ShiftLeftOf>(form);
        return nullptr;
      case Op::kShiftRight:
        if constexpr (sizeof(T) == 1) {
          return LoopOf<W, T, T, ShiftRightOf>(form);
        }
        return nullptr;
      default:
        return ComparisonOf<W, T>(form);
    }
  } else {
    return nullptr;
  }
}

inline StepFunction IntegerLoop(const StepForm& form) {
  return expression::Dispatch(form.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return form.width == 8 ? IntegerLoopOf<8, T>(form)
                           : IntegerLoopOf<4, T>(form);
  });
}

}  // namespace CONCORD_SIMD
}  // namespace concord::interpreter
