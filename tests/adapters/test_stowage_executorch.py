# SPDX-License-Identifier: Apache-2.0
"""Tests of the ExecuTorch adapter, with our own model of ExecuTorch's planner.
If STOWAGE_CHECKOUTS has a checkout, its planner is also used."""

import warnings

import pytest

import executorch_host
import stowage_executorch
from executorch_checks import (assert_safe, host,  # noqa: F401
                               improvable, offsets, placed, run)
from executorch_host import Graph, Spec, extend_lifetimes, random_specs


# ---- Lifetimes

@pytest.mark.parametrize("second_first, shares", [(3, False), (4, True)])
def test_lifetimes_are_inclusive_at_both_ends(host, second_first, shares):
    specs = [Spec(64, 0, 3), Spec(64, second_first, 5)]
    result = run(host, specs)
    assert result.bufsizes == [0, 64 if shares else 128]
    assert_safe(result, specs)


def test_a_lifetime_of_one_node_conflicts_with_itself_only(host):
    specs = [Spec(64, 2, 2), Spec(64, 2, 2), Spec(64, 1, 1), Spec(64, 3, 3)]
    result = run(host, specs)
    assert result.bufsizes == [0, 128]
    assert_safe(result, specs)


# ---- Never larger than the host, and safe

def bound(specs, alignment, padding=0, reserved=()):
    """Returns the sum of the lower bounds of all arenas, with padding."""
    total = 0
    for mem_id in {spec.mem_id or 1 for spec in specs}:
        members = [s for s in specs if (s.mem_id or 1) == mem_id]
        total += padding + (reserved[mem_id] if mem_id < len(reserved) else 0)
        total += max(
            sum(-(-s.nbytes // alignment) * alignment for s in members
                if s.lifetime[0] <= node <= s.lifetime[1])
            for node in {s.lifetime[0] for s in members})
    return total


def test_random_plans_are_safe_and_never_larger(host):
    ours = hosts = bounds = smaller = 0
    for seed in range(300):
        alignment = 16 << seed % 5
        reserved = [0, 4096, 64][:seed % 4]
        host_result = host.greedy(
            alignment, random_specs(seed, arenas=3), Graph(reserved), None, 8)
        specs = random_specs(seed, arenas=3)
        result = run(host, specs, alignment, Graph(reserved), 8)
        assert_safe(result, specs)
        assert len(result.bufsizes) == len(host_result.bufsizes)
        for mine, theirs in zip(result.bufsizes, host_result.bufsizes):
            assert mine <= theirs
        ours += sum(result.bufsizes)
        hosts += sum(host_result.bufsizes)
        bounds += bound(specs, alignment, 8, reserved)
        smaller += result.bufsizes != host_result.bufsizes
    assert smaller > 0
    assert bounds <= ours < hosts
    assert ours <= 1.001 * bounds


@pytest.mark.parametrize("older", [False, True])
def test_random_results_in_place_are_safe(host, older):
    unsafe = 0
    for seed in range(300):
        specs = random_specs(seed, in_place=0.7)
        if older:
            specs = [spec.older() for spec in specs]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = run(host, specs, algorithm=None)
        assert_safe(result, specs)
        assert all(isinstance(entry.message, stowage_executorch.UnsafeHostPlan)
                   for entry in caught)
        unsafe += len(caught)
        for entry in caught:
            conflict = entry.message.conflict
            assert conflict.first in specs
            assert conflict.second is None or executorch_host.is_live_with(
                conflict.first, conflict.second)
    # Unless lifetimes are extended, the host does not see the lifetimes of the
    # results, so some of its plans are unsafe.
    assert unsafe > 0


def test_random_results_in_place_with_extended_lifetimes(host):
    for seed in range(300):
        theirs = random_specs(seed, in_place=0.7)
        extend_lifetimes(theirs)
        size = host.greedy(16, theirs, Graph(), None, 0).bufsizes
        specs = random_specs(seed, in_place=0.7)
        extend_lifetimes(specs)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = run(host, specs)
        assert_safe(result, specs)
        assert sum(result.bufsizes) <= sum(size)


def test_properties(host):
    hypothesis = pytest.importorskip("hypothesis")
    st = hypothesis.strategies
    tensor = st.tuples(st.integers(0, 2**40), st.integers(0, 30),
                       st.integers(0, 8), st.sampled_from([None, 1, 2, 5]))

    @hypothesis.settings(max_examples=150, deadline=None,
                         derandomize=True, database=None)
    @hypothesis.given(st.lists(tensor, max_size=20), st.integers(4, 12),
                      st.integers(0, 64), st.lists(st.integers(0, 100),
                                                   max_size=4))
    def check(tensors, log_alignment, padding, reserved):
        def specs():
            return [Spec(size, first, first + length, mem_id)
                    for size, first, length, mem_id in tensors]
        theirs = host.greedy(1 << log_alignment, specs(), Graph(reserved),
                             None, padding)
        mine = specs()
        result = run(host, mine, 1 << log_alignment, Graph(reserved), padding)
        assert_safe(result, mine)
        assert [a <= b for a, b in zip(result.bufsizes, theirs.bufsizes)
                ] == [True] * len(theirs.bufsizes)

    check()


# ---- The state of the host after planning

def test_alignment_of_the_tensors_is_set(host):
    specs = [Spec(65, 0, 1), Spec(1, 1, 2)]
    result = run(host, specs, alignment=64)
    assert [spec.alignment for spec in specs] == [64, 64]
    assert [spec.allocated_memory for spec in specs] == [128, 64]
    assert result.bufsizes == [0, 192]


def test_only_the_alignment_of_the_tensors_changes(host):
    specs = random_specs(improvable(host))
    before = [dict(vars(spec), alignment=64) for spec in specs]
    run(host, specs, alignment=64)
    assert [vars(spec) for spec in specs] == before


def test_entries_have_the_order_of_the_host(host):
    seed = improvable(host)
    theirs = random_specs(seed)
    mine = random_specs(seed)
    expected = [theirs.index(spec) for spec in
                host.greedy(16, theirs, Graph(), None, 0).spec_dict]
    result = run(host, mine)
    assert [mine.index(spec) for spec in result.spec_dict] == expected


def test_the_list_of_tensors_and_the_graph_stay(host):
    specs = random_specs(improvable(host))
    before = list(specs)
    graph = Graph([0, 128])
    run(host, specs, graph=graph)
    assert specs == before
    assert graph.input_mem_buffer_sizes == [0, 128]


def test_a_set_of_tensors(host):
    specs = set(random_specs(3))
    assert_safe(run(host, specs), list(specs))


def test_no_tensors(host):
    result = run(host, [])
    assert result.spec_dict == {}
    assert result.bufsizes == [0, 0]


def test_tensors_of_no_bytes(host):
    specs = [Spec(0, 0, 9), Spec(64, 0, 9), Spec(0, 3, 3)]
    result = run(host, specs)
    assert result.bufsizes == [0, 64]
    assert_safe(result, specs)


def test_arenas(host):
    """A tensor without an arena is placed in arena 1. The list of sizes has an
    entry for each arena up to the last arena that is used."""
    specs = [Spec(64, 0, 1), Spec(64, 0, 1, mem_id=4), Spec(64, 1, 2, 1)]
    result = run(host, specs)
    assert result.bufsizes == [0, 128, 0, 0, 64]
    assert [result.spec_dict[spec].mem_id for spec in specs] == [1, 4, 1]


def test_padding_counts_once_for_each_arena_with_tensors(host):
    seed = improvable(host)
    plain = run(host, random_specs(seed) + [Spec(64, 0, 1, mem_id=3)])
    padded = run(host, random_specs(seed) + [Spec(64, 0, 1, mem_id=3)],
                 padding=64)
    assert padded.bufsizes == [0, plain.bufsizes[1] + 64, 0,
                               plain.bufsizes[3] + 64]


def test_plans_start_above_what_submodules_need(host):
    """As in the host, the start need not be a multiple of the alignment."""
    seed = improvable(host)
    specs, above = random_specs(seed), random_specs(seed)
    plain = run(host, specs)
    result = run(host, above, graph=Graph([7, 100]))
    assert result.bufsizes == [0, plain.bufsizes[1] + 100]
    assert offsets(result, above) == [
        offset + 100 for offset in offsets(plain, specs)]
    # If the list is too short to have an entry for the arena, submodules need
    # no bytes in it.
    again = random_specs(seed)
    assert placed(run(host, again, graph=Graph([7])), again) == placed(
        plain, specs)


def test_numbers_of_objects_rise_from_0(host):
    specs = random_specs(improvable(host))
    result = run(host, specs)
    numbers = {}
    for spec in specs:
        place = result.spec_dict[spec]
        numbers.setdefault(place.mem_obj_id, []).append(place.mem_offset)
    assert sorted(numbers) == list(range(len(numbers)))
    starts = [min(numbers[number]) for number in sorted(numbers)]
    assert starts == sorted(starts)
    # If no tensor extends across a byte, the tensors below the byte and those
    # above it have different numbers.
    ends = {number: max(result.spec_dict[spec].mem_offset +
                        spec.allocated_memory for spec in specs
                        if result.spec_dict[spec].mem_obj_id == number)
            for number in numbers}
    assert all(ends[number] == starts[number + 1]
               for number in range(len(starts) - 1))
    for spec in specs:
        offset = result.spec_dict[spec].mem_offset
        cuts = [other for other in specs
                if result.spec_dict[other].mem_offset < offset <
                result.spec_dict[other].mem_offset + other.allocated_memory]
        if spec.allocated_memory > 0 and not cuts:
            assert offset in starts


def test_plans_repeat(host):
    seed = improvable(host)
    specs, again = random_specs(seed), random_specs(seed)
    assert placed(run(host, specs), specs) == placed(run(host, again), again)
