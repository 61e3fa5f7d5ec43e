// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Runs the steps of machine_code.h for the lanes of a thread. Registers are
// arrays of constant size in loops that are unrolled, so that they stay in a
// GPU's registers, and a step costs its decoding once for all lanes. All
// threads run the same steps, and no branch diverges but at the end of arrays.
//
// It is host code as well, for tests.

#ifndef CONCORD_BACKENDS_CUDA_INTERPRETER_MACHINE_H_
#define CONCORD_BACKENDS_CUDA_INTERPRETER_MACHINE_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "concord/backends/cuda/interpreter/machine_code.h"
#include "concord/backends/cuda/spliced/arguments.h"

// Registers must not be passed in memory.
#ifdef __CUDACC__
#define CONCORD_INLINE __host__ __device__ __forceinline__
#else
#define CONCORD_INLINE inline
#endif

namespace concord::interpreter {

// Calls f(0), ..., f(kTimes - 1).
template <int kTimes, typename F>
CONCORD_INLINE void Unrolled(F f) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int k = 0; k < kTimes; ++k) f(k);
}

// The lanes of a thread. With words of 32 bits, 16 of them take as many
// registers as 8 with words of 64.
template <typename W>
inline constexpr int kLanes = sizeof(W) == 4 ? 16 : 8;

// Element i of a column is the array's element i * stride + first.
struct Column {
  const void* data;
  std::int64_t first;
  std::int64_t stride;
};

struct Arrays {
  Column in[spliced::kMostColumns];
  Column out[spliced::kMostColumns];
  spliced::TableArgument tables[spliced::kMostTables];
  // As of spliced::Arguments.
  std::uint64_t* outside;
  // The elements that there are.
  std::int64_t begin;
  std::int64_t end;
  // Whether columns begin at multiples of 16 bytes and have stride 1.
  std::int32_t aligned;
};

// Which elements the lanes are for: 2^group_bits neighbours from `first` on, as
// many `stride` behind the first, and so on.
struct Lanes {
  std::int64_t first;
  std::int64_t stride;
  int group_bits;
  // Whether all are there, and groups are whole vectors.
  bool whole;
  // What kStoreAt counts places from.
  std::int64_t base;

  CONCORD_INLINE std::int64_t element(int lane) const {
    return first + (lane >> group_bits) * stride +
           (lane & ((1 << group_bits) - 1));
  }
};

// Slot s of a thread. Neighbouring threads have neighbouring words.
template <typename W>
struct Slots {
  W* words;
  int threads;

  CONCORD_INLINE W& at(int slot, int lane) const {
    return words[(slot * kLanes<W> + lane) * threads];
  }
};

// Values in registers: an integer is extended by its sign, if it has one; a
// float is its bits.
template <typename T, typename W>
CONCORD_INLINE T FromWord(W word) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto bits = static_cast<
        std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(word);
    T value;
    memcpy(&value, &bits, sizeof(value));
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return word != 0;
  } else {
    return static_cast<T>(word);
  }
}
template <typename W, typename T>
CONCORD_INLINE W ToWord(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t> bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
  } else {
    return static_cast<W>(value);
  }
}

// Calls f(TypeTag<T>()) for the type of elements in memory. Bools are read as
// what is not 0.
template <typename W, typename F>
CONCORD_INLINE void DispatchStored(expression::Type type, F f) {
  using expression::Type;
  switch (type) {
    case Type::kBool:
      return f(TypeTag<bool>());
    case Type::kInt8:
      return f(TypeTag<std::int8_t>());
    case Type::kUInt8:
      return f(TypeTag<std::uint8_t>());
    case Type::kInt32:
      return f(TypeTag<std::int32_t>());
    case Type::kUInt32:
      return f(TypeTag<std::uint32_t>());
    case Type::kFloat32:
      return f(TypeTag<float>());
    default:
      break;
  }
  if constexpr (sizeof(W) == 8) {
    switch (type) {
      case Type::kInt64:
        return f(TypeTag<std::int64_t>());
      case Type::kUInt64:
        return f(TypeTag<std::uint64_t>());
      default:
        return f(TypeTag<double>());
    }
  }
}

// How T lies in memory.
template <typename T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <typename T, int kCount>
struct alignas(sizeof(T) * kCount < 16 ? sizeof(T) * kCount : 16) Pack {
  T value[kCount];
};

// What a built-in operator, which commutes, makes of two values.
template <typename W>
CONCORD_INLINE W Combined(Code code, W a, W b) {
  switch (code) {
#define CONCORD_STEP(op, enumerator, T)                             \
  case Code::op##_##enumerator:                                     \
    if constexpr (sizeof(T) <= sizeof(W)) {                         \
      return ToWord<W>(                                             \
          expression::meaning::op(FromWord<T>(a), FromWord<T>(b))); \
    }                                                               \
    return a;
    CONCORD_FOR_NUMBERS(CONCORD_STEP, Add)
    CONCORD_FOR_NUMBERS(CONCORD_STEP, Multiply)
    CONCORD_FOR_NUMBERS(CONCORD_STEP, Minimum)
    CONCORD_FOR_NUMBERS(CONCORD_STEP, Maximum)
    CONCORD_FOR_BITS(CONCORD_STEP, And)
    CONCORD_FOR_BITS(CONCORD_STEP, Or)
    CONCORD_FOR_BITS(CONCORD_STEP, Xor)
#undef CONCORD_STEP
    default:
      return a;
  }
}

template <typename W>
class Machine {
 public:
  static constexpr int kCount = kLanes<W>;

  CONCORD_INLINE Machine(const Arrays& arrays, const Lanes& lanes,
                         Slots<W> slots)
      : arrays_(arrays), lanes_(lanes), slots_(slots) {}

  CONCORD_INLINE void Run(const Step* steps) {
    W a[kCount] = {};
    W c[kCount] = {};
    W r[kCount];
    Step next = Fetched(steps);
    for (;;) {
      const Step step = next;
      if (step.code == Code::kEnd) return;
      next = Fetched(++steps);
      Fetch(step, r);
      if (step.on_c) Exchange(a, c);
      if (step.reversed) Exchange(a, r);
      Do(step, a, r, c);
      if (step.on_c) Exchange(a, c);
    }
  }

 private:
  using Register = W[kCount];

  static CONCORD_INLINE Step Fetched(const Step* step) {
#ifdef __CUDA_ARCH__
    const uint4 words = __ldg(reinterpret_cast<const uint4*>(step));
    Step fetched;
    memcpy(&fetched, &words, sizeof(fetched));
    return fetched;
#else
    return *step;
#endif
  }

  CONCORD_INLINE bool IsPresent(std::int64_t element) const {
    return element >= arrays_.begin && element < arrays_.end;
  }
  CONCORD_INLINE bool IsLanePresent(int lane) const {
    return lanes_.whole || IsPresent(lanes_.element(lane));
  }

  static CONCORD_INLINE void Exchange(Register& x, Register& y) {
    Unrolled<kCount>([&](int e) {
      const W word = x[e];
      x[e] = y[e];
      y[e] = word;
    });
  }

  CONCORD_INLINE void Fetch(const Step& step, Register& r) const {
    switch (step.source) {
      case Source::kSlot:
        Unrolled<kCount>([&](int e) { r[e] = slots_.at(step.number, e); });
        break;
      case Source::kConstant:
        Unrolled<kCount>([&](int e) { r[e] = static_cast<W>(step.constant); });
        break;
      case Source::kColumn:
        DispatchStored<W>(step.type, [&](auto tag) {
          LoadColumn<typename decltype(tag)::type>(arrays_.in[step.number], r);
        });
        break;
      default:
        break;
    }
  }

  template <typename T>
  CONCORD_INLINE void LoadColumn(const Column& column, Register& r) const {
    const auto* const data =
        static_cast<const Stored<T>*>(column.data) + column.first;
    if (lanes_.whole && lanes_.group_bits == 2)
      return LoadGroups<T, 4>(data, r);
    if (lanes_.whole && lanes_.group_bits == 1)
      return LoadGroups<T, 2>(data, r);
    Unrolled<kCount>([&](int e) {
      const std::int64_t i = lanes_.element(e);
      r[e] = 0;
      if (IsPresent(i)) r[e] = WordOf<T>(data[i * column.stride]);
    });
  }

  template <typename T, int kGroup>
  CONCORD_INLINE void LoadGroups(const Stored<T>* data, Register& r) const {
    using Group = Pack<Stored<T>, kGroup>;
    Group groups[kCount / kGroup];
    Unrolled<kCount / kGroup>([&](int g) {
      groups[g] = *reinterpret_cast<const Group*>(data + lanes_.first +
                                                  g * lanes_.stride);
    });
    Unrolled<kCount>(
        [&](int e) { r[e] = WordOf<T>(groups[e / kGroup].value[e % kGroup]); });
  }

  template <typename T>
  static CONCORD_INLINE W WordOf(Stored<T> stored) {
    return ToWord<W>(static_cast<T>(stored));
  }

  template <typename T>
  static CONCORD_INLINE Stored<T> StoredOf(W word) {
    return static_cast<Stored<T>>(CanonicalNan(FromWord<T>(word)));
  }

  template <typename T>
  CONCORD_INLINE void StoreColumn(const Column& column,
                                  const Register& a) const {
    auto* const data =
        static_cast<Stored<T>*>(const_cast<void*>(column.data)) + column.first;
    if (lanes_.whole && lanes_.group_bits == 2) {
      using Group = Pack<Stored<T>, 4>;
      Unrolled<kCount / 4>([&](int g) {
        Group group;
        Unrolled<4>([&](int k) { group.value[k] = StoredOf<T>(a[4 * g + k]); });
        *reinterpret_cast<Group*>(data + lanes_.first + g * lanes_.stride) =
            group;
      });
      return;
    }
    Unrolled<kCount>([&](int e) {
      const std::int64_t i = lanes_.element(e);
      if (IsPresent(i)) data[i * column.stride] = StoredOf<T>(a[e]);
    });
  }

  // Places are words of a slot; those past all are not written.
  template <typename T>
  CONCORD_INLINE void StoreAtPlaces(const Column& column, int slot,
                                    const Register& a) const {
    auto* const data = static_cast<Stored<T>*>(const_cast<void*>(column.data)) +
                       column.first + lanes_.base;
    Unrolled<kCount>([&](int e) {
      const W place = slots_.at(slot, e);
      if (place != static_cast<W>(-1)) data[place] = StoredOf<T>(a[e]);
    });
  }

  template <typename T>
  CONCORD_INLINE void GatherFrom(int number, Register& a) const {
    const auto* const data =
        static_cast<const Stored<T>*>(arrays_.tables[number].data);
    const auto size = static_cast<std::uint64_t>(arrays_.tables[number].size);
    Unrolled<kCount>([&](int e) {
      const std::uint64_t index = a[e];
      const std::int64_t element = lanes_.element(e);
      a[e] = 0;
      // An index below 0 is a large one without sign.
      if (index < size) {
        a[e] = WordOf<T>(data[index]);
      } else if (IsPresent(element)) {
        Report(number, static_cast<std::uint64_t>(element));
      }
    });
  }

  CONCORD_INLINE void Report(int table, std::uint64_t element) const {
    std::uint64_t* const first = arrays_.outside + table;
#ifdef __CUDA_ARCH__
    // Most of many are not the first: those only look.
    if (element < *static_cast<volatile std::uint64_t*>(first)) {
      atomicMin(reinterpret_cast<unsigned long long*>(first),
                static_cast<unsigned long long>(element));
    }
#else
    if (element < *first) *first = element;
#endif
  }

  template <typename T, typename F>
  static CONCORD_INLINE void Each(Register& a, F f) {
    Unrolled<kCount>([&](int e) { a[e] = ToWord<W>(f(FromWord<T>(a[e]))); });
  }

  template <typename T, typename F>
  static CONCORD_INLINE void EachOfTwo(const Step& step, Register& a,
                                       const Register& r, F f) {
    if constexpr (kTakesImmediate<T>) {
      if (step.source == Source::kImmediate) {
        const T b = FromWord<T>(step.constant);
        Unrolled<kCount>(
            [&](int e) { a[e] = ToWord<W>(f(FromWord<T>(a[e]), b)); });
        return;
      }
    }
    Unrolled<kCount>([&](int e) {
      a[e] = ToWord<W>(f(FromWord<T>(a[e]), FromWord<T>(r[e])));
    });
  }

  template <typename T>
  static CONCORD_INLINE void DoFma(Register& a, const Register& r,
                                   const Register& c) {
    Unrolled<kCount>([&](int e) {
      a[e] = ToWord<W>(expression::meaning::Fma(
          FromWord<T>(a[e]), FromWord<T>(r[e]), FromWord<T>(c[e])));
    });
  }

  CONCORD_INLINE void Do(const Step& step, Register& a, const Register& r,
                         const Register& c) const {
    namespace meaning = expression::meaning;
    switch (step.code) {
      case Code::kEnd:
        break;
      case Code::kLoad:
        Unrolled<kCount>([&](int e) { a[e] = r[e]; });
        break;
      case Code::kIndex:
        Unrolled<kCount>(
            [&](int e) { a[e] = static_cast<W>(lanes_.element(e)); });
        break;
      case Code::kPut:
        Unrolled<kCount>([&](int e) { slots_.at(step.number, e) = a[e]; });
        break;
      case Code::kPutPresent:
        Unrolled<kCount>([&](int e) {
          if (IsLanePresent(e)) slots_.at(step.number, e) = a[e];
        });
        break;
      case Code::kStore:
        DispatchStored<W>(step.type, [&](auto tag) {
          StoreColumn<typename decltype(tag)::type>(arrays_.out[step.number],
                                                    a);
        });
        break;
      case Code::kStoreAt:
        DispatchStored<W>(step.type, [&](auto tag) {
          StoreAtPlaces<typename decltype(tag)::type>(
              arrays_.out[step.number], static_cast<int>(step.constant), a);
        });
        break;
      case Code::kGather:
        DispatchStored<W>(step.type, [&](auto tag) {
          GatherFrom<typename decltype(tag)::type>(step.number, a);
        });
        break;
      case Code::kChoose:
        Unrolled<kCount>([&](int e) { a[e] = c[e] != 0 ? a[e] : r[e]; });
        break;
      case Code::kFmaFloat32:
        DoFma<float>(a, r, c);
        break;
      case Code::kFmaFloat64:
        if constexpr (sizeof(W) == 8) DoFma<double>(a, r, c);
        break;
#define CONCORD_STEP(op, enumerator, T)               \
  case Code::op##_##enumerator:                       \
    if constexpr (sizeof(T) <= sizeof(W)) {           \
      Each<T>(a, [](T x) { return meaning::op(x); }); \
    }                                                 \
    break;
        CONCORD_FOR_EACH_UNARY_STEP(CONCORD_STEP)
#undef CONCORD_STEP
#define CONCORD_STEP(op, enumerator, T)                                     \
  case Code::op##_##enumerator:                                             \
    if constexpr (sizeof(T) <= sizeof(W)) {                                 \
      EachOfTwo<T>(step, a, r, [](T x, T y) { return meaning::op(x, y); }); \
    }                                                                       \
    break;
        CONCORD_FOR_EACH_BINARY_STEP(CONCORD_STEP)
#undef CONCORD_STEP
#define CONCORD_STEP(from, enumerator, T)   \
  case Code::Cast_##from##_##enumerator:    \
    CastFrom<expression::Type::from, T>(a); \
    break;
        CONCORD_FOR_EACH_CAST_STEP(CONCORD_STEP)
#undef CONCORD_STEP
    }
  }

  template <expression::Type kFrom, typename To>
  static CONCORD_INLINE void CastFrom(Register& a) {
    using From = TypeOf<kFrom>;
    if constexpr (sizeof(From) <= sizeof(W) && sizeof(To) <= sizeof(W)) {
      Each<From>(a, [](From x) { return expression::meaning::Cast<To>(x); });
    }
  }

  template <expression::Type kType>
  static auto TagOf() {
#define CONCORD_IF_SAME(enumerator, type, name) \
  if constexpr (kType == expression::Type::enumerator) return TypeTag<type>();
    CONCORD_FOR_EACH_VALUE_TYPE(CONCORD_IF_SAME)
#undef CONCORD_IF_SAME
  }
  template <expression::Type kType>
  using TypeOf = typename decltype(TagOf<kType>())::type;

  const Arrays& arrays_;
  // Copies, for registers.
  const Lanes lanes_;
  const Slots<W> slots_;
};

}  // namespace concord::interpreter

#endif  // CONCORD_BACKENDS_CUDA_INTERPRETER_MACHINE_H_
