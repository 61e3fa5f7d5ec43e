/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A program in C that computes something, for tests to look at its results. */
#ifndef CONCORD_TOOLS_BINDINGS_TESTS_COMPUTE_H_
#define CONCORD_TOOLS_BINDINGS_TESTS_COMPUTE_H_

#include "concord/tools/bindings/concord.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MOST_ARRAYS = 8 };

/* Inputs are in host memory. */
typedef struct computation {
  const char* backend;
  const char* algorithm;
  const char* variant;
  const char* const* options;
  size_t option_count;
  const concord_array* inputs;
  size_t input_count;
  /* By concord_kernel_start and an event. */
  int asynchronous;
} computation;

/* Outputs in host memory, as planned, and how many of their elements are
 * results. */
typedef struct computed {
  size_t count;
  concord_array outputs[MOST_ARRAYS];
  int64_t sizes[MOST_ARRAYS];
  /* What they lie in. */
  concord_plan* plan;
  concord_memory* memory[3 * MOST_ARRAYS];
  size_t memory_count;
} computed;

concord_status* compute(const computation* what, computed* results);
void computed_free(computed* results);

#ifdef __cplusplus
}
#endif

#endif /* CONCORD_TOOLS_BINDINGS_TESTS_COMPUTE_H_ */
