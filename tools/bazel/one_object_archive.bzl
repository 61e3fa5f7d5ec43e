# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Libraries for people who do not build with Bazel."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

def _one_object_archive_impl(ctx):
    archives = []
    flags = []
    for dep in ctx.attr.deps:
        for linker_input in dep[CcInfo].linking_context.linker_inputs.to_list():
            flags += [flag for flag in linker_input.user_link_flags if flag not in flags]
            for library in linker_input.libraries:
                archive = library.static_library or library.pic_static_library
                if archive and archive not in archives:
                    archives.append(archive)
    ctx.actions.run_shell(
        inputs = archives,
        outputs = [ctx.outputs.archive],
        arguments = [ctx.outputs.archive.path] + [archive.path for archive in archives],
        command = """
            archive=$1
            shift
            ld -r -o "$archive.o" --whole-archive "$@" || exit
            # No program could be linked with it.
            if missing=$(nm -uC "$archive.o" | grep -E " U (.* for )?concord::"); then
                echo "the archive lacks what its own objects need:" >&2
                echo "$missing" >&2
                exit 1
            fi
            ar rcsD "$archive" "$archive.o"
        """,
        mnemonic = "OneObjectArchive",
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin"},
    )
    ctx.actions.write(ctx.outputs.flags, "".join([flag + "\n" for flag in flags]))

# `archive` has the code of `deps` and of all that they need as one object, so that
# a program that links it has every registration; `flags`, one on each line, are
# what is to be linked beside it.
one_object_archive = rule(
    implementation = _one_object_archive_impl,
    attrs = {
        "archive": attr.output(mandatory = True),
        "deps": attr.label_list(providers = [CcInfo]),
        "flags": attr.output(mandatory = True),
    },
)
