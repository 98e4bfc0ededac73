# SPDX-License-Identifier: Apache-2.0
"""Tests of all forms of records, and of all forms that are refused."""

import array
import ctypes
import math
import tracemalloc

import pytest

import stowage
from stowage import Code

RECORDS = [(40, 0, 2), (10, 2, 4), (40, 3, 4)]
FLAT = [number for record in RECORDS for number in record]


def rows(source, **options):
    return stowage.Problem(source, **options).rows()


def columns(kind):
    return tuple(array.array(kind, [record[k] for record in RECORDS])
                 for k in range(3))


@pytest.mark.parametrize("source", [
    RECORDS, tuple(RECORDS), [list(record) for record in RECORDS],
    iter(RECORDS), (tuple(record) for record in RECORDS),
    memoryview(array.array("Q", FLAT)).cast("B").cast("Q", [3, 3]),
    columns("Q"),
    {"size": [40, 10, 40], "first": [0, 2, 3], "last": [2, 4, 4]},
    {"SIZE": [40, 10, 40], "Lower": [0, 2, 3], "Upper": [3, 5, 5]},
    dict(zip(("size", "start", "end"), columns("I"))),
], ids=lambda source: type(source).__name__)
def test_forms(source):
    assert rows(source) == RECORDS


@pytest.mark.parametrize("source", [None, "abc", 5, 2.5, {(1, 2, 3)}], ids=str)
def test_other_types_are_refused_with_the_form_of_a_row(source):
    with pytest.raises(stowage.Error, match="expected rows of size, first task"):
        stowage.Problem(source)


@pytest.mark.parametrize("alignment", ["64", b"64", 64.0], ids=str)
def test_an_alignment_of_another_type_is_refused(alignment):
    with pytest.raises(stowage.Error, match="alignment: .*expected an integer"):
        stowage.Problem(RECORDS, alignment=alignment)


@pytest.mark.parametrize("kind", "bBhHiIlLqQ")
def test_integers_of_every_size(kind):
    assert rows(columns(kind)) == RECORDS
    flat = memoryview(array.array(kind, FLAT))
    assert rows(flat.cast("B").cast(kind, [3, 3])) == RECORDS


@pytest.mark.parametrize("kind", ["u1", "i1", "u2", "i2", "u4", "i4", "u8",
                                  "i8"])
@pytest.mark.parametrize("order", "<>=")
def test_arrays(kind, order):
    numpy = pytest.importorskip("numpy")
    data = numpy.array(RECORDS, dtype=order + kind)
    assert rows(data) == RECORDS
    data.flags.writeable = False
    assert rows(data) == RECORDS
    assert rows(numpy.asfortranarray(data)) == RECORDS
    # Strides: every other row, reversed rows, and columns of a wider table.
    wide = numpy.zeros((6, 5), dtype=order + kind)
    wide[::2, 1:4] = data
    assert rows(wide[::2, 1:4]) == RECORDS
    assert rows(wide[::2, 1:4][::-1]) == RECORDS[::-1]
    assert rows(tuple(wide[::2, k] for k in (1, 2, 3))) == RECORDS


@pytest.mark.parametrize("kind", ["u8", "i8"])
def test_numbers_of_64_bits_are_not_copied_on_the_way(kind):
    numpy = pytest.importorskip("numpy")
    data = numpy.zeros((50_000, 3), dtype=kind)
    tracemalloc.start()
    try:
        for source in (data, data[::-1], tuple(data.T)):
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            stowage.Problem(source)
            _, peak = tracemalloc.get_traced_memory()
            assert peak - before < data.nbytes / 20
    finally:
        tracemalloc.stop()


def test_frames_say_by_their_columns_what_they_have():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(RECORDS, columns=["size", "first", "last"])
    assert rows(frame) == RECORDS
    assert rows(frame.rename(columns={"last": "upper"})) == [
        (size, first, last - 1) for size, first, last in RECORDS]
    with pytest.raises(stowage.Error, match="exactly one of last_task"):
        rows(frame.drop(columns="last"))
    with pytest.raises(stowage.Error, match="exactly one of last_task"):
        rows(frame.assign(upper=5))
    with pytest.raises(stowage.Error, match="half_open"):
        rows(frame, half_open=True)


@pytest.mark.parametrize("more, wanted", [
    ({"Size": [9]}, "size"), ({"FIRST": [0]}, "first_task"),
    ({"lower": [0]}, "first_task"), ({"Last": [1]}, "last_task"),
    ({"upper": [2]}, "last_task")], ids=str)
def test_two_columns_for_one_quantity_are_refused(more, wanted):
    table = {"size": [4], "first": [0], "last": [1], "Note": [1], "note": [2]}
    assert rows(table) == [(4, 0, 1)]
    with pytest.raises(stowage.Error, match=f"exactly one of {wanted}"):
        rows({**table, **more})


def test_half_open_ends():
    assert rows([(40, 0, 3), (10, 2, 5)], half_open=True) == [
        (40, 0, 2), (10, 2, 4)]
    with pytest.raises(stowage.Error) as caught:
        rows([(40, 0, 3), (10, 2, 2)], half_open=True)
    assert caught.value.records == (1,)


@pytest.mark.parametrize("value, code", [
    (-1, Code.INVALID_ARGUMENT), (-2**80, Code.INVALID_ARGUMENT),
    (2**64, Code.OUT_OF_RANGE), (2**80, Code.OUT_OF_RANGE),
    (1.0, Code.INVALID_ARGUMENT), (math.nan, Code.INVALID_ARGUMENT),
    (True, Code.INVALID_ARGUMENT), (None, Code.INVALID_ARGUMENT),
    ("1", Code.INVALID_ARGUMENT), (b"1", Code.INVALID_ARGUMENT),
], ids=repr)
@pytest.mark.parametrize("column, name", enumerate(
    ["size", "first_task", "last_task"]))
def test_refused_numbers(value, code, column, name):
    records = [list(record) for record in RECORDS]
    records[1][column] = value
    with pytest.raises(stowage.Error) as caught:
        stowage.Problem(records)
    assert caught.value.code is code
    assert caught.value.records == (1,)
    assert str(caught.value).startswith(f"records[1].{name}: ")


def test_refused_rows():
    for row in [(1, 2), (1, 2, 3, 4), 5, "abc", None]:
        with pytest.raises(stowage.Error) as caught:
            stowage.Problem([(1, 0, 0), row])
        assert caught.value.records == (1,)


@pytest.mark.parametrize("source", [
    None, 5, "abc", b"abc", 1.5, array.array("Q", FLAT),
    array.array("d", [1.0] * 9),
    memoryview(array.array("Q", [1] * 8)).cast("B").cast("Q", [4, 2]),
    memoryview(array.array("d", [1.0] * 9)).cast("B").cast("d", [3, 3]),
    memoryview(bytes(9)).cast("?", [3, 3]),
    memoryview(bytes(9)).cast("c", [3, 3]),
    (ctypes.c_void_p * 3 * 3)(),
    (array.array("Q", [1]), array.array("Q", [1]), array.array("Q", [1, 2])),
    (array.array("Q", [1]), array.array("d", [1]), array.array("Q", [1])),
    {"size": [1], "first": [0]}, {"size": [1], "first": [0], "last": [0, 1]},
], ids=lambda source: type(source).__name__)
def test_refused_forms(source):
    with pytest.raises(stowage.Error):
        stowage.Problem(source)


@pytest.mark.parametrize("kind", ["f4", "f8", "c16", "?", "O", "U1", "M8[s]",
                                  "i8,i8,i8"])
def test_refused_arrays(kind):
    numpy = pytest.importorskip("numpy")
    with pytest.raises(stowage.Error):
        stowage.Problem(numpy.zeros((3, 3), dtype=kind))


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", ">i4"])
def test_refused_negative_numbers_in_arrays(kind):
    numpy = pytest.importorskip("numpy")
    data = numpy.array(RECORDS, dtype=kind)
    data[2, 1] = -1
    with pytest.raises(stowage.Error, match="first_task") as caught:
        stowage.Problem(data)
    assert caught.value.records == (2,)


@pytest.mark.parametrize("shape", [(), (9,), (3, 2), (3, 4), (3, 3, 1),
                                   (0, 2)])
def test_refused_shapes(shape):
    numpy = pytest.importorskip("numpy")
    with pytest.raises(stowage.Error):
        stowage.Problem(numpy.ones(shape, dtype="u8"))


def test_numbers_of_numpy_are_integers():
    numpy = pytest.importorskip("numpy")
    assert rows([tuple(numpy.int32(n) for n in r) for r in RECORDS]) == RECORDS
    for value in (numpy.float32(1), numpy.bool_(True)):
        with pytest.raises(stowage.Error):
            stowage.Problem([(value, 0, 0)])


def test_what_an_index_raises_comes_out():
    class Bad:
        def __index__(self):
            raise RuntimeError("mine")
    with pytest.raises(RuntimeError, match="mine"):
        stowage.Problem([(Bad(), 0, 0)])

    class Shrinks:
        def __index__(self):
            source.clear()
            return 1
    source = [(Shrinks(), 0, 0), (1, 0, 0)]
    assert rows(source) == [(1, 0, 0), (1, 0, 0)]


def test_intervals_are_in_order():
    with pytest.raises(stowage.Error) as caught:
        stowage.Problem([(1, 0, 0), (1, 2, 1)])
    assert caught.value.records == (1,)


@pytest.mark.parametrize("text, expected", [
    ("4096", 4096), ("1 KiB", 1024), ("1.5MiB", 3 * 2**19), ("2 kB", 2000),
    ("1_000 bytes", 1000), (" 3 GiB ", 3 * 2**30), (77, 77)])
def test_capacities(text, expected):
    assert stowage.Problem(RECORDS, capacity=text).capacity == expected


@pytest.mark.parametrize("text", ["", "MiB", "1.5", "-1", "1 XB", "1e3", "nan",
                                  "99999999 TiB", 1.5, -1, True, "1.2.3",
                                  "\uff11 MiB", "1\u00a0MiB", "\u0661",
                                  "1 \uff2d\uff29\uff22", "9" * 5000,
                                  "1\ud800", b"1 KiB"], ids=ascii)
def test_refused_capacities(text):
    with pytest.raises(stowage.Error):
        stowage.Problem(RECORDS, capacity=text)


def test_buffers_without_strides():
    """The buffers of ctypes arrays have no strides."""
    assert rows((ctypes.c_uint64 * 3 * 3)(*RECORDS)) == RECORDS
    assert rows(tuple((ctypes.c_uint32 * 3)(*column)
                      for column in columns("I"))) == RECORDS


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_that_have_no_text(sign):
    value = sign * 10**5000
    with pytest.raises(stowage.Error) as caught:
        stowage.Problem([(64, 0, 1), (value, 0, 1)])
    assert caught.value.records == (1,)


@pytest.mark.parametrize("records", [
    {(64, 0, 1), (32, 1, 2)}, frozenset([(64, 0, 1)]), [{64, 0, 1}],
    [frozenset([64, 0, 1])]])
def test_sets_have_no_order(records):
    with pytest.raises(stowage.Error):
        stowage.Problem(records)


@pytest.mark.parametrize("alignment", [{1: 64, 2: 64, 4: 64}, {1, 2, 4}])
def test_alignments_are_no_mapping(alignment):
    """The keys of a mapping would be interpreted as the alignments."""
    with pytest.raises(stowage.Error):
        stowage.Problem(RECORDS, alignment=alignment)


@pytest.mark.parametrize("total_size", [-1, 2**64, 1.5, True, "x y"])
def test_refused_totals(total_size):
    problem = stowage.Problem(RECORDS)
    plan = problem.plan()
    for given in (plan, plan.offsets):
        for call in (problem.verify, problem.incumbent):
            with pytest.raises(stowage.Error, match="total_size"):
                call(given, total_size)


@pytest.mark.parametrize("groups", [
    [[0, 0]], [[0, 1], [1, 2]], [{0: 0, 1: 8}, {1: 0}]])
def test_a_record_is_in_one_group(groups):
    with pytest.raises(stowage.Error) as caught:
        stowage.Problem(RECORDS, groups=groups)
    assert caught.value.records in ((0,), (1,))
