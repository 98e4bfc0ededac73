# SPDX-License-Identifier: Apache-2.0
import stowage.testing


def toy_plan(problem):
    """Place each tensor on top of those before it that are live with it."""
    offsets = []
    for record, alignment in zip(problem.rows(), problem.alignments):
        size, first, last = record
        top = 0
        for (other_size, other_first, other_last), offset in zip(
                problem.rows(), offsets):
            if other_first < last and first < other_last:
                top = max(top, offset + other_size)
        offsets.append(-(-top // alignment) * alignment)
    return offsets


if __name__ == "__main__":
    try:
        report = stowage.testing.check(toy_plan)
        print(f"no failure in {report.samples} problems")
    except stowage.testing.Violated as error:
        print(error)
        print(error.problem.rows(), toy_plan(error.problem))
