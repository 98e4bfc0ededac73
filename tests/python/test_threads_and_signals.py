# SPDX-License-Identifier: Apache-2.0
"""Tests of threads, signals, forks, the exit of Python, and memory leaks."""

import gc
import os
import random
import signal
import sys
import threading

import pytest

import stowage
from support import THOROUGH, hard_records, random_records, run_python


@pytest.fixture(autouse=True)
def no_timer_is_left():
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)


def interrupt_after(seconds):
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def test_ctrl_c_ends_a_search():
    problem = stowage.Problem(hard_records())
    for threads in (1, 2):
        interrupt_after(0.05)
        with pytest.raises(KeyboardInterrupt):
            problem.plan("optimal", time_limit=60, threads=threads)
    cache = stowage.PlanCache()
    cache.plan(problem)
    other = stowage.plan(hard_records(4))
    for search in (lambda: cache.improve(time_limit=60),
                   lambda: stowage.replan(problem, other, strategy="optimal",
                                          time_limit=60)):
        interrupt_after(0.05)
        with pytest.raises(KeyboardInterrupt):
            search()
    assert problem.verify(cache.plan(problem)) is None


def test_a_handler_that_returns_does_not_end_a_search():
    seen = []

    def third_ends(*_):
        seen.append(None)
        if len(seen) == 3:
            signal.setitimer(signal.ITIMER_PROF, 0)
            raise KeyboardInterrupt
    signal.signal(signal.SIGPROF, third_ends)
    signal.setitimer(signal.ITIMER_PROF, 0.02, 0.02)
    with pytest.raises(KeyboardInterrupt):
        stowage.plan(hard_records(), "optimal", time_limit=60)
    assert len(seen) == 3


def test_ctrl_c_at_any_moment():
    records = random_records(1, 60)
    numbers = random.Random(1)
    ended = 0

    def plan_and_verify():
        problem = stowage.Problem(records, alignment=64)
        plan = problem.plan("optimal", time_limit=0.002,
                            progress=lambda step: None)
        assert problem.verify(plan.offsets) is None
    # The first call imports modules. During an import, Python itself may lose
    # an interrupt, in a callback of its locks. So make this call first.
    plan_and_verify()
    for _ in range(1000):
        try:
            interrupt_after(numbers.uniform(1e-5, 2e-3))
            while True:
                plan_and_verify()
        except KeyboardInterrupt:
            ended += 1
    assert ended == 1000


def test_other_threads_run_during_a_search():
    problem = stowage.Problem(hard_records())
    search = threading.Thread(
        target=problem.plan, args=("optimal",), kwargs={"time_limit": 0.3})
    search.start()
    rounds = 0
    while search.is_alive():
        rounds += 1
    assert rounds > 100


def test_32_threads_plan_one_problem():
    problem = stowage.Problem(random_records(2, 200))
    expected = problem.plan().offsets.tolist()
    failures = []

    def work(number):
        try:
            for _ in range(5):
                steps = []
                plan = problem.plan("skyline" if number % 2 else None,
                                    progress=steps.append)
                if plan.offsets.tolist() != expected:
                    failures.append(number)
                problem.bound, problem.fingerprint, hash(plan)
        except Exception as error:  # shown below
            failures.append(error)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_an_array_that_changes_is_copied_first():
    numpy = pytest.importorskip("numpy")
    small = numpy.array(random_records(3, 150), dtype="u8")
    large = small.copy()
    large[:, 0] *= 2
    sizes = {stowage.plan(small).total_size, stowage.plan(large).total_size}
    shared = small.copy()
    # A memoryview holds the GIL while it copies bytes, so the library sees
    # either all or none of a change.
    view = memoryview(shared).cast("B")
    changes = [large.tobytes(), small.tobytes()]
    stop = threading.Event()

    def change():
        while not stop.is_set():
            for content in changes:
                view[:] = content
    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(50):
            assert stowage.plan(shared).total_size in sizes
    finally:
        stop.set()
        thread.join()


def test_python_may_end_while_a_thread_plans():
    for options in ("", ", progress=lambda step: None"):
        lines = run_python(
            "import threading, time, stowage\n"
            "from support import hard_records\n"
            "records = hard_records()\n"
            "def forever():\n"
            "    while True:\n"
            "        stowage.plan(records, 'optimal', time_limit=60"
            f"{options})\n"
            "threading.Thread(target=forever, daemon=True).start()\n"
            "time.sleep(0.2)\n"
            "print('done')\n")
        assert list(lines) == ["done"]


def test_python_may_end_while_a_strategy_runs():
    lines = run_python(
        "import threading, time, stowage\n"
        "def slow(problem):\n"
        "    time.sleep(0.3)\n"
        "    return [0] * len(problem)\n"
        "threading.Thread(target=stowage.plan, args=([(1, 0, 0)], slow),\n"
        "                 daemon=True).start()\n"
        "time.sleep(0.1)\n"
        "print('done')\n")
    assert list(lines) == ["done"]


def test_fork_while_threads_plan():
    lines = run_python(
        "import os, threading, stowage\n"
        "from support import hard_records\n"
        "records = hard_records()\n"
        "started = threading.Event()\n"
        "thread = threading.Thread(target=stowage.plan,\n"
        "    args=(records, 'optimal'), kwargs={'time_limit': 1,\n"
        "    'progress': lambda step: started.set()})\n"
        "thread.start(); started.wait()\n"
        "child = os.fork()\n"
        "plan = stowage.plan(records[:50], 'optimal', time_limit=1,\n"
        "                    progress=lambda step: None)\n"
        "assert plan.has_plan\n"
        "if child:\n"
        "    assert os.waitpid(child, 0)[1] == 0\n"
        "    thread.join()\n"
        "    print('done')\n")
    assert list(lines) == ["done"]


def test_fork_in_a_callback():
    lines = run_python(
        "import os, sys, stowage\n"
        "def forks(problem):\n"
        "    child = os.fork()\n"
        "    if child: assert os.waitpid(child, 0)[1] == 0\n"
        "    return [0] * len(problem)\n"
        "plan = stowage.plan([(1, 0, 0)], forks)\n"
        "assert plan.total_size == 1\n"
        "print('done', flush=True)\n")
    assert list(lines) == ["done", "done"]


def test_subinterpreters_come_and_go():
    """Ten subinterpreters plan one after another, beside the main one."""
    pytest.importorskip("_xxsubinterpreters")
    inside = (
        "import stowage\n"
        "problem = stowage.Problem([(64, 0, 1), (32, 1, 2)], names=['a','b'])\n"
        "steps = []\n"
        "plan = problem.plan('optimal', progress=steps.append)\n"
        "assert plan.offsets.tolist() == [0, 64], plan\n"
        "assert problem.plan(lambda p: [0, 64]).total_size == 96\n"
        "try: problem.plan(lambda p: [0, 0])\n"
        "except stowage.Unsafe as error: assert error.violation\n"
        "else: raise AssertionError\n")
    lines = run_python(
        "import _xxsubinterpreters as interpreters, stowage\n"
        "view = stowage.plan([(64, 0, 1)]).offsets\n"
        "for _ in range(10):\n"
        "    one = interpreters.create()\n"
        f"    interpreters.run_string(one, {inside!r})\n"
        "    assert stowage.plan([(64, 0, 1)]).total_size == 64\n"
        "    interpreters.destroy(one)\n"
        "print(view.tolist(), 'done')\n")
    assert list(lines) == ["[0] done"]


def test_threads_in_development_mode():
    lines = run_python(
        "import threading, stowage\n"
        "from support import random_records\n"
        "problem = stowage.Problem(random_records(1, 100))\n"
        "def work():\n"
        "    for _ in range(5):\n"
        "        problem.plan('optimal', time_limit=0.005,\n"
        "                     progress=lambda step: step)\n"
        "        problem.plan(lambda p: [2**20 * i for i in range(len(p))])\n"
        "        try: problem.plan(lambda p: [0.5])\n"
        "        except stowage.Error: pass\n"
        "threads = [threading.Thread(target=work) for _ in range(8)]\n"
        "for t in threads: t.start()\n"
        "for t in threads: t.join()\n"
        "print('done')\n", "-X", "dev", "-W", "error")
    assert list(lines) == ["done"]


def everything():
    """Call everything in the package, including calls that fail."""
    problem = stowage.Problem([(64, 0, 1), (32, 1, 2)], alignment=[2, 4],
                              names=["a", "b"], capacity="1 KiB")
    plan = problem.plan(progress=lambda step: None)
    plan.offsets, plan.reason, plan.proof, problem.bound, problem.records
    hash(plan), repr(plan), problem.verify([0, 0]), problem.verify(plan)
    problem.plan(incumbent=plan)
    problem.plan(lambda p: [0, 64])
    stowage.replan(problem, plan, movable=[0, 1])
    cache = stowage.PlanCache()
    cache.plan(problem), cache.plan(problem), repr(cache)
    cache.improve(node_budget=10)
    problem.to_text("csv") if problem.capacity is None else None
    for wrong in (lambda: stowage.Problem([(1, 2)]),
                  lambda: stowage.Problem([(1, -2, 0)]),
                  lambda: stowage.Problem([(1, 0, 0)], alignment=[1, 2]),
                  lambda: problem.plan("no such"),
                  lambda: problem.plan(lambda p: [0, 0]),
                  lambda: problem.plan(lambda p: 1 / 0),
                  lambda: problem.verify([1.5]),
                  lambda: stowage.replan(problem, plan, movable=[2]),
                  lambda: cache.load("/nowhere/plans"),
                  lambda: problem.save("/nowhere/a.csv")):
        try:
            wrong()
        except (stowage.Error, ZeroDivisionError):
            pass


def test_references_are_stable():
    rounds = 10_000 if THOROUGH else 600
    for _ in range(600):  # fills caches of Python
        everything()
    gc.collect()
    none, blocks = sys.getrefcount(None), sys.getallocatedblocks()
    for _ in range(rounds):
        everything()
    gc.collect()
    # A leak of one object in each round would exceed these limits by far.
    assert abs(sys.getallocatedblocks() - blocks) < rounds // 2
    assert abs(sys.getrefcount(None) - none) < rounds // 3


def test_memory_is_stable():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    records = random_records(1, 2000)
    for _ in range(20):
        stowage.plan(records)
    before = resident()
    for _ in range(200):
        stowage.plan(records)
    # Each plan of these records has more than 100 KB, so keeping all plans
    # would exceed this limit.
    assert resident() - before < 8_000_000
