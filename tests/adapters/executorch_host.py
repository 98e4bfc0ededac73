# SPDX-License-Identifier: Apache-2.0
"""Provides hosts for tests of the ExecuTorch adapter.

`Spec` and `Graph` have the members of tensors and graphs that ExecuTorch's
planner reads. `MODEL` is our own implementation of the rules of this planner.
`load_checkout()` returns the planner of a checkout of ExecuTorch, which runs
without torch.
"""

import importlib.util
import os
import pathlib
import random
import sys
import types


class Spec:
    """A tensor. Its size is rounded up to its alignment, as in the host.

    If a tensor is in the storage of another, `storage_base` is the other
    tensor, and `storage_base_offset` is the offset in it. Before pull request
    21840, ExecuTorch had only `inplace_base`. older() returns a tensor of this
    older form.
    """

    def __init__(self, nbytes, first, last, mem_id=None, base=None, at=0):
        self.nbytes = nbytes
        self.lifetime = [first, last]
        self.alignment = 16
        self.mem_id = mem_id
        self.mem_obj_id = None
        self.mem_offset = None
        self.inplace_base = base
        self.storage_base = base
        self.storage_base_offset = at

    def older(self):
        del self.storage_base, self.storage_base_offset
        return self

    @property
    def allocated_memory(self):
        return -(-self.nbytes // self.alignment) * self.alignment

    def realign(self, alignment):
        self.alignment = alignment
        return self.allocated_memory

    def __repr__(self):
        return f"Spec({self.nbytes}, {self.lifetime})"


class Graph:
    """A graph module. `reserved` is what its submodules need in each arena."""

    def __init__(self, reserved=None):
        if reserved is not None:
            self.input_mem_buffer_sizes = reserved


class Place:
    def __init__(self, mem_id):
        self.mem_id = mem_id
        self.mem_obj_id = 0
        self.mem_offset = 0


class Result:
    def __init__(self, spec_dict, bufsizes):
        self.spec_dict = spec_dict
        self.bufsizes = bufsizes


class Block:
    """A range of bytes of an arena, which is as large as its first tensor."""

    def __init__(self, size):
        self.size = size
        self.tensors = []  # pairs (offset, tensor)

    def top(self, spec):
        """Returns the highest end of all tensors that are live with `spec`."""
        return max((at + other.allocated_memory for at, other in self.tensors
                    if is_live_with(spec, other)), default=None)


def is_live_with(one, other):
    return (one.lifetime[0] <= other.lifetime[1] and
            other.lifetime[0] <= one.lifetime[1])


def base_of(spec):
    base = getattr(spec, "storage_base", None)
    return spec.inplace_base if base is None else base


def choose_block(blocks, spec):
    """Returns a block and an offset in it. The block may be None."""
    tops = [(block, block.top(spec)) for block in blocks]
    for block, top in tops:
        if top is None:
            assert spec.allocated_memory <= block.size
            return block, 0
    for block, top in tops:
        if 0 < top <= block.size - spec.allocated_memory:
            return block, top
    return None, 0


def greedy(alignment, specs, graph_module, graph_signature, extra_padding=0):
    """Plans by the rules of ExecuTorch's `greedy`.

    Places tensors by decreasing size before alignment. If sizes are equal, the
    later tensor is placed first. A tensor is placed at the bottom of the first
    block in which no tensor is live with it. If there is no such block, it is
    placed above the live tensors of the first block with enough room, or else
    in a new block. Tensors in the storage of others are placed last. Their
    lifetimes are ignored, which is safe only if the caller has extended the
    lifetimes of the tensors that contain them.
    """
    places, blocks, late, home = {}, {}, [], {}
    for spec in reversed(sorted(specs, key=lambda s: s.allocated_memory)):
        place = places[spec] = Place(1 if spec.mem_id is None else spec.mem_id)
        spec.realign(alignment)
        if base_of(spec) is not None:
            late.append(spec)
            continue
        arena = blocks.setdefault(place.mem_id, [])
        block, at = choose_block(arena, spec)
        if block is None:
            block = Block(spec.allocated_memory)
            arena.append(block)
        block.tensors.append((at, spec))
        home[spec] = (block, at)
    while late:
        ready = [spec for spec in late if base_of(spec) in home]
        if not ready:
            raise RuntimeError("storage without a base")
        for spec in ready:
            block, at = home[base_of(spec)]
            at += getattr(spec, "storage_base_offset", 0)
            places[spec].mem_id = places[base_of(spec)].mem_id
            block.tensors.append((at, spec))
            home[spec] = (block, at)
            late.remove(spec)
    sizes = [0] * max(2, max(blocks, default=1) + 1)
    reserved = getattr(graph_module, "input_mem_buffer_sizes", None) or []
    for mem_id, arena in blocks.items():
        end = reserved[mem_id] if mem_id < len(reserved) else 0
        for number, block in enumerate(arena):
            for at, spec in block.tensors:
                places[spec].mem_obj_id = number
                places[spec].mem_offset = end + at
            end += block.size
        sizes[mem_id] = end + extra_padding
    return Result(places, sizes)


def naive(alignment, specs, graph_module, graph_signature, extra_padding):
    """Plans without sharing. Changes the list of the graph module."""
    sizes = getattr(graph_module, "input_mem_buffer_sizes", None)
    sizes = [0, 0] if sizes is None else sizes
    places = {}
    for spec in specs:
        place = places[spec] = Place(1 if spec.mem_id is None else spec.mem_id)
        sizes.extend([0] * (place.mem_id + 1 - len(sizes)))
        place.mem_offset = sizes[place.mem_id]
        sizes[place.mem_id] += spec.realign(alignment)
    return Result(places, sizes)


class MemoryPlanningAlgorithmSuite:
    """Runs algorithms by name, and stores the smallest plan in the specs."""

    def __init__(self, algo_list=None):
        self.algo_list = [greedy] if algo_list is None else algo_list

    def __call__(self, alignment, specs, graph_module, graph_signature,
                 extra_padding):
        results = {}
        for algorithm in self.algo_list:
            name = getattr(algorithm, "__name__", None)
            results[name] = algorithm(alignment, specs, graph_module,
                                      graph_signature, extra_padding)
        assert len({len(r.bufsizes) for r in results.values()}) == 1
        best = min(results.values(), key=lambda result: sum(result.bufsizes))
        for spec, place in best.spec_dict.items():
            spec.mem_id = place.mem_id
            spec.mem_offset = place.mem_offset
            spec.mem_obj_id = place.mem_obj_id
        return best.bufsizes


MODEL = types.SimpleNamespace(
    greedy=greedy, naive=naive,
    MemoryPlanningAlgorithmSuite=MemoryPlanningAlgorithmSuite)


class _Stub(types.ModuleType):
    """A module in which every name is an empty class."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, type(name, (), {}))
        return getattr(self, name)


def load_checkout():
    """Returns the planner of $STOWAGE_CHECKOUTS/executorch, or None.

    All modules that the planner imports, such as torch, are replaced by stubs.
    """
    folder = os.environ.get("STOWAGE_CHECKOUTS")
    path = folder and pathlib.Path(
        folder, "executorch", "exir", "memory_planning.py")
    if not path or not path.is_file():
        return None
    stubs = {}
    for name in ["torch", "torch.fx", "torch.export",
                 "torch.export.exported_program", "torch.utils",
                 "torch.utils._pytree", "executorch", "executorch.exir",
                 "executorch.exir.memory", "executorch.exir.control_flow",
                 "executorch.exir.delegate", "executorch.exir.error",
                 "executorch.exir.operator", "executorch.exir.schema",
                 "executorch.exir.operator.convert", "executorch.exir.tensor"]:
        stubs[name] = _Stub(name)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(stubs[parent], child, stubs[name])
    stubs["executorch.exir.error"].InternalError = type(
        "InternalError", (Exception,), {})
    stubs["executorch.exir.schema"].DeviceType.CPU = 0
    before = {name: sys.modules.get(name) for name in stubs}
    sys.modules.update(stubs)
    try:
        found = importlib.util.spec_from_file_location(
            "stowage_tests_executorch_memory_planning", path)
        module = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
    finally:
        for name, old in before.items():
            if old is None:
                del sys.modules[name]
            else:
                sys.modules[name] = old
    return module


def extend_lifetimes(specs):
    """Extends each lifetime to include those of the tensors in its storage.

    Newer versions of ExecuTorch do this before planning.
    """
    for _ in specs:
        for spec in specs:
            base = base_of(spec)
            if base is not None:
                base.lifetime = [min(base.lifetime[0], spec.lifetime[0]),
                                 max(base.lifetime[1], spec.lifetime[1])]


def random_specs(seed, count=None, in_place=0.0, arenas=1):
    """Returns tensors like those of a network, in the order of its nodes.

    Most tensors are last read by one of the next nodes, but some much later.
    Some results are in the storage of an operand that is not read again.
    """
    numbers = random.Random(seed)
    count = numbers.randint(1, 40) if count is None else count
    specs = []
    last_node = count + 4
    for node in range(count):
        if numbers.random() < 0.1:
            last = numbers.randint(node, last_node)
        else:
            last = min(last_node, node + numbers.randint(0, 3))
        base = None
        ending = [spec for spec in specs if spec.lifetime[1] == node and
                  all(base_of(other) is not spec for other in specs)]
        if ending and numbers.random() < in_place:
            base = numbers.choice(ending)
            nbytes = base.nbytes
        else:
            nbytes = int(2 ** numbers.uniform(0, 16))
            nbytes = 0 if numbers.random() < 0.03 else nbytes
        mem_id = numbers.choice([None, *range(1, arenas + 1)])
        if base is not None:
            mem_id = base.mem_id
        specs.append(Spec(nbytes, node, last, mem_id, base))
    return specs
