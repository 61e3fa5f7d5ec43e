/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What the extension knows of the world. It is not linked with libconcord.so,
 * of which there may be several on a machine: the module, which has loaded one,
 * hands over the addresses of its functions. */
#ifndef CONCORD_TOOLS_BINDINGS_PYTHON_EXTENSION_LIBRARY_H_
#define CONCORD_TOOLS_BINDINGS_PYTHON_EXTENSION_LIBRARY_H_

/* clang-format off: it comes before every other header. */
#include <Python.h>
/* clang-format on */

#include "concord/tools/bindings/concord.h"

enum {
  kMostInputs = 8, /* of a call that takes the fast way */
  kMostOutputs = 8,
  kMostDimensions = 2
};

/* Functions of concord.h, by the names there. */
struct library {
  concord_status* (*kernel_run)(concord_kernel*, const concord_array*, size_t,
                                const concord_array*, size_t);
  concord_status* (*kernel_plan)(concord_kernel*, const concord_array*, size_t,
                                 concord_plan**);
  concord_status* (*plan_output_count)(const concord_plan*, size_t*);
  concord_status* (*plan_output)(const concord_plan*, size_t, concord_array*);
  concord_status* (*plan_count_in)(const concord_plan*, size_t, const char**);
  void (*plan_free)(concord_plan*);
  void (*status_free)(concord_status*);
};
extern struct library library;

/* Objects of Python's. */
struct world {
  PyObject* ndarray;       /* numpy.ndarray */
  PyObject* empty;         /* numpy.empty */
  PyObject* dtypes;        /* {(code, bits): dtype} */
  PyObject* backend;       /* the class Backend, which has `recent` */
  PyObject* recents;       /* {name of a backend: Recent} */
  PyObject* raise_status;  /* of the address of a status */
  PyObject* out_of_memory; /* of a message: the exception */
  PyObject* recent;        /* "recent" */
};
extern struct world world;

/* setup(functions, objects): addresses and objects by the names above. */
PyObject* setup(PyObject* module, PyObject* arguments);

/* Shape and type of an array in host memory, in C order. */
struct kind {
  concord_type type;
  int32_t dimensions;
  int64_t shape[kMostDimensions];
};

/* The memory of a numpy.ndarray. 0, without an exception, for what is left to
 * the module: other objects, types that there are not, gaps, more dimensions.
 */
int borrow(PyObject* object, int writable, Py_buffer* buffer,
           struct kind* kind);

/* A concord_array there; `kind` has to live as long. */
concord_array array_of(const char* name, void* data, const struct kind* kind);

#endif /* CONCORD_TOOLS_BINDINGS_PYTHON_EXTENSION_LIBRARY_H_ */
