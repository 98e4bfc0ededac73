# SPDX-License-Identifier: Apache-2.0
"""Tests of data frames and plots that need neither pandas nor Matplotlib.

Both are replaced by small modules with the functions that the package calls.
test_plan.py and test_input.py use the real modules if they are installed.
"""

import sys
import types

import pytest

import stowage

RECORDS = [(4096, 0, 2), (1024, 2, 4), (4096, 3, 4)]


class Column(list):
    """A column of a data frame."""

    def to_numpy(self):
        return self


class Frame:
    """A data frame, which maps names to columns."""

    def __init__(self, columns):
        assert len({len(column) for column in columns.values()}) == 1
        self.columns = list(columns)
        self._values = columns

    def __getitem__(self, name):
        return self._values[name]


class Axes:
    """Axes that record the calls that draw into them."""

    def __init__(self):
        self.bars = []
        self.labels = []

    def broken_barh(self, xranges, yrange, *, facecolors, edgecolors,
                    linewidth):
        self.bars.append((*xranges, yrange))

    def set_xlabel(self, text):
        self.labels.append(text)

    set_ylabel = set_title = set_xlabel


@pytest.fixture
def pandas(monkeypatch):
    module = types.ModuleType("pandas")
    module.DataFrame = Frame

    def array(values, dtype):
        assert dtype == "uint64" and all(type(v) is int for v in values)
        return Column(values)
    module.array = array
    monkeypatch.setitem(sys.modules, "pandas", module)


@pytest.fixture
def new_axes(monkeypatch):
    made = []
    pyplot = types.ModuleType("matplotlib.pyplot")

    def subplots():
        made.append(Axes())
        return object(), made[-1]
    pyplot.subplots = subplots
    module = types.ModuleType("matplotlib")
    module.pyplot = pyplot
    monkeypatch.setitem(sys.modules, "matplotlib", module)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    return made


@pytest.mark.parametrize("options, places", [
    ({}, {"offset": [0, 4096, 0]}),
    ({"kind": "objects"}, {"object": [0, 1, 0]}),
    ({"pools": {"a": 8192}}, {"offset": [0, 4096, 0], "pool": [0, 0, 0]}),
], ids=str)
def test_frames(pandas, options, places):
    frame = stowage.plan(RECORDS, names=["a", "b", "c"], **options).to_frame()
    assert frame.columns == ["name", "size", "first_task", "last_task",
                             *places]
    assert frame["name"] == ["a", "b", "c"]
    for name, values in places.items():
        assert frame[name] == values
    # The output can be used as input.
    assert stowage.Problem(frame).rows() == RECORDS


def test_columns_of_frames_say_what_they_have():
    frame = Frame({"size": Column([64]), "lower": Column([0]),
                   "upper": Column([2])})
    assert stowage.Problem(frame).rows() == [(64, 0, 1)]
    with pytest.raises(stowage.Error, match="exactly one of last_task"):
        stowage.Problem(Frame({"size": Column([64]), "lower": Column([0])}))


def test_plots(new_axes):
    plan = stowage.plan(RECORDS)
    axes = plan.plot()
    assert new_axes == [axes]
    # (first task, tasks), (lowest byte, bytes)
    assert axes.bars == [((0, 3), (0, 4096)), ((2, 3), (4096, 1024)),
                         ((3, 2), (0, 4096))]
    assert axes.labels == ["task", "bytes", repr(plan)[1:-1]]
    given = Axes()
    assert plan.plot(given) is given and given.bars == axes.bars
    assert len(new_axes) == 1


def test_plots_need_lifetimes_in_a_row(new_axes):
    plan = stowage.plan(RECORDS, free_order=[(0, 1)], users=[[0], [1], [2]])
    with pytest.raises(stowage.Error, match="plot"):
        plan.plot()
    assert not new_axes


def test_without_a_plan_nothing_is_drawn(pandas, new_axes):
    plan = stowage.plan([(64, 0, 0)], capacity=1)
    for call in (plan.to_frame, plan.plot):
        with pytest.raises(stowage.Infeasible):
            call()
    assert not new_axes
