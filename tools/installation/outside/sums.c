/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

/* sums NUMBER...: their inclusive prefix sums, on the serial backend. Then the
 * implementations that the library has. */

#include <concord.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 100 };

static concord_array numbers(const char* name, int64_t* data,
                             const int64_t* size) {
  concord_array array = {0};
  array.name = name;
  array.data = data;
  array.device.type = CONCORD_CPU;
  array.dimensions = 1;
  array.type.code = CONCORD_INT;
  array.type.bits = 64;
  array.type.lanes = 1;
  array.shape = size;
  return array;
}

static concord_status* scan(int64_t* values, int64_t* sums, int64_t size) {
  const char* const options[] = {"kind=inclusive"};
  const concord_array in = numbers("in", values, &size);
  const concord_array out = numbers("out", sums, &size);
  concord_backend* backend = NULL;
  concord_kernel* kernel = NULL;
  concord_status* status = concord_backend_open("serial", &backend);
  if (status == NULL) {
    status = concord_kernel_create(backend, "scan", "", options, 1, &kernel);
  }
  if (status == NULL) status = concord_kernel_run(kernel, &in, 1, &out, 1);
  concord_kernel_free(kernel);
  concord_backend_free(backend);
  return status;
}

int main(int argc, char** argv) {
  int64_t values[MOST];
  int64_t sums[MOST];
  const int64_t size = argc - 1 < MOST ? argc - 1 : MOST;
  const char* const* names = NULL;
  size_t count = 0;
  size_t k;
  int64_t i;
  concord_status* status;
  for (i = 0; i < size; ++i) values[i] = atol(argv[i + 1]);
  status = scan(values, sums, size);
  if (status == NULL) status = concord_implementation_names(&names, &count);
  if (status != NULL) {
    fprintf(stderr, "%s\n", concord_status_message(status));
    concord_status_free(status);
    return 1;
  }
  for (i = 0; i < size; ++i) printf("%ld\n", (long)sums[i]);
  for (k = 0; k < count; ++k) printf("%s\n", names[k]);
  return 0;
}
