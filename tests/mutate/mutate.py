#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes small changes to the library's sources, and reports undetected ones.

A mutation is a change at one place: a different operator, a different bound, or
an omitted check. The tests of its room (tests/verify for src/verify, and so on)
are built and run with the mutation. If they pass, and strategies use the room,
the tests of the strategies are run as well. If all of these tests pass, the
mutation is a survivor: either a test is missing, or the change has no
observable effect. For a given tree and given files, the seed determines the
mutations.

The mutations are made in a copy of the tree in build/mutate. The tree itself is
never changed. The next run continues the build of the copy.
"""

import argparse
import collections
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOTS = ("include", "src", "strategies")
SHARED_ROOMS = ("base", "bounds", "construct", "model")

# The kind of mutation, a pattern, and the text that replaces the match.
# Comments, strings and preprocessor lines are blanked before the search.
# Patterns of operators include the spaces that the formatter puts around
# operators, so they do not match the angle brackets of templates.
RULES = [
    ("bound", r" < ", " <= "),
    ("bound", r" <= ", " < "),
    ("bound", r" > ", " >= "),
    ("bound", r" >= ", " > "),
    ("operator", r" == ", " != "),
    ("operator", r" != ", " == "),
    ("operator", r" && ", " || "),
    ("operator", r" \|\| ", " && "),
    ("operator", r" \+ ", " - "),
    ("operator", r" - ", " + "),
    ("operator", r" \+= ", " -= "),
    ("operator", r" -= ", " += "),
    ("operator", r"\bstd::min\b", "std::max"),
    ("operator", r"\bstd::max\b", "std::min"),
    ("constant", r"\b0\b(?=[;,)\]])", "1"),
    ("constant", r"\b1\b(?=[;,)\]])", "2"),
    ("constant", r"\btrue\b", "false"),
    ("constant", r"\bfalse\b", "true"),
    ("dropped check", r"\bif \([^{}]*?\) return\b[^;{}]*;", ";"),
    ("dropped check", r"\bif \([^{}]*?\) (continue|break);", ";"),
    ("dropped check", r"\bif \([^;{}]*?\) \{\s*return\b[^;{}]*;\s*\}", ";"),
]

BLANKED = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    r"|^[ \t]*#(?:\\\n|[^\n])*|\bstatic_assert\([^;]*;|\b(?:template|using)\b[^\n]*",
    re.DOTALL | re.MULTILINE)

Mutation = collections.namedtuple("Mutation", "path line kind begin end new old")


def blank(text):
    """Replaces everything but code by spaces, so positions do not change."""
    return BLANKED.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def find_mutations(path, text):
    """Returns all mutations of a file, in the order of their positions."""
    code = blank(text)
    found = []
    for kind, pattern, new in RULES:
        for match in re.finditer(pattern, code):
            begin, end = match.span()
            line = text.count("\n", 0, begin) + 1
            found.append(Mutation(path, line, kind, begin, end, new, text[begin:end]))
    return sorted(found, key=lambda m: (m.begin, m.end, m.new))


def apply(mutation, text):
    return text[:mutation.begin] + mutation.new + text[mutation.end:]


def describe(mutation):
    old = " ".join(mutation.old.split())
    new = mutation.new.strip()
    change = f"dropped `{old}`" if new == ";" else f"`{old}` -> `{new}`"
    return f"{mutation.path}:{mutation.line}: {mutation.kind}: {change}"


def generate(root, files, seed):
    """Yields all mutations in random order. For each mutation, first chooses a
    random file, and then one of the remaining mutations of this file."""
    remaining = {}
    for path in sorted(files):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            found = find_mutations(path, file.read())
        if found:
            remaining[path] = found
    generator = random.Random(seed)
    while remaining:
        path = generator.choice(sorted(remaining))
        found = remaining[path]
        yield found.pop(generator.randrange(len(found)))
        if not found:
            del remaining[path]


def tracked_files(root):
    """Returns the tracked files, and the new files that are not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, stdout=subprocess.PIPE).stdout.decode()
    return [path for path in listed.split("\0")
            if path and os.path.isfile(os.path.join(root, path))]


def is_source(path):
    return path.startswith(tuple(r + "/" for r in ROOTS)) and path.endswith((".h", ".cc", ".c"))


def chosen_files(root, patterns):
    """Returns the sources that --files selects by file or by folder."""
    sources = [path for path in tracked_files(root) if is_source(path)]
    if not patterns:
        return sources
    chosen = set()
    for pattern in patterns:
        path = os.path.normpath(pattern)
        below = [s for s in sources if s == path or s.startswith(path + "/")]
        if not below:
            sys.exit(f"mutate: {pattern}: no source of the library; expected a file or "
                     f"folder below {', '.join(ROOTS)}")
        chosen.update(below)
    return sorted(chosen)


def rooms_of(root, path):
    """Returns the folders in tests/ that test a source, the nearest first."""
    parts = path.split("/")
    room = parts[1]
    if parts[0] == "include":
        room = owner_of(root, parts[2:])
    if parts[0] == "strategies" or room == "clp":
        return ["strategies"]
    # Strategies use all shared rooms, so their tests may find more mutations.
    return [room, "strategies"] if room in SHARED_ROOMS else [room]


def owner_of(root, steps):
    """Returns the room of a public header: by the table of rooms, or by its folder."""
    header = "/".join(steps)
    quoted = "`%s`" % header.removesuffix(".h")
    with open(os.path.join(root, "docs", "hacking.md"), encoding="utf-8") as page:
        for cells in (line.split("|") for line in page):
            if len(cells) == 8 and quoted in cells[4]:
                return cells[2].strip(" `")
    if len(steps) > 1:
        return steps[0]
    raise ValueError("no room has the header " + header)


class Copy:
    """The copy of the tree, and its build. On exit from the context, the file
    that is currently mutated is restored."""

    def __init__(self, root, folder):
        self.tree = os.path.join(folder, "tree")
        self.build_folder = os.path.join(folder, "build")
        self.mutated = None
        self.seconds = {}  # the time of each program that has passed
        copied = set(tracked_files(root))
        for path in copied:
            self._copy(os.path.join(root, path), os.path.join(self.tree, path))
        # Remove the files that the tree no longer has.
        for above, _, names in os.walk(self.tree):
            for name in names:
                full = os.path.join(above, name)
                if os.path.relpath(full, self.tree) not in copied:
                    os.remove(full)

    @staticmethod
    def _copy(source, target):
        """Copies a file unless the copy is already equal. An equal copy keeps
        its time stamp, so it causes no rebuild."""
        if os.path.exists(target):
            with open(source, "rb") as a, open(target, "rb") as b:
                if a.read() == b.read():
                    return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.restore()

    def mutate(self, mutation):
        self.restore()
        path = os.path.join(self.tree, mutation.path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.mutated = (path, text)
        self._write(path, apply(mutation, text))

    def restore(self):
        if self.mutated is not None:
            self._write(*self.mutated)
            self.mutated = None

    @staticmethod
    def _write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def configure(self):
        # Configure the preset `dev` in a separate folder. The unity build
        # halves the time of the first build, and does not slow down the builds
        # of most mutations. With -O1, the tests of strategies run ten times as
        # fast.
        run_or_exit(["cmake", "--preset", "dev", "-B", self.build_folder,
                     "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16",
                     "-DCMAKE_CXX_FLAGS_DEBUG=-O1"], self.tree)

    def tests_of(self, room):
        """Returns a pair (target, program) for each executable that has sources
        in tests/ROOM."""
        prefix = os.path.join(os.path.realpath(self.tree), "tests", room) + "/"
        tests = []
        with open(os.path.join(self.build_folder, "tests.txt"), encoding="utf-8") as file:
            for entry in file:
                target, program, *sources = entry.split()
                if any(os.path.realpath(s).startswith(prefix) for s in sources):
                    tests.append((target, program))
        return tests

    def build(self, tests):
        command = ["cmake", "--build", self.build_folder, "--parallel", str(os.cpu_count()),
                   "--target", *[target for target, _ in tests]]
        return run_together([command], self.tree)[0] == "passed"

    def passes(self, tests, limit=None):
        """Runs the tests in the order of their previous run times, the fastest
        first. Returns "passed", "failed" or "time"."""
        programs = sorted((program for _, program in tests),
                          key=lambda program: self.seconds.get(program, 0))
        verdict, seconds = run_together([[program, "--gtest_brief=1", "--gtest_fail_fast"]
                                         for program in programs], self.tree, limit)
        self.seconds.update(zip(programs, seconds))
        return verdict


def run_together(commands, folder, limit=None):
    """Runs commands until one of them fails or `limit` seconds have passed. As
    many commands run at a time as there are processors. Returns "passed",
    "failed" or "time" and, if they passed, the time of each command in seconds.
    Finally kills all processes that the commands have started."""
    begun = time.monotonic()
    waiting = collections.deque(enumerate(commands))
    running = {}
    seconds = {}
    try:
        while waiting or running:
            while waiting and len(running) < os.cpu_count():
                index, command = waiting.popleft()
                running[index] = (start(command, folder), time.monotonic())
            time.sleep(0.01)
            now = time.monotonic()
            for index, (child, started) in list(running.items()):
                if child.poll() is None:
                    continue
                seconds[index] = now - started
                kill(running.pop(index)[0])
                if child.returncode != 0:
                    return "failed", []
            if running and limit is not None and now - begun > limit:
                return "time", []
    finally:
        for child, _ in running.values():
            kill(child)
    return "passed", [seconds[index] for index in range(len(commands))]


def start(command, folder):
    return subprocess.Popen(command, cwd=folder, start_new_session=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def kill(child):
    """Kills a process and all processes of its group."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


def run_or_exit(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"{done.stdout.decode()}mutate: {' '.join(command)} failed")


class Baselines:
    """Builds and runs the tests of each room once without a mutation, and
    stores the resulting time limit for later runs."""

    def __init__(self, copy):
        self.copy = copy
        self.rooms = {}

    def of(self, room):
        if room not in self.rooms:
            tests = self.copy.tests_of(room)
            if tests:
                print(f"building and running the tests of {room}", file=sys.stderr)
                self.copy.restore()
                if not self.copy.build(tests):
                    sys.exit(f"mutate: tests/{room} do not build without a mutation")
                start = time.monotonic()
                if self.copy.passes(tests) != "passed":
                    sys.exit(f"mutate: tests/{room} fail without a mutation")
                limit = 5 * (time.monotonic() - start) + 10
            self.rooms[room] = (tests, limit) if tests else None
        return self.rooms[room]


def verdict_of(copy, baselines, mutation, rooms):
    """Returns the verdict of the first room that detects the mutation, or of
    the last room if none does. Returns None if there are no tests."""
    verdict = None
    for room in rooms:
        baseline = baselines.of(room)
        if baseline is None:
            continue
        tests, limit = baseline
        copy.mutate(mutation)
        if not copy.build(tests):
            return "does not compile"
        verdict = {"passed": "SURVIVED", "failed": "killed", "time": "killed by time"}[
            copy.passes(tests, limit)]
        if verdict != "SURVIVED":
            break
    return verdict


def mutate(root, options):
    counts = {}
    survivors = []
    with Copy(root, os.path.join(root, "build", "mutate")) as copy:
        copy.configure()
        baselines = Baselines(copy)
        counted = 0
        for mutation in generate(root, chosen_files(root, options.files), options.seed):
            if counted == options.count:
                break
            verdict = verdict_of(copy, baselines, mutation, rooms_of(root, mutation.path))
            if verdict is None:
                continue
            counts[verdict] = counts.get(verdict, 0) + 1
            counted += verdict != "does not compile"
            print(f"{verdict:16}  {describe(mutation)}", flush=True)
            if verdict == "SURVIVED":
                survivors.append(mutation)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    for mutation in survivors:
        print(f"survivor: {describe(mutation)}")


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", nargs="+", default=[], metavar="F",
                        help="files or folders to change; all of the library without")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20,
                        help="mutations that compile (default: 20)")
    options = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    # Exit by an exception, so the copy is restored and children are killed.
    signal.signal(signal.SIGTERM, lambda *unused: sys.exit(143))
    try:
        mutate(root, options)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
