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

#include "concord/backends/cuda/interpreter/arrays.h"
#include "concord/backends/cuda/interpreter/columns.h"
#include "concord/backends/cuda/interpreter/machine_code.h"
#include "concord/backends/cuda/interpreter/rare_steps.h"
#include "concord/backends/cuda/interpreter/words.h"

namespace concord::machine {

// `kOfFilter`: it has kStoreKept, and no kStore.
template <typename W, int kGroupBits, bool kOfFilter = false>
class Machine {
 public:
  CONCORD_INLINE Machine(const Arrays& arrays, const Lanes<kGroupBits>& lanes,
                         Slots<W> slots, const Kept& kept = {})
      : arrays_(arrays), lanes_(lanes), slots_(slots), kept_(kept) {}

  // Leaves the accumulator in `a`.
  CONCORD_INLINE void Run(const Step* steps, Register<W>& a) const {
    Register<W> r;
    std::uint32_t condition = 0;
    Step next = Fetched(steps);
    for (;;) {
      const Step step = next;
      if (step.code == Code::kEnd) return;
      next = Fetched(++steps);
      if (step.source == Source::kConstant &&
          DoWithConstant(step, a, condition)) {
        continue;
      }
      Fetch(step, r);
      Do(step, a, r, condition);
    }
  }

 private:
  using Signed = typename KindOf<W>::Signed;
  static constexpr int kCount = kLanes<W>;

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

  CONCORD_INLINE void Fetch(const Step& step, Register<W>& r) const {
    if (step.source == Source::kSlot) {
      slots_.Get(step.number, r);
    } else if (step.source == Source::kColumn) {
      DispatchLoaded<W>(step.type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        LoadColumn<T, W>(arrays_, arrays_.in[step.number], lanes_, r);
      });
    }
  }

  // The same in every lane: a = f(a).
  template <typename T, typename F>
  static CONCORD_INLINE void Each(Register<W>& a, F f) {
    if constexpr (kFits<T, W>) {
      Unrolled<kCount>([&](int e) { a[e] = ToWord<W>(f(FromWord<T>(a[e]))); });
    }
  }
  template <typename T, typename F>
  static CONCORD_INLINE void EachOfTwo(Register<W>& a, const Register<W>& r,
                                       F f) {
    if constexpr (kFits<T, W>) {
      Unrolled<kCount>([&](int e) {
        a[e] = ToWord<W>(f(FromWord<T>(a[e]), FromWord<T>(r[e])));
      });
    }
  }
  template <typename To, typename From>
  static CONCORD_INLINE void Convert(Register<W>& a) {
    if constexpr (kFits<To, W>) {
      Each<From>(a, [](From x) { return expression::meaning::Cast<To>(x); });
    }
  }

  // What is common with a constant reads it by itself. False for other steps.
  CONCORD_INLINE bool DoWithConstant(const Step& step, Register<W>& a,
                                     std::uint32_t condition) const {
    const W constant = static_cast<W>(step.constant);
    switch (step.code) {
      case Code::kLoad:
        Unrolled<kCount>([&](int e) { a[e] = constant; });
        return true;
      case Code::kChoose:
        Unrolled<kCount>([&](int e) {
          a[e] = (condition & 1u << e) != 0 ? a[e] : constant;
        });
        return true;
      case Code::kChooseOther:
        Unrolled<kCount>([&](int e) {
          a[e] = (condition & 1u << e) != 0 ? constant : a[e];
        });
        return true;
#define CONCORD_STEP(op, kind)                       \
  case Code::op##_##kind: {                          \
    using T = typename KindOf<W>::kind;              \
    const T b = FromWord<T>(constant);               \
    Each<T>(a, [b](T x) { return fast::op(x, b); }); \
    return true;                                     \
  }
        CONCORD_FOR_EACH_FAST_STEP(CONCORD_STEP)
#undef CONCORD_STEP
      default:
        return false;
    }
  }

  // condition = f(r, the second operand).
  template <typename T, typename F>
  CONCORD_INLINE void Test(const Step& step, const Register<W>& r,
                           std::uint32_t& condition, F f) const {
    if constexpr (kFits<T, W>) {
      Register<W> b;
      GetSecond(step, b);
      condition = 0;
      Unrolled<kCount>([&](int e) {
        if (f(FromWord<T>(r[e]), FromWord<T>(b[e]))) condition |= 1u << e;
      });
    }
  }

  CONCORD_INLINE void GetSecond(const Step& step, Register<W>& b) const {
    if (step.second != Step::kNoSecond) return slots_.Get(step.second, b);
    Unrolled<kCount>([&](int e) { b[e] = static_cast<W>(step.constant); });
  }

  template <typename T>
  CONCORD_INLINE void DoFma(const Step& step, Register<W>& a,
                            const Register<W>& r) const {
    if constexpr (kFits<T, W>) {
      Register<W> c;
      GetSecond(step, c);
      Unrolled<kCount>([&](int e) {
        a[e] = ToWord<W>(expression::meaning::Fma(
            FromWord<T>(a[e]), FromWord<T>(r[e]), FromWord<T>(c[e])));
      });
    }
  }

  static CONCORD_INLINE void CallRarely(const Step& step, Register<W>& a,
                                        const Register<W>& r) {
    // Copies, so that the registers themselves have no address.
    W first[kCount], second[kCount];
    const bool is_constant = step.source == Source::kConstant;
    Unrolled<kCount>([&](int e) {
      first[e] = a[e];
      second[e] = is_constant ? static_cast<W>(step.constant) : r[e];
    });
    W* const x = step.reversed ? second : first;
    DoRarely<W>(step.code, x, step.reversed ? first : second);
    Unrolled<kCount>([&](int e) { a[e] = x[e]; });
  }

  CONCORD_INLINE void Do(const Step& step, Register<W>& a, const Register<W>& r,
                         std::uint32_t& condition) const {
    using std::int32_t;
    using std::uint32_t;
    switch (step.code) {
      case Code::kEnd:
        break;
      case Code::kLoad:
        Unrolled<kCount>([&](int e) { a[e] = r[e]; });
        break;
      case Code::kIndex: {
        const Lanes<kGroupBits> anew = lanes_.Anew();
        Unrolled<kCount>(
            [&](int e) { a[e] = static_cast<W>(anew.element(e)); });
        break;
      }
      case Code::kPut:
        slots_.Put(step.number, a);
        break;
      case Code::kPutPresent:
        if (lanes_.whole) {
          slots_.Put(step.number, a);
        } else {
          const Lanes<kGroupBits> anew = lanes_.Anew();
          slots_.PutIf(step.number, a,
                       [&](int e) { return arrays_.Have(anew.element(e)); });
        }
        break;
      case Code::kStore:
        if constexpr (!kOfFilter) {
          DispatchStored<W>(step.type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            StoreColumn<T, W>(arrays_, arrays_.out[step.number], lanes_, a);
          });
        }
        break;
      case Code::kStoreKept:
        if constexpr (kOfFilter) {
          DispatchStored<W>(step.type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            StoreKept<T, W>(arrays_.out[step.number], kept_, a);
          });
        }
        break;
      case Code::kGather:
        // The index has 64 bits.
        if constexpr (sizeof(W) == 8) {
          DispatchLoaded<W>(step.type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            GatherFrom<T, W>(arrays_, step.number, lanes_, a);
          });
        }
        break;
      case Code::kChoose:
        Unrolled<kCount>(
            [&](int e) { a[e] = (condition & 1u << e) != 0 ? a[e] : r[e]; });
        break;
      case Code::kChooseOther:
        Unrolled<kCount>(
            [&](int e) { a[e] = (condition & 1u << e) != 0 ? r[e] : a[e]; });
        break;
      case Code::kFmaFloat32:
        DoFma<float>(step, a, r);
        break;
      case Code::kFmaFloat64:
        DoFma<double>(step, a, r);
        break;
      case Code::kAbs:
        Each<Signed>(a, [](Signed x) { return expression::meaning::Abs(x); });
        break;
      case Code::kIsNotZero:
        Convert<bool, W>(a);
        break;
      case Code::kWrapInt8:
        Convert<std::int8_t, W>(a);
        break;
      case Code::kWrapUInt8:
        Convert<std::uint8_t, W>(a);
        break;
      case Code::kWrapInt32:
        Convert<int32_t, W>(a);
        break;
      case Code::kWrapUInt32:
        Convert<uint32_t, W>(a);
        break;
      case Code::kCanonical32:
        Each<float>(a, [](float x) { return CanonicalNan(x); });
        break;
      case Code::kCanonical64:
        Each<double>(a, [](double x) { return CanonicalNan(x); });
        break;
      case Code::kSignedTo32:
        Convert<float, Signed>(a);
        break;
      case Code::kSignedTo64:
        Convert<double, Signed>(a);
        break;
      case Code::kSignedFrom32:
        Convert<Signed, float>(a);
        break;
      case Code::kSignedFrom64:
        Convert<Signed, double>(a);
        break;
      case Code::kFloat32To64:
        Convert<double, float>(a);
        break;
      case Code::kFloat64To32:
        Convert<float, double>(a);
        break;
#define CONCORD_STEP(op, kind)                                   \
  case Code::op##_##kind: {                                      \
    using T = typename KindOf<W>::kind;                          \
    EachOfTwo<T>(a, r, [](T x, T y) { return fast::op(x, y); }); \
    break;                                                       \
  }
        CONCORD_FOR_EACH_FAST_STEP(CONCORD_STEP)
#undef CONCORD_STEP
#define CONCORD_STEP(op, kind)                                            \
  case Code::Test_##op##_##kind: {                                        \
    using T = typename KindOf<W>::kind;                                   \
    Test<T>(step, r, condition, [](T x, T y) { return fast::op(x, y); }); \
    break;                                                                \
  }
        CONCORD_FOR_EACH_TEST(CONCORD_STEP)
#undef CONCORD_STEP
      default:
        CallRarely(step, a, r);
    }
  }

  const Arrays& arrays_;
  // Copies, for registers.
  const Lanes<kGroupBits> lanes_;
  const Slots<W> slots_;
  const Kept kept_;
};

}  // namespace concord::machine

#endif  // CONCORD_BACKENDS_CUDA_INTERPRETER_MACHINE_H_
