/* SPDX-FileCopyrightText: The Concord Authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Python with Concord in it: the objects of the ordinary build cannot be linked
 * to a shared library that Python would load, but to Python itself they can. */

/* clang-format off: it comes before every other header. */
#include <Python.h>
/* clang-format on */

int main(int argc, char** argv) { return Py_BytesMain(argc, argv); }
