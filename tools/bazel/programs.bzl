# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of our own in place of sh_test and sh_binary, which newer versions of Bazel do not bring along."""

def _quoted(word):
    return "'%s'" % word.replace("'", "'\\''")

def path_among_runfiles(file):
    """From where tests and `bazel run` start programs; never a name alone, which is looked for in $PATH."""
    return file.short_path if "/" in file.short_path else "./" + file.short_path

def starts(ctx, words, environment = {}, data = []):
    """The providers of a program that starts another: `words`, and then what it is given itself.

    Args:
      ctx: of the rule.
      words: of the command line. Files stand for their paths and are laid beside it.
      environment: variables of its environment.
      data: targets whose files it needs, and what these need.

    Returns:
      What the rule returns.
    """
    files = [word for word in words if type(word) == "File"]
    paths = [path_among_runfiles(word) if type(word) == "File" else word for word in words]
    variables = ["%s=%s" % item for item in environment.items()]
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(
        script,
        "#!/usr/bin/env bash\nexec %s \"$@\"\n" % " ".join(
            [_quoted(word) for word in (["env"] + variables if variables else []) + paths],
        ),
        is_executable = True,
    )
    runfiles = ctx.runfiles(files)
    for dep in data:
        runfiles = runfiles.merge(ctx.runfiles(transitive_files = dep[DefaultInfo].files))
        runfiles = runfiles.merge(dep[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = script, runfiles = runfiles)]

def _user_command_impl(ctx):
    return starts(
        ctx,
        [ctx.file._runner, ctx.file.program] + ctx.attr.words,
        data = [ctx.attr.program] + ctx.attr.data,
    )

# For `bazel run`: `program`, a script or a binary, in the folder of its user and
# with `words` before the user's own.
user_command = rule(
    implementation = _user_command_impl,
    attrs = {
        "program": attr.label(allow_single_file = True, mandatory = True),
        "words": attr.string_list(),
        "data": attr.label_list(allow_files = True),
        "_runner": attr.label(default = Label("//tools/bazel:run_script"), allow_single_file = True),
    },
    executable = True,
)
