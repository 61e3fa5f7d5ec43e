/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

#include "concord/tools/bindings/python/extension/caller.h"

#include <string.h>

static PyTypeObject* caller_type;

struct caller {
  PyObject_HEAD struct algorithm algorithm;
  PyObject* otherwise; /* does every call, whatever is given */
};

const struct algorithm* algorithm_of(PyObject* caller) {
  if (Py_TYPE(caller) == caller_type) {
    return &((struct caller*)caller)->algorithm;
  }
  PyErr_SetString(PyExc_TypeError, "not a Caller");
  return NULL;
}

/* Names and flags from a tuple of pairs. */
static int take_pairs(PyObject* pairs, Py_ssize_t most, const char** names,
                      int* flags, Py_ssize_t* count) {
  *count = PyTuple_Size(pairs);
  if (*count < 0) return 0;
  if (*count > most) {
    PyErr_Format(PyExc_ValueError, "more than %zd arrays", most);
    return 0;
  }
  for (Py_ssize_t i = 0; i < *count; ++i) {
    PyObject* name = NULL;
    if (!PyArg_ParseTuple(PyTuple_GetItem(pairs, i), "Up", &name, &flags[i])) {
      return 0;
    }
    names[i] = PyUnicode_AsUTF8AndSize(name, NULL);
    if (names[i] == NULL) return 0;
  }
  return 1;
}

/* The inputs and outputs, whose tuples keep the texts. */
static int take_arrays(struct algorithm* algorithm, PyObject* inputs,
                       PyObject* outputs, const char* first) {
  algorithm->names = PyTuple_Pack(2, inputs, outputs);
  if (algorithm->names == NULL ||
      !take_pairs(inputs, kMostInputs, algorithm->inputs, algorithm->optional,
                  &algorithm->input_count) ||
      !take_pairs(outputs, kMostOutputs, algorithm->outputs,
                  algorithm->is_number, &algorithm->output_count)) {
    return 0;
  }
  for (Py_ssize_t i = 0; i < algorithm->output_count; ++i) {
    if (strcmp(algorithm->outputs[i], first) == 0) {
      algorithm->first_result = algorithm->outputs[i];
    }
  }
  return 1;
}

static PyObject* caller_new(PyTypeObject* type, PyObject* arguments,
                            PyObject* named) {
  PyObject *inputs, *outputs, *tuple_of, *otherwise;
  const char* first = NULL;
  Py_ssize_t value_count = 0;
  (void)named;
  if (!PyArg_ParseTuple(arguments, "O!O!snOO", &PyTuple_Type, &inputs,
                        &PyTuple_Type, &outputs, &first, &value_count,
                        &tuple_of, &otherwise)) {
    return NULL;
  }
  if (value_count < 1 || value_count > kMostValues) {
    PyErr_SetString(PyExc_ValueError, "too many values");
    return NULL;
  }
  struct caller* caller = (struct caller*)PyType_GenericNew(type, NULL, NULL);
  if (caller == NULL) return NULL;
  caller->algorithm.value_count = value_count;
  Py_INCREF(tuple_of);
  caller->algorithm.tuple_of = tuple_of;
  Py_INCREF(otherwise);
  caller->otherwise = otherwise;
  if (!take_arrays(&caller->algorithm, inputs, outputs, first)) {
    Py_DECREF(caller);
    return NULL;
  }
  return (PyObject*)caller;
}

static void caller_free(PyObject* self) {
  struct caller* caller = (struct caller*)self;
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(caller->algorithm.names);
  Py_XDECREF(caller->algorithm.tuple_of);
  Py_XDECREF(caller->otherwise);
  freefunc free_object = (freefunc)PyType_GetSlot(type, Py_tp_free);
  free_object(self);
  Py_DECREF(type);
}

/* The same call by the module: (inputs, values, out, backend). */
static PyObject* call_otherwise(const struct caller* caller,
                                PyObject* const* arguments) {
  const Py_ssize_t inputs = caller->algorithm.input_count;
  const Py_ssize_t values = caller->algorithm.value_count;
  PyObject* given = PyTuple_New(inputs);
  PyObject* chosen = PyTuple_New(values);
  PyObject* result = NULL;
  if (given != NULL && chosen != NULL) {
    for (Py_ssize_t i = 0; i < inputs; ++i) {
      Py_INCREF(arguments[i]);
      PyTuple_SetItem(given, i, arguments[i]);
    }
    for (Py_ssize_t i = 0; i < values; ++i) {
      Py_INCREF(arguments[inputs + i]);
      PyTuple_SetItem(chosen, i, arguments[inputs + i]);
    }
    result = PyObject_CallFunctionObjArgs(caller->otherwise, given, chosen,
                                          arguments[inputs + values],
                                          arguments[inputs + values + 1], NULL);
  }
  Py_XDECREF(given);
  Py_XDECREF(chosen);
  return result;
}

static PyObject* caller_call(PyObject* self, PyObject* const* arguments,
                             Py_ssize_t count) {
  const struct caller* caller = (const struct caller*)self;
  const struct algorithm* algorithm = &caller->algorithm;
  if (count != algorithm->input_count + algorithm->value_count + 2) {
    PyErr_SetString(PyExc_TypeError, "inputs, values, out and a backend");
    return NULL;
  }
  PyObject* result = call_quickly(algorithm, arguments);
  if (result != NULL || PyErr_Occurred()) return result;
  return call_otherwise(caller, arguments);
}

static PyMethodDef caller_methods[] = {
    {"call", (PyCFunction)(void (*)(void))caller_call, METH_FASTCALL,
     "call(*inputs, *values, out, backend): one call of the function"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot caller_slots[] = {
    {Py_tp_doc,
     "Caller(inputs, outputs, first_result, value_count, tuple_of, otherwise): "
     "what the function of an algorithm calls."},
    {Py_tp_new, caller_new},
    {Py_tp_dealloc, caller_free},
    {Py_tp_methods, caller_methods},
    {0, NULL},
};

static PyType_Spec caller_spec = {"concord._calls.Caller",
                                  sizeof(struct caller), 0, Py_TPFLAGS_DEFAULT,
                                  caller_slots};

int add_caller(PyObject* module) {
  caller_type = (PyTypeObject*)PyType_FromSpec(&caller_spec);
  return caller_type != NULL && PyModule_AddType(module, caller_type) == 0;
}
