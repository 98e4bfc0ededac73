# SPDX-License-Identifier: Apache-2.0
"""Tests of stacking orders and of problems with parameters."""

import array
import copy
import json

import pytest

import stowage

RECORDS = [(0, 0, 1), (0, 1, 2), (0, 2, 3)]
PROBLEM = {
    "parameters": {"seq": {"min": 1, "max": 8}},
    "alignment": 16,
    "records": [
        {"id": "q", "size": "16*seq", "lower": 0, "upper": 2},
        {"id": "k", "size": "128 - 16*seq", "lower": 1, "upper": 3},
        {"id": "v", "size": "32", "lower": 2, "upper": 4}]}


def safe(plan, sizes, records, alignment):
    offsets = plan.offsets(sizes).tolist()
    sized = [(size, first, last)
             for size, (_, first, last) in zip(sizes, records)]
    problem = stowage.Problem(sized, alignment=alignment)
    assert problem.verify(offsets) is None
    ends = [offset + size for offset, size in zip(offsets, sizes)]
    assert plan.total_size(sizes) == max(ends)


def test_stack():
    plan = stowage.StackPlan(RECORDS, [1, 0, 2], alignment=16)
    assert len(plan) == 3 and plan.edges == 2
    assert plan.order.tolist() == [1, 0, 2]
    assert plan.reserve is None and plan.lower_bound is None
    assert plan.status is stowage.Status.FEASIBLE
    assert plan.offsets([5, 17, 64]).tolist() == [32, 0, 32]
    assert plan.total_size([5, 17, 64]) == 96
    assert plan.offsets(array.array("Q", [5, 17, 64])).tolist() == [32, 0, 32]
    assert repr(plan) == "<StackPlan of 3 records>"
    for sizes in ([0, 0, 0], [1, 2, 3], [1000, 1, 999]):
        safe(plan, sizes, RECORDS, 16)


def test_stack_of_a_problem():
    problem = stowage.Problem([(9, 0, 1), (9, 1, 2)])
    assert stowage.StackPlan(problem, [0, 1]).offsets([9, 9]).tolist() == [0, 9]
    assert len(stowage.StackPlan([], [])) == 0
    assert stowage.StackPlan([], []).total_size([]) == 0


def test_offsets_outlive_their_plan():
    offsets = stowage.StackPlan(RECORDS, [0, 1, 2]).offsets([1, 2, 3])
    assert offsets.tolist() == [0, 1, 3] and offsets.readonly


def test_table():
    table = stowage.StackPlan(RECORDS, [1, 0, 2], alignment=16).table()
    assert table[:8] == b"ST\x01\x04\x03\0\0\0"
    assert table[12:] == bytes([0, 1, 1, 0, 1, 2, 0])


@pytest.mark.parametrize("order, message", [
    ([0, 1], "order: 2 entries; expected 3"),
    ([0, 1, 1], "record 1"),
    ([0, 1, 3], "record 3"),
    ([0, 1, -1], "order"),
    ([0, 1, 1.0], "order"),
    (None, "order")])
def test_orders_are_refused(order, message):
    with pytest.raises(stowage.Error, match=message):
        stowage.StackPlan(RECORDS, order)


def test_sizes_are_refused():
    plan = stowage.StackPlan(RECORDS, [0, 1, 2])
    for wrong in ([1, 2], [1, 2, -1], [1, 2, 1.0], None, "abc"):
        with pytest.raises(stowage.Error):
            plan.offsets(wrong)
    with pytest.raises(stowage.Error, match="record 1"):
        plan.offsets([2**64 - 1, 1, 1])
    for wrong in (3, 0, -1, 1.0, None):
        with pytest.raises(stowage.Error, match="alignment"):
            stowage.StackPlan(RECORDS, [0, 1, 2], alignment=wrong)


@pytest.mark.parametrize("capacity, status", [
    (143, stowage.Status.INFEASIBLE), (144, stowage.Status.OPTIMAL)])
def test_capacity(capacity, status):
    plan = stowage.plan_dynamic(dict(PROBLEM, capacity=capacity))
    assert plan.status is status and plan.reserve == 144


@pytest.mark.parametrize("source", [
    PROBLEM, json.dumps(PROBLEM), json.dumps(PROBLEM).encode()])
def test_plan_dynamic(source):
    problem = stowage.DynamicProblem(source)
    plan = stowage.plan_dynamic(source)
    assert plan.lower_bound == plan.reserve == 144
    assert "144 bytes suffice" in repr(plan)
    records = [(0, 0, 1), (0, 1, 2), (0, 2, 3)]
    for seq in range(1, 9):
        sizes = problem.sizes(seq=seq).tolist()
        assert sizes == problem.sizes(f"seq={seq}").tolist()
        assert sizes == [16 * seq, 128 - 16 * seq, 32]
        assert plan.total_size(sizes) <= plan.reserve
        safe(plan, sizes, records, 16)
    assert problem.plan(max_orders=0).reserve >= 144


def test_the_order_of_a_source():
    given = copy.deepcopy(PROBLEM)
    with pytest.raises(stowage.Error, match="has no order"):
        stowage.DynamicProblem(given).stack()
    for record, place in zip(given["records"], (0, 2, 1)):
        record["stack"] = place
    assert stowage.DynamicProblem(given).stack().order.tolist() == [0, 2, 1]


def test_scenarios():
    problem = stowage.DynamicProblem({
        "scenarios": ["a", "b"],
        "records": [{"id": "q", "size": [1, 2], "lower": 0, "upper": 1}]})
    assert problem.sizes("b").tolist() == [2]
    assert problem.plan().reserve == 2


@pytest.mark.parametrize("change, message", [
    ({"parameters": {"seq": {"min": 1}}}, "seq"),
    ({"records": [{"id": "q", "size": "4*", "lower": 0, "upper": 1}]},
     "column"),
    ({"x": 1}, "problem:1")])
def test_problems_are_refused(change, message):
    with pytest.raises(stowage.Error, match=message):
        stowage.DynamicProblem({**PROBLEM, **change})


def test_values_are_refused():
    problem = stowage.DynamicProblem(PROBLEM)
    for at, values in ((None, {}), (None, {"seq": 9}), ("seq=0", {}),
                       (None, {"n": 1}), ("seq=1", {"seq": 1}), (7, {}),
                       ("seq=1\0", {})):
        with pytest.raises(stowage.Error):
            problem.sizes(at, **values)


@pytest.mark.parametrize("value", ["1", "1,b=7", "1,b=2", 1.0, True, None,
                                   [1]], ids=repr)
def test_values_are_integers(value):
    problem = stowage.DynamicProblem({
        "parameters": {"s": {"min": 1, "max": 8}, "b": {"min": 1, "max": 8}},
        "records": [{"id": "q", "size": "s*b", "lower": 0, "upper": 2}]})
    assert problem.sizes(s=3, b=7).tolist() == [21]
    for values in ({"s": value}, {"s": value, "b": 7}, {"b": 7, "s": value}):
        with pytest.raises(stowage.Error, match="^s: .*; expected an integer"):
            problem.sizes(**values)


@pytest.mark.parametrize("name", ["at", "self", "values"])
def test_parameters_have_any_name(name):
    problem = stowage.DynamicProblem({
        "parameters": {name: {"min": 1, "max": 8}},
        "records": [{"id": "q", "size": f"16*{name}", "lower": 0,
                     "upper": 2}]})
    assert problem.sizes(**{name: 3}).tolist() == [48]
    assert problem.sizes(f"{name}=3").tolist() == [48]


def test_values_of_numpy():
    numpy = pytest.importorskip("numpy")
    problem = stowage.DynamicProblem(PROBLEM)
    assert problem.sizes(seq=numpy.int8(2)) == problem.sizes(seq=2)
