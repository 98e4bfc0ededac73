# SPDX-License-Identifier: Apache-2.0
"""Provides hosts for tests of the tinygrad adapter, and checks plans by the
rule of the host."""

import warnings

import pytest

import stowage_tinygrad
import tinygrad_host
from tinygrad_host import BLOCK, random_graph, span_of, uses_of


@pytest.fixture(params=["model", "checkout"])
def host(request):
    if request.param == "model":
        return tinygrad_host.Model
    checkout = tinygrad_host.load_checkout()
    if checkout is None:
        pytest.skip("STOWAGE_CHECKOUTS names no folder with tinygrad")
    return checkout


def plan(host, linear, held=None, **options):
    """Plans with the adapter, and treats warnings as errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return stowage_tinygrad.wrap(host.memory_plan_rewrite, **options)(
            linear, held)


def place_of(view):
    """Returns the arena, the offset and the size in bytes of a view."""
    if view.op.name == "BITCAST":
        view = view.src[0]
    if view.op.name == "SHRINK":
        return view.src[0], view.src[1].val, view.src[2].val
    return view, 0, view.max_numel() * view.dtype.itemsize


def places_of(linear, planned):
    """Returns the place of each buffer that was planned."""
    def pairs(old, new):
        if old.op.name == "BUFFER":
            yield old, new
        elif old.op.name in ("MSELECT", "MSTACK"):
            assert new.op is old.op
            for before, after in zip(old.src, new.src):
                yield from pairs(before, after)

    places = {}
    assert len(linear.src) == len(planned.src)
    for old_call, new_call in zip(linear.src, planned.src):
        assert old_call.src[0].op is new_call.src[0].op
        for old, new in zip(old_call.src[1:], new_call.src[1:]):
            for buffer, view in pairs(old, new):
                if view is not buffer:
                    assert places.setdefault(buffer, view) is view
    return {buffer: place_of(view) for buffer, view in places.items()}


def arenas_of(places):
    """Returns the size of each arena in bytes, by device and number."""
    return {(arena.device, arena.arg.slot): arena.max_numel()
            for arena, _, _ in places.values()}


def assert_safe(linear, planned, held=()):
    """Checks the rule of the host: buffers that are live share no bytes."""
    places = places_of(linear, planned)
    uses, copied = uses_of(linear, held)
    assert set(places) == set(uses)
    for i, one in enumerate(places):
        arena, offset, nbytes = places[one]
        assert nbytes == one.max_numel() * one.dtype.itemsize
        assert offset % BLOCK == 0
        assert offset + nbytes <= arena.max_numel()
        assert arena.device == one.device
        first, last = span_of(one, uses, copied)
        for other in list(places)[:i]:
            other_arena, start, length = places[other]
            if arena is not other_arena:
                continue
            assert (one in copied) == (other in copied)
            other_first, other_last = span_of(other, uses, copied)
            if first <= other_last and other_first <= last and nbytes and length:
                assert (offset + nbytes <= start or
                        start + length <= offset), (one, other)
    return places


def improvable(host):
    """Returns a graph for which the host's plan is not the smallest."""
    for seed in range(100):
        linear, held = random_graph(host, seed, copies=0)
        theirs = host.memory_plan_rewrite(linear, held)
        mine = plan(host, linear, held)
        if mine is not theirs and sum(
                arenas_of(places_of(linear, mine)).values()) < sum(
                    arenas_of(places_of(linear, theirs)).values()):
            return linear, held
    raise AssertionError("the host's plans are the smallest")
