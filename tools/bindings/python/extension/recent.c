/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

#include "concord/tools/bindings/python/extension/recent.h"

#include <stdlib.h>
#include <string.h>

#include "concord/tools/bindings/python/extension/caller.h"

static PyTypeObject* recent_type;

void release_entry(struct entry* entry) {
  if (entry == NULL || --entry->references > 0) return;
  for (int i = 0; i < kMostPlans; ++i) release(entry->plans[i]);
  Py_DECREF(entry->values);
  Py_DECREF(entry->kernel);
  free(entry);
}

static void forget(struct recent* recent) {
  /* What is freed may run anything. */
  while (recent->count > 0) release_entry(recent->entries[--recent->count]);
}

/* Equal as keys are: 1 is not True here, which costs no more than a look at the
 * module's own table. Floats have the same bits, as -0.0 is not 0.0. */
static int is_equal(PyObject* a, PyObject* b) {
  if (a == b) return 1;
  if (Py_TYPE(a) != Py_TYPE(b)) return 0;
  if (PyFloat_CheckExact(a)) {
    const double first = PyFloat_AsDouble(a);
    const double second = PyFloat_AsDouble(b);
    return memcmp(&first, &second, sizeof(first)) == 0;
  }
  const int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal == 1;
}

/* `same`: the objects themselves, which those that stand in a program are. */
static int has_values(const struct entry* entry, PyObject* const* values,
                      int same) {
  for (Py_ssize_t i = 0; i < entry->algorithm->value_count; ++i) {
    PyObject* value = PyTuple_GetItem(entry->values, i);
    if (value == values[i]) continue;
    if (same || !is_equal(value, values[i])) return 0;
  }
  return 1;
}

struct entry* find(struct recent* recent, const struct algorithm* algorithm,
                   PyObject* const* values) {
  for (int same = 1; same >= 0; --same) {
    for (int i = 0; i < recent->count; ++i) {
      struct entry* entry = recent->entries[i];
      if (entry->algorithm != algorithm || !has_values(entry, values, same)) {
        continue;
      }
      memmove(&recent->entries[1], &recent->entries[0],
              i * sizeof(recent->entries[0]));
      recent->entries[0] = entry;
      return entry;
    }
  }
  return NULL;
}

struct plan* plan_of(struct entry* entry, int given, const struct kind* kinds,
                     const concord_array* arrays, int count) {
  for (int i = 0; i < kMostPlans && entry->plans[i] != NULL; ++i) {
    if (suits(entry->plans[i], given, kinds, entry->algorithm->input_count)) {
      return entry->plans[i];
    }
  }
  struct plan* plan =
      new_plan(entry->algorithm, entry->handle, given, kinds, arrays, count);
  if (plan == NULL) return NULL;
  release(entry->plans[entry->next_plan]);
  entry->plans[entry->next_plan] = plan;
  entry->next_plan = (entry->next_plan + 1) % kMostPlans;
  return plan;
}

void learn(struct entry* entry, int64_t elements, double seconds) {
  /* As _kernel.py does: under a tenth of a second, even where time grows with
   * the square of the size. */
  const int64_t quick = elements * (seconds < 0.0015  ? 8
                                    : seconds < 0.025 ? 2
                                                      : 0);
  if (quick > entry->quick) entry->quick = quick;
}

int remember(struct recent* recent, const struct algorithm* algorithm,
             PyObject* values, PyObject* kernel, concord_kernel* handle,
             int64_t quick) {
  PyObject* items[kMostValues];
  for (Py_ssize_t i = 0; i < algorithm->value_count; ++i) {
    items[i] = PyTuple_GetItem(values, i);
  }
  struct entry* entry = find(recent, algorithm, items);
  if (entry != NULL && entry->handle == handle) {
    if (quick > entry->quick) entry->quick = quick;
    return 1;
  }
  entry = calloc(1, sizeof(*entry));
  if (entry == NULL) return 0;
  entry->references = 1;
  entry->algorithm = algorithm;
  Py_INCREF(values);
  entry->values = values;
  Py_INCREF(kernel);
  entry->kernel = kernel;
  entry->handle = handle;
  entry->quick = quick;
  while (recent->count == kMostKernels) forget(recent);
  recent->entries[recent->count++] = entry;
  return 1;
}

/* --- The type --- */

static PyObject* recent_add(PyObject* self, PyObject* arguments) {
  PyObject *caller, *values, *kernel, *handle;
  long long quick = 0;
  if (!PyArg_ParseTuple(arguments, "OO!OOL", &caller, &PyTuple_Type, &values,
                        &kernel, &handle, &quick)) {
    return NULL;
  }
  const struct algorithm* algorithm = algorithm_of(caller);
  if (algorithm == NULL) return NULL;
  if (PyTuple_Size(values) != algorithm->value_count) {
    PyErr_SetString(PyExc_ValueError, "not the values of that algorithm");
    return NULL;
  }
  concord_kernel* address = PyLong_AsVoidPtr(handle);
  if (address == NULL && PyErr_Occurred()) return NULL;
  if (!remember((struct recent*)self, algorithm, values, kernel, address,
                quick)) {
    return PyErr_NoMemory();
  }
  Py_RETURN_NONE;
}

static PyObject* recent_clear(PyObject* self, PyObject* unused) {
  (void)unused;
  forget((struct recent*)self);
  Py_RETURN_NONE;
}

static void recent_free(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  forget((struct recent*)self);
  freefunc free_object = (freefunc)PyType_GetSlot(type, Py_tp_free);
  free_object(self);
  Py_DECREF(type);
}

static PyMethodDef recent_methods[] = {
    {"add", recent_add, METH_VARARGS,
     "add(caller, values, kernel, handle, quick): a kernel for calls to come"},
    {"clear", recent_clear, METH_NOARGS, "Forgets all kernels."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot recent_slots[] = {
    {Py_tp_doc, "The kernels that calls on a backend had last."},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_dealloc, recent_free},
    {Py_tp_methods, recent_methods},
    {0, NULL},
};

static PyType_Spec recent_spec = {"concord._calls.Recent",
                                  sizeof(struct recent), 0, Py_TPFLAGS_DEFAULT,
                                  recent_slots};

int add_recent(PyObject* module) {
  recent_type = (PyTypeObject*)PyType_FromSpec(&recent_spec);
  return recent_type != NULL && PyModule_AddType(module, recent_type) == 0;
}

int is_recent(PyObject* object) { return Py_TYPE(object) == recent_type; }
