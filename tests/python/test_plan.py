# SPDX-License-Identifier: Apache-2.0
"""Tests of plans as values, for programs and for people."""

import copy
import dataclasses
import pickle
from xml.etree import ElementTree

import pytest

import stowage
from support import hard_records, random_records, run_python

RECORDS = [(4096, 0, 2), (1024, 2, 4), (4096, 3, 4)]


def test_a_plan_has_everything_that_a_runtime_needs():
    plan = stowage.plan(RECORDS, alignment=64)
    assert plan.offsets.tolist() == [0, 4096, 0]
    assert plan.total_size == plan.lower_bound == 5120
    assert plan.status is stowage.Status.OPTIMAL
    assert plan.proof.kind is stowage.ProofKind.BYTES_LIVE
    assert plan.proof.index == 2
    assert str(plan.proof) == "the bytes live at task 2"
    assert plan.has_plan and plan.gap == 0 and plan.cost == 0
    assert plan.strategy == "skyline"
    assert plan.seconds >= 0
    assert repr(plan) == "<Plan optimal: 5120 bytes for 3 records by skyline>"


def test_lists_are_read_only_views_of_memory():
    plan = stowage.plan(RECORDS)
    offsets = plan.offsets
    assert isinstance(offsets, memoryview)
    assert offsets.readonly and offsets.format == "Q" and offsets.shape == (3,)
    del plan
    assert offsets.tolist() == [0, 4096, 0]
    with pytest.raises(TypeError):
        offsets[0] = 1


def test_no_records_make_an_empty_plan():
    plan = stowage.plan([])
    assert plan.offsets.tolist() == [] and plan.total_size == 0
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert plan.problem.verify([]) is None


def test_plans_and_problems_do_not_change():
    plan = stowage.plan(RECORDS)
    assert dataclasses.is_dataclass(plan)
    for name in ("_lists", "total_size", "new"):
        with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
            setattr(plan, name, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.problem = None
    with pytest.raises(AttributeError):
        plan.problem.records = []


@pytest.mark.parametrize("options", [
    {}, {"alignment": [64, 32, 1], "names": ["a", "b", "c"]},
    {"kind": "objects"}, {"pools": {"sram": 8192, "dram": None}},
    {"capacity": 1024}, {"fixed": {1: 8192}}, {"apart": [[0, 2]]},
    {"free_order": [(0, 1)], "users": [[0, 1], [1, 2], [2, 3]]},
], ids=str)
def test_plans_survive_pickling_and_copies(options):
    plan = stowage.plan(RECORDS, **options)
    for other in (pickle.loads(pickle.dumps(plan)), copy.copy(plan),
                  copy.deepcopy(plan)):
        assert other == plan and hash(other) == hash(plan)
        assert repr(other) == repr(plan)
        assert other.reason == plan.reason
        assert other.problem == plan.problem
        assert other.problem.names == plan.problem.names


def test_pickling_leaves_out_proofs_and_says_so():
    problem = stowage.Problem(hard_records())
    plan = problem.plan("optimal", node_budget=20_000)
    for made in (plan, stowage.plan([(64, 0, 1)], capacity=1)):
        again = pickle.loads(pickle.dumps(made))
        assert again == made
        assert again.lower_bound == made.lower_bound
        if made.status is not stowage.Status.FEASIBLE:
            assert b'"status"' in made.certificate()
            with pytest.raises(stowage.Error, match="was pickled"):
                again.certificate()
    none = pickle.loads(pickle.dumps(stowage.plan([(64, 0, 1)], capacity=1)))
    single = stowage.Problem([(64, 0, 1)])
    with pytest.raises(stowage.Error, match="incumbent: there is no plan"):
        single.plan(incumbent=none)
    with pytest.raises(stowage.Error, match="there is no plan"):
        single.to_text("csv", none)


def test_plans_differ_by_problem_and_by_places():
    problem = stowage.Problem(RECORDS)
    naive = problem.plan("naive")
    assert naive != problem.plan("skyline")
    assert naive == problem.plan("naive")
    assert naive != stowage.plan(RECORDS, "naive", alignment=2)
    assert naive != 5


def test_without_a_plan_there_is_a_reason():
    plan = stowage.plan([(64, 0, 1), (64, 1, 2)], capacity=100)
    assert plan.status is stowage.Status.INFEASIBLE and not plan.has_plan
    with pytest.raises(stowage.Infeasible, match="task 1") as caught:
        plan.offsets
    assert caught.value.code is stowage.Code.FAILED_PRECONDITION
    assert repr(plan) == "<Plan infeasible: 2 records>"
    over = stowage.plan(hard_records(), "greedy_by_size", capacity=1000)
    assert over.status is stowage.Status.OVER_CAPACITY
    with pytest.raises(stowage.Error):
        over.save("/nowhere")
    assert over._repr_svg_() is None and "over_capacity" in over._repr_html_()
    assert pickle.loads(pickle.dumps(over)) == over


def test_shared_objects():
    plan = stowage.plan(RECORDS, kind="objects")
    assert plan.objects.tolist() == [0, 1, 0]
    assert plan.object_sizes.tolist() == [4096, 1024]
    with pytest.raises(stowage.Error, match="offsets: this plan has none"):
        plan.offsets


def test_pictures_escape_names():
    names = ['<script>"&', "b\x00\x1b", "c"]
    records = [record for record in RECORDS]
    plan = stowage.plan(records, names=[names[0], "b\x1b", "c"])
    text = plan._repr_svg_()
    assert "<script" not in text
    root = ElementTree.fromstring(text)
    boxes = root.findall("{http://www.w3.org/2000/svg}rect")
    assert len(boxes) == 3
    # The record at byte 0 has 4096 of 5120 bytes, so its box fills the lower
    # four fifths.
    assert float(boxes[0].get("height")) == pytest.approx(320 * 0.8)
    assert float(boxes[0].get("y")) == pytest.approx(320 * 0.2)
    assert "at the bound" in plan._repr_html_()
    assert text in plan._repr_html_()


@pytest.mark.parametrize("name", ["\x01evil", "a\0b", "\ufffe", "\ud800",
                                  "</title>&", "a\nb"], ids=ascii)
def test_pictures_show_any_name_of_a_strategy(name):
    def strategy(problem):
        return [0, 4096, 0]
    strategy.name = name
    plan = stowage.plan(RECORDS, strategy)
    assert plan.strategy == name
    for text in (plan._repr_svg_(), plan._repr_html_()):
        ElementTree.fromstring(text.encode())


def test_reasons_without_a_plan_are_well_formed():
    plan = stowage.plan([(64, 0, 1), (64, 1, 2)], names=["a\x01", "b"],
                        fixed={0: 0, 1: 10})
    assert "a\x01" in plan.reason
    ElementTree.fromstring(plan._repr_html_())


@pytest.mark.parametrize("options", [
    {"kind": "objects"}, {"pools": {"a": 4096, "b": None}}])
def test_pictures_stack_memories(options):
    plan = stowage.plan(RECORDS, **options)
    ElementTree.fromstring(plan._repr_svg_())


def test_pictures_of_very_many_records_are_left_out():
    assert stowage.plan(random_records(1, 4001))._repr_svg_() is None
    assert stowage.plan([])._repr_svg_() is None


def test_frames():
    pandas = pytest.importorskip("pandas")
    frame = stowage.plan(RECORDS, names=["a", "b", "c"]).to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["name", "size", "first_task", "last_task",
                                   "offset"]
    assert frame["offset"].tolist() == [0, 4096, 0]
    # The output can be used as input.
    assert stowage.plan(frame).offsets.tolist() == [0, 4096, 0]


def test_plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = stowage.plan(RECORDS).plot()
    assert len(axes.collections) == 3
    assert stowage.plan(RECORDS).plot(axes) is axes
    with pytest.raises(stowage.Error):
        stowage.plan(RECORDS, free_order=[(0, 1)],
                     users=[[0], [1], [2]]).plot()


def test_numpy_takes_lists_without_a_copy():
    numpy = pytest.importorskip("numpy")
    plan = stowage.plan(RECORDS)
    array = numpy.asarray(plan.offsets)
    assert array.dtype == numpy.uint64 and not array.flags.writeable
    again = numpy.asarray(plan.offsets)
    assert array.ctypes.data == again.ctypes.data
    assert numpy.asarray(plan.problem.records).tolist() == [
        list(record) for record in RECORDS]


def test_importing_takes_little():
    """Importing another module takes a fraction of a millisecond, and typing
    takes much longer."""
    lines = run_python(
        "import sys\n"
        "before = set(sys.modules)\n"
        "import stowage\n"
        "print(*sorted(set(sys.modules) - before))\n"
        "stowage.plan([(1, 0, 0)]).offsets\n"
        "print(*sorted(set(sys.modules) - before))\n")
    assert set(next(lines).split()) <= {
        "__future__", "atexit", "stowage", "stowage._native"}
    assert not set(next(lines).split()) & {
        "typing", "string", "pathlib", "json", "html", "numpy", "pandas",
        "matplotlib", "hypothesis", "stowage._files", "stowage._picture",
        "stowage._results", "stowage._strategy", "stowage._types"}


def test_every_name_is_there_before_it_is_imported():
    lines = run_python("import stowage\n"
                       "print(set(stowage.__all__) <= set(dir(stowage)))\n"
                       "from stowage import *\n"
                       "print(Plan.__name__, hasattr(stowage, 'Plans'))")
    assert list(lines) == ["True", "Plan False"]
