# SPDX-License-Identifier: Apache-2.0
"""Tests of the ExecuTorch adapter: tensors in the storage of others, arenas
whose plan by the host is kept, and suites."""

import functools
import importlib
import sys
import types

import pytest

import executorch_host
import stowage
import stowage_executorch
from executorch_checks import (assert_safe, host,  # noqa: F401
                               improvable, offsets, placed, run)
from executorch_host import Graph, Spec, extend_lifetimes, random_specs


# ---- Storage

def test_tensors_in_the_storage_of_others():
    """The tensors of a chain keep their distances: 0 <- 8 <- 12."""
    host = executorch_host.MODEL
    whole = Spec(32, 0, 4)
    part = Spec(6, 1, 4, base=whole, at=8)
    inner = Spec(2, 2, 4, base=part, at=4)
    specs = [Spec(48, 0, 1), inner, whole, part, Spec(48, 2, 4)]
    result = run(host, specs, alignment=1)
    start = result.spec_dict[whole].mem_offset
    assert result.spec_dict[part].mem_offset == start + 8
    assert result.spec_dict[inner].mem_offset == start + 12
    assert len({result.spec_dict[spec].mem_obj_id
                for spec in (whole, part, inner)}) == 1
    assert result.bufsizes == [0, 80]
    assert_safe(result, specs)


def test_a_chain_in_a_plan_of_stowage():
    """The offsets in a storage are not multiples of the alignment."""
    host = executorch_host.MODEL
    for seed in range(60):
        specs = random_specs(seed, count=30)
        whole = Spec(4096, 3, 20)
        part = Spec(100, 5, 12, base=whole, at=40)
        inner = Spec(10, 6, 9, base=part, at=12)
        specs += [inner, whole, part]
        extend_lifetimes(specs)
        size = sum(host.greedy(64, list(specs), Graph(), None, 0).bufsizes)
        result = run(host, specs, alignment=64)
        assert_safe(result, specs)
        start = result.spec_dict[whole].mem_offset
        assert start % 64 == 0
        assert result.spec_dict[part].mem_offset == start + 40
        assert result.spec_dict[inner].mem_offset == start + 52
        assert sum(result.bufsizes) <= size


@pytest.mark.parametrize("older", [False, True])
def test_an_unsafe_plan_of_the_host_is_reported_and_replaced(host, older):
    """The host sees only the lifetime of the operand when it places `other`."""
    operand = Spec(64, 0, 1)
    result_in_place = Spec(64, 1, 5, base=operand)
    other = Spec(64, 2, 5)
    specs = [operand, result_in_place, other]
    if older:
        for spec in specs:
            spec.older()
    with pytest.warns(stowage_executorch.UnsafeHostPlan,
                      match="shares bytes") as caught:
        result = run(host, specs)
    conflict = caught[0].message.conflict
    assert {conflict.first, conflict.second} == {result_in_place, other}
    assert result.bufsizes == [0, 128]
    assert (result.spec_dict[result_in_place].mem_offset ==
            result.spec_dict[operand].mem_offset)
    assert_safe(result, specs)


def test_a_tensor_beyond_its_arena_is_reported():
    operand = Spec(16, 0, 1)
    larger = Spec(64, 1, 2, base=operand)
    with pytest.warns(stowage_executorch.UnsafeHostPlan,
                      match="ends beyond arena 1 of 16 bytes") as caught:
        result = run(executorch_host.MODEL, [operand, larger])
    assert caught[0].message.conflict.first is larger
    assert caught[0].message.conflict.second is None
    assert result.bufsizes == [0, 64]


# ---- Plans of the host that are kept unchanged

def whole_from_host(host, specs_of, alignment=16, graph_of=Graph):
    theirs, mine = specs_of(), specs_of()
    expected = host.greedy(alignment, theirs, graph_of(), None, 4)
    result = run(host, mine, alignment, graph_of(), 4)
    assert placed(result, mine) == placed(expected, theirs)
    assert result.bufsizes == expected.bufsizes
    return result


@pytest.mark.parametrize("alignment", [3, 24, 48, 1000])
def test_alignments_that_are_no_powers_of_two(host, alignment):
    seed = improvable(host)
    whole_from_host(host, lambda: random_specs(seed), alignment)


@pytest.mark.parametrize("large", [2**64, 2**63, 2**128])
def test_sizes_beyond_64_bits(host, large):
    def specs():
        return random_specs(improvable(host)) + [Spec(large, 0, 1),
                                                 Spec(large, 1, 2)]
    whole_from_host(host, specs)


@pytest.mark.parametrize("large, is_planned", [(2**59, True), (2**60, False),
                                               (2**63, False)])
def test_storage_in_tensors_beyond_2_to_the_60(large, is_planned):
    """A problem with groups may have fewer bytes than one without."""
    def specs():
        whole = Spec(large, 0, 2)
        return [whole, Spec(16, 1, 2, base=whole), *random_specs(seed)]
    host = executorch_host.MODEL
    seed = improvable(host)
    if not is_planned:
        whole_from_host(host, specs)
        return
    mine = specs()
    assert_safe(run(host, mine), mine)


def test_starts_beyond_64_bits(host):
    seed = improvable(host)
    whole_from_host(host, lambda: random_specs(seed),
                    graph_of=lambda: Graph([0, 2**64]))


def test_an_unsafe_plan_that_cannot_be_replaced_is_an_error(host):
    operand = Spec(64, 0, 1)
    specs = [operand, Spec(64, 1, 5, base=operand), Spec(64, 2, 5),
             Spec(2**64, 0, 5)]
    with pytest.raises(stowage_executorch.UnsafePlan) as caught:
        run(host, specs)
    assert caught.value.conflict.second is not None


def test_reversed_lifetimes_are_the_hosts(host):
    def specs():
        spec = Spec(64, 0, 0)
        spec.lifetime = [4, 2]
        return random_specs(improvable(host)) + [spec]
    whole_from_host(host, specs)


def test_a_lifetime_that_nobody_has_set_is_the_hosts(host):
    def specs():
        spec = Spec(64, 0, 0, mem_id=2)
        spec.lifetime = [None, None]
        return [spec]
    whole_from_host(host, specs)


def test_a_chain_of_storage_that_begins_outside_of_the_arena():
    """If a host places such tensors, its plan stays unchanged. The plan is
    safe although these tensors share bytes with each other."""
    outside = Spec(64, 0, 1)
    inner = Spec(64, 1, 4, base=outside)
    last = Spec(64, 4, 5, base=inner)
    other = Spec(64, 2, 3)

    def host(alignment, specs, *arguments):
        result = executorch_host.Result({}, [0, 256])
        for spec, offset in ((inner, 0), (last, 0), (other, 64)):
            result.spec_dict[spec] = executorch_host.Place(1)
            result.spec_dict[spec].mem_offset = offset
        return result

    result = run(None, [inner, last, other],
                 algorithm=stowage_executorch.planner(host=host))
    assert offsets(result, [inner, last, other]) == [0, 0, 64]
    assert result.bufsizes == [0, 256]


def test_errors_of_the_host_are_those_of_the_host(host):
    outside = Spec(64, 0, 1)
    with pytest.raises(Exception) as caught:
        run(host, [Spec(64, 1, 2, base=outside)])
    assert type(caught.value).__name__ in ("RuntimeError", "InternalError")


def test_a_smaller_alignment_than_that_of_the_tensors(host):
    """The host sorts tensors by their sizes before it aligns them. After
    alignment, a later tensor is larger than a block of an earlier one."""
    specs = [Spec(14, 0, 1), Spec(10, 2, 3)]
    with pytest.raises(AssertionError):
        run(host, specs, alignment=1)


def test_a_plan_of_stowage_that_is_unsafe_is_not_returned(host, monkeypatch):
    """The adapter checks the plans of Stowage too."""
    class Liar:
        bound = types.SimpleNamespace(bytes=0)
        total_size = 16
        offsets = [0] * 64

        def __init__(self, *arguments, **options):
            pass

        def plan(self, *arguments, **options):
            return self

    seed = improvable(host)
    theirs, mine = random_specs(seed), random_specs(seed)
    expected = host.greedy(16, theirs, Graph(), None, 0)
    monkeypatch.setattr(stowage, "Problem", Liar)
    with pytest.warns(RuntimeWarning, match="the host's plan was kept"):
        result = run(host, mine)
    assert placed(result, mine) == placed(expected, theirs)


# ---- Suites

def test_a_suite_writes_the_plan_into_the_tensors(host):
    seed = improvable(host)
    specs = random_specs(seed)
    suite = host.MemoryPlanningAlgorithmSuite(
        [stowage_executorch.planner(host=host.greedy)])
    sizes = suite(16, specs, Graph(), None, 0)
    again = random_specs(seed)
    expected = run(host, again)
    assert sizes == expected.bufsizes
    assert [(s.mem_id, s.mem_obj_id, s.mem_offset) for s in specs] == placed(
        expected, again)


def test_algorithms_of_a_suite_keep_apart(host):
    """A suite finds its algorithms by name. It would keep only one of two
    algorithms with the same name."""
    algorithms = [host.greedy, stowage_executorch.planner(host=host.greedy),
                  stowage_executorch.planner("optimal", host=host.greedy),
                  stowage_executorch.planner("optimal", host=host.greedy,
                                             time_limit=0.01)]
    assert len({algorithm.__name__ for algorithm in algorithms}) == 4
    # The host gives special treatment to algorithms with the name "greedy": it
    # verifies their plans.
    assert all(algorithm.__name__ != "greedy" for algorithm in algorithms[1:])
    specs = random_specs(improvable(host))
    sizes = host.MemoryPlanningAlgorithmSuite(algorithms)(
        16, specs, Graph(), None, 0)
    assert sum(sizes) <= sum(run(host, specs).bufsizes)


def test_a_partial_of_the_algorithm(host):
    algorithm = functools.partial(stowage_executorch.planner(host=host.greedy),
                                  extra_padding=0)
    assert algorithm(16, random_specs(1), Graph(), None).bufsizes


def test_a_host_that_changes_the_list_of_the_graph(host):
    """`naive` adds its tensors to the list of the graph module."""
    seed = improvable(host)
    specs = random_specs(seed)
    result = run(host, specs, graph=Graph([0, 96]),
                 algorithm=stowage_executorch.planner(host=host.naive))
    expected = run(host, random_specs(seed), graph=Graph([0, 96]))
    assert result.bufsizes == expected.bufsizes
    assert_safe(result, specs)
    # The list must be the same as if only `naive` had been called.
    alone, graph = Graph([0, 96]), Graph([0, 96])
    host.naive(16, random_specs(seed), alone, None, 0)
    run(host, random_specs(seed), graph=graph,
        algorithm=stowage_executorch.planner(host=host.naive))
    assert graph.input_mem_buffer_sizes == alone.input_mem_buffer_sizes


def test_the_suite_of_the_host(host, monkeypatch):
    monkeypatch.setitem(sys.modules, "executorch", host)
    monkeypatch.setitem(sys.modules, "executorch.exir", host)
    monkeypatch.setitem(sys.modules, stowage_executorch.HOST, host)
    seed = improvable(host)
    specs = random_specs(seed)
    sizes = stowage_executorch.suite()(16, specs, Graph(), None, 0)
    assert sizes == run(host, random_specs(seed)).bufsizes


def test_nothing_of_the_host_is_imported_before_it_is_needed():
    importlib.reload(stowage_executorch)
    assert "executorch" not in sys.modules
    assert "torch" not in sys.modules
