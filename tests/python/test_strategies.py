# SPDX-License-Identifier: Apache-2.0
"""Tests of strategies of the library and in Python, and of search options."""

import gc
import math
import pickle

import pytest

import stowage
from stowage import Feature
from support import hard_records, random_records

RECORDS = [(64, 0, 1), (32, 1, 2), (64, 2, 3)]


def stack(problem):
    """Place every record above the previous record."""
    offsets, end = [], 0
    for (size, _, _), alignment in zip(problem.rows(), problem.alignments):
        end = -(-end // alignment) * alignment
        offsets.append(end)
        end += size
    return offsets


class Stack:
    """A strategy like stack(), as a class that supports fixed offsets too."""

    name = "my_stack"
    features = Feature.OFFSETS | Feature.FIXED_OFFSETS

    def __call__(self, problem):
        offsets = stack(problem)
        return [offset if fixed is None else fixed
                for offset, fixed in zip(offsets, problem.fixed)]


def test_every_strategy_of_the_library():
    names = stowage.strategies()
    assert {"skyline", "optimal", "naive", "greedy_best"} <= set(names)
    problem = stowage.Problem(random_records(1, 30))
    for row in stowage.compare(problem, node_budget=1000):
        assert row.error is None, row
        assert problem.verify(row.plan.offsets) is None
        assert row.plan.strategy == row.strategy


def test_compare_keeps_errors():
    problem = stowage.Problem(RECORDS, fixed={0: 0})
    rows = stowage.compare(problem, ["naive", stack, Stack(), "no such", None])
    assert [row.strategy for row in rows] == ["naive", "stack", "my_stack",
                                              "no such", "skyline"]
    assert isinstance(rows[0].error, stowage.Unsupported)
    assert rows[0].error.features == Feature.FIXED_OFFSETS
    assert isinstance(rows[1].error, stowage.Unsupported)
    assert rows[2].plan.total_size == 160
    assert rows[3].error.code is stowage.Code.NOT_FOUND
    assert "Compared no such" in repr(rows[3])


@pytest.mark.parametrize("kind, name", [
    ("offsets", "skyline"), ("objects", "greedy_best")])
def test_compare_names_the_default_of_the_kind(kind, name):
    problem = stowage.Problem(RECORDS, kind=kind)
    (row,) = stowage.compare(problem, [None])
    assert row.strategy == row.plan.strategy == name
    (row,) = stowage.compare(problem, [None], seed=-1)
    assert row.strategy == name and row.error is not None


def test_functions_and_objects_are_strategies():
    for strategy, name in ((stack, "stack"), (Stack(), "my_stack")):
        plan = stowage.plan(RECORDS, strategy, alignment=64)
        assert plan.offsets.tolist() == [0, 64, 128]
        assert plan.strategy == plan.found_by == name
    assert isinstance(Stack(), stowage.Strategy)


def test_answers_may_be_arrays():
    numpy = pytest.importorskip("numpy")
    plan = stowage.plan(RECORDS, lambda problem: numpy.array([0, 64, 0]))
    assert plan.offsets.tolist() == [0, 64, 0]


@pytest.mark.parametrize("answer", [
    [0, 64], [0, 64, 0, 0], [0, -1, 0], [0, 64.0, 0], None, 5, "abc",
    [0, 2**64, 0], ([0, 64, 0], [0, 0, 0])], ids=str)
def test_refused_answers(answer):
    with pytest.raises(stowage.Error, match="strategy <lambda>"):
        stowage.plan(RECORDS, lambda problem: answer)


@pytest.mark.parametrize("strategy", [5, 1.5, [], object()], ids=repr)
def test_what_cannot_be_called_is_no_strategy(strategy):
    with pytest.raises(stowage.Error, match="strategy: "):
        stowage.plan(RECORDS, strategy)


def test_unsafe_answers_have_a_witness():
    with pytest.raises(stowage.Unsafe) as caught:
        stowage.plan(RECORDS, lambda problem: [0, 0, 0])
    error = caught.value
    assert error.code is stowage.Code.FAILED_PRECONDITION
    assert error.records == (0, 1)
    assert error.violation.kind is stowage.ViolationKind.OVERLAPPING_BYTES
    with pytest.raises(stowage.Unsafe):
        stowage.plan(RECORDS, lambda problem: [2**64 - 1] * 3)


@pytest.mark.parametrize("error", [KeyError("mine"), SystemExit(3),
                                   KeyboardInterrupt(), StopIteration(),
                                   MemoryError(), stowage.Error("mine"),
                                   stowage.Unsafe("mine"),
                                   stowage.Infeasible("mine"),
                                   stowage.Error(
                                       "mine",
                                       stowage.Code.FAILED_PRECONDITION)],
                         ids=repr)
def test_exceptions_come_out_unchanged(error):
    def fails(problem):
        raise error
    with pytest.raises(type(error)) as caught:
        stowage.plan(RECORDS, fails)
    assert caught.value is error
    assert caught.value.__traceback__ is not None


def test_a_plan_that_a_strategy_lacks_is_no_unsafe_one():
    def nested(problem):
        return problem.plan("naive").offsets
    with pytest.raises(stowage.Error, match="^there is no plan") as caught:
        stowage.plan([(64, 0, 1), (64, 2, 3)], nested, capacity=64)
    assert type(caught.value) is stowage.Error


@pytest.mark.parametrize("name", ["\ud800", "a\0b", "a\nb"], ids=ascii)
def test_names_that_no_message_can_hold(name):
    def strategy(problem):
        return answer
    strategy.name = name
    answer = [0, 64, 0]
    assert stowage.plan(RECORDS, strategy).strategy == name
    for answer in ([0, 1.5, 0], [0], [0, 0, 0]):
        with pytest.raises(stowage.Error) as caught:
            stowage.plan(RECORDS, strategy)
        assert f"strategy {ascii(name)}" in str(caught.value)


def test_pools_of_strategies():
    class Pools:
        name = "pools"
        features = Feature.OFFSETS | Feature.POOLS

        def __call__(self, problem):
            count = len(problem)
            return stack(problem), [1] * count
    plan = stowage.plan(RECORDS, Pools(), pools={"a": 64, "b": None})
    assert plan.pools.tolist() == [1, 1, 1]


@pytest.mark.parametrize("answer", [
    (), ([0, 64, 0],), ([0, 64, 0], [0] * 3, [0] * 3)], ids=str)
def test_with_pools_a_strategy_returns_two_lists(answer):
    def strategy(problem):
        return answer
    strategy.features = Feature.OFFSETS | Feature.POOLS
    with pytest.raises(stowage.Error, match=f"strategy strategy: {len(answer)}"
                                            " lists; expected two"):
        stowage.plan(RECORDS, strategy, pools={"a": 64, "b": None})


def test_the_violation_of_a_plan_with_pools():
    def strategy(problem):
        return [0] * len(problem), [1] * len(problem)
    strategy.features = Feature.OFFSETS | Feature.POOLS
    with pytest.raises(stowage.Unsafe) as caught:
        stowage.plan(RECORDS, strategy, pools={"a": 64, "b": None})
    assert caught.value.violation.kind.name == "OVERLAPPING_BYTES"


def test_strategies_may_plan():
    def nested(problem):
        return stowage.plan(problem.records).offsets
    assert stowage.plan(RECORDS, nested).total_size == 96


@pytest.mark.parametrize("names, requests, expected", [
    (["a", "b\n\u2028", "c"], {}, {("a", "b\n\u2028", "c")}),
    (["a", "b", "c"], {"kind": "objects"}, {("a", "b", "c")}),
    # The strategy sees the group as a single record.
    (["a", "b", "c"], {"groups": [[0, 2]], "optional_groups": True},
     {("a", "b")}),
    (None, {}, {("0", "1", "2")}),
    (["a", "a", "c"], {}, {("0", "1", "2")}),
    (["a", "", "c"], {}, {("0", "1", "2")}),
], ids=ascii)
def test_strategies_see_the_names(names, requests, expected):
    found = []

    def strategy(problem):
        found.append(problem)
        assert len(problem.names) == len(problem)
        return (range(len(problem)) if "kind" in requests else stack(problem))
    stowage.plan(RECORDS, strategy, names=names, **requests)
    assert {problem.names for problem in found} == expected


def test_names_that_were_not_read_during_a_call_are_numbers():
    found = []

    def strategy(problem):
        found.append(problem)
        return stack(problem)
    stowage.plan(RECORDS, strategy, names=["a", "b", "c"])
    assert found[0].names == ("0", "1", "2")


def test_the_problem_of_a_call_ends_with_it():
    kept = []

    def keeps(problem):
        kept.append(problem)
        return stack(problem)
    stowage.plan(RECORDS, keeps, names=["a", "b", "c"])
    problem = kept[0]
    assert problem.rows() == RECORDS and len(problem) == 3
    for call in (lambda: problem.bound, lambda: problem.fingerprint,
                 problem.plan, problem.to_text,
                 lambda: problem.verify([0, 0, 0]),
                 lambda: problem.incumbent([0, 64, 0]),
                 lambda: stowage.StackPlan(problem, [0, 1, 2])):
        with pytest.raises(stowage.Error, match="a call that has ended") as at:
            call()
        assert at.value.code is stowage.Code.FAILED_PRECONDITION
    with pytest.raises(TypeError):
        pickle.dumps(problem)


def test_searches_end_and_repeat():
    problem = stowage.Problem(hard_records())
    plan = problem.plan("optimal", node_budget=2000, seed=3)
    assert plan.offsets == problem.plan("optimal", node_budget=2000, seed=3,
                                        threads=2).offsets
    assert plan.seed == 3 and plan.nodes > 0
    assert problem.plan("optimal", time_limit=0).has_plan
    assert problem.plan("skyline", time_limit=None).has_plan
    decided = stowage.plan(hard_records(), "optimal", capacity=2000,
                           decide=True)
    assert decided.total_size <= 2000


@pytest.mark.parametrize("options", [
    {"time_limit": math.nan}, {"time_limit": "1"}, {"seed": -1},
    {"node_budget": -1}, {"node_budget": 1.5}, {"threads": -1},
    {"threads": 2**40}, {"seed": 1.5}, {"incumbent": 5}, {"progress": 5}],
    ids=str)
def test_refused_options(options):
    with pytest.raises(stowage.Error):
        stowage.Problem(RECORDS).plan("optimal", **options)


def test_progress():
    steps = []
    problem = stowage.Problem(hard_records())
    plan = problem.plan("optimal", node_budget=2000, progress=steps.append)
    assert steps and all(isinstance(s, stowage.Progress) for s in steps)
    assert steps[-1].total_size == plan.total_size
    assert steps[0].found_by
    # The function may keep its argument, and may itself plan the problem.
    inner = []
    problem.plan("optimal", node_budget=2000, progress=lambda step:
                 inner.append((step, problem.plan("naive"))))
    assert len(inner) == len(steps)


def test_progress_that_ends_the_search():
    steps = []

    def once(step):
        steps.append(step)
        return False
    plan = stowage.plan(hard_records(), "optimal", time_limit=None,
                        progress=once)
    assert len(steps) == 1 and plan.has_plan


def test_progress_that_raises():
    def fails(step):
        raise LookupError("mine")
    with pytest.raises(LookupError, match="mine"):
        stowage.plan(hard_records(), "optimal", time_limit=None,
                     progress=fails)


def test_nothing_is_kept_after_a_call():
    class Marker:
        pass
    import weakref

    def strategy(problem, marker=Marker()):
        return stack(problem)
    plan = stowage.plan(RECORDS, strategy, progress=print)
    marker = weakref.ref(strategy.__defaults__[0])
    del strategy
    gc.collect()
    assert marker() is None and plan.has_plan
