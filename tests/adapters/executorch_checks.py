# SPDX-License-Identifier: Apache-2.0
"""Provides hosts for tests of the ExecuTorch adapter, and checks plans by the
rule of the host."""

import pytest

import executorch_host
import stowage_executorch
from executorch_host import Graph, random_specs


@pytest.fixture(params=["model", "checkout"])
def host(request):
    if request.param == "model":
        return executorch_host.MODEL
    module = executorch_host.load_checkout()
    if module is None:
        pytest.skip("STOWAGE_CHECKOUTS names no folder with executorch")
    return module


def run(host, specs, alignment=16, graph=None, padding=0, algorithm=None,
        **options):
    if algorithm is None:
        algorithm = stowage_executorch.planner(host=host.greedy, **options)
    return algorithm(alignment, specs, graph or Graph(), None, padding)


def placed(result, specs):
    return [(place.mem_id, place.mem_obj_id, place.mem_offset)
            for place in (result.spec_dict[spec] for spec in specs)]


def offsets(result, specs):
    return [result.spec_dict[spec].mem_offset for spec in specs]


def assert_safe(result, specs):
    """Checks a plan by the rule of the host. Two tensors that are live at the
    same time must share no bytes, unless one is in the storage of the other.
    Tensors that share bytes must have the same number."""
    def root(spec):
        base = executorch_host.base_of(spec)
        return spec if base is None else root(base)
    for i, one in enumerate(specs):
        first = result.spec_dict[one]
        assert first.mem_offset >= 0
        assert (first.mem_offset + one.allocated_memory <=
                result.bufsizes[first.mem_id])
        for other in specs[:i]:
            second = result.spec_dict[other]
            if first.mem_id != second.mem_id:
                continue
            if one.allocated_memory == 0 or other.allocated_memory == 0:
                continue
            if not (first.mem_offset < second.mem_offset + other.allocated_memory
                    and second.mem_offset < first.mem_offset +
                    one.allocated_memory):
                continue
            if executorch_host.is_live_with(one, other):
                assert root(one) is root(other), (one, other)
            assert first.mem_obj_id == second.mem_obj_id, (one, other)


def improvable(host):
    """Returns a seed for which the host's plan exceeds the lower bound."""
    for seed in range(200):
        size = sum(host.greedy(16, random_specs(seed), Graph(), None,
                               0).bufsizes)
        result = run(host, random_specs(seed))
        if sum(result.bufsizes) < size:
            return seed
    raise AssertionError("the host's plans are the smallest")
