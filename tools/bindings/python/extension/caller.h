/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

#ifndef CONCORD_TOOLS_BINDINGS_PYTHON_EXTENSION_CALLER_H_
#define CONCORD_TOOLS_BINDINGS_PYTHON_EXTENSION_CALLER_H_

#include "concord/tools/bindings/python/extension/recent.h"

enum { kMostValues = 32 };

/* Adds the type Caller to the module: what the function of an algorithm calls.
 */
int add_caller(PyObject* module);

/* Of a Caller; NULL and an exception for anything else. */
const struct algorithm* algorithm_of(PyObject* caller);

/* The call, where everything is as it mostly is: arrays of NumPy in C order, a
 * kernel that was used before, results that need no more than room. NULL
 * without an exception: the module has to do it, and nothing has happened yet.
 * `arguments` are inputs, values, `out` and the backend. */
PyObject* call_quickly(const struct algorithm* algorithm,
                       PyObject* const* arguments);

#endif /* CONCORD_TOOLS_BINDINGS_PYTHON_EXTENSION_CALLER_H_ */
