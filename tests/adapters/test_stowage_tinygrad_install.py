# SPDX-License-Identifier: Apache-2.0
"""Tests of the tinygrad adapter: plans of the host that are kept, unsafe
plans, and the installation."""

import importlib
import subprocess
import sys
import types
import unittest

import pytest

import stowage
import stowage_tinygrad
import tinygrad_host
from tinygrad_checks import (arenas_of, assert_safe, host,  # noqa: F401
                             improvable, place_of, places_of, plan)


# ---- Plans of the host that are kept unchanged

def test_sizes_beyond_64_bits(host):
    held = host.buffer(64)
    for size in (2**64, 2**128, 2**63):
        linear = host.linear([
            host.call([held, host.buffer(size)]),
            host.call([held, host.buffer(size)]),
            host.call([held, host.buffer(64)])])
        places = assert_safe(linear, plan(host, linear, {held}), {held})
        theirs = places_of(linear, host.memory_plan_rewrite(linear, {held}))
        assert [place[1:] for place in places.values()] == [
            place[1:] for place in theirs.values()]


def at_offset_0(host):
    """Returns a planner that places all buffers at the start of an arena."""
    def rewrite(linear, held_bufs=None):
        planned = host.memory_plan_rewrite(linear, held_bufs)
        views = {}
        for node, (arena, _, size) in places_of(linear, planned).items():
            views[node] = arena[0:size].bitcast(node.dtype)
        return linear.substitute(views, name="memory plan", walk=True)
    return rewrite


def test_an_unsafe_plan_of_the_host_is_reported_and_replaced(host):
    held = host.buffer(64)
    one, other = host.buffer(512), host.buffer(300)
    linear = host.linear([host.call([held, one]), host.call([held, one, other])])
    with pytest.warns(stowage_tinygrad.UnsafeHostPlan,
                      match="shares bytes") as caught:
        planned = stowage_tinygrad.wrap(at_offset_0(host))(linear, {held})
    conflict = caught[0].message.conflict
    assert (conflict.first, conflict.second) == (one, other)
    places = assert_safe(linear, planned, {held})
    assert list(arenas_of(places).values()) == [1024]


def test_an_unsafe_plan_that_cannot_be_replaced_is_an_error(host):
    held = host.buffer(64)
    one, other = host.buffer(2**64), host.buffer(300)
    linear = host.linear([host.call([held, one, other])])
    with pytest.raises(stowage_tinygrad.UnsafePlan, match="shares bytes"):
        stowage_tinygrad.wrap(at_offset_0(host))(linear, {held})


def test_a_buffer_beyond_its_arena_is_reported():
    """Only the model is tested, because a checkout itself refuses the view."""
    host = tinygrad_host.Model
    held = host.buffer(64)
    one = host.buffer(512)
    linear = host.linear([host.call([held, one, host.buffer(512)])])

    def rewrite(linear, held_bufs=None):
        planned = host.memory_plan_rewrite(linear, held_bufs)
        arena = place_of(planned.src[0].src[2])[0]
        small = type(arena).new_buffer(arena.device, 256, arena.dtype)
        views = {node: small[offset:offset + 512] for node, (_, offset, _) in
                 places_of(linear, planned).items()}
        return linear.substitute(views, name="memory plan", walk=True)

    with pytest.warns(stowage_tinygrad.UnsafeHostPlan,
                      match="ends beyond an arena of 256 bytes"):
        planned = stowage_tinygrad.wrap(rewrite)(linear, {held})
    assert_safe(linear, planned, {held})


@pytest.mark.parametrize("change", [
    "calls", "arguments", "no_view", "one_arena", "two_arenas", "wide_arena"])
def test_a_host_that_plans_in_another_way_is_left_alone(host, change):
    held = host.buffer(64)
    one, other = host.buffer(512), host.buffer(512, "NULL:1")
    third = host.buffer(512)
    linear = host.linear([host.call([held, one, other]), host.call([held]),
                          host.call([held, third])])

    def rewrite(linear, held_bufs):
        if change == "calls":
            return host.linear(linear.src[:1])
        if change == "arguments":
            return host.linear([host.call([held]), *linear.src[1:]])
        arenas = [host.buffer(4096), host.buffer(4096, "NULL:1"),
                  host.buffer(4096)]
        views = {one: arenas[0][0:512], other: arenas[1][0:512],
                 third: arenas[0][0:512]}
        if change == "no_view":
            views[one] = host.several("MSTACK", [arenas[0]])
        if change == "one_arena":
            views[other] = arenas[0][512:1024]
        if change == "two_arenas":
            views[third] = arenas[2][0:512]
        if change == "wide_arena":
            wide = host.buffer(4096, dtype="float")
            views[one] = wide[0:128].bitcast(one.dtype)
            views[third] = wide[128:256].bitcast(third.dtype)
        return linear.substitute(views, name="memory plan", walk=True)

    made = []

    def recorded(*arguments):
        made.append(rewrite(*arguments))
        return made[-1]

    with pytest.warns(RuntimeWarning, match="kept without a check"):
        assert stowage_tinygrad.wrap(recorded)(linear, {held}) is made[0]


def test_a_plan_of_stowage_that_is_unsafe_is_not_returned(host, monkeypatch):
    """The adapter checks the plans of Stowage too."""
    class Liar:
        bound = types.SimpleNamespace(bytes=0)
        total_size = 256
        offsets = [0] * 64

        def __init__(self, *arguments, **options):
            pass

        def plan(self, *arguments, **options):
            return self

    linear, held = improvable(host)
    theirs = places_of(linear, host.memory_plan_rewrite(linear, held))
    monkeypatch.setattr(stowage, "Problem", Liar)
    with pytest.warns(RuntimeWarning, match="the host's plan was kept"):
        planned = stowage_tinygrad.wrap(host.memory_plan_rewrite)(linear, held)
    assert [place[1:] for place in places_of(linear, planned).values()] == [
        place[1:] for place in theirs.values()]


# ---- Installation

@pytest.fixture
def modules(host, monkeypatch):
    if host is not tinygrad_host.Model:
        return [importlib.import_module(name)
                for name in stowage_tinygrad.MODULES]
    made = []
    for name in ("tinygrad", "tinygrad.engine", *stowage_tinygrad.MODULES):
        module = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        if name in stowage_tinygrad.MODULES:
            module.memory_plan_rewrite = host.memory_plan_rewrite
            made.append(module)
    return made


def test_install_replaces_the_planner_in_all_modules(host, modules):
    linear, held = improvable(host)
    theirs = host.memory_plan_rewrite
    stowage_tinygrad.install()
    try:
        assert len({module.memory_plan_rewrite for module in modules}) == 1
        ours = modules[0].memory_plan_rewrite
        assert ours is not theirs
        assert ours.stowage_host is theirs
        size = sum(arenas_of(places_of(linear, ours(linear, held))).values())
        assert size < sum(arenas_of(places_of(
            linear, theirs(linear, held))).values())
        # After a second installation with another strategy, the host is still
        # the original planner.
        stowage_tinygrad.install("greedy_by_size")
        assert all(module.memory_plan_rewrite is not ours and
                   module.memory_plan_rewrite.stowage_host is theirs
                   for module in modules)
    finally:
        stowage_tinygrad.uninstall()
    assert all(module.memory_plan_rewrite is theirs for module in modules)
    stowage_tinygrad.uninstall()
    assert all(module.memory_plan_rewrite is theirs for module in modules)


def test_the_planner_tests_of_the_host(host, modules):
    if host is tinygrad_host.Model:
        pytest.skip("STOWAGE_CHECKOUTS names no folder with tinygrad")
    stowage_tinygrad.install()
    try:
        result = unittest.TestResult()
        host.planner_tests().run(result)
    finally:
        stowage_tinygrad.uninstall()
    assert result.testsRun >= 16
    assert result.wasSuccessful(), result.failures + result.errors


def test_nothing_of_the_host_is_imported_before_it_is_needed():
    code = "import sys, stowage_tinygrad; assert 'tinygrad' not in sys.modules"
    folders = [path for path in sys.path if path]
    subprocess.run([sys.executable, "-c",
                    f"import sys; sys.path[:0] = {folders!r}; {code}"],
                   check=True)
