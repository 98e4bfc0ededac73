# SPDX-License-Identifier: Apache-2.0
"""Tests of the tinygrad adapter, with our own model of tinygrad's planner. If
STOWAGE_CHECKOUTS has a checkout, its planner is also used."""

import pytest

import stowage_tinygrad
from tinygrad_checks import (arenas_of, assert_safe, host,  # noqa: F401
                             improvable, place_of, places_of, plan)
from tinygrad_host import random_graph, rounded, span_of, uses_of


# ---- Lifetimes

@pytest.mark.parametrize("call, shares", [(2, False), (3, True)])
def test_lifetimes_are_inclusive_at_both_ends(host, call, shares):
    held = host.buffer(64)
    one, other = host.buffer(512), host.buffer(512)
    arguments = [[held, one], [held], [held, one], [held], [held]]
    arguments[call].append(other)
    linear = host.linear([host.call(nodes) for nodes in arguments])
    planned = plan(host, linear, {held})
    places = assert_safe(linear, planned, {held})
    assert list(arenas_of(places).values()) == [512 if shares else 1024]


@pytest.mark.parametrize("call, shares", [(5, False), (6, True)])
def test_a_copied_buffer_is_held_as_long_again_as_it_lived(host, call, shares):
    held = host.buffer(64)
    one, other = host.buffer(512), host.buffer(512)
    # `one` is live in calls 0 to 2, and is kept in calls 3 to 5.
    calls = [host.call([one, held], copy=True), host.call([held]),
             host.call([held, one])]
    calls += [host.call([held]) for _ in range(call - 3)]
    calls.append(host.call([other, held], copy=True))
    linear = host.linear(calls)
    planned = plan(host, linear, {held})
    places = assert_safe(linear, planned, {held})
    assert list(arenas_of(places).values()) == [512 if shares else 1024]


# ---- Never larger than the host, and safe

def bound_of(linear, held):
    """Returns the lower bound: the sum of the peaks of all lanes."""
    uses, copied = uses_of(linear, held)
    lanes = {}
    for buffer in uses:
        lanes.setdefault((buffer.device, buffer in copied), []).append(buffer)
    total = 0
    for buffers in lanes.values():
        spans = {b: span_of(b, uses, copied) for b in buffers}
        total += max(sum(rounded(b.max_numel() * b.dtype.itemsize)
                         for b in buffers
                         if spans[b][0] <= call <= spans[b][1])
                     for call, _ in spans.values())
    return total


def test_random_plans_are_safe_and_never_larger(host):
    ours = hosts = bounds = smaller = 0
    for seed in range(150):
        linear, held = random_graph(host, seed, devices=("NULL", "NULL:1"))
        theirs = arenas_of(places_of(linear, host.memory_plan_rewrite(
            linear, held)))
        planned = plan(host, linear, held)
        if planned is linear:
            assert theirs == {}
            continue
        mine = arenas_of(assert_safe(linear, planned, held))
        assert len(mine) == len(theirs)
        for size, host_size in zip(mine.values(), theirs.values()):
            assert size <= host_size
        ours += sum(mine.values())
        hosts += sum(theirs.values())
        bounds += bound_of(linear, held)
        smaller += sum(mine.values()) < sum(theirs.values())
    assert smaller > 0
    assert bounds <= ours < hosts
    assert ours <= 1.001 * bounds


def test_properties(host):
    hypothesis = pytest.importorskip("hypothesis")
    st = hypothesis.strategies

    @hypothesis.settings(max_examples=100, deadline=None,
                         derandomize=True, database=None)
    @hypothesis.given(
        st.lists(st.integers(1, 2**40), min_size=1, max_size=8),
        st.lists(st.tuples(st.lists(st.integers(0, 7), min_size=1, max_size=4),
                           st.booleans()), min_size=1, max_size=12),
        st.sets(st.integers(0, 7)))
    def check(sizes, calls, held_numbers):
        buffers = [host.buffer(size) for size in sizes]
        held = {buffers[i % len(buffers)] for i in held_numbers}
        linear = host.linear([
            host.call([buffers[i % len(buffers)] for i in numbers], copy)
            for numbers, copy in calls])
        theirs = host.memory_plan_rewrite(linear, held)
        planned = plan(host, linear, held)
        mine = arenas_of(assert_safe(linear, planned, held))
        for size, host_size in zip(
                mine.values(), arenas_of(places_of(linear, theirs)).values()):
            assert size <= host_size

    check()


# ---- Which buffers are planned

def test_lanes_share_nothing(host):
    """Each device has a lane for copied buffers and one for all others."""
    held = host.buffer(64)
    buffers = [host.buffer(512), host.buffer(512, "NULL:1"),
               host.buffer(512), host.buffer(512)]
    linear = host.linear([
        host.call([held, buffers[0]]), host.call([held, buffers[1]]),
        host.call([buffers[2], held], copy=True), host.call([held, buffers[3]])])
    places = assert_safe(linear, plan(host, linear, {held}), {held})
    assert len(arenas_of(places)) == 3
    assert places[buffers[0]][0] is places[buffers[3]][0]


@pytest.mark.parametrize("device", [
    "DISK:a", "TINYFS", "CL", "WEBGPU", ("NULL", "WEBGPU")])
def test_devices_without_views_are_never_planned(host, device):
    held = host.buffer(64)
    never, one = host.buffer(512, device), host.buffer(512)
    linear = host.linear([host.call([held, never, one])])
    planned = plan(host, linear, {held})
    assert list(places_of(linear, planned)) == [one]
    assert planned.src[0].src[2] is never


def test_held_buffers_stay(host):
    linear, held = improvable(host)
    planned = plan(host, linear, held)
    assert not held & set(places_of(linear, planned))


def test_a_graph_without_buffers_to_plan_is_returned(host):
    one = host.buffer(64)
    linear = host.linear([host.call([one])])
    assert plan(host, linear, {one}) is linear
    empty = host.linear([])
    assert plan(host, empty) is empty
    assert plan(host, empty, set()) is empty


def test_buffers_of_several_devices(host):
    """Each part of a stack may have a buffer of a different device."""
    devices = ("NULL", "NULL:1")
    whole = host.buffer(512, devices)
    parts = [host.buffer(512, device) for device in devices]
    stack = host.several("MSTACK", parts)
    select = host.several("MSELECT", [whole], 1)
    linear = host.linear([
        host.call([select, whole]), host.call([stack]),
        host.call([whole, parts[0]]), host.call([host.buffer(512, devices)])])
    planned = plan(host, linear)
    places = assert_safe(linear, planned)
    assert {arena.device for arena, _, _ in places.values()} == {
        devices, *devices}


# ---- Views

def test_views_have_the_bytes_and_the_type_of_their_buffers(host):
    held = host.buffer(64)
    one, other = host.buffer(100), host.buffer(100, dtype="float")
    linear = host.linear([host.call([held, one, other])])
    planned = plan(host, linear, {held})
    views = planned.src[0].src[2:]
    assert [place_of(view)[2] for view in views] == [100, 100]
    assert [view.dtype for view in views] == [one.dtype, other.dtype]
    assert list(arenas_of(places_of(linear, planned)).values()) == [512]


def test_a_buffer_that_fills_its_arena(host):
    """The view of such a buffer is the arena itself."""
    held = host.buffer(64)
    one = host.buffer(512)
    linear = host.linear([host.call([held, one]), host.call([held, one])])
    planned = plan(host, linear, {held})
    assert planned.src[0].src[2].op.name == "BUFFER"
    assert_safe(linear, planned, {held})


def test_buffers_of_no_bytes(host):
    """Buffers of 0 bytes conflict with no other buffer. The host still
    allocates a block for each of them, and may therefore run out of blocks."""
    held = host.buffer(64)
    linear = host.linear([host.call([
        held, *[host.buffer(size) for size in (0, 5000, 0, 0)]])])
    places = assert_safe(linear, plan(host, linear, {held}), {held})
    assert list(arenas_of(places).values()) == [5120]
    # The same holds for plans of Stowage.
    others, their_held = improvable(host)
    ends = host.call([held, host.buffer(0)])
    linear = host.linear([ends, *others.src, ends])
    their_held = {held, *their_held}
    places = assert_safe(linear, plan(host, linear, their_held), their_held)
    assert sum(arenas_of(places).values()) < sum(arenas_of(places_of(
        linear, host.memory_plan_rewrite(linear, their_held))).values())
    nothing = host.linear([host.call([held, host.buffer(0)])])
    with pytest.raises(MemoryError):
        host.memory_plan_rewrite(nothing, {held})
    with pytest.raises(MemoryError):
        plan(host, nothing, {held})


# ---- The state of the host after planning

def test_arenas_have_the_numbers_of_the_host(host):
    linear, held = improvable(host)
    before = host.next_number()
    theirs = arenas_of(places_of(linear, host.memory_plan_rewrite(linear, held)))
    numbers = host.next_number() - before
    before = host.next_number()
    mine = arenas_of(places_of(linear, plan(host, linear, held)))
    assert host.next_number() - before == numbers
    assert len(mine) == len(theirs)
    assert all(number > before for _, number in mine)


def test_the_graph_and_the_held_buffers_stay(host):
    linear, held = improvable(host)
    before, held_before = linear.src, set(held)
    plan(host, linear, held)
    assert linear.src is before
    assert held == held_before


def test_plans_repeat(host):
    linear, held = improvable(host)
    first, second = (places_of(linear, plan(host, linear, held))
                     for _ in range(2))
    assert [place[1:] for place in first.values()] == [
        place[1:] for place in second.values()]


def test_the_plan_of_the_host_is_kept_where_it_is_as_small(host):
    held = host.buffer(64)
    linear = host.linear([host.call([held, host.buffer(512)])])
    seen = []

    def recorded(*arguments):
        seen.append(host.memory_plan_rewrite(*arguments))
        return seen[-1]

    assert stowage_tinygrad.wrap(recorded)(linear, {held}) is seen[0]


def test_the_name_of_the_host(host):
    assert stowage_tinygrad.wrap(host.memory_plan_rewrite).__name__ == (
        host.memory_plan_rewrite.__name__)
