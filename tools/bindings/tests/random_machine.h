/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What the files of random calls share. */
#ifndef CONCORD_TOOLS_BINDINGS_TESTS_RANDOM_MACHINE_H_
#define CONCORD_TOOLS_BINDINGS_TESTS_RANDOM_MACHINE_H_

#include "concord/tools/bindings/tests/random_calls.h"

enum {
  MOST_ARRAYS = 4,
  MOST_OPTIONS = 3,
  MOST_EXTENT = 12,
  MOST_ELEMENTS = 2 * MOST_EXTENT * MOST_EXTENT
};

/* Everything that a call is made with. */
typedef struct machine {
  uint64_t state;
  /* Whether no more memory is asked for than there can be. */
  int is_modest;
  outcome seen;
  concord_backend* backend;
  concord_kernel* kernel;
  concord_plan* plan;
  concord_event* event;
  concord_memory* memory;
  concord_verification* verification;
  concord_differential* differential;
  /* Its case, while that is there. */
  const concord_array* asked;
  size_t asked_count;
  const char* const* algorithms;
  size_t algorithm_count;
  int64_t shapes[MOST_ARRAYS][3];
  int64_t strides[MOST_ARRAYS][3];
  /* Room for as many elements as any shape that is not refused has. */
  int64_t data[MOST_ARRAYS][MOST_ELEMENTS];
  /* The same on a GPU, where there is one. */
  concord_backend* gpu;
  concord_memory* gpu_memory[MOST_ARRAYS];
  concord_array gpu_data[MOST_ARRAYS];
} machine;

uint64_t draw(machine* m, uint64_t below);
int rarely(machine* m);

#define PICK(m, list) ((list)[draw((m), sizeof(list) / sizeof *(list))])

/* An array whose data are the machine's. */
void draw_array(machine* m, size_t number, concord_array* array);

/* Counts the answer. Returns whether the call was accepted. */
int take(machine* m, concord_status* status);
/* The same of a call that gives a value, of which `is_there` tells after it. */
void give(machine* m, concord_status* status, int is_there);
#define GIVE(m, call, is_there)              \
  do {                                       \
    concord_status* const answered = (call); \
    give((m), answered, (is_there));         \
  } while (0)

/* One call of concord_differential_*. */
void use_differential(machine* m);

#endif /* CONCORD_TOOLS_BINDINGS_TESTS_RANDOM_MACHINE_H_ */
