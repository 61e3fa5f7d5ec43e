/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

#include "concord/tools/bindings/tests/random_calls.h"

#include <stdlib.h>
#include <string.h>

#include "concord/tools/bindings/tests/random_machine.h"

uint64_t draw(machine* m, uint64_t below) {
  m->state = m->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (m->state >> 33) % below;
}
int rarely(machine* m) { return draw(m, 12) == 0; }

int take(machine* m, concord_status* status) {
  const int32_t code = concord_status_code(status);
  ++m->seen.calls;
  if (status == NULL) {
    ++m->seen.accepted;
    return 1;
  }
  ++m->seen.refused;
  if (code <= CONCORD_OK || code > CONCORD_DATA_LOSS ||
      concord_status_message(status)[0] == '\0') {
    ++m->seen.unexplained;
  }
  concord_status_free(status);
  return 0;
}

void give(machine* m, concord_status* status, int is_there) {
  if (!take(m, status) && is_there) ++m->seen.leftovers;
}

/* --- Arguments --- */

static const char* name_of_array(machine* m) {
  static const char* const names[] = {
      "in",    "in",    "out", "values", "lengths", "count", "size",
      "keys",  "flags", "x",   "y",      "z",       "w",     "digits",
      "fault", "start", "sum", "words",  "",        NULL};
  return PICK(m, names);
}

/* Room for the elements of an array. Memory of the host is now and then said to
 * be a GPU's; the other way round, the CPU's backends cannot know. */
static void* data_of(machine* m, size_t number, const concord_array* array) {
  if (rarely(m)) return NULL;
  if (array->device.type == CONCORD_CUDA && m->gpu != NULL && !rarely(m)) {
    return m->gpu_data[number].data;
  }
  return m->data[number];
}

void draw_array(machine* m, size_t number, concord_array* array) {
  static const uint8_t bits[] = {8, 32, 32, 32, 64, 64, 16, 1};
  static const uint8_t codes[] = {0, 0, 1, 1, 2, 2, 6, 3, 255};
  static const int32_t devices[] = {1, 1, 1, 1, 1, 2, 2, 3, 13, 0, -1, 7};
  const int64_t equal = 1 + (int64_t)draw(m, 3);
  int d;
  memset(array, 0, sizeof *array);
  array->name = name_of_array(m);
  array->device.type = PICK(m, devices);
  array->device.index = rarely(m) ? (int32_t)draw(m, 9) - 2 : 0;
  array->data = data_of(m, number, array);
  array->dimensions = rarely(m) ? (int32_t)draw(m, 6) - 1 : 1;
  array->type.code = PICK(m, codes);
  array->type.bits = PICK(m, bits);
  array->type.lanes = (uint16_t)(rarely(m) ? draw(m, 5) : 1);
  array->shape = rarely(m) ? NULL : m->shapes[number];
  array->strides = rarely(m) ? m->strides[number] : NULL;
  array->byte_offset = rarely(m) ? draw(m, 16) : 0;
  for (d = 0; d < 3; ++d) {
    m->shapes[number][d] = rarely(m) ? (int64_t)draw(m, MOST_EXTENT) : equal;
    m->strides[number][d] = (int64_t)draw(m, 4) - 1;
  }
  /* More elements than there are must not be said of data that are there. */
  if (rarely(m)) {
    m->shapes[number][draw(m, 2)] = INT64_MIN + (int64_t)draw(m, 2);
  } else if (rarely(m)) {
    const int64_t many = INT64_MAX >> draw(m, 20);
    m->shapes[number][draw(m, 2)] = m->is_modest ? MOST_EXTENT : many;
    array->data = NULL;
  }
}

static const char* draw_algorithm(machine* m) {
  static const char* const others[] = {"", "Scan", "scan ", "sum", NULL};
  return rarely(m) ? PICK(m, others)
                   : m->algorithms[draw(m, m->algorithm_count)];
}

static const char* draw_option(machine* m) {
  static const char* const options[] = {"op=add",
                                        "op=max",
                                        "op=",
                                        "op",
                                        "kind=inclusive",
                                        "kind=neither",
                                        "=",
                                        "",
                                        "program=map x + 1",
                                        "program=x |>",
                                        "program=filter x > 2 |> count",
                                        "program=map t[9]",
                                        "op=a > b ? a : b",
                                        "op=x * x - 1",
                                        "op=(a, b)",
                                        "keep=x % 3 == 1",
                                        "keep=x %",
                                        "program=reduce a - b",
                                        "program=zip x y",
                                        "steps=3",
                                        "steps=-3",
                                        "count=5",
                                        "from=99999999999999999999",
                                        "keep=nonzero",
                                        "keep=between:1,",
                                        "limit=4",
                                        "bits=0:9",
                                        "order=descending",
                                        "argsort",
                                        "output-y",
                                        "output-size=yes",
                                        "kinds=()",
                                        "kinds=(",
                                        "\xff\xfe=\x01",
                                        "seed=1",
                                        "window=3",
                                        NULL};
  return PICK(m, options);
}

/* --- Calls --- */

static void open_backend(machine* m) {
  static const char* const names[] = {"serial", "serial",
                                      "tbb:2",  "tbb:1",
                                      "tbb:0",  "tbb:",
                                      "tbb:x",  "tbb:-1",
                                      "cuda",   "cuda:0",
                                      "cuda:9", "gpu",
                                      ":",      "tbb:99999999999999999999"};
  concord_backend* backend = NULL;
  const char* const name = PICK(m, names);
  if (rarely(m)) {
    /* The default stream, CUDA's names for it, and what is no stream. */
    void* const stream = (void*)(uintptr_t)draw(m, 5);
    GIVE(m, concord_backend_open_on_stream(name, stream, &backend),
         backend != NULL);
  } else {
    GIVE(m, concord_backend_open(name, rarely(m) ? NULL : &backend),
         backend != NULL);
  }
  if (backend == NULL) return;
  concord_backend_free(m->backend);
  m->backend = backend;
}

static void create_kernel(machine* m) {
  static const char* const variants[] = {"", "", "", "", NULL, "one_pass", "x"};
  const char* options[MOST_OPTIONS];
  const size_t count = draw(m, 3) == 0 ? draw(m, MOST_OPTIONS + 1) : 0;
  concord_kernel* kernel = NULL;
  size_t i;
  for (i = 0; i < count; ++i) options[i] = draw_option(m);
  GIVE(m,
       concord_kernel_create(rarely(m) ? NULL : m->backend, draw_algorithm(m),
                             PICK(m, variants), rarely(m) ? NULL : options,
                             count, rarely(m) ? NULL : &kernel),
       kernel != NULL);
  if (kernel == NULL) return;
  concord_kernel_free(m->kernel);
  m->kernel = kernel;
}

static void run_kernel(machine* m) {
  concord_array arrays[MOST_ARRAYS];
  const size_t inputs = draw(m, MOST_ARRAYS);
  const size_t outputs = draw(m, MOST_ARRAYS + 1 - inputs);
  concord_event* event = NULL;
  size_t i;
  for (i = 0; i < MOST_ARRAYS; ++i) draw_array(m, i, &arrays[i]);
  if (draw(m, 2) == 0) {
    take(m, concord_kernel_run(rarely(m) ? NULL : m->kernel,
                               rarely(m) ? NULL : arrays, inputs,
                               rarely(m) ? NULL : arrays + inputs, outputs));
    return;
  }
  GIVE(m,
       concord_kernel_start(m->kernel, arrays, inputs, arrays + inputs, outputs,
                            rarely(m) ? NULL : &event),
       event != NULL);
  if (event == NULL) return;
  concord_event_free(m->event);
  m->event = event;
}

/* Inputs that may well be right, and then the outputs of the plan, one of which
 * may be changed. */
static void plan_and_run(machine* m) {
  concord_array inputs[2];
  concord_array outputs[MOST_ARRAYS];
  const size_t input_count = 1 + draw(m, 2);
  concord_plan* plan = NULL;
  size_t count = 0;
  size_t i;
  for (i = 0; i < 2; ++i) draw_array(m, i, &inputs[i]);
  GIVE(m,
       concord_kernel_plan(m->kernel, rarely(m) ? NULL : inputs, input_count,
                           rarely(m) ? NULL : &plan),
       plan != NULL);
  if (plan == NULL) return;
  concord_plan_free(m->plan);
  m->plan = plan;
  GIVE(m, concord_plan_output_count(plan, &count), 0);
  if (count > 2) return;
  for (i = 0; i < count; ++i) {
    size_t d;
    int64_t size = 1;
    take(m, concord_plan_output(plan, i, &outputs[i]));
    for (d = 0; d < (size_t)outputs[i].dimensions; ++d) {
      size *= outputs[i].shape[d];
    }
    if (size > MOST_EXTENT * MOST_EXTENT) return;
    outputs[i].data = data_of(m, 2 + i, &outputs[i]);
    if (rarely(m)) draw_array(m, 2 + i, &outputs[i]);
  }
  take(m, concord_kernel_run(m->kernel, inputs, input_count, outputs, count));
}

/* Of programs mostly, with inputs that may well be right. */
static void explain(machine* m) {
  const char* option = draw_option(m);
  concord_array inputs[2];
  char* json = NULL;
  size_t i;
  for (i = 0; i < 2; ++i) draw_array(m, i, &inputs[i]);
  GIVE(m,
       concord_explain(draw(m, 2) ? "sequence" : draw_algorithm(m),
                       rarely(m) ? NULL : &option, draw(m, 4) != 0,
                       rarely(m) ? NULL : inputs, draw(m, 3),
                       rarely(m) ? NULL : &json),
       json != NULL);
  concord_text_free(json);
}

static void ask(machine* m) {
  const char* name = NULL;
  char* text = NULL;
  double seconds = 0;
  size_t count = 0;
  concord_array array;
  concord_device device;
  memset(&array, 0, sizeof array);
  switch (draw(m, 11)) {
    case 0:
      GIVE(m, concord_backend_name(m->backend, &name), name != NULL);
      break;
    case 1:
      take(m, concord_backend_device(m->backend, rarely(m) ? NULL : &device));
      break;
    case 2:
      GIVE(m, concord_kernel_name(m->kernel, &name), name != NULL);
      break;
    case 3:
      GIVE(m, concord_describe(draw_algorithm(m), rarely(m) ? NULL : &text),
           text != NULL);
      break;
    case 4:
      GIVE(m, concord_event_seconds(m->event, &seconds), seconds != 0);
      break;
    case 5:
      take(m, concord_event_wait(rarely(m) ? NULL : m->event));
      break;
    case 6:
      GIVE(m, concord_plan_count_in(m->plan, draw(m, 3), &name), name != NULL);
      break;
    case 7:
      GIVE(m, concord_plan_output(m->plan, draw(m, 3), &array),
           array.name != NULL);
      break;
    case 8:
      GIVE(m, concord_algorithm_names(NULL, &count), count != 0);
      break;
    case 9:
      explain(m);
      break;
    default:
      take(m, concord_backend_synchronize(m->backend));
  }
  concord_text_free(text);
}

static void use_memory(machine* m) {
  concord_array from, to;
  concord_memory* memory = NULL;
  draw_array(m, 0, &from);
  draw_array(m, 1, &to);
  if (draw(m, 2) == 0) {
    take(m, concord_copy(m->backend, rarely(m) ? NULL : &from, &to));
    return;
  }
  GIVE(m,
       (draw(m, 2) ? concord_memory_allocate : concord_memory_allocate_host)(
           m->backend, rarely(m) ? NULL : &from, rarely(m) ? NULL : &memory),
       memory != NULL);
  if (memory == NULL) return;
  concord_memory_free(m->memory);
  m->memory = memory;
}

static void verify(machine* m) {
  static const char* const options[] = {"cases=3",    "cases=x", "seconds=-1",
                                        "backends=x", "seed=2",  "speed=1",
                                        NULL};
  const char* const option = PICK(m, options);
  concord_verification* made = NULL;
  char* text = NULL;
  concord_progress progress;
  GIVE(m,
       concord_verification_create(draw_algorithm(m), &option, draw(m, 2),
                                   rarely(m) ? NULL : &made),
       made != NULL);
  take(m, concord_verification_progress(made, rarely(m) ? NULL : &progress));
  take(m, concord_verification_cancel(made));
  GIVE(m, concord_verification_result(made, &text), text != NULL);
  concord_text_free(text);
  concord_verification_free(m->verification);
  m->verification = made;
}

static concord_array host_array(machine* m, size_t number) {
  static const int64_t size = MOST_ELEMENTS;
  concord_array array;
  memset(&array, 0, sizeof array);
  array.name = "data";
  array.data = m->data[number];
  array.device.type = CONCORD_CPU;
  array.dimensions = 1;
  array.type.bits = 64;
  array.type.lanes = 1;
  array.shape = &size;
  return array;
}

static void open_gpu(machine* m) {
  size_t i;
  if (!take(m, concord_backend_open("cuda", &m->gpu))) return;
  for (i = 0; i < MOST_ARRAYS; ++i) {
    const concord_array from = host_array(m, i);
    m->gpu_data[i] = from;
    take(m,
         concord_memory_allocate(m->gpu, &m->gpu_data[i], &m->gpu_memory[i]));
    take(m, concord_copy(m->gpu, &from, &m->gpu_data[i]));
  }
}

static void close_gpu(machine* m) {
  size_t i;
  for (i = 0; i < MOST_ARRAYS && m->gpu != NULL; ++i) {
    const concord_array to = host_array(m, i);
    if (!take(m, concord_copy(m->gpu, &m->gpu_data[i], &to))) {
      ++m->seen.gpu_refused;
    }
    concord_memory_free(m->gpu_memory[i]);
  }
  concord_backend_free(m->gpu);
}

outcome make_random_calls(uint64_t seed, int64_t calls) {
  static void (*const kinds[])(machine*) = {open_backend,     create_kernel,
                                            create_kernel,    run_kernel,
                                            run_kernel,       plan_and_run,
                                            plan_and_run,     plan_and_run,
                                            plan_and_run,     ask,
                                            use_memory,       verify,
                                            use_differential, use_differential};
  static machine m;
  memset(&m, 0, sizeof m);
  m.state = seed;
  /* valgrind ends a program whose `new` fails. */
  m.is_modest = getenv("CONCORD_MODEST") != NULL;
  take(&m, concord_algorithm_names(&m.algorithms, &m.algorithm_count));
  open_gpu(&m);
  while (m.seen.calls < calls) PICK(&m, kinds)(&m);
  concord_differential_free(m.differential);
  concord_verification_free(m.verification);
  concord_memory_free(m.memory);
  concord_event_free(m.event);
  concord_plan_free(m.plan);
  concord_kernel_free(m.kernel);
  concord_backend_free(m.backend);
  close_gpu(&m);
  return m.seen;
}
