# SPDX-License-Identifier: Apache-2.0
"""Tests which code is mutated, and that the tree itself is never changed."""

import argparse
import contextlib
import io
import itertools
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import delegation  # noqa: E402
import mutate  # noqa: E402


def changed(text):
    return [mutate.apply(m, text) for m in mutate.find_mutations("a.cc", text)]


class FindMutations(unittest.TestCase):
    def test_changes_bounds_operators_and_constants(self):
        self.assertEqual(changed("if (a < b) x = c + 1;"),
                         ["if (a <= b) x = c + 1;", "if (a < b) x = c - 1;",
                          "if (a < b) x = c + 2;"])
        self.assertEqual(changed("return std::min(a, b) == c && d;"),
                         ["return std::max(a, b) == c && d;",
                          "return std::min(a, b) != c && d;",
                          "return std::min(a, b) == c || d;"])

    def test_drops_checks(self):
        self.assertEqual(changed("f();\nif (!ok(x)) return error;\ng();"),
                         ["f();\n;\ng();"])
        self.assertEqual(changed("if (bad) {\n  return Error(\n      x);\n}\ng();"),
                         [";\ng();"])
        self.assertEqual(changed("for (;;) {\n  if (done) break;\n}"),
                         ["for (;;) {\n  ;\n}"])

    def test_leaves_what_is_not_code(self):
        for text in ("// a < b", "/* a < b\n c == d */", 'Log("a < b");', "#if A == 1",
                     "static_assert(sizeof(x) == 8);", "std::vector<int> v;",
                     "template <typename T>", "x->y;"):
            self.assertEqual(changed(text), [], text)

    def test_names_place_and_change(self):
        mutation = mutate.find_mutations("src/a.cc", "f();\nx = a < b;")[0]
        self.assertEqual(mutate.describe(mutation), "src/a.cc:2: bound: `<` -> `<=`")


class RoomsOf(unittest.TestCase):
    def test_are_the_folders_of_its_tests(self):
        for path, rooms in (("src/io/read_file.cc", ["io"]),
                            ("src/construct/best_fit.cc", ["construct", "strategies"]),
                            ("src/clp/clp_program.cc", ["strategies"]),
                            ("strategies/optimal/exact/packing.cc", ["strategies"]),
                            ("include/stowage/verify.h", ["verify"]),
                            ("include/stowage/profile.h", ["bounds", "strategies"]),
                            ("include/stowage/constraints.h", ["model", "strategies"]),
                            ("include/stowage/testing/shrink.h", ["kit"]),
                            ("include/stowage/harness/checks.h", ["harness"])):
            self.assertEqual(mutate.rooms_of(delegation.ROOT, path), rooms)


class Rules(unittest.TestCase):
    def test_of_delegation_are_in_the_tree(self):
        self.assertEqual(delegation.check_rules(delegation.ROOT), [])


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = self.folder.name
        self.text = "bool F(int a) { return a < 3 && a > 1; }\n"
        os.makedirs(os.path.join(self.root, "src/verify"))
        for name in ("f.cc", "g.cc"):
            with open(os.path.join(self.root, "src/verify", name), "w", encoding="utf-8") as file:
                file.write(self.text)
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)

    def tearDown(self):
        self.folder.cleanup()

    def read(self, *path):
        with open(os.path.join(self.root, *path), encoding="utf-8") as file:
            return file.read()

    def test_is_generated_by_seed(self):
        files = mutate.chosen_files(self.root, [])
        self.assertEqual(files, ["src/verify/f.cc", "src/verify/g.cc"])
        def first(seed):
            return list(itertools.islice(mutate.generate(self.root, files, seed), 4))
        self.assertEqual(first(1), first(1))
        self.assertTrue(any(first(1) != first(seed) for seed in range(2, 6)))
        everything = list(mutate.generate(self.root, files, 1))
        self.assertEqual(len(everything), len(set(everything)))

    def test_stays_as_it_is_and_the_copy_is_restored(self):
        mutation = next(mutate.generate(self.root, ["src/verify/f.cc"], 1))
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(KeyboardInterrupt):
                with mutate.Copy(self.root, folder) as copy:
                    copy.mutate(mutation)
                    self.assertNotEqual(self.read(copy.tree, mutation.path), self.text)
                    self.assertEqual(self.read(mutation.path), self.text)
                    raise KeyboardInterrupt
            self.assertEqual(self.read(copy.tree, mutation.path), self.text)
            # A file that was removed from the tree is removed from the copy.
            os.remove(os.path.join(self.root, "src/verify/g.cc"))
            copy = mutate.Copy(self.root, folder)
            self.assertEqual(os.listdir(os.path.join(copy.tree, "src/verify")), ["f.cc"])

    def test_refuses_files_that_are_no_sources(self):
        with self.assertRaises(SystemExit):
            mutate.chosen_files(self.root, ["tests"])


class Mutate(unittest.TestCase):
    """Runs the whole tool on a project of one function and one test."""

    FILES = {
        "src/verify/f.cc": "bool F(int a) { return a > 2 && a < 100; }\n",
        "tests/verify/f_test.cc":
            "bool F(int a);\nint main() { return F(3) && !F(2) && !F(200) ? 0 : 1; }\n",
        "CMakePresets.json": """{"version": 6, "configurePresets": [
            {"name": "dev", "generator": "Ninja", "binaryDir": "build/dev"}]}""",
        "CMakeLists.txt": """cmake_minimum_required(VERSION 3.25)
project(one LANGUAGES CXX)
add_executable(f_test src/verify/f.cc tests/verify/f_test.cc)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/tests.txt CONTENT
     "f_test $<TARGET_FILE:f_test> ${PROJECT_SOURCE_DIR}/tests/verify/f_test.cc\\n")
""",
        ".gitignore": "build/\n",
    }

    def test_tells_survivors_from_killed(self):
        with tempfile.TemporaryDirectory() as root:
            for path, text in self.FILES.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as file:
                    file.write(text)
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                mutate.mutate(root, argparse.Namespace(files=[], seed=1, count=9))
            lines = printed.getvalue().splitlines()
            self.assertEqual(sorted(lines[:3]), [
                "SURVIVED          src/verify/f.cc:1: bound: `<` -> `<=`",
                "killed            src/verify/f.cc:1: bound: `>` -> `>=`",
                "killed            src/verify/f.cc:1: operator: `&&` -> `||`"])
            self.assertEqual(lines[3:], [
                "1 SURVIVED, 2 killed", "survivor: src/verify/f.cc:1: bound: `<` -> `<=`"])
            with open(os.path.join(root, "src/verify/f.cc"), encoding="utf-8") as file:
                self.assertEqual(file.read(), self.FILES["src/verify/f.cc"])


class Run(unittest.TestCase):
    def test_tells_failures_from_time(self):
        passing, failing, endless = ["true"], ["false"], ["sleep", "60"]
        for commands, limit, expected in (([passing], None, "passed"), ([failing], None, "failed"),
                                          ([passing] * 5, None, "passed"),
                                          ([endless, failing], None, "failed"),
                                          ([passing, failing, passing], None, "failed"),
                                          ([passing, endless], 0.5, "time")):
            verdict, seconds = mutate.run_together(commands, ".", limit)
            self.assertEqual(verdict, expected, commands)
            self.assertEqual(len(seconds), len(commands) if expected == "passed" else 0)


if __name__ == "__main__":
    unittest.main()
