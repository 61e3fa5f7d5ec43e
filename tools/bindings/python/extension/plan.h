/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

#ifndef CONCORD_TOOLS_BINDINGS_PYTHON_EXTENSION_PLAN_H_
#define CONCORD_TOOLS_BINDINGS_PYTHON_EXTENSION_PLAN_H_

#include "concord/tools/bindings/python/extension/library.h"

/* What an algorithm has, for as long as the module is loaded. */
struct algorithm {
  Py_ssize_t input_count;
  const char* inputs[kMostInputs];
  int optional[kMostInputs];
  Py_ssize_t output_count;
  const char* outputs[kMostOutputs];
  int is_number[kMostOutputs]; /* a single element, by the description */
  const char* first_result;    /* where an `out` goes */
  Py_ssize_t value_count;      /* options and the variant */
  PyObject* names;             /* keeps the texts */
  PyObject* tuple_of;          /* the type of several results, by their names */
};

/* One output of a call. */
struct output {
  int index; /* among those of the algorithm */
  struct kind kind;
  int size_in;     /* the number of the output that has its size, or -1 */
  int is_size;     /* of another output: no result itself */
  PyObject* empty; /* arguments of numpy.empty */
};

/* The outputs of calls whose inputs have these types and shapes. Counted
 * references, all of which are taken and given back with Python's lock held. */
struct plan {
  int references;
  int given; /* a bit for each input */
  struct kind inputs[kMostInputs];
  int output_count;
  struct output outputs[kMostOutputs];
  PyObject* type; /* of several results, or NULL */
};

/* The arrays are those that are given, in the algorithm's order. NULL, with or
 * without an exception, where the module has to do it. */
struct plan* new_plan(const struct algorithm* algorithm, concord_kernel* kernel,
                      int given, const struct kind* kinds,
                      const concord_array* arrays, int count);
void release(struct plan* plan);

/* Whether it is for such inputs. */
int suits(const struct plan* plan, int given, const struct kind* kinds,
          Py_ssize_t count);

#endif /* CONCORD_TOOLS_BINDINGS_PYTHON_EXTENSION_PLAN_H_ */
