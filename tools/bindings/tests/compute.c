/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

#include "concord/tools/bindings/tests/compute.h"

#include <string.h>

/* Returns where the expression is no NULL. */
#define TRY(expression)                     \
  do {                                      \
    concord_status* failure = (expression); \
    if (failure != NULL) return failure;    \
  } while (0)

typedef concord_status* (*allocator)(concord_backend*, concord_array*,
                                     concord_memory**);

/* Room for the array, which `results` keeps. */
static concord_status* make_room(concord_backend* backend, allocator allocate,
                                 concord_array* array, computed* results) {
  concord_memory** memory = &results->memory[results->memory_count];
  TRY(allocate(backend, array, memory));
  ++results->memory_count;
  return NULL;
}

static concord_status* copy_in(concord_backend* backend,
                               const computation* what, concord_array* inputs,
                               computed* results) {
  size_t i;
  for (i = 0; i < what->input_count; ++i) {
    inputs[i] = what->inputs[i];
    TRY(make_room(backend, concord_memory_allocate, &inputs[i], results));
    TRY(concord_copy(backend, &what->inputs[i], &inputs[i]));
  }
  return NULL;
}

static concord_status* copy_out(concord_backend* backend,
                                const concord_array* outputs,
                                computed* results) {
  size_t i;
  for (i = 0; i < results->count; ++i) {
    results->outputs[i] = outputs[i];
    TRY(make_room(backend, concord_memory_allocate_host, &results->outputs[i],
                  results));
    TRY(concord_copy(backend, &outputs[i], &results->outputs[i]));
  }
  return NULL;
}

static concord_status* run(concord_kernel* kernel, const computation* what,
                           const concord_array* inputs,
                           const concord_array* outputs, size_t output_count) {
  concord_event* event = NULL;
  concord_status* status;
  if (!what->asynchronous) {
    return concord_kernel_run(kernel, inputs, what->input_count, outputs,
                              output_count);
  }
  TRY(concord_kernel_start(kernel, inputs, what->input_count, outputs,
                           output_count, &event));
  status = concord_event_wait(event);
  concord_event_free(event);
  return status;
}

static int64_t size_of_rows(const concord_array* array, int64_t rows) {
  return array->dimensions == 2 ? rows * array->shape[1] : rows;
}

static int64_t size_of(const concord_array* array) {
  return size_of_rows(array, array->shape[0]);
}

static concord_status* find_sizes(computed* results) {
  size_t i, k;
  for (i = 0; i < results->count; ++i) {
    const char* count_in = NULL;
    results->sizes[i] = size_of(&results->outputs[i]);
    TRY(concord_plan_count_in(results->plan, i, &count_in));
    for (k = 0; count_in != NULL && k < results->count; ++k) {
      if (strcmp(results->outputs[k].name, count_in) != 0) continue;
      results->sizes[i] = size_of_rows(
          &results->outputs[i], *(const int64_t*)results->outputs[k].data);
    }
  }
  return NULL;
}

static concord_status* compute_with(concord_backend* backend,
                                    concord_kernel* kernel,
                                    const computation* what,
                                    computed* results) {
  concord_array inputs[MOST_ARRAYS];
  concord_array outputs[MOST_ARRAYS];
  size_t i;
  TRY(concord_kernel_plan(kernel, what->inputs, what->input_count,
                          &results->plan));
  TRY(concord_plan_output_count(results->plan, &results->count));
  TRY(copy_in(backend, what, inputs, results));
  for (i = 0; i < results->count; ++i) {
    TRY(concord_plan_output(results->plan, i, &outputs[i]));
    TRY(make_room(backend, concord_memory_allocate, &outputs[i], results));
  }
  TRY(run(kernel, what, inputs, outputs, results->count));
  TRY(copy_out(backend, outputs, results));
  return find_sizes(results);
}

concord_status* compute(const computation* what, computed* results) {
  concord_backend* backend = NULL;
  concord_kernel* kernel = NULL;
  concord_status* status = concord_backend_open(what->backend, &backend);
  memset(results, 0, sizeof *results);
  if (status == NULL) {
    status = concord_kernel_create(backend, what->algorithm, what->variant,
                                   what->options, what->option_count, &kernel);
  }
  if (status == NULL) status = compute_with(backend, kernel, what, results);
  concord_kernel_free(kernel);
  concord_backend_free(backend);
  return status;
}

void computed_free(computed* results) {
  size_t i;
  for (i = 0; i < results->memory_count; ++i) {
    concord_memory_free(results->memory[i]);
  }
  concord_plan_free(results->plan);
  memset(results, 0, sizeof *results);
}
