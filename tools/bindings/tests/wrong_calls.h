/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Mistakes of programs in C, and what they are told. */
#ifndef CONCORD_TOOLS_BINDINGS_TESTS_WRONG_CALLS_H_
#define CONCORD_TOOLS_BINDINGS_TESTS_WRONG_CALLS_H_

#include "concord/tools/bindings/concord.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a wrong call is made with: all of it is right. */
typedef struct surroundings {
  concord_backend* backend;
  concord_kernel* scan;
  concord_kernel* decode;
  concord_array in;
  concord_array out;
  concord_plan* plan;
  concord_verification* verification;
  int64_t size;
  int64_t more;
  int64_t square[2];
  int64_t cube[3];
  int64_t apart[2];
  int32_t values[64];
  int32_t results[64];
} surroundings;

concord_status* surroundings_make(surroundings* all);
void surroundings_free(surroundings* all);

typedef struct wrong_call {
  const char* name;
  concord_status* (*make)(surroundings* all);
  int32_t code;
  const char* message; /* part of it */
} wrong_call;

/* Ends with a name that is NULL. */
extern const wrong_call wrong_calls[];

#ifdef __cplusplus
}
#endif

#endif /* CONCORD_TOOLS_BINDINGS_TESTS_WRONG_CALLS_H_ */
