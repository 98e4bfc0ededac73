#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the package: pip install ./src/python.

The library is compiled from its amalgamation. A source distribution contains
the amalgamation; elsewhere, this script generates it from the sources of the
project. The build therefore needs only a compiler for C99 and C++17.
"""

import importlib.util
import pathlib
import re
import shutil
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
SHIPPED = HERE / "amalgamation"  # exists only in a source distribution
AMALGAMATE = HERE.parent / "install" / "amalgamate.py"
BUILD = HERE / "build"


def write_amalgamation(folder):
    """Write the library and the headers of its C interface to a folder."""
    if SHIPPED.is_dir():
        shutil.copytree(SHIPPED, folder, dirs_exist_ok=True)
        return
    spec = importlib.util.spec_from_file_location("amalgamate", AMALGAMATE)
    amalgamate = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(amalgamate)
    amalgamate.write("c_testing", folder)
    headers = HERE.parents[1] / "include" / "stowage" / "c"
    shutil.copytree(headers, folder / "include" / "stowage" / "c",
                    dirs_exist_ok=True)
    native = folder / "include" / "src" / "python" / "native"
    native.mkdir(parents=True, exist_ok=True)
    for header in (HERE / "native").glob("*.h"):
        shutil.copy(header, native)


def version():
    """Return the version of the library."""
    if SHIPPED.is_dir():
        text = (SHIPPED / "stowage.h").read_text()
        return re.search(r'define STOWAGE_VERSION_STRING "([^"]+)"', text)[1]
    text = (HERE.parents[1] / "CMakeLists.txt").read_text()
    return re.search(r"VERSION (\d+\.\d+\.\d+)",
                     text.split("project(", 1)[1])[1]


class BuildLibraryAndExtension(build_ext):
    """Compiles the library as C++, and the extension as C."""

    def build_extension(self, ext):
        """Build the extension, and link the library into it."""
        folder = pathlib.Path(self.build_temp) / "amalgamation"
        write_amalgamation(folder)
        ext.include_dirs.append(str(folder / "include"))
        common = ["-g0", "-fvisibility=hidden", "-pthread"]
        ext.extra_objects = self.compiler.compile(
            [str(folder / "stowage.cc"), str(folder / "stowage_c.cc")],
            output_dir=self.build_temp,
            extra_postargs=["-std=c++17", *common])
        ext.extra_objects += self.compiler.compile(
            [str(folder / "in_place.c")], output_dir=self.build_temp,
            extra_postargs=["-std=c99", *common])
        ext.extra_compile_args = ["-std=c99", *common]
        ext.extra_link_args = ["-pthread"]
        if sys.platform.startswith("linux"):
            ext.extra_link_args += [
                "-Wl,--strip-all",
                f"-Wl,--version-script={HERE / 'native' / 'exports.map'}"]
        super().build_extension(ext)


class SourcesWithLibrary(sdist):
    """Adds the amalgamation to the source distribution."""

    def make_release_tree(self, base_dir, files):
        """Write the files of the distribution, and the library."""
        super().make_release_tree(base_dir, files)
        write_amalgamation(pathlib.Path(base_dir) / "amalgamation")


BUILD.mkdir(exist_ok=True)
setup(
    version=version(),
    cmdclass={"build_ext": BuildLibraryAndExtension,
              "sdist": SourcesWithLibrary},
    ext_modules=[Extension(
        "stowage._native", language="c++", py_limited_api=True,
        define_macros=[("Py_LIMITED_API", "0x030B0000")],
        sources=sorted(str(path.relative_to(HERE))
                       for path in (HERE / "native").glob("*.c")))])
