# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether there is a GPU, and whether there has to be one."""

import os

import concord

REQUIRED = "cuda" in os.environ.get("CONCORD_REQUIRE", "").split(",")


def _is_there():
    try:
        concord.Backend("cuda:0")
    except concord.Unavailable:
        if REQUIRED:
            raise
        return False
    return True


HAS_GPU = _is_there()
