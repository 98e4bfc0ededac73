# SPDX-License-Identifier: Apache-2.0
"""Provides hosts for tests of the tinygrad adapter.

`Model` is our own implementation of graphs and of a planner that follow the
rules of tinygrad. `Checkout` has the graphs and the planner of a checkout of
tinygrad. Both have the same methods.
"""

import importlib.util
import itertools
import os
import pathlib
import random
import sys
import types
import unittest

BLOCK = 256
BYTES = {"int8": 1, "float": 4}
OPS = {name: types.SimpleNamespace(name=name) for name in (
    "BUFFER", "BITCAST", "SHRINK", "MSELECT", "MSTACK", "CALL", "SINK", "COPY",
    "LINEAR", "CONST")}
UNPLANNED = ("DISK", "TINYFS", "CL", "WEBGPU")


class Node:
    """A node of a graph. As in tinygrad, equal nodes are the same object."""

    cache = {}
    numbers = itertools.count()

    def __new__(cls, op, src=(), dtype=None, device=None, arg=None, size=0):
        slot = getattr(arg, "slot", arg)
        key = (op, src, dtype and dtype.name, device, slot, size)
        if key not in cls.cache:
            node = cls.cache[key] = super().__new__(cls)
            node.op, node.src, node.dtype = OPS[op], src, dtype
            node.device, node.arg, node.size = device, arg, size
        return cls.cache[key]

    @staticmethod
    def new_buffer(device, size, dtype, num=None):
        slot = next(Node.numbers) if num is None else num
        return Node("BUFFER", (), dtype, device,
                    types.SimpleNamespace(slot=slot), size)

    @property
    def val(self):
        return self.arg

    def max_numel(self):
        return self.size

    def nbytes(self):
        return self.size * self.dtype.itemsize

    def __getitem__(self, part):
        if part == slice(0, self.size):
            return self
        length = part.stop - part.start
        return Node("SHRINK", (self, Node("CONST", arg=part.start),
                               Node("CONST", arg=length)),
                    self.dtype, self.device, None, length)

    def bitcast(self, dtype):
        if dtype == self.dtype:
            return self
        return Node("BITCAST", (self,), dtype, self.device, None,
                    self.nbytes() // dtype.itemsize)

    def substitute(self, views, name=None, walk=False):
        assert walk and name
        if self in views:
            return views[self]
        src = tuple(node.substitute(views, name, walk) for node in self.src)
        return self if src == self.src else Node(
            self.op.name, src, self.dtype, self.device, self.arg, self.size)


class Blocks:
    """An allocator with size classes.

    The size of a request is rounded up to a size class. Among the free blocks
    that are at least this large, the request gets a block of the lowest class.
    If there are several, it gets the one that has been free for longest.
    """

    def __init__(self, size):
        self.ages = itertools.count()
        # Maps the start of each free block to its size and age.
        self.free = {0: (size, next(self.ages))}
        self.taken = {}

    @staticmethod
    def step(size):
        return 1 << max(0, size.bit_length() - 6)

    def take(self, size):
        size = max(BLOCK, size)
        wanted = -(-size // self.step(size)) * self.step(size)
        fitting = [
            (length // self.step(length) * self.step(length), age, start)
            for start, (length, age) in self.free.items() if length >= wanted]
        if not fitting:
            raise MemoryError(size)
        start = min(fitting)[2]
        length, _ = self.free.pop(start)
        self.taken[start] = size
        if length > size:
            self.free[start + size] = (length - size, next(self.ages))
        return start

    def give(self, start):
        size = self.taken.pop(start)
        for other, (length, _) in list(self.free.items()):
            if other + length == start:
                start, size = other, size + self.free.pop(other)[0]
            elif other == start + size:
                size += self.free.pop(other)[0]
        self.free[start] = (size, next(self.ages))


def buffers_of(node):
    if node.op.name == "BUFFER":
        return [node]
    if node.op.name in ("MSELECT", "MSTACK"):
        return [buffer for part in node.src for buffer in buffers_of(part)]
    return []


def uses_of(linear, held):
    """Returns the calls that use each buffer that may be planned, and the
    buffers that are copied."""
    uses, copied = {}, set()
    for number, call in enumerate(linear.src):
        for argument in call.src[1:]:
            for buffer in buffers_of(argument):
                devices = buffer.device
                devices = [devices] if isinstance(devices, str) else devices
                if buffer in held or any(d.startswith(UNPLANNED)
                                         for d in devices):
                    continue
                uses.setdefault(buffer, []).append(number)
                if call.src[0].op.name == "COPY":
                    copied.add(buffer)
    return uses, copied


def span_of(buffer, uses, copied):
    """Returns the first and the last call of a buffer by the host's rule."""
    first, last = uses[buffer][0], uses[buffer][-1]
    return first, last + (last - first + 1 if buffer in copied else 0)


def rounded(size):
    return -(-size // BLOCK) * BLOCK


def plan(linear, held_bufs=None):
    """Plans by the rules of tinygrad's `memory_plan_rewrite`."""
    uses, copied = uses_of(linear, held_bufs or set())
    if not uses:
        return linear
    lanes = {}
    for buffer in uses:
        lanes.setdefault((buffer.device, buffer in copied), []).append(buffer)
    views = {}
    for (device, _), buffers in lanes.items():
        spans = {b: span_of(b, uses, copied) for b in buffers}
        # At each call, buffers are freed before others are allocated.
        events = sorted([(spans[b][0], 1, i) for i, b in enumerate(buffers)] +
                        [(spans[b][1] + 1, 0, i) for i, b in enumerate(buffers)])
        blocks = Blocks(2 * sum(rounded(b.nbytes()) for b in uses))
        offsets, end = {}, 0
        for _, begins, i in events:
            buffer = buffers[i]
            if begins:
                offsets[buffer] = blocks.take(rounded(buffer.nbytes()))
                end = max(end, offsets[buffer] + buffer.nbytes())
            else:
                blocks.give(offsets[buffer])
        arena = Node.new_buffer(device, rounded(end), Model.dtype("int8"))
        for buffer, offset in offsets.items():
            views[buffer] = arena[offset:offset + buffer.nbytes()].bitcast(
                buffer.dtype)
    return linear.substitute(views, name="memory plan", walk=True)


class Model:
    """Our own implementation of the host."""

    memory_plan_rewrite = staticmethod(plan)

    @staticmethod
    def dtype(name):
        return DTYPES[name]

    @staticmethod
    def buffer(nbytes, device="NULL", dtype="int8"):
        return Node.new_buffer(device, nbytes // BYTES[dtype], DTYPES[dtype])

    @staticmethod
    def call(arguments, copy=False):
        return Node("CALL", (Node("COPY" if copy else "SINK",
                                  tuple(arguments)), *arguments))

    @staticmethod
    def linear(calls):
        return Node("LINEAR", tuple(calls))

    @staticmethod
    def several(op, nodes, arg=None):
        return Node(op, tuple(nodes), nodes[0].dtype, "NULL", arg)

    @staticmethod
    def next_number():
        return Node.new_buffer("NULL", 1, DTYPES["int8"]).arg.slot


DTYPES = {name: types.SimpleNamespace(name=name, itemsize=size)
          for name, size in BYTES.items()}


class Checkout:
    """The host of $STOWAGE_CHECKOUTS/tinygrad."""

    def __init__(self, folder):
        self.folder = folder
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
        os.environ.setdefault("DEV", "NULL")
        from tinygrad import dtypes
        from tinygrad.schedule.memory import memory_plan_rewrite
        from tinygrad.uop.ops import Ops, UOp
        self.ops, self.uop, self.dtypes = Ops, UOp, dtypes
        self.memory_plan_rewrite = memory_plan_rewrite

    def buffer(self, nbytes, device="NULL", dtype="int8"):
        return self.uop.new_buffer(device, nbytes // BYTES[dtype], {
            "int8": self.dtypes.int8, "float": self.dtypes.float32}[dtype])

    def call(self, arguments, copy=False):
        body = (arguments[0].copy_to_device(arguments[-1].device) if copy else
                self.uop(self.ops.SINK, src=tuple(arguments)))
        return self.uop(self.ops.CALL, src=(body, *arguments))

    def linear(self, calls):
        return self.uop(self.ops.LINEAR, src=tuple(calls))

    def several(self, op, nodes, arg=None):
        return self.uop(getattr(self.ops, op), src=tuple(nodes), arg=arg)

    def next_number(self):
        return self.buffer(1).arg.slot

    def planner_tests(self):
        """Reloads and returns the host's own tests of its planner."""
        path = self.folder / "test" / "null" / "test_memory_planner.py"
        found = importlib.util.spec_from_file_location("planner_tests", path)
        module = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
        return unittest.defaultTestLoader.loadTestsFromModule(module)


def load_checkout():
    """Returns the host of $STOWAGE_CHECKOUTS, or None."""
    folder = os.environ.get("STOWAGE_CHECKOUTS")
    path = folder and pathlib.Path(folder, "tinygrad")
    if not path or not (path / "tinygrad" / "schedule" / "memory.py").is_file():
        return None
    return Checkout(path)


def random_graph(host, seed, calls=None, copies=0.15, devices=("NULL",)):
    """Returns a graph like that of a network, and the buffers that are held.

    Each call writes one buffer. It reads the buffers written last, and
    sometimes older ones. Some calls are copies.
    """
    numbers = random.Random(seed)
    calls = numbers.randint(1, 40) if calls is None else calls
    made = [host.buffer(1024)]
    held = {made[0]}
    nodes = []
    for _ in range(calls):
        device = numbers.choice(devices)
        dtype = numbers.choice(["int8", "float"])
        size = int(2 ** numbers.uniform(2, 18)) // 4 * 4
        result = host.buffer(size, device, dtype)
        if numbers.random() < 0.05:
            held.add(result)
        operands = made[-1:]
        if len(made) > 2 and numbers.random() < 0.4:
            near = made[-4:] if numbers.random() < 0.8 else made
            operands = operands + [numbers.choice(near)]
        copy = numbers.random() < copies
        nodes.append(host.call([result, operands[0]] if copy else
                               [result, *operands], copy))
        made.append(result)
    return host.linear(nodes), held
