/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Calls of every function with arguments drawn at random, right ones and wrong
 * ones alike. */
#ifndef CONCORD_TOOLS_BINDINGS_TESTS_RANDOM_CALLS_H_
#define CONCORD_TOOLS_BINDINGS_TESTS_RANDOM_CALLS_H_

#include "concord/tools/bindings/concord.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct outcome {
  int64_t calls;
  int64_t accepted;
  int64_t refused;
  /* Refused without a message, or with a code that concord.h does not have. */
  int64_t unexplained;
  /* Refused, but with something else than NULL or 0 in the place of a value. */
  int64_t leftovers;
  /* Of right calls on a GPU, where there is one, after all others: it does
   * nothing more where a wrong call has made a kernel touch what is not there.
   */
  int64_t gpu_refused;
} outcome;

outcome make_random_calls(uint64_t seed, int64_t calls);

#ifdef __cplusplus
}
#endif

#endif /* CONCORD_TOOLS_BINDINGS_TESTS_RANDOM_CALLS_H_ */
