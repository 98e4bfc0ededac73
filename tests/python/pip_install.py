#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the package with pip, without a network, and tests the result.

  pip_install.py SOURCE WORK    SOURCE is the tree, WORK a folder to fill

A source distribution is made from the tree, and a wheel is made from the
distribution alone. The wheel is installed in a new environment, in which most
tests of the package run.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

PIP = ["--no-index", "--disable-pip-version-check", "--no-cache-dir"]


def run(*command, **options):
    print("+", *map(str, command), flush=True)
    subprocess.run([str(word) for word in command], check=True, **options)


def main():
    source, work = map(pathlib.Path, sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    os.environ.pop("PYTHONPATH", None)
    # Both shorten the build. GCC collects its garbage less often.
    os.environ["CFLAGS"] = ("-O0 --param=ggc-min-expand=400 "
                            "--param=ggc-min-heapsize=524288")
    package = source / "src" / "python"
    run(sys.executable, "-c",
        "import sys, setuptools.build_meta as b; b.build_sdist(sys.argv[1])",
        work, cwd=package)
    distribution, = work.glob("stowage-*.tar.gz")
    run(sys.executable, "-m", "venv", "--system-site-packages", work / "venv")
    python = work / "venv" / "bin" / "python"
    # pip unpacks the distribution in another folder, without the rest of the
    # tree.
    run(python, "-m", "pip", "wheel", *PIP, "--no-build-isolation",
        "--no-deps", "--wheel-dir", work, distribution)
    wheel, = work.glob("*.whl")
    assert "-cp311-abi3-" in wheel.name, wheel
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("_native.abi3.so", "_native.pyi", "py.typed", "__init__.py"):
        assert f"stowage/{name}" in names, names
    run(python, "-m", "pip", "install", *PIP, wheel)
    extension = next((work / "venv").rglob("_native.abi3.so"))
    print(f"{wheel.stat().st_size} bytes of wheel, "
          f"{extension.stat().st_size} bytes of extension")
    tests = source / "tests" / "python"
    # The two files that are left out test planners and interruptions for a long
    # time, and the other files call the same functions of the package.
    run(python, "-B", "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider",
        "--ignore=test_threads_and_signals.py", "--ignore=test_testing.py",
        tests, cwd=tests)


if __name__ == "__main__":
    main()
