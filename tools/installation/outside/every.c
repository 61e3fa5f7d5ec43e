/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

/* every BACKEND: what every algorithm makes of the inputs in calls.h, which
 * outside_test.py writes: for each output a line with its bytes. */

#include <concord.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

enum { MOST_OUTPUTS = 8 };

/* Returns where the expression is no NULL. */
#define TRY(expression)                     \
  do {                                      \
    concord_status* failure = (expression); \
    if (failure != NULL) return failure;    \
  } while (0)

static concord_array array_of(const input* from) {
  concord_array array;
  memset(&array, 0, sizeof array);
  array.name = from->name;
  array.data = (void*)(uintptr_t)from->data;
  array.device.type = CONCORD_CPU;
  array.dimensions = from->dimensions;
  array.type.code = from->code;
  array.type.bits = from->bits;
  array.type.lanes = 1;
  array.shape = from->shape;
  return array;
}

static int64_t size_of_rows(const concord_array* array, int64_t rows) {
  return array->dimensions == 2 ? rows * array->shape[1] : rows;
}

static int64_t size_of(const concord_array* array) {
  return size_of_rows(array, array->shape[0]);
}

/* How many elements of the output are results. */
static concord_status* find_size(const concord_plan* plan,
                                 const concord_array* outputs, size_t count,
                                 size_t index, int64_t* size) {
  const char* count_in = NULL;
  size_t k;
  *size = size_of(&outputs[index]);
  TRY(concord_plan_count_in(plan, index, &count_in));
  for (k = 0; count_in != NULL && k < count; ++k) {
    if (strcmp(outputs[k].name, count_in) == 0) {
      *size = size_of_rows(&outputs[index], *(const int64_t*)outputs[k].data);
    }
  }
  return NULL;
}

static concord_status* show(const char* algorithm, const concord_plan* plan,
                            const concord_array* outputs, size_t count) {
  size_t i;
  int64_t size, k;
  for (i = 0; i < count; ++i) {
    const unsigned char* const bytes = outputs[i].data;
    TRY(find_size(plan, outputs, count, i, &size));
    printf("%s %s ", algorithm, outputs[i].name);
    for (k = 0; k < size * outputs[i].type.bits / 8; ++k) {
      printf("%02x", bytes[k]);
    }
    printf("\n");
  }
  return NULL;
}

static concord_status* run(concord_backend* backend, const call* what) {
  concord_array inputs[MOST_INPUTS];
  concord_array outputs[MOST_OUTPUTS];
  concord_memory* memory[MOST_OUTPUTS];
  concord_kernel* kernel = NULL;
  concord_plan* plan = NULL;
  size_t count = 0;
  size_t i;
  for (i = 0; i < what->inputs; ++i) inputs[i] = array_of(&what->given[i]);
  TRY(concord_kernel_create(backend, what->algorithm, "", NULL, 0, &kernel));
  TRY(concord_kernel_plan(kernel, inputs, what->inputs, &plan));
  TRY(concord_plan_output_count(plan, &count));
  for (i = 0; i < count; ++i) {
    TRY(concord_plan_output(plan, i, &outputs[i]));
    TRY(concord_memory_allocate(backend, &outputs[i], &memory[i]));
  }
  TRY(concord_kernel_run(kernel, inputs, what->inputs, outputs, count));
  TRY(show(what->algorithm, plan, outputs, count));
  for (i = 0; i < count; ++i) concord_memory_free(memory[i]);
  concord_plan_free(plan);
  concord_kernel_free(kernel);
  return NULL;
}

int main(int argc, char** argv) {
  concord_backend* backend = NULL;
  concord_status* status =
      concord_backend_open(argc > 1 ? argv[1] : "", &backend);
  size_t i;
  for (i = 0; status == NULL && i < sizeof calls / sizeof *calls; ++i) {
    status = run(backend, &calls[i]);
    if (status != NULL) fprintf(stderr, "%s: ", calls[i].algorithm);
  }
  if (status != NULL) {
    fprintf(stderr, "%s\n", concord_status_message(status));
    concord_status_free(status);
    return 1;
  }
  concord_backend_free(backend);
  return 0;
}
