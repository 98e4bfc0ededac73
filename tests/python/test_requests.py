# SPDX-License-Identifier: Apache-2.0
"""Tests of the requests of problems, and that plans satisfy them."""

import pickle
import re

import pytest

import stowage
from stowage import Feature
from support import ROOT

RECORDS = [(64, 0, 1), (32, 1, 2), (64, 2, 3)]


def plan_of(**requests):
    problem = stowage.Problem(RECORDS, **requests)
    # A pickled problem can be restored from its requests.
    assert pickle.loads(pickle.dumps(problem)) == problem
    plan = problem.plan()
    assert plan.has_plan, plan
    assert problem.verify(plan) is None
    return plan


def test_alignments():
    assert plan_of(alignment=[64, 64, 1]).offsets.tolist() == [0, 64, 0]
    problem = stowage.Problem(RECORDS, alignment=[1, 2, 4])
    assert problem.alignments.tolist() == [1, 2, 4]
    for wrong in ([1, 2], [1, 2, 3], 3, 0, 1.0, True, None, "2", [1, 2, -1]):
        with pytest.raises(stowage.Error):
            stowage.Problem(RECORDS, alignment=wrong)


def test_alignments_are_copied():
    numpy = pytest.importorskip("numpy")
    alignments = numpy.array([1, 2, 4])
    problem = stowage.Problem(RECORDS, alignment=alignments)
    alignments[:] = 3
    assert pickle.loads(pickle.dumps(problem)) == problem


@pytest.mark.parametrize("requests, message", [
    ({"names": "abc"}, "names: 'abc'; expected a list of names"),
    ({"fixed": 5}, "fixed: 5; expected a list of offsets"),
    ({"groups": 5}, "groups: 5; expected a list of groups"),
    ({"groups": [0, 1]}, "groups[0]: 0; expected a list of records"),
    ({"never": [(0, 1), 2]}, "never[1]: 2; expected 2 numbers"),
    ({"never": 5}, "never: 5; expected a list of rows"),
    ({"same_or_apart": [0, 1]}, "same_or_apart[0]: 0; expected 2 or 3"),
    ({"same_or_apart": [(0,)]}, "same_or_apart[0]: 1 numbers; expected 2 or"),
    ({"holes": [(0, 1, 2)]}, "holes[0]: 3 numbers; expected 4 or 5"),
    ({"ranges": [1]}, "ranges: [1]; expected the bounds by record"),
    ({"pools": 5}, "pools: 5; expected the capacities by name"),
    ({"pools": {"a": 5}, "choices": 5}, "choices: 5; expected the pools by"),
    ({"pools": {"a": 5}, "choices": {0: 5}}, "choices[0]: 5; expected a list"),
    ({"edges": [(0, 1)], "users": [5]}, "users[0]: 5; expected a list of"),
    ({"apart": [[0, 1], 5]}, "apart[1]: 5; expected a list of integers"),
    ({"place_first": 5}, "place_first: 5; expected a list of integers"),
    ({"fixed": [0, None]}, "fixed: 2 entries; expected 3"),
    ({"fixed": [0, None, None, None]}, "fixed: 4 entries; expected 3"),
    ({"pools": {"a": None, "b": None}, "choices": {0: "ab"}},
     "choices[0]: the text 'ab'; expected a list of pools"),
], ids=str)
def test_texts_and_lengths_are_refused(requests, message):
    with pytest.raises(stowage.Error, match=re.escape(message)):
        stowage.Problem(RECORDS, **requests)


@pytest.mark.parametrize("requests, message, records", [
    ({"fixed": [None, None, 1.5]}, "fixed[2]: 1.5; expected an integer", ()),
    ({"fixed": {2: -5}}, "fixed[2]: -5; expected 0 or more", ()),
    ({"fixed": {1: 2**64}}, "fixed[1]: 18446744073709551616; expected at", ()),
    ({"fixed": {1: 2**64 - 1}},
     "fixed[1]: 18446744073709551615; expected less than 2^64 - 1", (1,)),
    ({"capacity": -1}, "capacity: -1; expected 0 or more", ()),
    ({"groups": [[1], [0, "a"]]}, "groups[1]: 'a'; expected an integer", ()),
    ({"ranges": {1: ("1 XB", None)}}, "ranges[1]: '1 XB'; expected", ()),
    ({"ranges": {0: (0,)}}, "ranges[0]: (0,); expected the first byte", ()),
    ({"ranges": {0: 5}}, "ranges[0]: 5; expected the first byte", ()),
    ({"pools": ["a", "b"]}, "pools: 'a'; expected a name and a capacity", ()),
    ({"place_first": [0, 1.5]}, "place_first[1]: 1.5; expected an integer", ()),
    ({"pools": {"a": 1, "b": None}, "choices": {2: {"a": -1}}},
     "choices[2]: -1; expected 0 or more", ()),
    ({"edges": [(0, 1), (1, "x")], "users": [[0], [1], [2]]},
     "edges[1]: 'x'; expected an integer", ()),
    ({"edges": [(0, 1)], "users": [[0], [1], ["x"]]}, "users[2]: 'x'", (2,)),
    ({"edges": [(0, 1)], "tasks": "2"}, "tasks: '2'; expected an", ()),
    ({"streams": [[0, 1], [2, "x"]], "users": [[0], [1], [2]]},
     "streams[1]: 'x'; expected an integer", ()),
    ({"tasks": 2}, "tasks: 2 without an order; expected edges", ()),
    ({"streams": [[0, 1]], "users": [[0]] * 3, "tasks": 99},
     "tasks: 99 without an order", ()),
], ids=str)
def test_messages_name_the_place(requests, message, records):
    with pytest.raises(stowage.Error, match=re.escape(message)) as caught:
        stowage.Problem(RECORDS, **requests)
    assert caught.value.records == records


@pytest.mark.parametrize("options, message", [
    ({"strategy": "skyline\0x"}, "strategy: contains a zero; expected text"),
    ({"strategy": "\ud800"}, "strategy: half of a surrogate pair"),
    ({"incumbent": [0, 64, 0]}, "incumbent: list; expected a Plan"),
    ({"time_limit": "1s"}, "time_limit: not a number; expected seconds"),
    ({"progress": 5}, "progress: 5; expected a function"),
], ids=ascii)
def test_options_are_refused(options, message):
    with pytest.raises(stowage.Error, match=message):
        stowage.Problem(RECORDS).plan(**options)


def test_alignment_of_numpy():
    numpy = pytest.importorskip("numpy")
    problem = stowage.Problem(RECORDS, alignment=numpy.uint8(64))
    assert problem.alignments.tolist() == [64, 64, 64]


@pytest.mark.parametrize("given", [
    lambda numpy: {"edges": numpy.array([[0, 1], [1, 2], [2, 3]]),
                   "users": [numpy.array([0, 1]), numpy.array([1, 2]),
                             numpy.array([2, 3])]},
    lambda numpy: {"edges": numpy.array([[0, 1], [1, 2], [2, 3]]),
                   "users": numpy.array([[0, 1], [1, 2], [2, 3]])},
    lambda numpy: {"edges": [(0, 1), (1, 2), (2, 3)],
                   "users": numpy.array([[0, 1], [1, 2], [2, 3]], "u1")},
    lambda numpy: {"streams": numpy.array([[0, 1, 2, 3]]),
                   "users": numpy.array([[0, 1], [1, 2], [2, 3]])},
    lambda numpy: {"edges": numpy.array([[0, 1], [1, 2], [2, 3]], "i8"),
                   "users": iter([[0, 1], [1, 2], [2, 3]])},
])
def test_orders_of_numpy(given):
    numpy = pytest.importorskip("numpy")
    plan = plan_of(edges=[(0, 1), (1, 2), (2, 3)],
                   users=[[0, 1], [1, 2], [2, 3]])
    assert plan_of(**given(numpy)).offsets == plan.offsets


def test_the_number_of_tasks_may_exceed_an_integer_of_numpy():
    numpy = pytest.importorskip("numpy")
    chain = numpy.array([[i, i + 1] for i in range(255)], "u1")
    users = numpy.array([[0], [1], [255]], "u1")
    records = [(64, task, task) for (task,) in users.tolist()]
    assert stowage.plan(records, edges=chain, users=users).total_size == 64


@pytest.mark.parametrize("form", [
    tuple, iter, lambda fixed: (offset for offset in fixed),
    lambda fixed: dict(enumerate(fixed)).values(),
    lambda fixed: pytest.importorskip("numpy").array(fixed)],
    ids=["tuple", "iter", "generator", "values", "numpy"])
def test_every_list_of_fixed_offsets_has_one_for_each_record(form):
    fixed = [0, 128, 256]
    assert stowage.Problem(RECORDS, fixed=form(fixed)).fixed == (0, 128, 256)
    for count in (0, 1, 2):
        with pytest.raises(stowage.Error, match=f"fixed: {count} entries; "
                                                "expected 3"):
            stowage.Problem(RECORDS, fixed=form(fixed[:count]))


@pytest.mark.parametrize("fixed", [{1: 128}, [None, 128, None]], ids=str)
def test_fixed_offsets(fixed):
    plan = plan_of(fixed=fixed)
    assert plan.offsets[1] == 128
    assert plan.problem.fixed == (None, 128, None)
    assert plan.problem.features == Feature.OFFSETS | Feature.FIXED_OFFSETS


def test_ranges_and_holes():
    assert plan_of(ranges={0: (100, None), 1: (0, "1 KiB")}).offsets[0] >= 100
    plan = plan_of(holes=[(0, 64, 0, 3)])
    assert min(plan.offsets) >= 64
    assert Feature.PLACES in plan.problem.features


def test_groups():
    plan = plan_of(groups=[{0: 0, 2: 64}])
    assert plan.offsets[2] == plan.offsets[0] + 64
    plan = plan_of(groups=[[0, 2]])
    assert plan.offsets[2] == plan.offsets[0]
    plan_of(groups=[[0, 1]], optional_groups=True)
    named = plan_of(groups={"view": {0: 0, 2: 64}}, names=["a", "b", "c"],
                    operators=["conv", "relu"])
    assert named.offsets == plan_of(groups=[{0: 0, 2: 64}]).offsets
    assert ",view," in named.problem.to_text()


def test_pairs():
    plan = plan_of(apart=[[0, 2]])
    assert plan.total_size == 160
    plan = plan_of(never=[(0, 1)])
    assert plan.total_size == 96 or plan.total_size == 64
    plan = stowage.plan(RECORDS, "optimal", prefer_apart=[(0, 2, 7)])
    assert plan.cost == 0 and plan.total_size == 160
    plan = stowage.plan(RECORDS, "optimal", prefer_apart=[(0, 2, 7)],
                        capacity=96)
    assert plan.cost == 7 and plan.cost_bound <= 7
    copies = stowage.Problem([(64, 0, 1), (64, 1, 2)],
                             same_or_apart=[(0, 1, 64)])
    assert pickle.loads(pickle.dumps(copies)) == copies
    plan = copies.plan()
    assert plan.total_size == 64
    assert copies.verify(plan) is None


# Each plan is checked against the groups, ranges and holes of the problem, and
# not against the groups that result from pairs that lie in one place.
@pytest.mark.parametrize("records, requests, offsets, kind, named", [
    # Records 0 and 2, and records 2 and 3, are pairs in one place.
    ([(1, 1, 1), (1, 0, 0), (1, 1, 1), (1, 1, 1)],
     {"same_or_apart": [(0, 1), (2, 3, 6), (0, 2)], "alignment": [2, 1, 2, 1],
      "holes": [(4, 6, 0, 0)]},
     [0, 0, 0, 0], "OVERLAPPING_BYTES", (0, 3)),
    # The pair 0, 1 in one place would make record 0 a member of the group.
    ([(4, 1, 1), (4, 0, 1), (2, 0, 1), (2, 0, 1), (2, 0, 1)],
     {"users": [[1], [0, 1], [0, 1], [0, 1], [0, 1]], "edges": [(0, 1)],
      "groups": [{1: 0, 2: 4}], "ranges": {2: (2, None)},
      "same_or_apart": [(0, 1, 9), (2, 4, 1)]},
     [0, 0, 3, 6, 4], "GROUP_BROKEN", (1, 2)),
    # A group of one record starts below byte 0.
    ([(48, 0, 0), (48, 0, 0)],
     {"groups": [{0: 62}], "same_or_apart": [(0, 1)]},
     [1, 64], "GROUP_BROKEN", (0,)),
    # No offset suits record 1.
    ([(15, 1, 2), (15, 1, 2)],
     {"groups": [{1: 7}], "ranges": {1: (0, 19)}, "same_or_apart": [(0, 1)]},
     [15, 0], "GROUP_BROKEN", (1,)),
    ([(15, 1, 2), (15, 1, 2)],
     {"groups": [{1: 7}], "ranges": {1: (0, 19)}, "same_or_apart": [(0, 1)]},
     [22, 7], "OUTSIDE_RANGE", (1,)),
    ([(4, 0, 0), (4, 0, 0)], {"same_or_apart": [(0, 1)]},
     [0, 2], "SHARED_IN_PART", (0, 1)),
    ([(4, 0, 0), (4, 1, 1)],
     {"users": [[0], [1]], "edges": [], "tasks": 2,
      "same_or_apart": [(0, 1)]},
     [2, 0], "SHARED_IN_PART", (0, 1)),
])
def test_violations_of_problems_with_pairs(records, requests, offsets, kind,
                                           named):
    violation = stowage.Problem(records, **requests).verify(offsets)
    assert (violation.kind.name, violation.records) == (kind, named)


def test_own_plans_with_pools():
    problem = stowage.Problem(RECORDS, pools={"a": 64, "b": None},
                              choices={i: {"a": 0, "b": 5} for i in range(3)})
    made = problem.plan()
    own = made.offsets.tolist(), made.pools.tolist()
    assert problem.verify(own) is None
    assert problem.incumbent(own).pools == made.pools
    violation = problem.verify((own[0], [0] * len(problem)))
    assert violation is not None
    with pytest.raises(stowage.Error, match="3 lists; expected two"):
        problem.verify((own[0], own[1], own[1]))
    with pytest.raises(stowage.Error, match="above 2\\^32 - 1"):
        problem.verify((own[0], [2**32] * len(problem)))


def test_pools():
    plan = plan_of(pools={"sram": 64, "dram": None},
                   choices={0: ["dram"], 1: {"sram": 0, 1: 5}})
    assert plan.pools[0] == 1
    assert plan.problem.pool_count == 2
    with pytest.raises(stowage.Error, match="the pool 'flash'") as caught:
        plan_of(pools=[("sram", 64)], choices={2: ["flash"]})
    assert caught.value.records == (2,)


def test_orders():
    users = [[0, 1], [1, 2], [2, 3]]
    free = plan_of(free_order=[(0, 1), (1, 2)], users=users)
    assert sorted(free.order) == [0, 1, 2, 3]
    edges = plan_of(edges=[(0, 1), (1, 2), (2, 3)], users=users)
    assert edges.total_size == 96
    streams = plan_of(streams=[[0, 1], [2, 3]], waits=[(1, 2)], users=users)
    assert streams.total_size == 96
    loose = plan_of(edges=[(0, 1)], users=users, tasks=4)
    assert loose.total_size == 160
    assert Feature.PARTIAL_ORDER in loose.problem.features


def test_shared_objects_and_their_graph():
    assert len(plan_of(kind="objects").object_sizes) == 2
    problem = stowage.Problem(RECORDS, kind="objects", reallocation=[])
    assert len(problem.plan("greedy_in_order").object_sizes) == 3
    problem = stowage.Problem(RECORDS, kind="objects", reallocation=[(0, 2)])
    assert len(problem.plan("greedy_in_order").object_sizes) == 2


def test_labels_change_no_plan():
    plain = plan_of()
    named = plan_of(names=["a", "b", "c"], place_first=[2, 1])
    assert named.problem.names == ("a", "b", "c")
    assert named.problem.fingerprint != plain.problem.fingerprint
    assert (plan_of(names=["a", "b", "c"]).problem.fingerprint
            == plain.problem.fingerprint)
    assert plan_of(names=["a", "b", "c"]) != plain


@pytest.mark.parametrize("requests", [
    {"names": ["a"]}, {"names": ["a", "b", 5]}, {"names": ["a", "b", "c\0"]},
    {"fixed": {3: 0}}, {"fixed": {0: -1}}, {"fixed": [None] * 3 + [0]},
    {"fixed": {0: 1.0}}, {"ranges": {0: (-1, None)}}, {"groups": [{0: -1}]},
    {"groups": [[0, 3]]}, {"holes": [(0, 1)]}, {"holes": [(1, 0, 0, 0)]},
    {"apart": [[0, 5]]}, {"never": [(0,)]}, {"never": [(0, 1, 2)]},
    {"prefer_apart": [(0, 1)]}, {"same_or_apart": [(0,)]},
    {"same_or_apart": [(0, 1, -1)]}, {"same_or_apart": [(0, 3)]},
    {"pools": [("a", -1)]},
    {"choices": {0: ["a"]}}, {"edges": [(0, 1)]}, {"kind": "pages"},
    {"free_order": [(0, 1)], "edges": [(0, 1)]}, {"users": [[0], [1], [9]]},
    {"edges": [(0, 1), (1, 0)], "users": [[0], [1], [1]]},
    {"reallocation": [(0, 3)]}, {"place_first": [7]}, {"tasks": 1,
     "edges": [(0, 5)], "users": [[0], [0], [0]]},
    {"groups": [[0], [0.5]]}, {"pools": {"a": 1}, "choices": {0: {2**40: 1}}},
], ids=str)
def test_refused_requests(requests):
    with pytest.raises(stowage.Error):
        stowage.Problem(RECORDS, **requests)


@pytest.mark.parametrize("requests, message, records", [
    ({"names": ["a", "b\ud800", "c"]}, "names[1]: half of a surrogate", (1,)),
    ({"names": ["a", "b", "c\0"]}, "names[2]: contains a zero", (2,)),
    ({"operators": ["\udfff"]}, "operators[0]: half of a surrogate", ()),
    ({"pools": {"\ud800": 1}}, "pools[0]: half of a surrogate", ()),
    ({"groups": {"\ud800": [0, 2]}}, "group_names[0]: half of", ()),
    ({"capacity": "1\ud800"}, "capacity: ", ()),
], ids=ascii)
def test_texts_that_c_does_not_hold_are_refused(requests, message, records):
    with pytest.raises(stowage.Error, match=re.escape(message)) as caught:
        stowage.Problem(RECORDS, **requests)
    assert caught.value.records == records


def test_arguments_that_can_be_read_once():
    plan = stowage.plan(
        RECORDS, pools=iter([("sram", 64), ("dram", None)]),
        choices={0: (pool for pool in ["dram"])})
    assert plan.pools[0] == 1
    users = ((task for task in tasks) for tasks in [[0, 1], [1, 2], [2, 3]])
    assert stowage.plan(RECORDS, edges=iter([(0, 1), (1, 2), (2, 3)]),
                        users=users).total_size == 96


def test_arguments_in_any_order():
    given = {"choices": {0: ["dram"]}, "pools": {"sram": 64, "dram": None},
             "names": ["a", "b", "c"], "fixed": {1: 0}}
    backwards = dict(reversed(given.items()))
    assert (stowage.Problem(RECORDS, **given)
            == stowage.Problem(RECORDS, **backwards))


def test_unknown_requests_are_type_errors():
    with pytest.raises(TypeError, match="'alignmnet'"):
        stowage.Problem(RECORDS, alignmnet=64)
    with pytest.raises(TypeError):
        stowage.plan(RECORDS, alignmnet=64)


def test_everything_that_the_builder_has_can_be_asked_for():
    header = (ROOT / "include/stowage/c/problem.h").read_text()
    functions = set(re.findall(r"^stowage_code (stowage_builder_\w+)\(",
                               header, re.MULTILINE))
    source = (ROOT / "src/python/native/requests.c").read_text()
    native = (ROOT / "src/python/native/records.c").read_text()
    missing = {function for function in functions
               if function + "(" not in source + native}
    # These functions set labels that only messages and reports of the command
    # show, except for the first, which takes the records in another form.
    assert missing == {
        "stowage_builder_records", "stowage_builder_group_word",
        "stowage_builder_readers", "stowage_builder_lifetimes",
        "stowage_builder_tensor"}


def test_bounds_and_fingerprints():
    problem = stowage.Problem(RECORDS)
    assert problem.bound.bytes == 96
    assert problem.bound.naive_size == 160
    assert str(problem.bound.proof) == "the bytes live at task 1"
    assert problem.fingerprint == stowage.Problem(iter(RECORDS)).fingerprint
    assert problem.fingerprint >> 128 == 0
    assert problem != stowage.Problem(RECORDS[:2])
    assert len({problem, stowage.Problem(RECORDS)}) == 1
    assert problem != 5


def test_verify():
    problem = stowage.Problem(RECORDS, names=["a", "b", "c"])
    found = problem.verify([0, 32, 64])
    assert found.kind is stowage.ViolationKind.OVERLAPPING_BYTES
    assert (found.first_tensor, found.second_tensor) == (0, 1)
    assert (found.begin, found.end, found.task) == (32, 64, 1)
    assert found.records == (0, 1)
    assert "'a'" in str(found) and repr(found).startswith("<Violation OVER")
    assert problem.verify([0, 64, 0]) is None
    assert problem.verify([0, 64, 0], 95).kind is (
        stowage.ViolationKind.BEYOND_ARENA)
    assert problem.verify([0, 64]).kind is stowage.ViolationKind.COUNT_MISMATCH
    assert pickle.loads(pickle.dumps(found)) == found
    for wrong in ([0, -1, 0], [0.0, 1, 2], None, "abc", [0, 2**64, 0]):
        with pytest.raises(stowage.Error):
            problem.verify(wrong)


def test_verify_objects():
    problem = stowage.Problem(RECORDS, kind="objects")
    assert problem.verify([0, 1, 0]) is None
    assert problem.verify([0, 0, 1]).kind is (
        stowage.ViolationKind.SHARED_OBJECT)
    with pytest.raises(stowage.Error):
        problem.verify([0, 5, 0])


def test_a_given_total_counts():
    problem = stowage.Problem(RECORDS)
    plan = problem.plan()
    assert plan.total_size == 96
    for given in (plan, plan.offsets, pickle.loads(pickle.dumps(plan))):
        assert problem.verify(given, 95).kind is (
            stowage.ViolationKind.BEYOND_ARENA)
        assert problem.verify(given, 96) is None
        assert problem.incumbent(given, "1 KiB").total_size == 1024
        with pytest.raises(stowage.Unsafe):
            problem.incumbent(given, 95)


@pytest.mark.parametrize("total_size", [5, 96, 2**20])
def test_shared_objects_have_no_total(total_size):
    problem = stowage.Problem(RECORDS, kind="objects")
    for given in (problem.plan(), [0, 1, 0]):
        for call in (problem.verify, problem.incumbent):
            with pytest.raises(stowage.Error, match="shared objects"):
                call(given, total_size)


def test_plans_from_elsewhere():
    problem = stowage.Problem(RECORDS)
    plan = problem.incumbent([0, 64, 96])
    assert plan.total_size == 160 and plan.lower_bound == 96
    assert plan.status is stowage.Status.FEASIBLE
    assert problem.plan("naive", incumbent=plan).total_size == 160
    assert problem.plan(incumbent=plan).total_size == 96
    assert problem.incumbent(plan) == plan
    with pytest.raises(stowage.Unsafe) as caught:
        problem.incumbent([0, 0, 0])
    assert caught.value.violation.records == (0, 1)
    error = pickle.loads(pickle.dumps(caught.value))
    assert error.violation == caught.value.violation
    with pytest.raises(stowage.Error):
        stowage.Problem([(1, 0, 0)]).plan(incumbent=plan)
