# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""`include_all` writes a source file that includes the headers of libraries."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

def _include_all_impl(ctx):
    headers = []
    for lib in ctx.attr.libraries:
        for header in lib[CcInfo].compilation_context.direct_public_headers:
            if "/_virtual_includes/" in header.path:
                headers.append(header.path.split("/_virtual_includes/")[1].partition("/")[2])
    headers = sorted(headers, reverse = ctx.attr.backwards)
    ctx.actions.write(ctx.outputs.out, "".join(['#include "%s"\n' % header for header in headers]))

include_all = rule(
    implementation = _include_all_impl,
    attrs = {
        "libraries": attr.label_list(providers = [CcInfo]),
        "backwards": attr.bool(),
        "out": attr.output(mandatory = True),
    },
)
