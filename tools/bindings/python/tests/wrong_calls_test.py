# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Wrong calls: an exception of a fitting class, with words that name what is wrong."""

import concord
import numpy
import pytest
from concord import _dlpack

X = numpy.array([15, 10, 42, 24])
BYTES = numpy.array([1, 2], numpy.uint8)
TABLE = numpy.zeros((4, 4), numpy.int32)
READ_ONLY = numpy.zeros(4, numpy.int64)
READ_ONLY.flags.writeable = False
SERIAL = concord.Backend("serial")
SPEC = {"x": concord.Values("int8", "n")}


def compare(mine=abs, reference=abs, spec=SPEC, **more):
    return concord.differential(mine, reference, spec, cases=1, **more)


def similar_pairs(**options):
    return concord.similar_pairs(TABLE.reshape(-1), dim=4, **options)


class OnGpu:
    """Says that it lies on a GPU, where it does not."""

    def __init__(self, lies=X, **more):
        self.lies = lies
        self.__cuda_array_interface__ = {
            **lies.__array_interface__, "strides": None, **more}


class NoCapsule:
    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        return "capsule"


class OnOtherDevice(NoCapsule):
    def __init__(self):
        self.lent = SERIAL.array(X)

    def __dlpack__(self, **options):
        from concord._dlpack import capsule_of
        view = self.lent._concord_view
        return capsule_of(self.lent, view.address, (10, 0), view.kind, view.shape)

    def __dlpack_device__(self):
        return (10, 0)


class Capsule(NoCapsule):
    """One of SERIAL's arrays with a DLTensor that has another member."""

    def __init__(self, **members):
        self.lent = SERIAL.array(X)
        self.members = members

    def __dlpack__(self, **_):
        capsule = self.lent.__dlpack__()
        tensor = _dlpack._Managed.from_address(_dlpack._pointer(capsule, b"dltensor")).tensor
        for name, value in self.members.items():
            setattr(tensor.type if name == "lanes" else tensor, name, value)
        return capsule


class OnDevice(NoCapsule):
    """What __dlpack_device__() gives."""

    def __init__(self, device):
        self.device = device

    def __dlpack_device__(self):
        return self.device


class Interface:
    """An __array_interface__ of X with another member, or without one."""

    def __init__(self, without=None, **members):
        self.__array_interface__ = {**X.__array_interface__, **members}
        self.__array_interface__.pop(without, None)


class Stream:
    def __cuda_stream__(self):
        return (7, 0)


# What is called, what is raised, and words of the message.
WRONG = [
    # Arguments.
    (lambda: concord.scan(), TypeError, "'x'"),
    (lambda: concord.scan(X, knid="inclusive"), TypeError, "knid"),
    (lambda: concord.scan(X, "inclusive"), TypeError, "positional"),
    (lambda: concord.scan(None), TypeError, "'x' is None"),
    (lambda: concord.run_length_decode(X), TypeError, "'lengths'"),
    (lambda: concord.run_length_decode(X, None), TypeError, "'lengths' is None"),
    # Arrays.
    (lambda: concord.scan(7), TypeError, "'x' is no array but int"),
    (lambda: concord.scan(object()), TypeError, "'x' is no array but object"),
    (lambda: concord.scan({1: 2}), TypeError, "'x' is no array but dict"),
    (lambda: concord.match_parens("(())"), TypeError, "x.encode()"),
    (lambda: concord.scan([[1], [2, 3]]), ValueError, "'x' is no array"),
    (lambda: concord.scan(["a", "b"]), TypeError, "'x' has elements of type <U1"),
    (lambda: concord.scan(X.astype(complex)), TypeError, "'x' has elements of type complex128"),
    (lambda: concord.scan(X.astype(numpy.float16)), TypeError, "float16"),
    (lambda: concord.scan(X.astype(object)), TypeError, "object"),
    (lambda: concord.scan(X.astype(">i8")), TypeError, "byte order"),
    (lambda: concord.scan(X[::2]), ValueError, "'in'"),
    (lambda: concord.scan(X[::-1]), ValueError, "'in'"),
    (lambda: concord.scan(X.reshape(2, 2, 1)), ValueError, "'in' has 3 dimensions"),
    (lambda: concord.scan(X.reshape((2, 1, 1, 1, 1, 2))), ValueError, "'in' has 6 dimensions"),
    (lambda: concord.scan(numpy.frombuffer(b"123456789", numpy.int64, 1, 1)), ValueError,
     "'in' lies at an address"),
    (lambda: concord.look_and_say(X), ValueError, "'in'"),
    (lambda: concord.cyclospectrum(X.astype("f4")), ValueError, "float32"),
    (lambda: concord.run_length_decode(X, X[:2]), ValueError, "'lengths'"),
    (lambda: concord.run_length_decode(X, X + 2**62), ValueError, "the lengths of the runs"),
    (lambda: concord.radix_sort(X, X[:1]), ValueError, "'in_values'"),
    (lambda: concord.radix_sort(X, BYTES), ValueError, "'in_values'"),
    (lambda: concord.tensor_sketch(BYTES, [0, 9], TABLE, TABLE), ValueError, "last offset is 9"),
    (lambda: concord.tensor_sketch(BYTES, [0, 2], TABLE[:1], TABLE), ValueError, "'hashes'"),
    (lambda: concord.tensor_sketch(BYTES, [0, 2], TABLE + 999, TABLE + 1), ValueError, "hashes"),
    (lambda: concord.scan(NoCapsule()), TypeError, "'x': __dlpack__() gave no capsule"),
    (lambda: concord.scan(OnOtherDevice()), ValueError, "'in' lies on a device of type 10"),
    (lambda: concord.scan(Capsule(lanes=2)), TypeError, "'x' has elements of 2 lanes"),
    (lambda: concord.scan(Capsule(byte_offset=2**63)), ValueError, "'x' begins 92233720368547758"),
    (lambda: concord.scan(Capsule(dimensions=-1)), ValueError, "'x' has -1 dimensions"),
    (lambda: concord.scan(Capsule(shape=None)), ValueError, "1 dimensions in DLPack, and no shape"),
    (lambda: concord.scan(OnDevice("cpu")), TypeError, "__dlpack_device__() gives"),
    (lambda: concord.scan(OnDevice((1,))), TypeError, "a type and a number, not (1,)"),
    (lambda: concord.scan(Interface(without="typestr")), TypeError, "has no 'typestr'"),
    (lambda: concord.scan(Interface(typestr=None)), TypeError, "a str, not NoneType"),
    (lambda: concord.scan(Interface(data=None)), TypeError, "are an address and"),
    (lambda: concord.scan(Interface(data=(-8, False))), ValueError, "the address of 'x' is -8"),
    (lambda: concord.scan(Interface(shape=(2.5,))), TypeError, "a whole number, not 2.5"),
    (lambda: concord.scan(Interface(shape=(2**64,))), ValueError, "which 64 bits do not hold"),
    (lambda: concord.scan(Interface(shape=(2, 2), strides=(8,))), ValueError, "1 strides"),
    (lambda: concord.scan(numpy.ndarray), TypeError, "the class ndarray"),
    (lambda: concord.scan(concord.Array), TypeError, "the class Array"),
    (lambda: concord.scan(numpy.ma.array(X, mask=X > 15)), TypeError, "'x' is a masked array"),
    (lambda: concord.scan(X, out=numpy.ma.array(X.copy())), TypeError, "'out' is a masked array"),
    (lambda: concord.scan(OnGpu(), backend="tbb"), ValueError, "'in' lives in cuda:0 memory"),
    (lambda: concord.scan(OnGpu(), backend=SERIAL), ValueError, "'in' lives in cuda:0 memory"),
    (lambda: concord.scan(X, out=OnGpu(), backend=SERIAL), ValueError, "'out' lives in cuda:0"),
    # Options.
    (lambda: concord.scan(X, kind="inklusive"), ValueError, "exclusive, inclusive"),
    (lambda: concord.scan(X, kind=None), TypeError, "'kind' takes a str"),
    (lambda: concord.scan(X, kind=[]), TypeError, "'kind' takes a str, not []"),
    (lambda: concord.scan(X, kind="inclusive\0"), ValueError, "zero byte"),
    (lambda: concord.scan(X, kind="\ud800"), ValueError, "half a character"),
    (lambda: concord.scan(X, backend="\ud800"), ValueError, "half a character"),
    (lambda: concord.look_and_say(BYTES, steps=X), TypeError, "'steps' takes a number"),
    (lambda: concord.look_and_say(BYTES, length_only=X), TypeError, "True or False"),
    (lambda: concord.look_and_say(BYTES, steps=-1), ValueError, "--steps"),
    (lambda: concord.look_and_say(BYTES, steps=1.5), TypeError, "'steps' takes a whole number"),
    (lambda: concord.look_and_say(BYTES, steps="many"), ValueError, "--steps"),
    (lambda: concord.look_and_say(BYTES, steps=float("inf")), TypeError,
     "'steps' takes a whole number, not inf"),
    (lambda: concord.look_and_say(BYTES, steps=float("nan")), TypeError,
     "'steps' takes a whole number, not nan"),
    (lambda: concord.look_and_say(BYTES, count=float("inf")), ValueError, "--count"),
    (lambda: concord.run_length_decode(X, X, limit=float("nan")), ValueError, "--limit"),
    (lambda: concord.transform(X, offset=float("inf")), ValueError, "inf"),
    (lambda: concord.transform(X, scale=float("nan")), ValueError, "nan"),
    (lambda: concord.transform(X, scale=[]), TypeError, "'scale' takes a str or a number, not []"),
    (lambda: concord.sequence(X), TypeError, "'program' takes a str or a number, not array"),
    (lambda: concord.radix_sort(X, bits=(0, 3)), TypeError, "'bits' takes a str or a number, not (0"),
    (lambda: concord.scan(X, kind=float("inf")), TypeError, "'kind' takes a str, not inf"),
    (lambda: similar_pairs(distance2=float("inf")), ValueError,
     "--distance2 takes a finite number from 0 on, not 'inf'"),
    (lambda: similar_pairs(distance2=float("nan")), ValueError,
     "--distance2 takes a finite number from 0 on, not 'nan'"),
    (lambda: concord.look_and_say(BYTES, steps=10**30), ValueError, "--steps"),
    (lambda: concord.look_and_say(BYTES, length_only="yes"), TypeError, "True or False"),
    (lambda: concord.compact(X, keep="lesser:3"), ValueError, "lesser"),
    (lambda: concord.radix_sort(X, bits="9,1"), ValueError, "bits"),
    (lambda: concord.match_parens(BYTES, kinds="((("), ValueError, "kinds"),
    (lambda: concord.tensor_sketch(BYTES, [0, 2], TABLE, TABLE, t=0), ValueError, "--t"),
    (lambda: concord.sequence("map x +", X), ValueError, "map x +"),
    (lambda: concord.sequence("y", X), ValueError, "y"),
    # Outputs.
    (lambda: concord.scan(X, out=X[:2].copy()), ValueError, "'out'"),
    (lambda: concord.scan(X, out=numpy.empty(4)), ValueError, "'out'"),
    (lambda: concord.scan(X, out=READ_ONLY), ValueError, "'out' is read-only"),
    (lambda: concord.scan(X, out=[0, 0, 0, 0]), TypeError, "'out' is to be written"),
    (lambda: concord.reduce(X, out=numpy.int64(0)), TypeError, "'out' is to be written, and int64"),
    (lambda: concord.scan(X, out={"sum": X.copy()}), ValueError, "no output 'sum'"),
    (lambda: concord.scan(X, out=(X.copy(), X.copy())), ValueError, "at most 1: out"),
    (lambda: concord.radix_sort(X, out={"values": X.copy()}), ValueError, "'values'"),
    (lambda: concord.radix_sort(X, out=X), ValueError, "'out'"),
    (lambda: concord.scan(X, out=numpy.empty(8, numpy.int64)[::2]), ValueError, "'out'"),
    # Backends and variants.
    (lambda: concord.scan(X, backend="cude"), ValueError, "cude"),
    (lambda: concord.scan(X, backend="tbb:0"), ValueError, "tbb:0"),
    (lambda: concord.scan(X, backend="mpi"), NotImplementedError, "memory that C has no name for"),
    (lambda: concord.Backend("gpus"), NotImplementedError, "the arrays of backend gpus"),
    (lambda: concord.scan(X, backend=7), TypeError, "the name of a backend is a str"),
    (lambda: concord.scan(X, variant="fastest"), LookupError, "fastest"),
    (lambda: concord.scan(X, variant=3), TypeError, "variant is a str"),
    (lambda: concord.Backend("tbb", stream=Stream()), TypeError, "version 7"),
    (lambda: concord.Backend("tbb", stream="s"), TypeError, "a stream is an address"),
    (lambda: concord.Backend("tbb", stream=1), ValueError, "tbb"),
    (lambda: SERIAL.copy(X, X[:2].copy()), ValueError, "elements"),
    (lambda: SERIAL.copy(X, numpy.empty(4)), ValueError, "float64"),
    (lambda: SERIAL.empty(-1), ValueError, "-1"),
    (lambda: SERIAL.empty(1 << 62), ValueError, "array"),
    (lambda: SERIAL.empty(1 << 55), MemoryError, "bytes"),
    (lambda: concord.run_length_decode(numpy.array([1]), numpy.array([1 << 50])),
     concord.OutOfMemory, "Unable to allocate"),
    (lambda: SERIAL.empty(2**64 + 4), ValueError, "which 64 bits do not hold"),
    (lambda: SERIAL.empty(2.5), TypeError, "a whole number, not 2.5"),
    (lambda: SERIAL.empty("a"), TypeError, "a whole number, not 'a'"),
    (lambda: SERIAL.array(X).first(2.5), TypeError, "'count' is a whole number, not 2.5"),
    (lambda: SERIAL.empty(4, "U3"), TypeError, "'dtype' has elements of type <U3"),
    (lambda: SERIAL.array(X).first(5), IndexError, "no 5 elements"),
    (lambda: SERIAL.array(X).__dlpack__(copy=True), BufferError, "not a copy"),
    (lambda: SERIAL.array(X).__dlpack__(dl_device=(2, 0)), BufferError, "(2, 0)"),
    # The rest.
    (lambda: concord.describe("scam"), LookupError, "scam"),
    (lambda: concord.describe(3), TypeError, "the name of an algorithm is a str"),
    (lambda: concord.explain("scam"), LookupError, "scam"),
    (lambda: concord.explain(None), TypeError, "the name of an algorithm is a str, not None"),
    (lambda: concord.explain(["scan"]), TypeError, "the name of an algorithm is a str, not list"),
    (lambda: concord.explain("scan", X), LookupError, "the steps of scan are always the same"),
    (lambda: concord.explain("sequence"), TypeError, "'program'"),
    (lambda: concord.explain("sequence", "map x +", X), ValueError, "^"),
    (lambda: concord.explain("sequence", "map x + 1"), ValueError, "x"),
    (lambda: concord.explain("sequence", "map x + 1", X, backend="tbb"), TypeError, "'backend'"),
    (lambda: concord.explain("reduce", None, op="a > b ? a : b"), TypeError, "not optional"),
    (lambda: concord.explain("sequence", "map x + 1", "x"), TypeError, "'x' is a str"),
    (lambda: concord.verify("scam"), LookupError, "'scam'"),
    (lambda: concord.verify(cases=-1), ValueError, "cases"),
    (lambda: concord.verify(seconds="long"), ValueError, "seconds"),
    (lambda: concord.verify(3), TypeError, "pattern is a str"),
    (lambda: concord.verify("scan", backends="nowhere", cases=1), ValueError, "nowhere"),
    (lambda: concord.verify("scan/serial", cases=1, progress=3), TypeError,
     "'progress' is a function"),
    (lambda: compare(mine=3), TypeError, "'mine' is a function, not int"),
    (lambda: compare(reference=None), TypeError, "'reference' is a function, not NoneType"),
    (lambda: compare(spec=None), TypeError, "'spec' is a dict, not NoneType"),
    (lambda: compare(spec=[SPEC]), TypeError, "'spec' is a dict, not list"),
    (lambda: compare(spec={"x": 3}), TypeError, "'x' of the spec"),
    (lambda: compare(progress=3), TypeError, "'progress' is a function, not int"),
    (lambda: compare(spec={"x": concord.Values("int8", 2**55)}), MemoryError, "bytes"),
    (lambda: compare(largest_size=1.5), TypeError, "'largest_size' is a whole number, not 1.5"),
    (lambda: compare(spec={"x": concord.Values("int8", "n", least=1000)}), ValueError,
     "int8 has none"),
    (lambda: compare(boundaries=3), TypeError, "'boundaries' are sizes in a list"),
    (lambda: compare(boundaries=[2**63 - 1]), ValueError, "a boundary is 9223372036854775807"),
    (lambda: compare(boundaries=["a"]), TypeError, "'boundaries' are sizes in a list"),
    (lambda: compare(relative=float("nan")), ValueError, "'relative' is nan"),
    (lambda: concord.Values("int8", "n", least=float("-inf")), ValueError, "'least' is -inf"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_call_is_refused_in_words(number):
    call, kind, words = WRONG[number]
    with pytest.raises(kind) as caught:
        call()
    assert words in str(caught.value), str(caught.value)


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_right_call_after_a_wrong_one_is_right(number):
    with pytest.raises(Exception):
        WRONG[number][0]()
    assert concord.scan(X, kind="inclusive").tolist() == [15, 25, 67, 91]


def test_there_are_many():
    assert len(WRONG) >= 40


def test_without_cuda_an_array_on_a_gpu_says_so():
    if any(entry["backend"] == "cuda" and entry["available"] for entry in concord.backends()):
        pytest.skip("there is a GPU here, and the array would be taken at its word")
    for gpu_array in (OnGpu(), OnGpu(stream=5)):
        with pytest.raises(concord.Unavailable, match="cuda"):
            concord.scan(gpu_array)


def test_errors_have_the_library_s_code_and_are_concord_errors():
    with pytest.raises(concord.ConcordError) as caught:
        concord.scan(X, kind="none")
    assert caught.value.code == 3 and isinstance(caught.value, ValueError)
    with pytest.raises(concord.ConcordError) as caught:
        concord.scan(X, variant="none")
    assert caught.value.code == 5 and isinstance(caught.value, LookupError)
