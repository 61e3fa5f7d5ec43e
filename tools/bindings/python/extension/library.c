/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

#include "concord/tools/bindings/python/extension/library.h"

#include <string.h>

struct library library;
struct world world;

/* An item of a dict; an exception where there is none. The dict keeps it. */
static PyObject* item_of(PyObject* dict, const char* name) {
  PyObject* item = PyDict_GetItemString(dict, name);
  if (item == NULL) PyErr_Format(PyExc_KeyError, "no '%s' is given", name);
  return item;
}

static int set_functions(PyObject* functions) {
  struct {
    const char* name;
    void* place; /* of a pointer to a function */
  } const wanted[] = {
      {"concord_kernel_run", &library.kernel_run},
      {"concord_kernel_plan", &library.kernel_plan},
      {"concord_plan_output_count", &library.plan_output_count},
      {"concord_plan_output", &library.plan_output},
      {"concord_plan_count_in", &library.plan_count_in},
      {"concord_plan_free", &library.plan_free},
      {"concord_status_free", &library.status_free},
  };
  for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); ++i) {
    PyObject* item = item_of(functions, wanted[i].name);
    if (item == NULL) return 0;
    void* address = PyLong_AsVoidPtr(item);
    if (address == NULL) return 0;
    memcpy(wanted[i].place, &address, sizeof(address));
  }
  return 1;
}

static int set_objects(PyObject* objects) {
  struct {
    const char* name;
    PyObject** place;
  } const wanted[] = {
      {"ndarray", &world.ndarray}, {"empty", &world.empty},
      {"dtypes", &world.dtypes},   {"backend", &world.backend},
      {"recents", &world.recents}, {"raise_status", &world.raise_status},
      {"out_of_memory", &world.out_of_memory},
  };
  for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); ++i) {
    PyObject* item = item_of(objects, wanted[i].name);
    if (item == NULL) return 0;
    Py_INCREF(item);
    Py_XDECREF(*wanted[i].place);
    *wanted[i].place = item;
  }
  if (world.recent == NULL) world.recent = PyUnicode_FromString("recent");
  return world.recent != NULL;
}

PyObject* setup(PyObject* module, PyObject* arguments) {
  PyObject* functions = NULL;
  PyObject* objects = NULL;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO", &functions, &objects) ||
      !set_functions(functions) || !set_objects(objects)) {
    return NULL;
  }
  Py_RETURN_NONE;
}

/* Of one letter, as the module `struct` has it; 0 for what is no type here. */
static int type_of(const char* format, Py_ssize_t size, concord_type* type) {
  if (format == NULL || format[0] == '\0' || format[1] != '\0') return 0;
  if (size != 1 && size != 4 && size != 8) return 0;
  if (strchr("bhilq", format[0]) != NULL) {
    type->code = CONCORD_INT;
  } else if (strchr("BHILQ", format[0]) != NULL) {
    type->code = CONCORD_UINT;
  } else if (strchr("fd", format[0]) != NULL) {
    type->code = CONCORD_FLOAT;
  } else if (format[0] == '?') {
    type->code = CONCORD_BOOL;
  } else {
    return 0;
  }
  type->bits = (uint8_t)(8 * size);
  type->lanes = 1;
  return 1;
}

int borrow(PyObject* object, int writable, Py_buffer* buffer,
           struct kind* kind) {
  if ((PyObject*)Py_TYPE(object) != world.ndarray) return 0;
  const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
  if (PyObject_GetBuffer(object, buffer,
                         writable ? flags | PyBUF_WRITABLE : flags) != 0) {
    PyErr_Clear(); /* the module says what is wrong */
    return 0;
  }
  if (buffer->ndim > kMostDimensions ||
      !type_of(buffer->format, buffer->itemsize, &kind->type)) {
    PyBuffer_Release(buffer);
    return 0;
  }
  kind->dimensions = buffer->ndim;
  for (int i = 0; i < buffer->ndim; ++i) kind->shape[i] = buffer->shape[i];
  return 1;
}

concord_array array_of(const char* name, void* data, const struct kind* kind) {
  const concord_array array = {
      name, data, {CONCORD_CPU, 0}, kind->dimensions, kind->type, kind->shape,
      NULL, 0};
  return array;
}
