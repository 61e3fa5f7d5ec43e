# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""calls.h for outside/every.c and every.cc: a call of every algorithm, from its description."""

# Where extents that have no other size are to have one.
_EXTENTS = {"sequences + 1": 2, "alphabet": 4, "t": 4, "dim": 96}
_SIZE = 6
# Where 1 and 2 are no values that an input can have.
_VALUES = {"letters": b"ACGTAC", "offsets": [0, _SIZE], "signs": [1] * 16}
_CODES = {"int": 0, "uint": 1, "float": 2}
_C_TYPES = {"float32": "float", "float64": "double"}


def _split(element_type):
    """int32 -> int, 32"""
    kind = element_type.rstrip("0123456789")
    return kind, int(element_type[len(kind):])


def _type_of(entry):
    """One that all implementations take."""
    types = entry["element_types"]
    return "int32" if "int32" in types else types[-1]


def calls_header(descriptions):
    """The text of it; `descriptions` are those of concord_describe."""
    arrays = []
    calls = []
    for algorithm in descriptions:
        inputs = []
        for entry in algorithm["inputs"]:
            # The first is there, if only for types to follow from it.
            if entry["optional"] and inputs:
                continue
            number = len(arrays)
            shape = [_EXTENTS.get(extent, _SIZE) for extent in entry["shape"]]
            size = 1
            for extent in shape:
                size *= extent
            values = _VALUES.get(entry["name"], [1 + k % 2 for k in range(size)])
            element_type = _type_of(entry)
            kind, bits = _split(element_type)
            c_type = _C_TYPES.get(element_type, f"{element_type}_t")
            arrays.append(
                f"static const {c_type} data_{number}[] = {{{', '.join(map(str, values))}}};\n"
                f"static const int64_t shape_{number}[] = {{{', '.join(map(str, shape))}}};\n")
            inputs.append(f'{{"{entry["name"]}", data_{number}, shape_{number}, {len(shape)}, '
                          f'{_CODES[kind]}, {bits}}}')
        calls.append(f'    {{"{algorithm["algorithm"]}", {{{", ".join(inputs)}}}, {len(inputs)}}}')
    most = max(len(algorithm["inputs"]) for algorithm in descriptions)
    return (
        "#include <stddef.h>\n#include <stdint.h>\n\n"
        f"enum {{ MOST_INPUTS = {most} }};\n"
        "typedef struct input {\n"
        "  const char* name;\n  const void* data;\n  const int64_t* shape;\n"
        "  int32_t dimensions;\n  uint8_t code;\n  uint8_t bits;\n} input;\n"
        "typedef struct call {\n"
        "  const char* algorithm;\n  input given[MOST_INPUTS];\n  size_t inputs;\n} call;\n\n"
        + "".join(arrays) + "\nstatic const call calls[] = {\n" + ",\n".join(calls) + "\n};\n")
