/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

#include <time.h>

#include "concord/tools/bindings/python/extension/caller.h"

/* Everything that a call has on its stack. */
struct call {
  const struct algorithm* algorithm;
  struct entry* entry;
  struct plan* plan;
  int given; /* inputs, by bits */
  int64_t elements;
  struct kind kinds[kMostInputs];
  Py_buffer buffers[kMostInputs];
  concord_array inputs[kMostInputs];
  int input_count;
  struct kind out_kind;
  int borrowed; /* outputs that have a buffer */
  Py_buffer out_buffers[kMostOutputs];
  PyObject* results[kMostOutputs]; /* NULL for sizes */
  int is_given[kMostOutputs];
  int64_t sizes[kMostOutputs];
  concord_array outputs[kMostOutputs];
};

static struct recent* recent_of(PyObject* backend) {
  PyObject* recent = NULL;
  if (PyUnicode_CheckExact(backend)) {
    recent = PyDict_GetItemWithError(world.recents, backend);
    Py_XINCREF(recent);
  } else if ((PyObject*)Py_TYPE(backend) == world.backend) {
    recent = PyObject_GetAttr(backend, world.recent);
  }
  if (recent == NULL) {
    PyErr_Clear();
    return NULL;
  }
  if (!is_recent(recent)) {
    Py_DECREF(recent);
    return NULL;
  }
  return (struct recent*)recent;
}

static int take_inputs(struct call* call, PyObject* const* arguments) {
  for (Py_ssize_t i = 0; i < call->algorithm->input_count; ++i) {
    if (arguments[i] == Py_None) {
      if (!call->algorithm->optional[i]) return 0;
      continue;
    }
    const int at = call->input_count;
    if (!borrow(arguments[i], 0, &call->buffers[at], &call->kinds[i])) return 0;
    call->inputs[at] = array_of(call->algorithm->inputs[i],
                                call->buffers[at].buf, &call->kinds[i]);
    call->elements += call->buffers[at].len / call->buffers[at].itemsize;
    call->given |= 1 << i;
    ++call->input_count;
  }
  return 1;
}

/* Raises what NumPy has said of memory that it has not, as the library does. */
static void raise_out_of_memory(void) {
  PyObject* kind = NULL;
  PyObject* value = NULL;
  PyObject* trace = NULL;
  PyErr_Fetch(&kind, &value, &trace);
  PyErr_NormalizeException(&kind, &value, &trace);
  PyObject* message = value == NULL ? NULL : PyObject_Str(value);
  PyObject* error =
      message == NULL
          ? NULL
          : PyObject_CallFunctionObjArgs(world.out_of_memory, message, NULL);
  if (error != NULL) {
    PyErr_SetObject((PyObject*)Py_TYPE(error), error);
  } else if (!PyErr_Occurred()) {
    PyErr_NoMemory();
  }
  Py_XDECREF(error);
  Py_XDECREF(message);
  Py_XDECREF(kind);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

/* A new array, and where it is. */
static int make_output(struct call* call, int i) {
  const struct output* output = &call->plan->outputs[i];
  PyObject* array = PyObject_Call(world.empty, output->empty, NULL);
  if (array == NULL) {
    if (PyErr_ExceptionMatches(PyExc_MemoryError)) raise_out_of_memory();
    return 0;
  }
  call->results[i] = array;
  Py_buffer* buffer = &call->out_buffers[call->borrowed];
  if (PyObject_GetBuffer(array, buffer, PyBUF_WRITABLE) != 0) return 0;
  ++call->borrowed;
  call->outputs[i] = array_of(call->algorithm->outputs[output->index],
                              buffer->buf, &output->kind);
  return 1;
}

static int take_out(struct call* call, int i, PyObject* out) {
  if (!borrow(out, 1, &call->out_buffers[call->borrowed], &call->out_kind)) {
    return 0;
  }
  call->outputs[i] =
      array_of(call->algorithm->first_result,
               call->out_buffers[call->borrowed++].buf, &call->out_kind);
  Py_INCREF(out);
  call->results[i] = out;
  call->is_given[i] = 1;
  return 1;
}

static int take_outputs(struct call* call, PyObject* out) {
  int is_taken = out == Py_None;
  for (int i = 0; i < call->plan->output_count; ++i) {
    const struct output* output = &call->plan->outputs[i];
    const char* name = call->algorithm->outputs[output->index];
    if (output->is_size) {
      call->outputs[i] = array_of(name, &call->sizes[i], &output->kind);
    } else if (!is_taken && name == call->algorithm->first_result) {
      if (!take_out(call, i, out)) return 0;
      is_taken = 1;
    } else if (!make_output(call, i)) {
      return 0;
    }
  }
  return is_taken;
}

/* Leaves of an output what is a result. */
static int finish(struct call* call, int i) {
  const struct output* output = &call->plan->outputs[i];
  PyObject* array = call->results[i];
  PyObject* result = NULL;
  if (output->size_in >= 0) {
    int64_t count = call->sizes[output->size_in];
    if (count > output->kind.shape[0]) count = output->kind.shape[0];
    result = PySequence_GetSlice(array, 0, count);
  } else if (call->algorithm->is_number[output->index] && !call->is_given[i]) {
    result = PySequence_GetItem(array, 0);
  } else {
    return 1;
  }
  if (result == NULL) return 0;
  call->results[i] = result;
  Py_DECREF(array);
  return 1;
}

/* The only result, or a tuple of them. */
static PyObject* result_of(struct call* call) {
  PyObject* tuple = NULL;
  Py_ssize_t count = 0;
  for (int i = 0; i < call->plan->output_count; ++i) {
    if (call->results[i] != NULL && !finish(call, i)) return NULL;
    count += call->results[i] != NULL;
  }
  if (call->plan->type != NULL && (tuple = PyTuple_New(count)) == NULL) {
    return NULL;
  }
  Py_ssize_t at = 0;
  for (int i = 0; i < call->plan->output_count; ++i) {
    PyObject* result = call->results[i];
    if (result == NULL) continue;
    call->results[i] = NULL;
    if (tuple == NULL) return result;
    PyTuple_SetItem(tuple, at++, result);
  }
  PyObject* results = PyObject_Call(call->plan->type, tuple, NULL);
  Py_DECREF(tuple);
  return results;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static PyObject* run(struct call* call) {
  /* A clock would cost as much as some calls: only sizes tell something that
   * are larger than those before. */
  const int is_news = 2 * call->elements > call->entry->quick;
  const double start = is_news ? now() : 0;
  PyThreadState* state = PyEval_SaveThread();
  concord_status* status =
      library.kernel_run(call->entry->handle, call->inputs, call->input_count,
                         call->outputs, call->plan->output_count);
  PyEval_RestoreThread(state);
  if (status != NULL) {
    PyObject* address = PyLong_FromVoidPtr(status);
    if (address == NULL) return NULL;
    PyObject* none =
        PyObject_CallFunctionObjArgs(world.raise_status, address, NULL);
    Py_DECREF(address);
    Py_XDECREF(none);
    return NULL;
  }
  if (is_news) learn(call->entry, call->elements, now() - start);
  return result_of(call);
}

static PyObject* try_to(struct call* call, PyObject* const* arguments,
                        struct recent* recent) {
  const struct algorithm* algorithm = call->algorithm;
  PyObject* const* values = arguments + algorithm->input_count;
  PyObject* out = values[algorithm->value_count];
  if (!take_inputs(call, arguments)) return NULL;
  struct entry* entry = find(recent, algorithm, values);
  if (entry == NULL || call->elements > entry->quick) return NULL;
  /* Another thread may clear what is recent while this one runs. */
  ++entry->references;
  call->entry = entry;
  call->plan =
      plan_of(entry, call->given, call->kinds, call->inputs, call->input_count);
  if (call->plan == NULL) return NULL;
  ++call->plan->references;
  if (!take_outputs(call, out)) return NULL;
  return run(call);
}

PyObject* call_quickly(const struct algorithm* algorithm,
                       PyObject* const* arguments) {
  struct recent* recent =
      recent_of(arguments[algorithm->input_count + algorithm->value_count + 1]);
  if (recent == NULL) return NULL;
  struct call call;
  call.algorithm = algorithm;
  call.entry = NULL;
  call.plan = NULL;
  call.given = 0;
  call.elements = 1; /* so that something grows where there are no inputs */
  call.input_count = 0;
  call.borrowed = 0;
  for (int i = 0; i < kMostOutputs; ++i) {
    call.results[i] = NULL;
    call.is_given[i] = 0;
    call.sizes[i] = 0;
  }
  PyObject* result = try_to(&call, arguments, recent);
  for (int i = 0; i < call.borrowed; ++i) {
    PyBuffer_Release(&call.out_buffers[i]);
  }
  for (int i = 0; i < call.input_count; ++i) {
    PyBuffer_Release(&call.buffers[i]);
  }
  for (int i = 0; i < kMostOutputs; ++i) Py_XDECREF(call.results[i]);
  release(call.plan);
  release_entry(call.entry);
  Py_DECREF(recent);
  return result;
}
