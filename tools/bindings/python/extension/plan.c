/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

#include "concord/tools/bindings/python/extension/plan.h"

#include <stdlib.h>
#include <string.h>

static int index_of(const struct algorithm* algorithm, const char* name) {
  for (int i = 0; i < algorithm->output_count; ++i) {
    if (strcmp(algorithm->outputs[i], name) == 0) return i;
  }
  return -1;
}

static int is_ok(concord_status* status) {
  if (status == NULL) return 1;
  library.status_free(status);
  return 0;
}

/* The arguments of numpy.empty: a shape and a type. */
static PyObject* arguments_of(const struct kind* kind) {
  PyObject* key = Py_BuildValue("(ii)", kind->type.code, kind->type.bits);
  if (key == NULL) return NULL;
  PyObject* dtype = PyDict_GetItemWithError(world.dtypes, key);
  Py_DECREF(key);
  if (dtype == NULL) return NULL;
  if (kind->dimensions == 1) {
    return Py_BuildValue("((L)O)", (long long)kind->shape[0], dtype);
  }
  return Py_BuildValue("((LL)O)", (long long)kind->shape[0],
                       (long long)kind->shape[1], dtype);
}

/* Takes down output number `i` of a plan; the name of its size in `size_in`. */
static int take_output(const struct algorithm* algorithm,
                       const concord_plan* from, int i, struct output* output,
                       const char** size_in) {
  concord_array array;
  if (!is_ok(library.plan_output(from, i, &array)) ||
      !is_ok(library.plan_count_in(from, i, size_in))) {
    return 0;
  }
  if (array.dimensions < 1 || array.dimensions > kMostDimensions) return 0;
  output->index = index_of(algorithm, array.name);
  output->kind.type = array.type;
  output->kind.dimensions = array.dimensions;
  for (int d = 0; d < array.dimensions; ++d) {
    output->kind.shape[d] = array.shape[d];
  }
  output->size_in = -1;
  output->empty = arguments_of(&output->kind);
  return output->index >= 0 && output->empty != NULL;
}

static int take_outputs(const struct algorithm* algorithm,
                        const concord_plan* from, struct plan* plan) {
  const char* size_in[kMostOutputs];
  size_t count = 0;
  if (!is_ok(library.plan_output_count(from, &count)) || count == 0 ||
      count > kMostOutputs) {
    return 0;
  }
  for (; (size_t)plan->output_count < count; ++plan->output_count) {
    const int i = plan->output_count;
    if (!take_output(algorithm, from, i, &plan->outputs[i], &size_in[i])) {
      return 0;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (size_in[i] == NULL) continue;
    for (size_t j = 0; j < count; ++j) {
      if (strcmp(algorithm->outputs[plan->outputs[j].index], size_in[i]) == 0) {
        plan->outputs[i].size_in = (int)j;
        plan->outputs[j].is_size = 1;
      }
    }
  }
  return 1;
}

/* Several results have a type of their own. */
static int take_type(const struct algorithm* algorithm, struct plan* plan) {
  PyObject* names = PyList_New(0);
  if (names == NULL) return 0;
  int ok = 1;
  for (int i = 0; i < plan->output_count && ok; ++i) {
    if (plan->outputs[i].is_size) continue;
    PyObject* name =
        PyUnicode_FromString(algorithm->outputs[plan->outputs[i].index]);
    ok = name != NULL && PyList_Append(names, name) == 0;
    Py_XDECREF(name);
  }
  if (ok && PyList_Size(names) > 1) {
    PyObject* tuple = PyList_AsTuple(names);
    if (tuple != NULL) {
      plan->type =
          PyObject_CallFunctionObjArgs(algorithm->tuple_of, tuple, NULL);
      Py_DECREF(tuple);
    }
    ok = plan->type != NULL;
  }
  Py_DECREF(names);
  return ok;
}

struct plan* new_plan(const struct algorithm* algorithm, concord_kernel* kernel,
                      int given, const struct kind* kinds,
                      const concord_array* arrays, int count) {
  concord_plan* from = NULL;
  if (!is_ok(library.kernel_plan(kernel, arrays, count, &from))) return NULL;
  struct plan* plan = calloc(1, sizeof(*plan));
  if (plan != NULL) {
    plan->references = 1;
    plan->given = given;
    memcpy(plan->inputs, kinds, algorithm->input_count * sizeof(*kinds));
    if (!take_outputs(algorithm, from, plan) || !take_type(algorithm, plan)) {
      /* The output at which it ended may have arguments already. */
      if (plan->output_count < kMostOutputs) {
        Py_XDECREF(plan->outputs[plan->output_count].empty);
      }
      release(plan);
      plan = NULL;
    }
  }
  library.plan_free(from);
  return plan;
}

void release(struct plan* plan) {
  if (plan == NULL || --plan->references > 0) return;
  for (int i = 0; i < plan->output_count; ++i) {
    Py_XDECREF(plan->outputs[i].empty);
  }
  Py_XDECREF(plan->type);
  free(plan);
}

static int is_alike(const struct kind* a, const struct kind* b) {
  if (a->type.code != b->type.code || a->type.bits != b->type.bits ||
      a->dimensions != b->dimensions) {
    return 0;
  }
  for (int d = 0; d < a->dimensions; ++d) {
    if (a->shape[d] != b->shape[d]) return 0;
  }
  return 1;
}

int suits(const struct plan* plan, int given, const struct kind* kinds,
          Py_ssize_t count) {
  if (plan->given != given) return 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if ((given >> i & 1) != 0 && !is_alike(&plan->inputs[i], &kinds[i])) {
      return 0;
    }
  }
  return 1;
}
