/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

#include <stdio.h>
#include <stdlib.h>

#include "concord/tools/bindings/tests/random_machine.h"

#define DESCRIPTION(inputs, more) \
  "{\"name\": \"f\", \"inputs\": [" inputs "]" more "}"
#define INPUT(name, types, shape) \
  "{\"name\": \"" name "\", \"types\": [" types "], \"shape\": [" shape "]"

static const char* draw_description(machine* m) {
  static const char* const right[] = {
      DESCRIPTION(INPUT("x", "\"int8\"", "\"n\"") "}", ""),
      DESCRIPTION(INPUT("x", "\"int64\", \"float32\"", "\"n\"") "}, " INPUT(
                      "y", "\"float64\"", "\"n\", \"m\"") ", \"least\": 0}",
                  ", \"relative\": 0.5, \"largest_size\": 9"),
      DESCRIPTION(INPUT("x", "\"uint8\"", "\"n\"") "}, " INPUT(
                      "s", "\"int64\"", "\"p\"") ", \"offsets_of\": \"n\"}",
                  ", \"options\": [{\"name\": \"t\", \"values\": [1, 2]}], "
                  "\"boundaries\": [4]")};
  static const char* const wrong[] = {
      "",
      "{",
      "null",
      "[]",
      "{\"name\": 3}",
      DESCRIPTION("", ""),
      DESCRIPTION(INPUT("x", "\"int8\"", "") "}", ""),
      DESCRIPTION(INPUT("x", "", "\"n\"") "}", ""),
      DESCRIPTION(INPUT("x", "\"int8\"", "\"-1\"") "}", ""),
      DESCRIPTION(INPUT("x", "\"int8\"", "\"n\"") "}",
                  ", \"largest_size\": -1"),
      DESCRIPTION(INPUT("x", "\"int8\"", "\"n\"") "}", ", \"relative\": 1e999"),
      DESCRIPTION(INPUT("s", "\"int8\"", "\"p\"") ", \"offsets_of\": \"p\"}",
                  ""),
      "\xff\xfe",
      NULL};
  return draw(m, 3) == 0 ? PICK(m, wrong) : PICK(m, right);
}

static void create(machine* m) {
  static const char* const others[] = {
      "cases=3",    "cases=x",   "seed=2",      "seconds=1",
      "seconds=-1", "seconds=x", "repeat=$",    "replay=/nowhere",
      "replay=/",   "speed=1",   "repeat=\xff", "cases=",
      NULL};
  const char* const temporary = getenv("TEST_TMPDIR");
  const char* options[2];
  char folder[512];
  concord_differential* made = NULL;
  snprintf(folder, sizeof folder, "folder=%s",
           temporary == NULL ? "/tmp" : temporary);
  options[0] = rarely(m) ? "folder=/dev/null/nowhere" : folder;
  options[1] = PICK(m, others);
  GIVE(m,
       concord_differential_create(draw_description(m),
                                   rarely(m) ? NULL : options, 1 + draw(m, 2),
                                   rarely(m) ? NULL : &made),
       made != NULL);
  if (made == NULL) return;
  concord_differential_free(m->differential);
  m->differential = made;
  m->asked = NULL;
  m->asked_count = 0;
}

static void next(machine* m) {
  const char* options = NULL;
  m->asked = NULL;
  m->asked_count = 0;
  GIVE(m,
       concord_differential_next(
           rarely(m) ? NULL : m->differential, rarely(m) ? NULL : &m->asked,
           rarely(m) ? NULL : &m->asked_count, rarely(m) ? NULL : &options),
       m->asked != NULL || m->asked_count != 0 || options != NULL);
}

/* Mostly what was asked, which is always right: the same on both sides. */
static void answer(machine* m) {
  static const char* const messages[] = {"wrong", "", "\xff", NULL};
  const int32_t verdict = draw(m, 3) == 0 ? (int32_t)draw(m, 6) - 1 : 0;
  const int other = draw(m, 4) == 0;
  concord_array arrays[MOST_ARRAYS];
  size_t i;
  for (i = 0; i < MOST_ARRAYS; ++i) draw_array(m, i, &arrays[i]);
  take(m, concord_differential_answer(
              rarely(m) ? NULL : m->differential, verdict, PICK(m, messages),
              rarely(m) ? NULL : (other ? arrays : m->asked),
              other ? draw(m, MOST_ARRAYS + 1) : m->asked_count,
              other ? arrays : m->asked,
              other ? draw(m, MOST_ARRAYS + 1) : m->asked_count));
}

static void result(machine* m) {
  const concord_array* inputs = NULL;
  const char* options = NULL;
  size_t count = 0;
  char* text = NULL;
  m->asked = NULL;
  m->asked_count = 0;
  GIVE(m,
       concord_differential_result(
           rarely(m) ? NULL : m->differential, rarely(m) ? NULL : &inputs,
           rarely(m) ? NULL : &count, rarely(m) ? NULL : &options,
           rarely(m) ? NULL : &text),
       inputs != NULL || count != 0 || options != NULL || text != NULL);
  concord_text_free(text);
}

void use_differential(machine* m) {
  concord_progress progress;
  switch (draw(m, 12)) {
    case 0:
      create(m);
      break;
    case 1:
      result(m);
      break;
    case 2:
      take(m, concord_differential_progress(m->differential,
                                            rarely(m) ? NULL : &progress));
      break;
    case 3:
      if (!rarely(m)) break;
      m->asked = NULL;
      m->asked_count = 0;
      take(m, concord_differential_cancel(m->differential));
      break;
    default:
      if (draw(m, 2) == 0) {
        next(m);
      } else {
        answer(m);
      }
  }
}
