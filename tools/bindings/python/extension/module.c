/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

/* concord._calls: calls on arrays of NumPy without the detour through ctypes,
 * for every Python from 3.11 on (the stable ABI). The module does without it;
 * calls then take some microseconds more. */

#include "concord/tools/bindings/python/extension/caller.h"

static PyMethodDef methods[] = {
    {"setup", setup, METH_VARARGS,
     "setup(functions, objects): addresses in the library, and what calls use "
     "of Python"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "concord._calls",
    .m_doc = "Calls without ctypes.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__calls(void) {
  PyObject* module = PyModule_Create(&definition);
  if (module != NULL && add_recent(module) && add_caller(module)) return module;
  Py_XDECREF(module);
  return NULL;
}
