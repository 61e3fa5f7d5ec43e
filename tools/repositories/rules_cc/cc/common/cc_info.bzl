# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The native provider under the name that rules_cc gives it."""

load(":native.bzl", "NativeCcInfo")

CcInfo = NativeCcInfo
