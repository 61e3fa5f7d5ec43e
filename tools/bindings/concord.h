/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Concord for C, and for every language that can call C.
 *
 * A kernel is an implementation of an algorithm, such as "scan", on a backend,
 * such as "tbb". It runs on arrays of the caller's, where they are. README.md
 * has a program, and concord_describe says what each algorithm takes and gives.
 *
 *   concord_backend* backend = NULL;
 *   concord_kernel* kernel = NULL;
 *   const char* options[] = {"kind=inclusive"};
 *   concord_status* status = concord_backend_open("auto", &backend);
 *   if (status == NULL) {
 *     status = concord_kernel_create(backend, "scan", "", options, 1, &kernel);
 *   }
 *   if (status == NULL) {
 *     status = concord_kernel_run(kernel, &in, 1, &out, 1);
 *   }
 *   if (status != NULL) {
 *     fprintf(stderr, "%s\n", concord_status_message(status));
 *   }
 *   concord_status_free(status);
 *   concord_kernel_free(kernel);
 *   concord_backend_free(backend);
 *
 * Errors. A function that can fail returns a status: NULL when all is well,
 * otherwise an object with a code and a message that the caller frees. What a
 * function gives it writes to its last arguments; on failure it sets a pointer
 * to NULL and a number to 0 there. Nothing here prints, aborts or throws. A
 * NULL where none is allowed is CONCORD_INVALID_ARGUMENT.
 *
 * Ownership. An object that a function gives is the caller's, who frees it with
 * the function of its name; freeing NULL does nothing. Objects keep alive what
 * they are made from: a backend may be freed before its kernels. A text given
 * as `char*` is freed with concord_text_free. A text given as `const char*`
 * belongs to the object that was asked, or, where there is none, to the
 * library.
 *
 * Threads. Every function may be called from any thread. Calls on one backend,
 * its kernels and its memory take turns; those on two backends do not. An
 * object must not be freed while another thread uses it.
 *
 * Stability. Structures, functions and numbers here do not change as long as
 * the library is libconcord.so.0; functions, codes and options are added. */
#ifndef CONCORD_H_
#define CONCORD_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CONCORD_API __attribute__((visibility("default")))
#else
#define CONCORD_API
#endif

/* --- The version --- */

/* Of this header. */
#define CONCORD_VERSION_MAJOR 0
#define CONCORD_VERSION_MINOR 1
#define CONCORD_VERSION_PATCH 0

/* Of the library: 10000 * major + 100 * minor + patch. */
CONCORD_API int32_t concord_version(void);

/* --- Statuses and texts --- */

typedef struct concord_status concord_status;

/* The codes of absl::StatusCode that occur. */
enum {
  CONCORD_OK = 0,
  CONCORD_CANCELLED = 1,
  CONCORD_UNKNOWN = 2,
  /* An argument that nothing can be done with: the message says which. */
  CONCORD_INVALID_ARGUMENT = 3,
  /* No such algorithm, variant or implementation: the message lists those that
   * there are. */
  CONCORD_NOT_FOUND = 5,
  /* Not enough memory, of the host or of a GPU. */
  CONCORD_RESOURCE_EXHAUSTED = 8,
  CONCORD_FAILED_PRECONDITION = 9,
  /* A program of `sequence` reads outside a column; an index is too large; there
   * are more similar pairs than room; a result of look_and_say or cyclospectrum
   * is larger than the memory, or a part of it is asked for behind its end. */
  CONCORD_OUT_OF_RANGE = 11,
  CONCORD_UNIMPLEMENTED = 12,
  CONCORD_INTERNAL = 13,
  /* The backend, or the implementation, cannot run here. */
  CONCORD_UNAVAILABLE = 14,
  CONCORD_DATA_LOSS = 15
};

/* CONCORD_OK of NULL. */
CONCORD_API int32_t concord_status_code(const concord_status* status);
/* One line of English, or several where it shows a place in a text; "" of NULL.
 * Valid until the status is freed. */
CONCORD_API const char* concord_status_message(const concord_status* status);
CONCORD_API void concord_status_free(concord_status* status);

CONCORD_API void concord_text_free(char* text);

/* --- Arrays --- */

/* DLPack's kinds of memory. A managed array lies in both the host's memory and
 * the GPU's. */
enum {
  CONCORD_CPU = 1,
  CONCORD_CUDA = 2,
  CONCORD_CUDA_HOST = 3,
  CONCORD_CUDA_MANAGED = 13
};

/* DLPack's codes of types. Here there are integers of 8, 32 and 64 bits, floats
 * of 32 and 64, and bools of 8, which count as unsigned integers. */
enum { CONCORD_INT = 0, CONCORD_UINT = 1, CONCORD_FLOAT = 2, CONCORD_BOOL = 6 };

typedef struct concord_device {
  int32_t type;  /* CONCORD_CPU, ... */
  int32_t index; /* of the GPU; 0 for the CPU */
} concord_device;

typedef struct concord_type {
  uint8_t code;   /* CONCORD_INT, ... */
  uint8_t bits;   /* of an element */
  uint16_t lanes; /* 1 */
} concord_type;

/* An array of the caller's, which the library neither keeps nor frees. Behind
 * the name stand the members of a DLTensor, in its order
 * (https://github.com/dmlc/dlpack). */
typedef struct concord_array {
  /* As concord_describe has it: "in", "out", "count", ... */
  const char* name;
  /* May be NULL if there are no elements, and where no elements are asked for.
   * Aligned for the type. */
  void* data;
  concord_device device;
  /* 0 to 2. Of 0 dimensions is one element. */
  int32_t dimensions;
  concord_type type;
  /* Elements in each dimension. */
  const int64_t* shape;
  /* From an element to the next in each dimension, in elements; NULL is C order
   * without gaps, the only one that kernels take today. */
  const int64_t* strides;
  /* From `data` to the first element. */
  uint64_t byte_offset;
} concord_array;

/* --- What there is --- */

/* What an algorithm takes and gives, as JSON: what `concord describe ALGORITHM
 * --json` prints. NULL: a list of all algorithms. NOT_FOUND. */
CONCORD_API concord_status* concord_describe(const char* algorithm,
                                             char** json);

/* Every implementation, its contract, and whether it can run here, as JSON:
 * what `concord list --json` prints. */
CONCORD_API concord_status* concord_list_implementations(char** json);

/* Every backend of the library, and whether it can be opened here, as JSON:
 * what `concord backends --json` prints. */
CONCORD_API concord_status* concord_list_backends(char** json);

/* The names of all algorithms, "scan"; and of all implementations,
 * "scan/tbb/one_pass", each backend's default first. They stay valid. */
CONCORD_API concord_status* concord_algorithm_names(const char* const** names,
                                                    size_t* count);
CONCORD_API concord_status* concord_implementation_names(
    const char* const** names, size_t* count);

/* --- Backends: where code runs and memory lives --- */

typedef struct concord_backend concord_backend;

/* "serial", "tbb", "tbb:8" (threads), "cuda", "cuda:1" (GPU) or "auto"; NULL or
 * "" is $CONCORD_BACKEND, or "auto" without it. "auto:tbb" is "auto" for arrays
 * where those of "tbb" lie. Work given to one backend runs in order. No call
 * changes which GPU is the calling thread's current device.
 *
 * INVALID_ARGUMENT: there is no such backend. UNAVAILABLE: it cannot run here;
 * the message says why. UNIMPLEMENTED: "gpus" and "mpi", whose arrays lie in
 * memory that a concord_device has no name for. */
CONCORD_API concord_status* concord_backend_open(const char* name,
                                                 concord_backend** backend);

/* A backend that queues its work on a stream of the caller's, which outlives
 * it: a cudaStream_t, NULL being the default stream, for "cuda" or "cuda:1".
 * INVALID_ARGUMENT: a number that no stream has. Whether an address is that of
 * a stream cannot be known. */
CONCORD_API concord_status* concord_backend_open_on_stream(
    const char* name, void* stream, concord_backend** backend);

/* Its complete name: "tbb:8". */
CONCORD_API concord_status* concord_backend_name(const concord_backend* backend,
                                                 const char** name);

/* Where its arrays lie. */
CONCORD_API concord_status* concord_backend_device(
    const concord_backend* backend, concord_device* device);

/* Waits for all work that was given to it, and reports failures. */
CONCORD_API concord_status* concord_backend_synchronize(
    concord_backend* backend);

CONCORD_API void concord_backend_free(concord_backend* backend);

/* --- Kernels --- */

typedef struct concord_kernel concord_kernel;

/* `variant` is the name of one of the backend's implementations, "" or NULL its
 * default. `options` are texts "name=value", as on the command line without
 * dashes; a switch may be its name alone. An option that is not given has its
 * default. A program of `sequence` is the option "program=...". An option that
 * takes functions may be one, "op=a > b ? a : b": variants and implementations
 * are then those of `sequence`, arrays are those of the algorithm.
 *
 * A kernel keeps memory of its own from run to run. NOT_FOUND, UNAVAILABLE or
 * INVALID_ARGUMENT: the algorithm, the variant or an option. */
CONCORD_API concord_status* concord_kernel_create(
    concord_backend* backend, const char* algorithm, const char* variant,
    const char* const* options, size_t option_count, concord_kernel** kernel);

/* Which implementation it is: "scan/tbb/one_pass". "scan/auto", where each run
 * is that of the fastest for its size: without a variant, on a backend that was
 * opened as "auto", after `concord tune` on this machine. */
CONCORD_API concord_status* concord_kernel_name(const concord_kernel* kernel,
                                                const char** name);

/* Computes the outputs, which are complete when it returns. All arrays are
 * given by name, in any order, and lie in the backend's memory. An optional
 * input, and an output that the options do not ask for, may be left out. No
 * output shares memory with another array, except for one that is exactly the
 * input that it may be written over.
 *
 * INVALID_ARGUMENT names an array, and what is wrong with its type, size,
 * memory or address. With a CUDA backend, CUDA is asked where the first and the
 * last element lie: arrays that are not where they are said to be are refused.
 */
CONCORD_API concord_status* concord_kernel_run(concord_kernel* kernel,
                                               const concord_array* inputs,
                                               size_t input_count,
                                               const concord_array* outputs,
                                               size_t output_count);

CONCORD_API void concord_kernel_free(concord_kernel* kernel);

/* --- Sizes of outputs --- */

/* The outputs of a call. */
typedef struct concord_plan concord_plan;

/* Says which outputs a run on such inputs has, of which types and shapes, and
 * refuses what can be refused before a run. Without elements (`data` is NULL)
 * types and shapes decide; INVALID_ARGUMENT where that is not enough. Elements
 * may be looked at: a run trusts some that a plan refuses. Where sizes depend
 * on them, arrays on a GPU are copied to the host for it. */
CONCORD_API concord_status* concord_kernel_plan(concord_kernel* kernel,
                                                const concord_array* inputs,
                                                size_t input_count,
                                                concord_plan** plan);

CONCORD_API concord_status* concord_plan_output_count(const concord_plan* plan,
                                                      size_t* count);

/* Output number `index`: its name, type, dimensions and shape. `data` is NULL
 * and `device` is that of the backend, so that concord_memory_allocate
 * completes it. Name and shape belong to the plan. OUT_OF_RANGE. */
CONCORD_API concord_status* concord_plan_output(const concord_plan* plan,
                                                size_t index,
                                                concord_array* output);

/* Where only a run finds out how many elements, or rows, of an output are
 * results: the name of the output, one int64, that has their number; the shape
 * is then the room for them. NULL where all elements are results. */
CONCORD_API concord_status* concord_plan_count_in(const concord_plan* plan,
                                                  size_t index,
                                                  const char** name);

/* The name of the input that the output may be written over, or NULL. */
CONCORD_API concord_status* concord_plan_in_place_of(const concord_plan* plan,
                                                     size_t index,
                                                     const char** name);

CONCORD_API void concord_plan_free(concord_plan* plan);

/* --- What a call would do --- */

/* The steps of a call, and what each would read, compute and write, as JSON:
 * what `concord explain ALGORITHM --json` prints. Nothing runs, and no backend
 * is needed. Options and inputs are those of a kernel; types and shapes of the
 * inputs decide, so that `data` may be NULL and may lie anywhere.
 *
 * The steps of a program are explained: those of `sequence`, and of options
 * that are functions, "op=a > b ? a : b". NOT_FOUND: an algorithm that is not
 * there, or whose steps are always the same. */
CONCORD_API concord_status* concord_explain(
    const char* algorithm, const char* const* options, size_t option_count,
    const concord_array* inputs, size_t input_count, char** json);

/* --- Runs that nobody waits for --- */

/* The end of a run. */
typedef struct concord_event concord_event;

/* Like concord_kernel_run, but gives the work to the backend and does not wait:
 * arrays stay as they are until the event has passed. Runs on the CPU are
 * complete when it returns, their events have passed. `event` may be NULL:
 * concord_backend_synchronize or work on the same stream then comes after it.
 */
CONCORD_API concord_status* concord_kernel_start(
    concord_kernel* kernel, const concord_array* inputs, size_t input_count,
    const concord_array* outputs, size_t output_count, concord_event** event);

/* Waits until the run is over, and reports its failure. */
CONCORD_API concord_status* concord_event_wait(concord_event* event);

/* Waits, and gives how long the backend worked. */
CONCORD_API concord_status* concord_event_seconds(concord_event* event,
                                                  double* seconds);

/* Does not wait. */
CONCORD_API void concord_event_free(concord_event* event);

/* --- Memory, for callers who have no way to it of their own --- */

typedef struct concord_memory concord_memory;

/* Memory of the backend for the type and shape of `array`, whose data, device,
 * strides and byte_offset are set. Values are unspecified. RESOURCE_EXHAUSTED:
 * the message has the bytes wanted and free. */
CONCORD_API concord_status* concord_memory_allocate(concord_backend* backend,
                                                    concord_array* array,
                                                    concord_memory** memory);

/* The same in host memory, from which and to which the backend copies fastest.
 */
CONCORD_API concord_status* concord_memory_allocate_host(
    concord_backend* backend, concord_array* array, concord_memory** memory);

CONCORD_API void concord_memory_free(concord_memory* memory);

/* Copies all elements to an array of the same type and size. Each of the two
 * lies in the backend's memory or in the host's; names do not matter. When it
 * returns, host memory that was read may be reused and host memory that was
 * written is complete. */
CONCORD_API concord_status* concord_copy(concord_backend* backend,
                                         const concord_array* from,
                                         const concord_array* to);

/* --- Verification: implementations against the reference --- */

typedef struct concord_verification concord_verification;

/* What concord_verification_run is to do. `pattern` is part of the names of
 * implementations, "scan/tbb", or a pattern as shells have it; NULL or "" is
 * all. `options` are "backends=tbb:1,tbb:3", "cases=1000" (of each
 * implementation), "seconds=10" (at most, in all), "seed=7",
 * "largest-size=100000" (elements of random cases) and "folder=..." (where the
 * smallest failing cases are saved). Without cases and seconds the standard
 * suite runs once. */
CONCORD_API concord_status* concord_verification_create(
    const char* pattern, const char* const* options, size_t option_count,
    concord_verification** verification);

/* Runs it once, in this thread: generates cases, compares, and shrinks what
 * fails. OK whether or not implementations fail. NOT_FOUND: nothing matches the
 * pattern. FAILED_PRECONDITION: it ran before. */
CONCORD_API concord_status* concord_verification_run(
    concord_verification* verification);

typedef struct concord_progress {
  int64_t executed; /* cases so far */
  int64_t failures; /* among them */
  int64_t planned;  /* cases in all; 0 when only the clock ends the work */
  double seconds;   /* so far */
} concord_progress;

/* Both may be called while another thread runs it: how far it is, and that it
 * is to stop before its next case. */
CONCORD_API concord_status* concord_verification_progress(
    const concord_verification* verification, concord_progress* progress);
CONCORD_API concord_status* concord_verification_cancel(
    concord_verification* verification);

/* What it found, as JSON: {"executed": ..., "seconds": ..., "cancelled": ...,
 * "implementations": [{"implementation": "scan/tbb/one_pass", "executed": ...,
 * "skipped": ""}, ...], "failures": [{"implementation": ..., "report": ...,
 * "file": ...}, ...]}. A report is text for people: the smallest case that
 * fails, and the line that repeats it; the case itself is in the file.
 * FAILED_PRECONDITION: it has not run to its end. */
CONCORD_API concord_status* concord_verification_result(
    const concord_verification* verification, char** json);

CONCORD_API void concord_verification_free(concord_verification* verification);

/* --- Differential testing: functions of the caller's against a reference ---
 *
 *   while (next(differential, &inputs, &count, &options) == NULL && inputs) {
 *     ... both functions on these inputs, with these options ...
 *     answer(differential, CONCORD_COMPARE, NULL, got, 1, wanted, 1);
 *   }
 *
 * The engine does not call anything: it hands out one case after the other, and
 * once one fails, smaller ones. */

typedef struct concord_differential concord_differential;

/* `description` is JSON: {"name": "fast", "inputs": [{"name": "letters",
 * "types": ["uint8"], "shape": ["n"], "least": 0, "most": 3}, ...], "options":
 * [{"name": "t", "values": [1, 2, 4]}, ...], "boundaries": [64],
 * "largest_size": 1000, "absolute": 0, "relative": 1e-6}. Extents are names,
 * numbers, or names of options that are numbers; equal names are equal. An
 * input with "offsets_of": "n" cuts that extent into as many parts as its own
 * shape says. Values lie between "least" and "most", which are whole numbers of
 * 64 bits, exactly, or float64. Types and shape are wanted, and a name; all
 * else may be left out.
 *
 * `options` are "cases=1000", "seconds=10" (at most), "seed=7", "folder=..."
 * (where the smallest failing case is saved), "repeat=..." (the line that
 * repeats it, with $FILE) and "replay=FILE", whose case is then the only one.
 * INVALID_ARGUMENT says what of the description has no meaning. */
CONCORD_API concord_status* concord_differential_create(
    const char* description, const char* const* options, size_t option_count,
    concord_differential** differential);

/* The next case: its inputs in the order of the description, and its options as
 * a JSON object of texts. They stay until the next call but that of
 * concord_differential_answer, _progress and _cancel. NULL and 0: there are no
 * more. RESOURCE_EXHAUSTED: there are no more, no case failed, and one was left
 * out for want of memory. */
CONCORD_API concord_status* concord_differential_next(
    concord_differential* differential, const concord_array** inputs,
    size_t* input_count, const char** options);

/* What became of a case. */
enum {
  CONCORD_COMPARE = 0,          /* both gave results, to be compared */
  CONCORD_RAISED = 1,           /* the function under test failed */
  CONCORD_CHANGED_INPUT = 2,    /* it wrote to an input */
  CONCORD_REFERENCE_RAISED = 3, /* the reference failed: the description is
                                   wrong */
};

/* `message` says what happened, where there is nothing to compare. Results are
 * in host memory, in the same order. */
CONCORD_API concord_status* concord_differential_answer(
    concord_differential* differential, int32_t verdict, const char* message,
    const concord_array* got, size_t got_count, const concord_array* wanted,
    size_t wanted_count);

/* How far it is; no cases come after a cancellation. */
CONCORD_API concord_status* concord_differential_progress(
    const concord_differential* differential, concord_progress* progress);
CONCORD_API concord_status* concord_differential_cancel(
    concord_differential* differential);

/* What it found, when there are no more cases, as JSON: {"executed": ...,
 * "seconds": ..., "cancelled": ..., "failure": null}, or with a failure
 * {"kind": "wrong_result", "message": ..., "report": ..., "file": ..., "size":
 * ..., "minimal": true}. The failing case comes with it, as from
 * concord_differential_next. FAILED_PRECONDITION: there are cases left.
 * RESOURCE_EXHAUSTED: what concord_differential_next has said at the end. */
CONCORD_API concord_status* concord_differential_result(
    concord_differential* differential, const concord_array** inputs,
    size_t* input_count, const char** options, char** json);

CONCORD_API void concord_differential_free(concord_differential* differential);

#ifdef __cplusplus
}
#endif

#endif /* CONCORD_H_ */
