/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

#ifndef CONCORD_TOOLS_BINDINGS_PYTHON_EXTENSION_RECENT_H_
#define CONCORD_TOOLS_BINDINGS_PYTHON_EXTENSION_RECENT_H_

#include "concord/tools/bindings/python/extension/plan.h"

enum { kMostKernels = 32, kMostPlans = 16 };

/* A kernel, and for which values of options and variant it was made. Counted
 * references, as those of plans: a run keeps it. */
struct entry {
  int references;
  const struct algorithm* algorithm;
  PyObject* values; /* a tuple of str, int, float, bool, None */
  PyObject* kernel; /* the module's object, which owns the handle */
  concord_kernel* handle;
  int64_t quick; /* so many elements take no more than a moment */
  struct plan* plans[kMostPlans];
  int next_plan; /* the place of the next one */
};

/* The kernels that calls on a backend had last, as an object of Python's that
 * belongs to the module's Backend. */
struct recent {
  PyObject_HEAD struct entry* entries[kMostKernels];
  int count;
};

/* Adds the type to the module. */
int add_recent(PyObject* module);
int is_recent(PyObject* object);

/* The kernel for such values, or NULL. */
struct entry* find(struct recent* recent, const struct algorithm* algorithm,
                   PyObject* const* values);
void release_entry(struct entry* entry);

/* The plan for such inputs, made if need be; NULL as new_plan. The entry keeps
 * it. */
struct plan* plan_of(struct entry* entry, int given, const struct kind* kinds,
                     const concord_array* arrays, int count);

/* Takes note that so many elements took so long. */
void learn(struct entry* entry, int64_t elements, double seconds);

/* Recent.add(caller, values, kernel, handle, quick) */
int remember(struct recent* recent, const struct algorithm* algorithm,
             PyObject* values, PyObject* kernel, concord_kernel* handle,
             int64_t quick);

#endif /* CONCORD_TOOLS_BINDINGS_PYTHON_EXTENSION_RECENT_H_ */
