# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What is different where Concord is another project's dependency."""

def _repository_of(label):
    """The name of its repository without "@"; "" for the one that is being built."""
    return label.repo_name if hasattr(label, "repo_name") else label.workspace_name

_CONCORD = _repository_of(Label("//tools/bazel:repository.bzl"))

# Whether Concord itself is being built.
CONCORD_IS_MAIN = _CONCORD == ""

def visible_to(groups):
    """The visibility of what other projects may use, but in Concord only `groups`."""
    return groups if CONCORD_IS_MAIN else ["//visibility:public"]

def include_path(package):
    """How includes of the headers of `package` begin, one of the repository that is being loaded."""
    here = native.repo_name() if hasattr(native, "repo_name") else native.repository_name().lstrip("@")
    folders = (["concord"] if here == _CONCORD else []) + ([package] if package else [])
    return "/".join(folders)
