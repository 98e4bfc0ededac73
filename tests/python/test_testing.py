# SPDX-License-Identifier: Apache-2.0
"""Tests of the kit for testing planners in Python."""

from __future__ import annotations

import pathlib
import pickle
import subprocess
import sys

import pytest
import stowage
import stowage.testing
from stowage.testing import Violated, check, problems
from support import ROOT

DOCUMENT = (ROOT / "docs" / "test-your-planner.md").read_text()


def stack(problem: stowage.Problem) -> list[int]:
    """Place every record above the previous record."""
    offsets, top = [], 0
    for (size, _, _), alignment in zip(problem.rows(), problem.alignments):
        offsets.append(-(-top // alignment) * alignment)
        top = offsets[-1] + size
    return offsets


def failure_of(planner, **arguments) -> Violated:
    """Return the exception that check() raises."""
    with pytest.raises(Violated) as caught:
        check(planner, **arguments)
    return caught.value


def test_correct_planners_do_not_fail():
    report = check(stack, samples=300)
    assert report.samples == 300 and report.runs > 2000
    some = ["residual", "few_sizes", "zero_sizes", "unsorted"]
    check(lambda problem: problem.plan().offsets, samples=80, families=some)
    check(lambda problem: problem.plan().objects, samples=80, families=some,
          kind="objects")
    features = stowage.Feature.GROUPS | stowage.Feature.FIXED_OFFSETS
    check(lambda problem: problem.plan().offsets, samples=40,
          features=features)


def test_an_unsafe_plan_is_shrunk():
    found = failure_of(lambda problem: [0] * len(problem))
    assert found.property == "safety"
    assert found.sentence == (
        "No two tensors live at the same task share a byte.")
    assert found.reason == (
        "tensor 0 and tensor 1 both hold bytes [0, 1) at task 0")
    assert found.problem == stowage.Problem([(1, 0, 0), (1, 0, 0)])
    assert found.asked == found.problem
    assert len(found.found) >= 2
    assert found.__cause__ is None
    assert found.problem.verify([0, 0]).kind is (
        stowage.ViolationKind.OVERLAPPING_BYTES)


def test_a_failure_is_repeated_alone():
    def last_is_exclusive(problem):
        offsets = stack(problem)
        rows = problem.rows()
        for i in range(1, len(rows)):
            if rows[i][1] == rows[i - 1][2]:
                offsets[i] = 0
        return offsets

    found = failure_of(last_is_exclusive, seed=7)
    again = failure_of(last_is_exclusive, seed=7, first=found.sample,
                       samples=1)
    assert str(again) == str(found)
    assert again.problem == found.problem
    assert again.runs < found.runs
    assert f"seed=7, first={found.sample}, samples=1" in str(found)


def test_constraints_are_in_the_problem():
    found = failure_of(stack, features=stowage.Feature.FIXED_OFFSETS)
    assert found.property == "fixed_offsets"
    assert any(offset is not None for offset in found.problem.fixed)
    copied = pickle.loads(pickle.dumps(found))
    assert copied.problem == found.problem
    assert str(copied) == str(found)


def test_an_exception_is_the_cause():
    def refuses_zero(problem):
        if any(size == 0 for size, _, _ in problem.rows()):
            raise ZeroDivisionError("a tensor without bytes")
        return stack(problem)

    found = failure_of(refuses_zero)
    assert found.property == "completeness"
    assert found.reason.endswith("ZeroDivisionError: a tensor without bytes")
    assert isinstance(found.__cause__, ZeroDivisionError)
    assert found.problem.rows() == [(0, 0, 0)]


@pytest.mark.parametrize("text, shown", [
    ("a\0b", "a?b"), ("\ud800", "?"), ("\0", "?"), ("a\nb", "a\nb"),
    ("\u540d", "\u540d"), ("", ""), ("long" * 3000, "long" * 3000)],
    ids=lambda text: ascii(text[:8]))
@pytest.mark.parametrize("error", [RuntimeError, NotImplementedError])
def test_exceptions_of_any_text_are_causes(text, shown, error):
    def fails(problem):
        raise error(text)

    found = failure_of(fails, families=["chains"], samples=80)
    assert type(found.__cause__) is error and str(found.__cause__) == text
    assert shown in found.reason


@pytest.mark.parametrize("answer", [
    None, [], [0.5], "abc", [-1], [2**64], [True], 3], ids=repr)
def test_an_answer_that_is_no_plan_is_a_failure(answer):
    found = failure_of(lambda problem: answer, families=["chains"], samples=80)
    assert found.property == "completeness"
    assert isinstance(found.__cause__, Exception)


@pytest.mark.parametrize("error", [NotImplementedError, stowage.Unsupported])
def test_what_is_not_supported_is_no_failure(error):
    def plain(problem):
        if any(alignment != 1 for alignment in problem.alignments):
            raise error("alignments")
        return stack(problem)

    check(plain, samples=200)


def test_a_planner_that_supports_nothing_fails():
    def nothing(problem):
        raise NotImplementedError("later")

    assert failure_of(nothing, samples=100).property == "planned"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_ends_the_test(stop):
    calls = []

    def interrupted(problem):
        calls.append(problem)
        if len(calls) == 30:
            raise stop
        return stack(problem)

    with pytest.raises(stop):
        check(interrupted)
    assert len(calls) == 30


def test_a_planner_may_test_another():
    def nested(problem):
        check(stack, samples=1)
        return stack(problem)

    check(nested, samples=20)


@pytest.mark.parametrize("arguments, message", [
    ({"families": ["chain"]}, "chains"),
    ({"families": []}, "families: none"),
    ({"families": "chains"}, "families: 'chains'; expected a list of names"),
    ({"claims": "optimal"}, "claims: 'optimal'; expected a list of names"),
    ({"claims": ["fast"]}, "fast"),
    ({"families": ["\ud800"]}, r"families\[0\]: half of a surrogate"),
    ({"claims": ["a", "\0"]}, r"claims\[1\]: contains a zero"),
    ({"seed": -1}, "seed"),
    ({"samples": 2**64}, "samples"),
    ({"samples": 2**60}, "options->samples"),
    ({"max_alignment": 3}, "power of two"),
    ({"features": stowage.Feature.OFFSETS}, "features"),
    ({"kind": "pages"}, "kind: 'pages'; expected 'offsets' or 'objects'"),
    ({"kind": "objects", "features": stowage.Feature.GROUPS}, "features"),
], ids=ascii)
def test_arguments_are_refused(arguments, message):
    with pytest.raises(stowage.Error, match=message):
        check(stack, **arguments)


def test_arguments_that_are_no_planner_are_refused():
    with pytest.raises(stowage.Error, match="function"):
        check(3)


def test_claims_are_checked():
    found = failure_of(stack, claims=["same_plan_in_any_order"])
    assert found.property == "same_plan_in_any_order"


def test_problems_are_the_same_for_a_seed():
    first = list(problems(samples=80, max_alignment=64))
    assert first == list(problems(samples=80, max_alignment=64))
    assert first != list(problems(samples=80, max_alignment=64, seed=2))
    assert len(first) > 70 and max(map(len, first)) > 2
    assert any(a != 1 for problem in first for a in problem.alignments)


def test_seeds_go_around():
    last = 2**64 - 1
    found = list(problems(["chains"], samples=40, seed=last))
    assert len(found) == 40
    assert list(problems(["chains"], samples=1, seed=last)) == found[:1]


@pytest.mark.parametrize("arguments, message", [
    ({"families": []}, "families: none; expected a name, or None for all"),
    ({"max_size": -1}, "max_size: -1; expected 0 or more"),
    ({"max_size": 1.5}, "max_size: 1.5; expected an integer"),
    ({"seed": -1}, "seed: -1; expected 0 or more"),
    ({"seed": 2**64}, "seed: 18446744073709551616; expected at most"),
    ({"seed": "1"}, "seed: '1'; expected an integer"),
], ids=str)
def test_arguments_of_problems_are_refused(arguments, message):
    with pytest.raises(stowage.Error, match=message):
        list(problems(samples=3, **arguments))


def test_problems_of_features_have_them():
    pools = list(problems(samples=30, features=stowage.Feature.POOLS))
    assert any(problem.pool_count > 1 for problem in pools)
    with pytest.raises(stowage.Error, match="chains"):
        next(problems(["chain"]))


def test_problems_can_be_kept():
    for problem in problems(samples=40):
        assert pickle.loads(pickle.dumps(problem)) == problem


def test_the_problem_of_a_call_cannot_be_pickled():
    def pickles(problem):
        with pytest.raises(TypeError, match="call"):
            pickle.dumps(problem)
        return stack(problem)

    check(pickles, samples=3)


def test_records_of_hypothesis():
    hypothesis = pytest.importorskip("hypothesis")
    lengths = []

    @hypothesis.settings(derandomize=True, max_examples=60, database=None,
                         deadline=None)
    @hypothesis.given(stowage.testing.records(max_size=12))
    def is_a_problem(rows):
        lengths.append(len(stowage.Problem(rows)))

    is_a_problem()
    assert max(lengths) > 5

    @hypothesis.settings(derandomize=True, max_examples=200, database=None,
                         deadline=None,
                         phases=[hypothesis.Phase.generate,
                                 hypothesis.Phase.shrink])
    @hypothesis.given(stowage.testing.records())
    def fails(rows):
        problem = stowage.Problem(rows)
        if problem.verify([0] * len(problem)) is not None:
            smallest[:] = rows
            raise AssertionError

    smallest: list[tuple[int, int, int]] = []
    with pytest.raises(AssertionError):
        fails()
    assert [size for size, _, _ in smallest] == [1, 1]
    assert max(last for _, _, last in smallest) <= 3


def test_the_package_does_not_import_hypothesis():
    program = ("import sys, stowage.testing; "
               "assert 'hypothesis' not in sys.modules")
    subprocess.run([sys.executable, "-c", program], check=True)


def run_toy(program: str, tmp_path: pathlib.Path) -> str:
    """Run a program, and return its output."""
    path = tmp_path / "toy.py"
    path.write_text(program)
    return subprocess.run([sys.executable, str(path)], check=True, text=True,
                          capture_output=True).stdout


def test_the_document_has_the_toy_planner(tmp_path):
    program = (ROOT / "tests" / "python" / "toy_planner.py").read_text()
    shown = program.split("\n", 1)[1]  # without the licence
    assert f"```python\n{shown}```" in DOCUMENT
    assert f"```text\n{run_toy(program, tmp_path)}```" in DOCUMENT
    mended = program.replace("_first < last", "_first <= last").replace(
        "first < other", "first <= other")
    assert run_toy(mended, tmp_path) == "no failure in 2000 problems\n"


def test_the_example_of_a_planner_passes():
    path = ROOT / "docs" / "planner_example" / "check.py"
    done = subprocess.run([sys.executable, str(path)], check=True, text=True,
                          capture_output=True)
    assert done.stdout.startswith("no failure in 2000 problems, ")
