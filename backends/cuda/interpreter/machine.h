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
#include "concord/backends/cuda/interpreter/register_steps.h"
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
    // A number, not a pointer: that is one register and one addition.
    std::uint32_t at = 0;
    for (;;) {
      FetchedStep step = Fetched(steps, at);
      // Most are short: this loop tells them by a comparison or two.
      while (IsShort(step)) {
        if (step.code() == Code::kLoadWords) {
          LoadGroups<W, W>(arrays_.in[step.number()], lanes_, a);
        } else {
          Registers::DoShort(step, a);
        }
        step = Fetched(steps, at);
      }
      if (step.code() == Code::kEnd) return;
      if (step.source() == Source::kConstant) {
        Registers::DoWithConstant(step, a, condition);
      } else {
        Fetch(step, r);
        Do(step, a, r, condition);
      }
    }
  }

 private:
  using Registers = RegisterSteps<W>;
  using Signed = typename Registers::Signed;
  static constexpr int kCount = kLanes<W>;

  // A load of what is not whole is not.
  CONCORD_INLINE bool IsShort(const FetchedStep& step) const {
    return step.code() >= Code::kLoadWords &&
           (step.code() != Code::kLoadWords || lanes_.whole);
  }

  // Step `at`, which becomes the one behind it.
  static CONCORD_INLINE FetchedStep Fetched(const Step* steps,
                                            std::uint32_t& at) {
    at = Anew(at);
    const Step* const step = steps + at++;
#ifdef __CUDA_ARCH__
    const uint4 words = __ldg(reinterpret_cast<const uint4*>(step));
    return {words.x, words.y, words.z, words.w};
#else
    FetchedStep fetched;
    std::memcpy(&fetched, step, sizeof(fetched));
    return fetched;
#endif
  }

  CONCORD_INLINE void Fetch(const FetchedStep& step, Register<W>& r) const {
    if (step.source() == Source::kSlot) {
      slots_.Get(step.number(), r);
    } else if (step.source() == Source::kColumn) {
      DispatchLoaded<W>(step.type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        LoadColumn<T, W>(arrays_, arrays_.in[step.number()], lanes_, r);
      });
    }
  }

  // condition = f(r, the second operand).
  template <typename T, typename F>
  CONCORD_INLINE void Test(const FetchedStep& step, const Register<W>& r,
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

  CONCORD_INLINE void GetSecond(const FetchedStep& step, Register<W>& b) const {
    if (step.second() != Step::kNoSecond) return slots_.Get(step.second(), b);
    Unrolled<kCount>([&](int e) { b[e] = static_cast<W>(step.constant()); });
  }

  template <typename T>
  CONCORD_INLINE void DoFma(const FetchedStep& step, Register<W>& a,
                            const Register<W>& r) const {
    if constexpr (kFits<T, W>) {
      Register<W> c;
      GetSecond(step, c);
      Unrolled<kCount>([&](int e) {
        a[e] = Anew(ToWord<W>(expression::meaning::Fma(
            FromWord<T>(a[e]), FromWord<T>(r[e]), FromWord<T>(c[e]))));
      });
    }
  }

  CONCORD_INLINE void Do(const FetchedStep& step, Register<W>& a,
                         const Register<W>& r, std::uint32_t& condition) const {
    using std::int32_t;
    using std::uint32_t;
    switch (step.code()) {
      case Code::kEnd:
        break;
      case Code::kLoad:
      case Code::kLoadWords:
        Unrolled<kCount>([&](int e) { a[e] = Anew(r[e]); });
        break;
      case Code::kIndex:
        Unrolled<kCount>([&](int e) {
          a[e] = Anew(static_cast<W>(lanes_.Anew().element(e)));
        });
        break;
      case Code::kPut:
        slots_.Put(step.number(), a);
        break;
      case Code::kPutPresent:
        if (lanes_.whole) {
          slots_.Put(step.number(), a);
        } else {
          slots_.PutIf(step.number(), a, [&](int e) {
            return arrays_.Have(lanes_.Anew().element(e));
          });
        }
        break;
      case Code::kStore:
        if constexpr (!kOfFilter) {
          DispatchStored<W>(step.type(), [&](auto tag) {
            using T = typename decltype(tag)::type;
            StoreColumn<T, W>(arrays_, arrays_.out[step.number()], lanes_, a);
          });
        }
        break;
      case Code::kStoreKept:
        if constexpr (kOfFilter) {
          DispatchStored<W>(step.type(), [&](auto tag) {
            using T = typename decltype(tag)::type;
            StoreKept<T, W>(arrays_.out[step.number()], kept_, a);
          });
        }
        break;
      case Code::kGather:
        // The index has 64 bits.
        if constexpr (sizeof(W) == 8) {
          DispatchLoaded<W>(step.type(), [&](auto tag) {
            using T = typename decltype(tag)::type;
            GatherFrom<T, W>(arrays_, step.number(), lanes_, a);
          });
        }
        break;
      case Code::kChoose:
        Registers::Choose(
            a, condition, [&](int e) { return a[e]; },
            [&](int e) { return r[e]; });
        break;
      case Code::kChooseOther:
        Registers::Choose(
            a, condition, [&](int e) { return r[e]; },
            [&](int e) { return a[e]; });
        break;
      case Code::kFmaFloat32:
        DoFma<float>(step, a, r);
        break;
      case Code::kFmaFloat64:
        DoFma<double>(step, a, r);
        break;
      case Code::kAbs:
        Registers::template Each<Signed>(
            a, [](Signed x) { return expression::meaning::Abs(x); });
        break;
      case Code::kIsNotZero:
        Registers::template Convert<bool, W>(a);
        break;
      case Code::kWrapInt8:
        Registers::template Convert<std::int8_t, W>(a);
        break;
      case Code::kWrapUInt8:
        Registers::template Convert<std::uint8_t, W>(a);
        break;
      case Code::kWrapInt32:
        Registers::template Convert<int32_t, W>(a);
        break;
      case Code::kWrapUInt32:
        Registers::template Convert<uint32_t, W>(a);
        break;
      case Code::kCanonical32:
        Registers::template Each<float>(
            a, [](float x) { return CanonicalNan(x); });
        break;
      case Code::kCanonical64:
        Registers::template Each<double>(
            a, [](double x) { return CanonicalNan(x); });
        break;
      case Code::kSignedTo32:
        Registers::template Convert<float, Signed>(a);
        break;
      case Code::kSignedTo64:
        Registers::template Convert<double, Signed>(a);
        break;
      case Code::kSignedFrom32:
        Registers::template Each<float>(
            a, [](float x) { return Registers::SignedOf(x); });
        break;
      case Code::kSignedFrom64:
        Registers::template Each<double>(
            a, [](double x) { return Registers::SignedOf(x); });
        break;
      case Code::kFloat32To64:
        Registers::template Convert<double, float>(a);
        break;
      case Code::kFloat64To32:
        Registers::template Convert<float, double>(a);
        break;
#define CONCORD_STEP(op, kind)                                                 \
  case Code::op##_##kind: {                                                    \
    using T = typename KindOf<W>::kind;                                        \
    Registers::template EachOfTwo<T>(a, r,                                     \
                                     [](T x, T y) { return fast::op(x, y); }); \
    break;                                                                     \
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
        Registers::CallRarely(step, a, r);
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
