# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The Python module against concord.h, and its wheel, without the library."""

import ast
import base64
import ctypes
import hashlib
import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import zipfile

PYTHON = pathlib.Path("tools/bindings/python")
HEADER = pathlib.Path("tools/bindings/concord.h")


def load(path):
    """A file as a module, without its package."""
    loader = importlib.machinery.SourceFileLoader("loaded", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("loaded", loader))
    loader.exec_module(module)
    return module


PROTOTYPES = load(PYTHON / "concord/_prototypes.py")


def declared():
    """Functions of concord.h: what they give and what they take, as text."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.DOTALL)
    return {name: [result, *([] if arguments.strip() == "void" else arguments.split(","))]
            for result, name, arguments in re.findall(
                r"^CONCORD_API\s+([^;(]*?)\s*\b(concord_\w+)\(([^)]*)\);", text, re.MULTILINE)}


def size_of(kind):
    """Bytes of a C type that is passed by value."""
    if "*" in kind:
        return 8
    return {"void": 0, "int32_t": 4, "size_t": 8}[kind.split()[0]]


def test_prototypes_are_those_of_the_header():
    functions = declared()
    assert len(functions) > 30
    assert functions.keys() == PROTOTYPES.PROTOTYPES.keys()
    for name, kinds in functions.items():
        sizes = [0 if kind is None else ctypes.sizeof(kind) for kind in PROTOTYPES.PROTOTYPES[name]]
        assert sizes == [size_of(kind) for kind in kinds], name


def test_structures_lie_as_the_compiler_lays_them(tmp_path):
    structures = {"concord_array": PROTOTYPES.CArray, "concord_device": PROTOTYPES.Device,
                  "concord_type": PROTOTYPES.Type, "concord_progress": PROTOTYPES.Progress}
    lines = []
    wanted = []
    for name, structure in structures.items():
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        wanted.append(ctypes.sizeof(structure))
        for field, _ in structure._fields_:
            lines.append(f'printf("%zu\\n", offsetof({name}, {field}));')
            wanted.append(getattr(structure, field).offset)
    source = tmp_path / "layout.c"
    source.write_text(f'#include "{HEADER.absolute()}"\n#include <stdio.h>\n'
                      f'int main(void) {{ {" ".join(lines)} return 0; }}\n', encoding="utf-8")
    subprocess.run(["gcc", "-std=c99", source, "-o", tmp_path / "layout"], check=True)
    printed = subprocess.run([tmp_path / "layout"], check=True, capture_output=True, text=True)
    assert [int(line) for line in printed.stdout.split()] == wanted


def test_arrays_are_packed_as_they_lie():
    text = (PYTHON / "concord/_views.py").read_text(encoding="utf-8")
    layout = re.search(r'LAYOUT = struct.Struct\("(.*)"\)', text)[1]
    module = load(PYTHON / "concord/_prototypes.py")
    offsets = [module.CArray.name.offset, module.CArray.data.offset, module.CArray.device.offset,
               module.CArray.device.offset + 4, module.CArray.dimensions.offset,
               *(module.CArray.type.offset + i for i in (0, 1, 2)), module.CArray.shape.offset,
               module.CArray.strides.offset, module.CArray.byte_offset.offset]
    sizes = {"P": 8, "i": 4, "B": 1, "H": 2, "Q": 8}
    assert [sum(sizes[letter] for letter in layout[1:i]) for i in range(1, len(layout))] == offsets


def test_version_is_that_of_the_header():
    text = (PYTHON / "concord/_library.py").read_text(encoding="utf-8")
    assert re.search(r'^VERSION = "(.*)"$', text, re.MULTILINE)[1] == load(
        PYTHON / "make_wheel").version()


def annotations(tree):
    """What a module says of types, which is computed when it is loaded."""
    for node in ast.walk(tree):
        yield from filter(None, (getattr(node, "annotation", None), getattr(node, "returns", None)))


def test_sources_are_of_the_oldest_python_that_is_promised():
    oldest = tuple(map(int, re.search(r"Requires-Python: >=(\d+)\.(\d+)", (
        PYTHON / "make_wheel").read_text(encoding="utf-8")).groups()))
    sources = sorted((PYTHON / "concord").glob("*.py*"))
    assert oldest >= (3, 9) and len(sources) > 15
    for source in sources:
        text = source.read_text(encoding="utf-8")
        tree = ast.parse(text, str(source), feature_version=oldest)
        # Python 3.9 cannot compute X | Y.
        has_unions = any(isinstance(node, ast.BinOp) for annotation in annotations(tree)
                         for node in ast.walk(annotation))
        assert source.suffix == ".pyi" or not has_unions or (
            "from __future__ import annotations\n" in text), source


def make_wheel(library, folder, *extension):
    return subprocess.run([PYTHON / "make_wheel", library, folder, *extension],
                          capture_output=True, text=True, check=False)


def test_wheel_is_what_its_record_says(tmp_path):
    made = make_wheel("/bin/true", tmp_path)
    assert made.returncode == 0, made.stderr
    path = pathlib.Path(made.stdout.strip())
    assert re.fullmatch(r"concord-\d+\.\d+\.\d+-py3-none-linux_x86_64\.whl", path.name)
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        info = next(name for name in names if name.endswith("/RECORD")).rpartition("/")[0]
        rows = [row.split(",") for row in wheel.read(f"{info}/RECORD").decode().splitlines()]
        assert [row[0] for row in rows] == names
        assert rows[-1] == [f"{info}/RECORD", "", ""]
        for name, digest, size in rows[:-1]:
            data = wheel.read(name)
            wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert (digest, int(size)) == (f"sha256={wanted}", len(data)), name
        assert wheel.read("concord/lib/libconcord.so.0") == pathlib.Path("/bin/true").read_bytes()
        metadata = wheel.read(f"{info}/METADATA").decode()
        assert "Tag: py3-none-linux_x86_64\n" in wheel.read(f"{info}/WHEEL").decode()
    modules = {f"concord/{module.name}" for module in (PYTHON / "concord").glob("*.py*")}
    assert modules < set(names) and "concord/__init__.pyi" in names and "concord/py.typed" in names
    assert re.search(r"with glibc 2\.\d+ or later", metadata)
    assert re.search(r"^Version: (.*)$", metadata, re.MULTILINE)[1] in path.name


def test_wheel_is_the_same_bytes_again(tmp_path):
    first, second = (make_wheel("/bin/true", tmp_path / name).stdout.strip() for name in "ab")
    assert pathlib.Path(first).read_bytes() == pathlib.Path(second).read_bytes()


def test_wheel_has_the_extension_that_is_named_or_beside_the_library(tmp_path):
    library = tmp_path / "prefix/lib/libconcord.so.0"
    beside = library.parent / "python3/dist-packages/concord/_calls.abi3.so"
    beside.parent.mkdir(parents=True)
    for path, source in ((library, "/bin/true"), (beside, "/bin/false"),
                         (tmp_path / "named.so", "/bin/true")):
        path.write_bytes(pathlib.Path(source).read_bytes())
    for extension, wanted in (((), "/bin/false"), ((tmp_path / "named.so",), "/bin/true")):
        made = make_wheel(library, tmp_path / "made", *extension)
        with zipfile.ZipFile(made.stdout.strip()) as wheel:
            found = wheel.read("concord/_calls.abi3.so")
        assert found == pathlib.Path(wanted).read_bytes()


def test_wheel_of_no_library_is_refused(tmp_path):
    made = make_wheel(tmp_path / "nowhere.so", tmp_path)
    assert made.returncode == 1
    assert made.stderr.startswith("make_wheel: ") and "nowhere.so" in made.stderr
    assert not list(tmp_path.iterdir())
    assert subprocess.run([PYTHON / "make_wheel"], capture_output=True, check=False).returncode == 2
