# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What cc_info.bzl cannot say: a file that defines a name cannot use the native one."""

NativeCcInfo = CcInfo
