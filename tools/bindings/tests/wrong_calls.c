/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

#include "concord/tools/bindings/tests/wrong_calls.h"

#include <stdio.h>
#include <string.h>

static concord_array array_of(const char* name, int32_t* data,
                              const int64_t* size) {
  concord_array array;
  memset(&array, 0, sizeof array);
  array.name = name;
  array.data = data;
  array.device.type = CONCORD_CPU;
  array.dimensions = 1;
  array.type.code = CONCORD_INT;
  array.type.bits = 32;
  array.type.lanes = 1;
  array.shape = size;
  return array;
}

concord_status* surroundings_make(surroundings* all) {
  concord_status* status;
  memset(all, 0, sizeof *all);
  all->size = 4;
  all->more = 5;
  all->square[0] = all->square[1] = 2;
  all->cube[0] = all->cube[1] = all->cube[2] = 1;
  all->apart[0] = 4;
  all->apart[1] = 2;
  all->in = array_of("in", all->values, &all->size);
  all->out = array_of("out", all->results, &all->size);
  status = concord_backend_open("serial", &all->backend);
  if (status == NULL) {
    status =
        concord_kernel_create(all->backend, "scan", NULL, NULL, 0, &all->scan);
  }
  if (status == NULL) {
    status = concord_kernel_create(all->backend, "run_length_decode", "", NULL,
                                   0, &all->decode);
  }
  if (status == NULL) {
    status = concord_kernel_plan(all->scan, &all->in, 1, &all->plan);
  }
  if (status == NULL) {
    status =
        concord_verification_create("scan/serial", NULL, 0, &all->verification);
  }
  return status;
}

void surroundings_free(surroundings* all) {
  concord_verification_free(all->verification);
  concord_plan_free(all->plan);
  concord_kernel_free(all->decode);
  concord_kernel_free(all->scan);
  concord_backend_free(all->backend);
}

/* --- What most calls have in common --- */

static concord_status* open_backend(const char* name) {
  concord_backend* backend = NULL;
  concord_status* status = concord_backend_open(name, &backend);
  concord_backend_free(backend);
  return status;
}

static concord_status* create(surroundings* all, const char* algorithm,
                              const char* variant, const char* first,
                              const char* second) {
  const char* options[2];
  concord_kernel* kernel = NULL;
  concord_status* status;
  options[0] = first;
  options[1] = second;
  status = concord_kernel_create(all->backend, algorithm, variant, options,
                                 (first != NULL) + (second != NULL), &kernel);
  concord_kernel_free(kernel);
  return status;
}

static concord_status* run(surroundings* all) {
  return concord_kernel_run(all->scan, &all->in, 1, &all->out, 1);
}

/* Of the array `in`, by this name. */
static concord_status* explain(surroundings* all, const char* algorithm,
                               const char* option, const char* name) {
  char* json = NULL;
  concord_status* status;
  all->in.name = name;
  status =
      concord_explain(algorithm, &option, option != NULL, &all->in, 1, &json);
  concord_text_free(json);
  return status;
}

static concord_status* verification(const char* option) {
  concord_verification* made = NULL;
  concord_status* status = concord_verification_create("", &option, 1, &made);
  concord_verification_free(made);
  return status;
}

/* Of a description whose one input is `input`. */
static concord_status* differential(const char* input, const char* option) {
  char description[256];
  concord_differential* made = NULL;
  concord_status* status;
  snprintf(description, sizeof description,
           "{\"name\": \"f\", \"inputs\": [%s]}", input);
  status =
      concord_differential_create(description, &option, option != NULL, &made);
  concord_differential_free(made);
  return status;
}

/* Of a description whose one input is right, with another member. */
static concord_status* differential_with(const char* member) {
  char description[256];
  concord_differential* made = NULL;
  concord_status* status;
  snprintf(description, sizeof description,
           "{\"name\": \"f\", \"inputs\": [{\"name\": \"x\", \"types\": "
           "[\"int8\"], \"shape\": [3]}], %s}",
           member);
  status = concord_differential_create(description, NULL, 0, &made);
  concord_differential_free(made);
  return status;
}

#define ONE_INPUT "{\"name\": \"x\", \"types\": [\"int8\"], \"shape\": [\"n\"]}"

/* Asks twice, answers twice, or asks for the result, with one case at hand. */
enum mistake { kNextAgain, kAnswerAgain, kResult, kNoVerdict };
static concord_status* differential_out_of_turn(enum mistake mistake) {
  concord_differential* made = NULL;
  const concord_array* inputs = NULL;
  size_t count = 0;
  const char* options = NULL;
  char* json = NULL;
  concord_status* status = concord_differential_create(
      "{\"name\": \"f\", \"inputs\": [" ONE_INPUT "]}", NULL, 0, &made);
  if (status == NULL) {
    status = concord_differential_next(made, &inputs, &count, &options);
  }
  if (status == NULL && mistake == kAnswerAgain) {
    status = concord_differential_answer(made, CONCORD_COMPARE, NULL, inputs,
                                         count, inputs, count);
  }
  if (status == NULL && mistake == kResult) {
    status =
        concord_differential_result(made, &inputs, &count, &options, &json);
  } else if (status == NULL && mistake == kNextAgain) {
    status = concord_differential_next(made, &inputs, &count, &options);
  } else if (status == NULL) {
    status = concord_differential_answer(
        made, mistake == kNoVerdict ? 9 : CONCORD_RAISED, "", NULL, 0, NULL, 0);
  }
  concord_differential_free(made);
  return status;
}

/* --- The calls --- */

#define INVALID CONCORD_INVALID_ARGUMENT
#define MISTAKES(X)                                                            \
  X(a_backend_that_there_is_not, INVALID, "unknown backend 'gpu'",             \
    return open_backend("gpu"))                                                \
  X(a_backend_with_an_empty_argument, INVALID, "nothing follows the colon",    \
    return open_backend("tbb:"))                                               \
  X(a_backend_of_several_gpus, CONCORD_UNIMPLEMENTED, "C has no name for",     \
    return open_backend("gpus:0+0"))                                           \
  X(a_backend_of_ranks, CONCORD_UNIMPLEMENTED, "the arrays of backend mpi",    \
    return open_backend("auto:mpi"))                                           \
  X(a_number_of_threads_that_is_none, INVALID, "many",                         \
    return open_backend("tbb:many"))                                           \
  X(no_place_for_the_backend, INVALID, "'backend' is NULL",                    \
    return concord_backend_open("serial", NULL))                               \
  X(a_stream_of_the_cpu, INVALID, "serial has no streams; only cuda has",      \
    concord_backend* backend = NULL;                                           \
    return concord_backend_open_on_stream("serial", NULL, &backend))           \
  X(the_name_of_no_backend, INVALID, "'backend' is NULL", const char* name;    \
    return concord_backend_name(NULL, &name))                                  \
  X(no_place_for_the_device, INVALID, "'device' is NULL",                      \
    return concord_backend_device(all->backend, NULL))                         \
  X(no_backend_to_wait_for, INVALID, "'backend' is NULL",                      \
    return concord_backend_synchronize(NULL))                                  \
  X(an_algorithm_that_there_is_not, CONCORD_NOT_FOUND,                         \
    "unknown algorithm 'sum'; the algorithms are compact",                     \
    return create(all, "sum", "", NULL, NULL))                                 \
  X(no_algorithm, INVALID, "'algorithm' is NULL",                              \
    return create(all, NULL, "", NULL, NULL))                                  \
  X(a_variant_that_there_is_not, CONCORD_NOT_FOUND,                            \
    "scan has no implementation serial/fastest; it has",                       \
    return create(all, "scan", "fastest", NULL, NULL))                         \
  X(an_option_that_there_is_not, INVALID, "unknown option --operator",         \
    return create(all, "scan", "", "operator=add", NULL))                      \
  X(a_value_that_an_option_does_not_take, INVALID, "--op takes",               \
    return create(all, "scan", "", "op=plus", NULL))                           \
  X(an_option_with_no_value, INVALID, "--op takes",                            \
    return create(all, "scan", "", "op", NULL))                                \
  X(an_option_given_twice, INVALID, "the option 'op' is given twice",          \
    return create(all, "scan", "", "op=add", "op=mul"))                        \
  X(a_number_out_of_range, INVALID, "--steps takes",                           \
    return create(all, "look_and_say", "", "steps=-1", NULL))                  \
  X(options_that_are_null, INVALID, "'options' is NULL",                       \
    concord_kernel* kernel = NULL;                                             \
    return concord_kernel_create(all->backend, "scan", "", NULL, 2, &kernel))  \
  X(an_option_that_is_null, INVALID, "option number 0 is NULL",                \
    const char* none = NULL;                                                   \
    concord_kernel* kernel = NULL;                                             \
    return concord_kernel_create(all->backend, "scan", "", &none, 1, &kernel)) \
  X(a_kernel_on_no_backend, INVALID, "'backend' is NULL",                      \
    concord_kernel* kernel = NULL;                                             \
    return concord_kernel_create(NULL, "scan", "", NULL, 0, &kernel))          \
  X(no_place_for_the_kernel, INVALID, "'kernel' is NULL",                      \
    return concord_kernel_create(all->backend, "scan", "", NULL, 0, NULL))     \
  X(no_kernel_to_run, INVALID, "'kernel' is NULL",                             \
    return concord_kernel_run(NULL, &all->in, 1, &all->out, 1))                \
  X(inputs_that_are_null, INVALID, "'inputs' is NULL",                         \
    return concord_kernel_run(all->scan, NULL, 1, &all->out, 1))               \
  X(outputs_that_are_null, INVALID, "'outputs' is NULL",                       \
    return concord_kernel_run(all->scan, &all->in, 1, NULL, 1))                \
  X(no_input, INVALID, "the input 'in' is not given",                          \
    return concord_kernel_run(all->scan, NULL, 0, &all->out, 1))               \
  X(no_output, INVALID, "the output 'out' is not given",                       \
    return concord_kernel_run(all->scan, &all->in, 1, NULL, 0))                \
  X(an_input_of_another_name, INVALID, "there is no input 'input'",            \
    concord_array both[2];                                                     \
    both[0] = both[1] = all->in; both[1].name = "input";                       \
    return concord_kernel_run(all->scan, both, 2, &all->out, 1))               \
  X(an_output_of_another_name, INVALID,                                        \
    "there is no output 'sums'; there are out", all->out.name = "sums";        \
    return run(all))                                                           \
  X(an_array_without_a_name, INVALID, "an array has no name",                  \
    all->in.name = NULL;                                                       \
    return run(all))                                                           \
  X(an_input_given_twice, INVALID, "'in' is given twice",                      \
    concord_array both[2];                                                     \
    both[0] = both[1] = all->in;                                               \
    return concord_kernel_run(all->scan, both, 2, &all->out, 1))               \
  X(an_output_of_another_size, INVALID, "'out' must have 4 elements, not 5",   \
    all->out.shape = &all->more;                                               \
    return run(all))                                                           \
  X(an_output_of_another_type, INVALID,                                        \
    "'out' must have elements of type int32, not float32",                     \
    all->out.type.code = CONCORD_FLOAT;                                        \
    return run(all))                                                           \
  X(a_type_that_there_is_not, INVALID, "type code 2 with 16 bits",             \
    all->in.type.code = CONCORD_FLOAT;                                         \
    all->in.type.bits = 16; return run(all))                                   \
  X(elements_of_four_lanes, INVALID, "4 lanes", all->in.type.lanes = 4;        \
    return run(all))                                                           \
  X(an_array_on_a_gpu, INVALID, "'in' lives in cuda:1 memory",                 \
    all->in.device.type = CONCORD_CUDA;                                        \
    all->in.device.index = 1; return run(all))                                 \
  X(a_device_that_there_is_not, INVALID, "'in' lies on a device of type 7",    \
    all->in.device.type = 7;                                                   \
    return run(all))                                                           \
  X(three_dimensions, INVALID, "'in' has 3 dimensions",                        \
    all->in.dimensions = 3;                                                    \
    all->in.shape = all->cube; return run(all))                                \
  X(a_negative_dimension, INVALID, "'in' has -1 dimensions",                   \
    all->in.dimensions = -1;                                                   \
    return run(all))                                                           \
  X(no_shape, INVALID, "'in' has 1 dimensions and no shape",                   \
    all->in.shape = NULL;                                                      \
    return run(all))                                                           \
  X(a_negative_size, INVALID, "'in' cannot have the shape [-4]",               \
    all->size = -4;                                                            \
    return run(all))                                                           \
  X(more_elements_than_can_be_counted, INVALID, "'in' cannot have the shape",  \
    all->square[0] = all->square[1] = INT64_C(1) << 40;                        \
    all->in.dimensions = 2; all->in.shape = all->square; return run(all))      \
  X(gaps_between_elements, INVALID, "'in' has gaps", all->in.dimensions = 2;   \
    all->in.shape = all->square; all->in.strides = all->apart;                 \
    return run(all))                                                           \
  X(no_address, INVALID, "'in' has 4 elements and no address",                 \
    all->in.data = NULL;                                                       \
    return run(all))                                                           \
  X(an_address_between_elements, INVALID, "it is no multiple of 4",            \
    all->in.byte_offset = 2;                                                   \
    return run(all))                                                           \
  X(an_offset_that_is_negative, INVALID,                                       \
    "'in' begins 18446744073709551612 bytes behind its address",               \
    all->in.byte_offset = UINT64_MAX - 3;                                      \
    return run(all))                                                           \
  X(an_offset_to_nowhere, INVALID, "'out' begins 9223372036854775808 bytes",   \
    all->out.byte_offset = UINT64_C(1) << 63;                                  \
    return run(all))                                                           \
  X(an_end_behind_all_addresses, INVALID, "'in' would end behind the last",    \
    all->in.data = (void*)(UINTPTR_MAX - 7);                                   \
    return run(all))                                                           \
  X(a_copy_to_a_negative_offset, INVALID, "'to' begins 18446744073709551608",  \
    all->out.byte_offset = UINT64_MAX - 7;                                     \
    return concord_copy(all->backend, &all->in, &all->out))                    \
  X(an_output_that_overlaps_the_input, INVALID, "'in' and 'out' share memory", \
    all->out.data = all->values + 2;                                           \
    return run(all))                                                           \
  X(a_size_that_depends_on_elements, INVALID, "depends on elements",           \
    concord_array both[2];                                                     \
    concord_plan* plan = NULL; both[0] = both[1] = all->in;                    \
    both[0].data = both[1].data = NULL; both[0].name = "values";               \
    both[1].name = "lengths";                                                  \
    return concord_kernel_plan(all->decode, both, 2, &plan))                   \
  X(an_output_that_is_not_planned, CONCORD_OUT_OF_RANGE,                       \
    "there is no output number 1; there are 1", concord_array output;          \
    return concord_plan_output(all->plan, 1, &output))                         \
  X(no_place_for_a_count, INVALID, "'count' is NULL",                          \
    return concord_plan_output_count(all->plan, NULL))                         \
  X(no_event, INVALID, "'event' is NULL", return concord_event_wait(NULL))     \
  X(memory_of_a_negative_size, INVALID, "more than can be counted",            \
    concord_memory* memory = NULL;                                             \
    all->size = -1;                                                            \
    return concord_memory_allocate(all->backend, &all->in, &memory))           \
  X(more_memory_than_there_is, CONCORD_RESOURCE_EXHAUSTED, "bytes",            \
    concord_memory* memory = NULL;                                             \
    all->size = INT64_C(1) << 55;                                              \
    return concord_memory_allocate(all->backend, &all->in, &memory))           \
  X(a_copy_to_another_size, INVALID, "'to' must have 4 elements, not 5",       \
    all->out.shape = &all->more;                                               \
    return concord_copy(all->backend, &all->in, &all->out))                    \
  X(a_copy_from_no_address, INVALID, "'from' has 4 elements and no address",   \
    all->in.data = NULL;                                                       \
    return concord_copy(all->backend, &all->in, &all->out))                    \
  X(a_copy_from_a_gpu_that_is_not_there, INVALID, "lives in cuda:3 memory",    \
    all->in.device.type = CONCORD_CUDA;                                        \
    all->in.device.index = 3;                                                  \
    return concord_copy(all->backend, &all->in, &all->out))                    \
  X(a_description_of_nothing, CONCORD_NOT_FOUND, "unknown algorithm 'sum'",    \
    char* json = NULL;                                                         \
    return concord_describe("sum", &json))                                     \
  X(no_place_for_a_description, INVALID, "'json' is NULL",                     \
    return concord_describe("scan", NULL))                                     \
  X(an_explanation_of_nothing, CONCORD_NOT_FOUND, "unknown algorithm 'sum'",   \
    return explain(all, "sum", NULL, "x"))                                     \
  X(an_explanation_of_no_name, INVALID, "'algorithm' is NULL",                 \
    return explain(all, NULL, NULL, "x"))                                      \
  X(an_explanation_of_what_never_changes, CONCORD_NOT_FOUND,                   \
    "the steps of scan are always the same",                                   \
    return explain(all, "scan", NULL, "in"))                                   \
  X(an_explanation_with_an_unknown_option, INVALID, "speed",                   \
    return explain(all, "sequence", "speed=3", "x"))                           \
  X(an_explanation_of_half_a_program, INVALID, "^",                            \
    return explain(all, "sequence", "program=map x +", "x"))                   \
  X(an_explanation_of_a_nameless_array, INVALID, "an array has no name",       \
    return explain(all, "sequence", "program=map x + 1", NULL))                \
  X(an_explanation_of_an_unknown_array, INVALID, "'in'",                       \
    return explain(all, "sequence", "program=map x + 1", "in"))                \
  X(an_explanation_of_a_function_of_nothing, INVALID, "'x'",                   \
    return explain(all, "reduce", "op=a > b ? a : b", "x"))                    \
  X(an_explanation_of_an_unknown_type, INVALID, "'x'", all->in.type.bits = 16; \
    return explain(all, "sequence", "program=map x + 1", "x"))                 \
  X(an_explanation_of_a_size_that_none_is, INVALID, "x", all->size = -1;       \
    return explain(all, "sequence", "program=map x + 1", "x"))                 \
  X(an_explanation_of_arrays_that_are_not_there, INVALID, "'inputs' is NULL",  \
    char* json = NULL;                                                         \
    return concord_explain("sequence", NULL, 0, NULL, 1, &json))               \
  X(no_place_for_an_explanation, INVALID, "'json' is NULL",                    \
    return concord_explain("sequence", NULL, 0, NULL, 0, NULL))                \
  X(a_verification_of_fewer_cases_than_none, INVALID, "--cases takes",         \
    return verification("cases=-1"))                                           \
  X(a_verification_in_no_time, INVALID, "--seconds takes",                     \
    return verification("seconds=nan"))                                        \
  X(a_verification_with_an_unknown_option, INVALID, "unknown option --speed",  \
    return verification("speed=3"))                                            \
  X(a_result_before_the_run, CONCORD_FAILED_PRECONDITION, "has not run",       \
    char* json = NULL;                                                         \
    return concord_verification_result(all->verification, &json))              \
  X(a_differential_of_no_json, INVALID, "this is no description",              \
    return differential("{", NULL))                                            \
  X(a_differential_of_an_unknown_type, INVALID, "int16",                       \
    return differential(                                                       \
        "{\"name\": \"x\", \"types\": [\"int16\"], \"shape\": [\"n\"]}",       \
        NULL))                                                                 \
  X(a_differential_with_an_unknown_member, INVALID, "an input has no 'size'",  \
    return differential("{\"name\": \"x\", \"size\": 3}", NULL))               \
  X(a_differential_without_inputs, INVALID, "has no input",                    \
    return differential("", NULL))                                             \
  X(a_differential_without_a_type, INVALID,                                    \
    "the input 'x' has to have 'types'",                                       \
    return differential("{\"name\": \"x\"}", NULL))                            \
  X(a_differential_of_one_type_in_no_list, INVALID,                            \
    "'types' of the input 'x' is a list, not \"int8\"",                        \
    return differential("{\"name\": \"x\", \"types\": \"int8\"}", NULL))       \
  X(a_differential_whose_input_has_a_number_as_name, INVALID,                  \
    "the name of an input is a text, not 3",                                   \
    return differential("{\"name\": 3}", NULL))                                \
  X(a_differential_with_half_an_extent, INVALID,                               \
    "an extent of the input 'x' is a whole number of 64 bits, not 2.5",        \
    return differential(                                                       \
        "{\"name\": \"x\", \"types\": [\"int8\"], \"shape\": [2.5]}", NULL))   \
  X(a_differential_of_values_that_no_type_has, INVALID,                        \
    "has values from 1000 to the largest, and int8 has none",                  \
    return differential("{\"name\": \"x\", \"types\": [\"int8\"], "            \
                        "\"shape\": [\"n\"], \"least\": 1000}",                \
                        NULL))                                                 \
  X(a_differential_with_a_text_as_bound, INVALID,                              \
    "'most' of the input 'x' is a number, not \"9\"",                          \
    return differential("{\"name\": \"x\", \"types\": [\"int8\"], "            \
                        "\"shape\": [\"n\"], \"most\": \"9\"}",                \
                        NULL))                                                 \
  X(a_differential_of_offsets_that_overflow, INVALID,                          \
    "'o' cuts 'n', which is up to 1000 and more than int8 holds",              \
    return differential(                                                       \
        "{\"name\": \"o\", \"types\": [\"int8\"], "                            \
        "\"shape\": [\"p\"], \"offsets_of\": \"n\"}, " ONE_INPUT,              \
        NULL))                                                                 \
  X(a_differential_of_too_large_a_size, INVALID,                               \
    "the largest size is a whole number of 64 bits, not 1e+300",               \
    return differential_with("\"largest_size\": 1e300"))                       \
  X(a_differential_of_an_unsigned_size, INVALID,                               \
    "a whole number of 64 bits, not 18446744073709551615",                     \
    return differential_with("\"largest_size\": 18446744073709551615"))        \
  X(a_differential_of_size_none, INVALID, "the largest size is 0",             \
    return differential_with("\"largest_size\": 0"))                           \
  X(a_differential_with_a_negative_boundary, INVALID, "a boundary is -1",      \
    return differential_with("\"boundaries\": [-1]"))                          \
  X(a_differential_with_a_text_as_tolerance, INVALID,                          \
    "'relative' is a number, not true",                                        \
    return differential_with("\"relative\": true"))                            \
  X(a_differential_with_an_option_without_values, INVALID,                     \
    "the option 't' has to have 'values'",                                     \
    return differential_with("\"options\": [{\"name\": \"t\"}]"))              \
  X(a_differential_with_an_unknown_option, INVALID, "unknown option --speed",  \
    return differential(ONE_INPUT, "speed=3"))                                 \
  X(a_replay_of_no_file, CONCORD_NOT_FOUND, "/nowhere",                        \
    return differential(ONE_INPUT, "replay=/nowhere/a"))                       \
  X(no_differential, INVALID, "'differential' is NULL",                        \
    return concord_differential_cancel(NULL))                                  \
  X(no_place_for_the_case, INVALID, "'inputs' is NULL",                        \
    concord_differential* made = NULL;                                         \
    concord_status * status; concord_status_free(concord_differential_create(  \
        "{\"name\": \"f\", \"inputs\": [" ONE_INPUT "]}", NULL, 0, &made));    \
    status = concord_differential_next(made, NULL, NULL, NULL);                \
    concord_differential_free(made); return status)                            \
  X(a_case_before_the_answer, CONCORD_FAILED_PRECONDITION,                     \
    "the last case has no answer",                                             \
    return differential_out_of_turn(kNextAgain))                               \
  X(an_answer_to_no_case, CONCORD_FAILED_PRECONDITION, "no case waits",        \
    return differential_out_of_turn(kAnswerAgain))                             \
  X(a_verdict_that_there_is_not, INVALID, "there is no verdict 9",             \
    return differential_out_of_turn(kNoVerdict))                               \
  X(a_result_before_the_end, CONCORD_FAILED_PRECONDITION, "cases left",        \
    return differential_out_of_turn(kResult))

#define DEFINE(name, code, message, body)          \
  static concord_status* name(surroundings* all) { \
    (void)all;                                     \
    { body; }                                      \
  }
MISTAKES(DEFINE)

#define LIST(name, code, message, body) {#name, name, code, message},
const wrong_call wrong_calls[] = {MISTAKES(LIST){NULL, NULL, 0, NULL}};
