// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// without_unnamed_files PROGRAM [ARGUMENT...]: runs it as on a file system that
// has no files without a name.

#include <unistd.h>

#include <cstdio>

#include "concord/testing/support/no_unnamed_files.h"

int main(int argc, char** argv) {
  if (argc < 2 || !concord::RefuseUnnamedFiles()) return 77;
  execvp(argv[1], argv + 1);
  std::perror(argv[1]);
  return 127;
}
