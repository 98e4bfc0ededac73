# SPDX-License-Identifier: Apache-2.0
"""Tests of problems, plans and certificates as texts and files."""

import os
import pathlib
import pickle

import pytest

import stowage
from support import ROOT

RECORDS = [(64, 0, 1), (32, 1, 2), (64, 2, 3)]
TRACES = sorted((ROOT / "data/traces").glob("*.csv"))[:6]


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_traces(path):
    problem = stowage.read(path)
    plan = problem.plan()
    assert problem.verify(plan) is None
    assert len(problem.names) == len(problem)
    assert pickle.loads(pickle.dumps(problem)) == problem
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert stowage.read(str(path)) == problem


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_plans_go_into_files_and_come_back(tmp_path, suffix):
    path = tmp_path / ("plan" + suffix)
    plan = stowage.plan(RECORDS, alignment=32, names=["a", "b,\"", "c"])
    if suffix == ".json" and not has_json():
        pytest.skip("built without JSON")
    plan.save(path)
    again = stowage.read_plan(path)
    assert again.offsets == plan.offsets
    assert again.problem == plan.problem
    assert stowage.read(path) == plan.problem
    plan.problem.save(path)
    with pytest.raises(stowage.Error):
        stowage.read_plan(path)


def has_json():
    try:
        stowage.Problem([]).to_text("json")
    except stowage.Unsupported:
        return False
    return True


def test_the_column_says_whether_an_end_is_inclusive(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text("id,lower,upper,size\na,0,2,64\n")
    assert stowage.read(path).rows() == [(64, 0, 1)]
    path.write_text("id,start,end,size\na,0,2,64\n")
    assert stowage.read(path).rows() == [(64, 0, 2)]


@pytest.mark.parametrize("name", [b"plan.csv", b"\xff\xfe.csv",
                                  "\u540d.csv".encode()], ids=repr)
def test_paths_are_texts_or_bytes(tmp_path, name):
    folder = os.fsencode(tmp_path)
    plan = stowage.plan(RECORDS)
    plan.save(os.path.join(folder, name))
    assert os.listdir(folder) == [name]
    for path in (os.path.join(folder, name), tmp_path / os.fsdecode(name)):
        assert stowage.read_plan(path).offsets == plan.offsets
        assert pickle.loads(pickle.dumps(stowage.read(path))).rows() == RECORDS
    (tmp_path / os.fsdecode(name)).write_text("id,lower,upper,size\na,0,2,x\n")
    with pytest.raises(stowage.Error, match=".csv:2"):
        stowage.read(os.path.join(folder, name))
    with pytest.raises(stowage.Error):
        plan.save(os.path.join(folder, b"no", name))


@pytest.mark.parametrize("path", ["\ud800.csv", "a\0.csv", b"a\0.csv"],
                         ids=ascii)
def test_what_is_no_path_is_refused(path):
    for call in (stowage.read, stowage.read_plan, stowage.plan(RECORDS).save):
        with pytest.raises(ValueError):
            call(path)


@pytest.mark.parametrize("path", [3, None, 1.5], ids=repr)
def test_other_paths_are_type_errors(path):
    for call in (stowage.read, stowage.read_plan, stowage.plan(RECORDS).save):
        with pytest.raises(TypeError):
            call(path)


def test_shared_objects(tmp_path):
    path = tmp_path / "plan.csv"
    plan = stowage.plan(RECORDS, kind="objects")
    plan.save(path)
    assert stowage.read_plan(path, "objects").objects == plan.objects
    assert stowage.read(path, "objects").kind is stowage.Kind.OBJECTS


@pytest.mark.parametrize("kind", ["pages", None, 1, []], ids=repr)
def test_other_kinds_are_refused(tmp_path, kind):
    path = tmp_path / "plan.csv"
    stowage.plan(RECORDS).save(path)
    for call in (stowage.read, stowage.read_plan):
        with pytest.raises(stowage.Error, match="^kind: .*; expected 'offs"):
            call(path, kind=kind)


def test_unsafe_plans_in_files_are_refused(tmp_path):
    path = tmp_path / "plan.csv"
    path.write_text("id,lower,upper,size,offset\na,0,2,64,0\nb,1,3,64,32\n")
    with pytest.raises(stowage.Unsafe) as caught:
        stowage.read_plan(path)
    assert caught.value.violation.records == (0, 1)


def test_bad_files(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("id,lower,upper,size\na,0,2,x\n")
    with pytest.raises(stowage.Error, match="bad.csv:2"):
        stowage.read(path)
    with pytest.raises(FileNotFoundError):
        stowage.read(tmp_path / "none.csv")
    with pytest.raises(IsADirectoryError):
        stowage.read(tmp_path)
    with pytest.raises(stowage.Error):
        stowage.Problem(RECORDS).save(tmp_path / "no" / "such.csv")
    with pytest.raises(stowage.Unsupported):
        stowage.Problem(RECORDS, capacity=96).save(tmp_path / "p.csv")
    with pytest.raises(stowage.Error):
        stowage.Problem(RECORDS).to_text("yaml")
    assert not pathlib.Path(tmp_path / "p.csv").exists()


def test_texts():
    problem = stowage.Problem(RECORDS, names=["a", "b", "c"])
    lines = problem.to_text(plan=problem.plan()).splitlines()
    assert lines[:2] == ["id,lower,upper,size,offset", "a,0,2,64,0"]


@pytest.mark.parametrize("name", [
    "a\nb", "a\rb", "a\r\nb", "\u2028", "\x85", "\x0b\x0c\x1c", 'a,"b'],
    ids=ascii)
@pytest.mark.parametrize("formats", [("csv", "json"), ("csv",)], ids=str)
def test_names_of_files_have_any_characters(tmp_path, monkeypatch, name,
                                            formats):
    path = tmp_path / "trace.csv"
    stowage.Problem(RECORDS, names=["x", name, "y"]).save(path)
    write = stowage.Problem.to_text

    def to_text(problem, format):
        if format not in formats:
            raise stowage.Unsupported("built without " + format)
        return write(problem, format)
    monkeypatch.setattr(stowage.Problem, "to_text", to_text)
    assert stowage.read(path).names == ("x", name, "y")


def test_certificates():
    plan = stowage.plan(RECORDS)
    try:
        certificate = plan.certificate()
    except stowage.Unsupported:
        pytest.skip("built without certificates")
    verdict = plan.problem.check_certificate(certificate)
    assert verdict.checked > 0 and verdict.not_checked == 0
    assert verdict.text.count("\n") == verdict.checked + verdict.proved
    with pytest.raises(stowage.Error):
        plan.problem.check_certificate(b"{}")
    with pytest.raises(stowage.Error):
        stowage.Problem([(1, 0, 0)]).check_certificate(certificate)
