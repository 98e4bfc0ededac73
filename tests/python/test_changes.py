# SPDX-License-Identifier: Apache-2.0
"""Tests of replanning, and of the cache of plans."""

import pickle
import re
import threading

import pytest

import stowage

RECORDS = [(64, 0, 1), (64, 1, 2), (64, 2, 3)]


def problem_of(*sizes, **requests):
    return stowage.Problem(
        [(size, task, task + 1) for task, size in enumerate(sizes)], **requests)


# ---- One problem for several shapes

def test_plans_of_the_joined_problem_are_safe_for_each_shape():
    shapes = [problem_of(64, 128, 8, capacity=300, names=["a", "b", "c"]),
              stowage.Problem([(8, 1, 3), (32, 1, 1), (96, 2, 4)],
                              alignment=16, fixed={2: 0}, capacity=400)]
    joined = stowage.problem_for_all(iter(shapes))
    assert joined.rows() == [(64, 0, 3), (128, 1, 2), (96, 2, 4)]
    assert joined.alignments.tolist() == [16, 16, 16]
    assert joined.fixed == (None, None, 0)
    assert (joined.capacity, joined.names) == (300, ("a", "b", "c"))
    plan = joined.plan("optimal")
    assert plan.total_size == 288
    for shape in shapes:
        assert shape.verify(plan.offsets) is None
    assert pickle.loads(pickle.dumps(joined)) == joined


def test_one_shape_is_itself():
    for shape in (problem_of(64, 8), problem_of(64, 8, kind="objects"),
                  problem_of(64, 8, fixed={1: 8}, capacity=99, names=["a", "b"])):
        assert stowage.problem_for_all([shape]) == shape


@pytest.mark.parametrize("shapes, message", [
    ([], "there are none; expected at least one"),
    ([problem_of(1, 2), problem_of(1)], "shape 1: it has 1 record"),
    ([problem_of(1), problem_of(1, kind="objects")], "shape 1: its plan is of"),
    ([problem_of(1, 2), problem_of(1, 2, apart=[[0, 1]])], "shape 1: it has "),
    ([problem_of(1, fixed={0: 1}), problem_of(1, fixed={0: 2})],
     "record 0: its fixed offset is 2; expected 1"),
    ([problem_of(1), RECORDS], "problems[1]: list; expected a Problem"),
], ids=str)
def test_shapes_that_cannot_be_joined_are_refused(shapes, message):
    with pytest.raises(stowage.Error, match=re.escape(message)):
        stowage.problem_for_all(shapes)


# ---- Replanning

@pytest.mark.parametrize("sizes, was_valid, moved", [
    ((64, 64, 64), True, ()),
    ((64, 64, 32), True, ()),
    ((64, 32, 64), True, ()),
    ((64, 96, 64), False, ()),
    ((96, 64, 64), False, (1,)),
], ids=str)
def test_replanning_moves_what_no_longer_fits(sizes, was_valid, moved):
    before = stowage.plan(RECORDS)
    changed = problem_of(*sizes)
    found = stowage.replan(changed, before)
    assert (found.was_valid, found.moved) == (was_valid, moved)
    assert found.moved_bytes == sum(sizes[i] for i in moved)
    assert found.plan.problem is changed
    assert changed.verify(found.plan) is None
    for i in set(range(3)) - set(moved):
        assert found.plan.offsets[i] == before.offsets[i]


def test_a_replanned_plan_can_be_replanned_pickled_and_compared():
    found = stowage.replan(problem_of(96, 64, 64), stowage.plan(RECORDS))
    again = stowage.replan(problem_of(96, 64, 32), found.plan)
    assert again.was_valid and not again.moved
    assert pickle.loads(pickle.dumps(found)) == found
    assert again != found


def test_only_some_records_may_move():
    numpy = pytest.importorskip("numpy")
    before = stowage.plan(RECORDS)
    for movable in ([1, 2], numpy.array([1, 2]), (1, 2)):
        found = stowage.replan(problem_of(96, 64, 64), before, movable=movable)
        assert found.moved == (1,)
    with pytest.raises(stowage.Error) as caught:
        stowage.replan(problem_of(96, 64, 64), before, movable=[])
    assert caught.value.code is stowage.Code.FAILED_PRECONDITION


@pytest.mark.parametrize("options, message", [
    ({"movable": [3]}, "movable: there is no record 3"),
    ({"movable": [-1]}, "movable[0]: -1; expected"),
    ({"movable": 5}, "movable: not a sequence"),
    ({"cost_per_moved_byte": -1}, "cost_per_moved_byte: not an integer"),
    ({"strategy": len}, "strategy: <built-in function len>; expected a name"),
    ({"strategy": "best"}, "no strategy 'best'"),
    ({"time_limit": "1"}, "time_limit: not a number"),
], ids=str)
def test_arguments_are_refused(options, message):
    with pytest.raises(stowage.Error, match=re.escape(message)):
        stowage.replan(problem_of(96, 96, 96), stowage.plan(RECORDS), **options)


def test_the_previous_plan_must_be_a_plan_of_as_many_records():
    for previous, message in [([0, 64, 0], "previous: list; expected a Plan"),
                              (stowage.plan(RECORDS[:2]), "3; expected 2, as")]:
        with pytest.raises(stowage.Error, match=message):
            stowage.replan(problem_of(64, 64, 64), previous)
    for call in (lambda: stowage.replan(RECORDS, stowage.plan(RECORDS)),
                 lambda: stowage.PlanCache().plan(RECORDS)):
        with pytest.raises(stowage.Error, match="list; expected a Problem"):
            call()


# ---- The cache

def test_a_plan_is_found_again_and_survives_a_file(tmp_path):
    cache = stowage.PlanCache()
    plans = [cache.plan(problem_of(size, 64)) for size in (64, 96, 64)]
    assert [plan.total_size for plan in plans] == [128, 160, 128]
    assert all(plan.problem.verify(plan) is None for plan in plans)
    assert (cache.stats.plans, cache.stats.hits, cache.stats.misses) == (2, 1, 2)
    assert len(cache) == 2 and re.fullmatch(
        r"<PlanCache of 2 plans in \d+ bytes>", repr(cache))
    cache.save(tmp_path / "plans")
    other = stowage.PlanCache("1 MiB", "greedy_by_size")
    assert other.load(tmp_path / "plans") == 0
    assert other.plan(problem_of(96, 64)).total_size == 160
    assert (other.stats.hits, other.stats.misses) == (1, 0)


def test_a_damaged_file_has_no_unsafe_plan(tmp_path):
    cache = stowage.PlanCache()
    cache.plan(problem_of(64, 64))
    cache.save(tmp_path / "plans")
    lines = (tmp_path / "plans").read_text().splitlines(keepends=True)
    (tmp_path / "plans").write_text("".join(lines[:-1]) + "damaged\n")
    fresh = stowage.PlanCache()
    assert fresh.load(tmp_path / "plans") == 1
    assert fresh.plan(problem_of(64, 64)).total_size == 128
    (tmp_path / "plans").write_text("id,offset\n0,0\n")
    for path in (tmp_path / "plans", tmp_path / "missing", tmp_path):
        with pytest.raises(stowage.Error, match=re.escape(str(path))):
            fresh.load(path)


def test_a_search_improves_plans():
    sizes = [(7 * i) % 13 + 1 for i in range(40)]
    records = [(size, i % 9, i % 9 + i % 5) for i, size in enumerate(sizes)]
    problem = stowage.Problem(records)
    cache = stowage.PlanCache(strategy="naive")
    before = cache.plan(problem)
    assert before.total_size == sum(sizes)
    assert cache.improve(node_budget=1000, time_limit=None) == 1
    assert cache.plan(problem).total_size < before.total_size
    assert before.total_size == sum(sizes)


@pytest.mark.parametrize("call, message", [
    (lambda: stowage.PlanCache(-1), "max_bytes: not an integer"),
    (lambda: stowage.PlanCache("1 XB"), "max_bytes: '1 XB'; expected bytes"),
    (lambda: stowage.PlanCache(strategy=5), "strategy: 5; expected a name"),
    (lambda: stowage.PlanCache(strategy="best").plan(problem_of(64)),
     "no strategy 'best'"),
    (lambda: stowage.PlanCache().improve("best"), "no strategy 'best'"),
    (lambda: stowage.PlanCache().plan(problem_of(64, kind="objects")),
     "'skyline' does not support objects"),
], ids=range(6))
def test_misuse_of_a_cache_is_named(call, message):
    with pytest.raises(stowage.Error, match=re.escape(message)):
        call()


def test_threads_share_a_cache():
    cache = stowage.PlanCache()
    totals = []

    def plan_all():
        totals.extend(cache.plan(problem_of(size, 64)).total_size
                      for size in range(1, 65))

    threads = [threading.Thread(target=plan_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(totals) == sorted(4 * [size + 64 for size in range(1, 65)])
    assert cache.stats.plans == 64
