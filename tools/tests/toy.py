# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The command line with an algorithm that was made for its tests.

`toy` adds --addend to every element; of its implementations tbb/wrong is wrong,
tbb/broken fails, tbb/narrow takes up to four int32, tbb/picky suits no device,
and the backend `absent` can run nowhere.
"""

from program import CommandLineTest


class ToyTest(CommandLineTest):
    program = "tools/tests/toy"
