#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes the library's sources in small ways and reports what no test notices.

A mutation is a change of one place: another operator, another bound, or a check
that is dropped. The tests of its room are built with the mutation and run
(tests/verify for src/verify, and so on). If they pass, the tests of the
strategies that use the room are run as well. A mutation with which all of these
tests pass is a survivor: either a test is missing, or the change makes no
difference that can be observed. The seed determines the mutations for a given
tree and given files.

The mutations are made in a copy in build/mutate; the tree itself is never
changed. The next run continues the build of that copy.
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

# The kind of mutation, a pattern, and the text that replaces the match. In the
# code that is searched, comments, strings and preprocessor lines are blank.
# Patterns of operators include the spaces around them, which the formatter
# leaves, so that they do not match the brackets of templates.
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
    """The text with spaces for what is not code; positions stay the same."""
    return BLANKED.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def find_mutations(path, text):
    """All mutations of a file, in the order of their places."""
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
    """Yields all mutations in random order. For each of them, first chooses a
    file at random, and then one of its mutations that was not chosen before."""
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
    """Tracked files and new ones that are not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, stdout=subprocess.PIPE).stdout.decode()
    return [path for path in listed.split("\0")
            if path and os.path.isfile(os.path.join(root, path))]


def is_source(path):
    return path.startswith(tuple(r + "/" for r in ROOTS)) and path.endswith((".h", ".cc", ".c"))


def chosen_files(root, patterns):
    """The sources that --files names: files, or folders with all below."""
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
    """The folders below tests/ that test a source, the nearest first."""
    parts = path.split("/")
    room = parts[1]
    if parts[0] == "include":
        room = owner_of(root, parts[2:])
    if parts[0] == "strategies" or room == "clp":
        return ["strategies"]
    # Strategies use all of these, and their tests notice what is left.
    return [room, "strategies"] if room in SHARED_ROOMS else [room]


def owner_of(root, steps):
    """The room of a header below include/stowage: by the table of rooms, or by its folder."""
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
    """The copy of the tree, and its build. At the end of the context, the file
    that is mutated at the moment is restored."""

    def __init__(self, root, folder):
        self.tree = os.path.join(folder, "tree")
        self.build_folder = os.path.join(folder, "build")
        self.mutated = None
        self.seconds = {}  # of the programs that have passed
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
        """Leaves an equal file and its time as they are, so that nothing is
        built again because of it."""
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
        # Configure the preset `dev` in a separate folder. If several sources
        # are compiled at a time, the first build takes half as long, and the
        # builds of most mutations take no longer. Optimised a little, tests of
        # strategies run in a tenth of the time.
        run_or_exit(["cmake", "--preset", "dev", "-B", self.build_folder,
                     "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16",
                     "-DCMAKE_CXX_FLAGS_DEBUG=-O1"], self.tree)

    def tests_of(self, room):
        """Returns pairs (target, program) of the executables that have sources
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
        """Runs the tests, those that took the least time before first, and
        returns "passed", "failed" or "time"."""
        programs = sorted((program for _, program in tests),
                          key=lambda program: self.seconds.get(program, 0))
        verdict, seconds = run_together([[program, "--gtest_brief=1", "--gtest_fail_fast"]
                                         for program in programs], self.tree, limit)
        self.seconds.update(zip(programs, seconds))
        return verdict


def run_together(commands, folder, limit=None):
    """Runs commands, as many at a time as there are processors, until one of
    them fails or `limit` seconds are over. Returns "passed", "failed" or
    "time", and if they passed the seconds that each command took. At the end,
    kills all processes that the commands have started."""
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
    """Ends a process and all that it has started."""
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
    """Builds and runs the tests of each room once without a mutation, and keeps
    the time limit for their later runs."""

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
    """Returns the verdict of the first tests that notice the mutation, or of
    the last tests if none do. Returns None if there are no tests."""
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
    # A signal unwinds like an error: the copy is restored, children are ended.
    signal.signal(signal.SIGTERM, lambda *unused: sys.exit(143))
    try:
        mutate(root, options)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
