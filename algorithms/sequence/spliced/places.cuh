// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The places of a pass (backends/cuda/spliced/pass_functions.h) on states of
// CONCORD_WORDS words, which are as long as CONCORD_WORD_BITS says.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PLACES_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PLACES_CUH_

#include <cstdint>

#if CONCORD_WORD_BITS == 64
#define CONCORD_REGISTER "l"
#elif CONCORD_WORD_BITS == 32
#define CONCORD_REGISTER "r"
#endif

// The words of a state as operands of inline assembly, and the numbers that
// they have there: one, two or three states, one after the other.
#define CONCORD_EACH_1(how, state) how(state.word[0])
#define CONCORD_EACH_2(how, state) \
  CONCORD_EACH_1(how, state), how(state.word[1])
#define CONCORD_EACH_4(how, state) \
  CONCORD_EACH_2(how, state), how(state.word[2]), how(state.word[3])
#define CONCORD_EACH_8(how, state)                                    \
  CONCORD_EACH_4(how, state), how(state.word[4]), how(state.word[5]), \
      how(state.word[6]), how(state.word[7])
#define CONCORD_OUT(word) "=&" CONCORD_REGISTER(word)
#define CONCORD_CHANGED(word) "+&" CONCORD_REGISTER(word)
#define CONCORD_IN(word) CONCORD_REGISTER(word)

#if CONCORD_WORDS == 1
#define CONCORD_EACH CONCORD_EACH_1
#define CONCORD_STATE "%0"
#define CONCORD_AFTER_STATE "%1"
#define CONCORD_PIECE "%1, %2, %3"
#define CONCORD_THREE_STATES "%0, %1, %2"
#elif CONCORD_WORDS == 2
#define CONCORD_EACH CONCORD_EACH_2
#define CONCORD_STATE "%0, %1"
#define CONCORD_AFTER_STATE "%2"
#define CONCORD_PIECE "%2, %3, %4"
#define CONCORD_THREE_STATES "%0, %1, %2, %3, %4, %5"
#elif CONCORD_WORDS == 4
#define CONCORD_EACH CONCORD_EACH_4
#define CONCORD_STATE "%0, %1, %2, %3"
#define CONCORD_AFTER_STATE "%4"
#define CONCORD_PIECE "%4, %5, %6"
#define CONCORD_THREE_STATES "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11"
#elif CONCORD_WORDS == 8
#define CONCORD_EACH CONCORD_EACH_8
#define CONCORD_STATE "%0, %1, %2, %3, %4, %5, %6, %7"
#define CONCORD_AFTER_STATE "%8"
#define CONCORD_PIECE "%8, %9, %10"
#define CONCORD_THREE_STATES                                \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, " \
  "%13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23"
#endif

// The same for a group of neighbours, whose states follow each other: as many
// as have 16 bytes of each word, or two of eight words.
#if CONCORD_WORD_BITS == 64 || CONCORD_WORDS == 8
#define CONCORD_GROUP 2
#define CONCORD_EACH_OF_GROUP(how, states) \
  CONCORD_EACH(how, states[0]), CONCORD_EACH(how, states[1])
#else
#define CONCORD_GROUP 4
#define CONCORD_EACH_OF_GROUP(how, states)                    \
  CONCORD_EACH(how, states[0]), CONCORD_EACH(how, states[1]), \
      CONCORD_EACH(how, states[2]), CONCORD_EACH(how, states[3])
#endif
#define CONCORD_FIRST_2 "%0, %1"
#define CONCORD_FIRST_4 CONCORD_FIRST_2 ", %2, %3"
#define CONCORD_FIRST_8 CONCORD_FIRST_4 ", %4, %5, %6, %7"
#define CONCORD_FIRST_16 \
  CONCORD_FIRST_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#if CONCORD_GROUP * CONCORD_WORDS == 2
#define CONCORD_WITH_GROUP CONCORD_FIRST_2 ", %2, %3"
#elif CONCORD_GROUP * CONCORD_WORDS == 4
#define CONCORD_WITH_GROUP CONCORD_FIRST_4 ", %4, %5"
#elif CONCORD_GROUP * CONCORD_WORDS == 8
#define CONCORD_WITH_GROUP CONCORD_FIRST_8 ", %8, %9"
#elif CONCORD_GROUP * CONCORD_WORDS == 16
#define CONCORD_WITH_GROUP CONCORD_FIRST_16 ", %16, %17"
#endif

namespace concord::sequence {

#if CONCORD_WORD_BITS == 64
using StateWord = uint64_t;
#else
using StateWord = uint32_t;
#endif

// A tuple of values.
struct State {
  StateWord word[CONCORD_WORDS];
};

__device__ __forceinline__ State Combined(const State& a, const State& b) {
  State c;
  asm("//CONCORD combine " CONCORD_THREE_STATES
      : CONCORD_EACH(CONCORD_OUT, c)
      : CONCORD_EACH(CONCORD_IN, a), CONCORD_EACH(CONCORD_IN, b));
  return c;
}

// Those that read columns are volatile: a kernel says when.

// Starts to bring a piece of each of a warp's rows to `pieces` in shared memory
// (backends/cuda/spliced/row_pieces.h), of the first one from element `first`
// on. All lanes call it; there are `rows` rows.
__device__ __forceinline__ void FetchPieces(uint32_t pieces, int64_t first,
                                            int lane, int rows) {
  asm volatile("//CONCORD fetch %0, %1, %2, %3"
               :
               : "r"(pieces), "l"(first), "r"(lane), "r"(rows)
               : "memory");
}

// The state of kFoldGroup elements: those from number `at` on of the piece
// there, the first of which is element `first`.
__device__ __forceinline__ State BegunAt(uint32_t piece, int at,
                                         int64_t first) {
  State state;
  asm volatile("//CONCORD begin " CONCORD_STATE ", " CONCORD_PIECE
               : CONCORD_EACH(CONCORD_OUT, state)
               : "r"(piece), "r"(at), "l"(first)
               : "memory");
  return state;
}
__device__ __forceinline__ void Step(State& state, uint32_t piece, int at,
                                     int64_t first) {
  asm volatile("//CONCORD step " CONCORD_STATE ", " CONCORD_PIECE
               : CONCORD_EACH(CONCORD_CHANGED, state)
               : "r"(piece), "r"(at), "l"(first)
               : "memory");
}

// The same of one element, from its column.
__device__ __forceinline__ State BegunWith(int64_t element) {
  State state;
  asm volatile("//CONCORD begin_one " CONCORD_STATE ", " CONCORD_AFTER_STATE
               : CONCORD_EACH(CONCORD_OUT, state)
               : "l"(element));
  return state;
}
__device__ __forceinline__ void StepOne(State& state, int64_t element) {
  asm volatile("//CONCORD step_one " CONCORD_STATE ", " CONCORD_AFTER_STATE
               : CONCORD_EACH(CONCORD_CHANGED, state)
               : "l"(element));
}

// The same of a group of elements from `first` on, a multiple of so many.
__device__ __forceinline__ void BeginGroup(State (&states)[CONCORD_GROUP],
                                           int64_t first) {
  asm volatile("//CONCORD begin_group " CONCORD_WITH_GROUP
               : CONCORD_EACH_OF_GROUP(CONCORD_OUT, states)
               : "l"(first), "n"(CONCORD_GROUP));
}

// What the pass begins with.
__device__ __forceinline__ State Beginning() {
  State state;
  asm("//CONCORD identity " CONCORD_STATE : CONCORD_EACH(CONCORD_OUT, state));
  return state;
}

// Writes the results of an element, or of a group.
__device__ __forceinline__ void StoreAt(const State& state, int64_t element) {
  asm volatile("//CONCORD store_at " CONCORD_STATE ", " CONCORD_AFTER_STATE
               :
               : CONCORD_EACH(CONCORD_IN, state), "l"(element)
               : "memory");
}

__device__ __forceinline__ void StoreGroup(const State (&states)[CONCORD_GROUP],
                                           int64_t first) {
  asm volatile("//CONCORD store_group " CONCORD_WITH_GROUP
               :
               : CONCORD_EACH_OF_GROUP(CONCORD_IN, states), "l"(first),
                 "n"(CONCORD_GROUP)
               : "memory");
}

// Writes the pass's results.
__device__ __forceinline__ void StoreResults(const State& state) {
  asm volatile("//CONCORD store " CONCORD_STATE
               :
               : CONCORD_EACH(CONCORD_IN, state)
               : "memory");
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PLACES_CUH_
