#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the library, or a part of it, as one header and one source file.

Programs can compile these two files instead of building the project:

  amalgamate.py LEVEL OUT    writes OUT/stowage.h and OUT/stowage.cc

LEVEL selects the parts of the library:

  verify     the records, the bounds and the verifier
  greedy     also the planner with greedy_by_size, without constraints
  skyline    also the planner with skyline, without constraints
  all        also constraints and all strategies of the core
  c          also the C interface and files; writes OUT/stowage_c.cc and
             OUT/in_place.c as well
  c_testing  also the kit for testing planners

A level lists the headers that its users include. All other files follow from
these headers. A header requires the headers that it includes, and the source
file of the same name. A source file without a header of the same name
continues another source file. It is added once all headers that it includes
have been added.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ["base", "model", "verify", "bounds", "construct", "plan"]
# The rooms of the C interface, and the only file in them that is C.
C_ROOMS = ["io", "dynamic", "proof", "c"]
IN_PLACE = "src/c/place_records.c"
# The files that need this header are replaced by NO_JSON if the header is not
# available.
JSON_HEADER = "<nlohmann/json.hpp>"
JSON = {"src/json/document.h", "src/io/parse_json.cc", "src/io/format_json.cc",
        "src/io/line_json.cc", "src/io/line_json_reader.cc",
        "src/dynamic/dynamic_certificate.cc", "src/dynamic/dynamic_file.cc",
        "src/dynamic/error_line.cc", "src/dynamic/parse_dynamic.cc"}
NO_JSON = "src/install/no_json.cc.in"
# Maps a room to the folder of its public headers if the names differ.
PUBLIC_FOLDERS = {"kit": "testing", "c_testing": "c"}
# Maps a source file to the header that declares its functions, if this header
# does not have the name of the source file.
DECLARED_IN = {
    "src/bounds/group_bound.cc": "src/bounds/cliques.h",
    "src/kit/hard_families.cc": "src/kit/family_row.h",
    "src/verify/violation_details.cc": "include/stowage/verify.h",
}
INCLUDE = re.compile(r'^#include "([^"]+)"(?: *//.*)?$', re.MULTILINE)
CHOICE = re.compile(r"#if (!?)STOWAGE_WITH_ABSEIL$")
PLANNER = ["stowage/planner.h", "stowage/registry.h", "stowage/lower_bound.h",
           "stowage/verify.h"]


def all_strategies():
    return sorted(
        folder.name for folder in (ROOT / "strategies").iterdir()
        if folder.is_dir() and not (folder / "CMakeLists.txt").exists())


LEVELS = {
    "verify": {
        "headers": ["stowage/usage_record.h", "stowage/assignment.h",
                    "stowage/profile.h", "stowage/verify.h"],
        "strategies": None,
        "constraints": False,
    },
    "greedy": {
        "headers": PLANNER,
        "strategies": ["greedy_by_size"],
        "constraints": False,
    },
    "skyline": {
        "headers": PLANNER,
        "strategies": ["skyline"],
        "constraints": False,
    },
    "all": {
        "headers": ["stowage/stowage.h"],
        "strategies": all_strategies(),
        "constraints": True,
    },
    "c": {
        "headers": ["stowage/stowage.h", "stowage/c/stowage.h",
                    "src/c/place_records.h"],
        "strategies": all_strategies(),
        "constraints": True,
        "rooms": C_ROOMS,
    },
}
LEVELS["c_testing"] = {
    **LEVELS["c"],
    "headers": [*LEVELS["c"]["headers"], "stowage/c/testing.h"],
    "rooms": [*C_ROOMS, "kit", "c_testing"],
}


def sources_of_constraints():
    """Returns the sources that the rooms list as CONSTRAINTS in CMake."""
    paths = set()
    for room in ROOMS:
        text = (ROOT / "src" / room / "CMakeLists.txt").read_text()
        for names in re.findall(r"CONSTRAINTS\s+([a-z0-9_\s]+)\)", text):
            paths.update(f"src/{room}/{name}.cc" for name in names.split())
    return paths


def without_abseil(text):
    """Returns the lines of a file that a build without Abseil compiles."""
    text = text.replace('#include "stowage/base/config.h"\n', "")
    lines, open_conditions = [], []
    for line in text.splitlines(keepends=True):
        choice = CHOICE.match(line)
        if choice:
            open_conditions.append(choice[1] == "!")
            continue
        if line.startswith("#if"):
            open_conditions.append(None)
        elif open_conditions and open_conditions[-1] is not None:
            if line.startswith("#else"):
                open_conditions[-1] = not open_conditions[-1]
                continue
            if line.startswith("#endif"):
                open_conditions.pop()
                continue
        elif line.startswith("#endif"):
            open_conditions.pop()
        if False not in open_conditions:
            lines.append(line)
    return "".join(lines)


def read(path):
    if path == "include/stowage/version.h":
        version = re.search(r"VERSION (\d+)\.(\d+)\.(\d+)",
                            (ROOT / "CMakeLists.txt").read_text()
                            .split("project(", 1)[1])
        text = (ROOT / "src/model/version.h.in").read_text()
        values = dict(zip(("MAJOR", "MINOR", "PATCH"), version.groups()))
        values[""] = ".".join(version.groups())
        return re.sub(r"@PROJECT_VERSION_?(\w*)@",
                      lambda match: values[match[1]], text)
    return without_abseil((ROOT / path).read_text())


def path_of(include):
    """Returns the path of a header of the project, or None for others."""
    if include == "stowage/version.h":
        return "include/stowage/version.h"
    for path in (f"include/{include}", include, f"strategies/{include}"):
        if (ROOT / path).is_file():
            return path
    return None


def headers_in(text):
    return [path for path in map(path_of, INCLUDE.findall(text)) if path]


def header_named_as(source):
    """Returns the header with the same name as a source file, or None."""
    path = pathlib.PurePath(source)
    folder = PUBLIC_FOLDERS.get(path.parent.name, path.parent.name)
    for path in (str(path.with_suffix(".h")), f"include/stowage/{path.stem}.h",
                 f"include/stowage/{folder}/{path.stem}.h"):
        if (ROOT / path).is_file():
            return path
    return None


def candidates(level):
    """Returns the source files that a level may contain."""
    found = [f"src/{room}/{path.name}"
             for room in ROOMS + level.get("rooms", [])
             for path in sorted((ROOT / "src" / room).glob("*.cc"))]
    for path in sorted((ROOT / "strategies").rglob("*.cc")):
        name = path.relative_to(ROOT / "strategies").parts[0]
        if (ROOT / "strategies" / name / "CMakeLists.txt").exists():
            continue
        found.append(str(path.relative_to(ROOT)))
    if level["constraints"]:
        found.remove("src/model/no_constraints.cc")
        return found
    without = sources_of_constraints()
    return [path for path in found
            if path not in without and "/constrained/" not in path]


def generated(level):
    """Returns the sources that the build generates from templates."""
    names = level["strategies"]
    if names is None:
        return {}
    separate = [folder.name for folder in (ROOT / "strategies").iterdir()
                if (folder / "CMakeLists.txt").exists()]
    constrained = [name for name in names if
                   (ROOT / f"strategies/{name}/constrained").is_dir()]
    values = {
        "includes": "".join(f'#include "{n}/{n}.h"\n' for n in names),
        "creations": "".join(
            f"  strategies.push_back({n}::Create());\n" for n in names),
        "library_names": "".join(f'"{n}", ' for n in sorted(separate)),
        "constrained_includes": "".join(
            f'#include "{n}/constrained/{n}_constrained.h"\n'
            for n in constrained),
        "constrained_strategies": "".join(
            f'    {{"{n}", &{n}::SolveConstrained}},\n' for n in constrained),
    }
    templates = ["src/plan/builtin_strategies.cc.in"]
    if level["constraints"]:
        templates.append("src/plan/constraint_table.cc.in")
    return {path: re.sub(r"@(\w+)@", lambda match: values[match[1]],
                         read(path)) for path in templates}


class Closure:
    """The headers and the source files of a level.

    Each header follows the headers that it includes.
    """

    def __init__(self, level):
        self.public = []
        self.internal = []
        self.sources = {}
        for include in level["headers"]:
            self.add_header(path_of(include))
        for path, text in generated(level).items():
            self.add_source(path, text)
        self.waiting = candidates(level)
        # Add all sources of the rooms of the C interface at once, because they
        # do not follow from headers.
        for path in list(self.waiting):
            if path.split("/")[1] in level.get("rooms", []):
                self.waiting.remove(path)
                self.add_source(path, read(path))
        while self.add_next():
            pass
        if JSON & set(self.sources):
            self.add_source(NO_JSON, read(NO_JSON))

    def add_header(self, path):
        into = self.public if path.startswith("include/") else self.internal
        if path in into:
            return
        for other in headers_in(read(path)):
            self.add_header(other)
        into.append(path)

    def add_source(self, path, text):
        self.sources[path] = text
        for header in headers_in(text):
            self.add_header(header)

    def source_of(self, sources):
        """Joins several sources, preceded by the headers they include."""
        seen = set()
        waiting = list(sources.values())
        while waiting:
            for header in headers_in(waiting.pop()):
                if header not in seen:
                    seen.add(header)
                    waiting.append(read(header))
        return ('#include "stowage.h"\n\n' +
                "".join(joined(path, read(path)) for path in self.internal
                        if path in seen) +
                "".join(joined(path, text)
                        for path, text in sorted(sources.items())))

    def add_next(self):
        """Adds the next source that the present headers require, if any."""
        headers = set(self.public) | set(self.internal)
        for path in self.waiting:
            own = DECLARED_IN.get(path) or header_named_as(path)
            text = read(path)
            needed = [own] if own else headers_in(text)
            if headers.issuperset(needed):
                self.waiting.remove(path)
                self.add_source(path, text)
                return True
        return False


def joined(path, text):
    """Returns a file without its SPDX line and its includes of our headers."""
    text = re.sub(r"^// SPDX[^\n]*\n", "", text)
    text = INCLUDE.sub(
        lambda match: "" if path_of(match[1]) else match[0], text)
    text = re.sub(r"\n{3,}", "\n\n", text)
    text = text.strip()
    needs_json = path in JSON or path.startswith("src/proof/")
    if needs_json or path == NO_JSON:
        condition = "" if needs_json else "!"
        text = f"#if {condition}__has_include({JSON_HEADER})\n{text}\n#endif"
    return f"// ==== {path} ====\n{text}\n\n"


def joined_c():
    """Returns the C source, preceded by the headers that it includes."""
    headers = []

    def add(path):
        for other in headers_in(read(path)):
            if other not in headers:
                add(other)
                headers.append(other)

    add(IN_PLACE)
    return "".join(joined(path, read(path)) for path in headers + [IN_PLACE])


def commit():
    git = subprocess.run(["git", "-C", str(ROOT), "describe", "--always",
                          "--dirty", "--abbrev=40", "--exclude=*"],
                         capture_output=True, text=True, check=False)
    return git.stdout.strip() or "unknown commit"


def banner(name):
    return (
        "// SPDX-License-Identifier: Apache-2.0\n"
        "// Licensed under the Apache License, Version 2.0:\n"
        "// http://www.apache.org/licenses/LICENSE-2.0\n//\n"
        f"// Stowage, safe memory plans for tensors: all of `{name}`, written "
        "by\n"
        f"// ./dev amalgamate {name} from {commit()}.\n"
        "// Change the sources of the project, not this file.\n")


def write(level, out):
    """Writes the files of a level to a folder. Returns a summary as text."""
    closure = Closure(LEVELS[level])
    top = banner(level)
    header = (f"{top}#ifndef STOWAGE_AMALGAMATION_H_\n"
              "#define STOWAGE_AMALGAMATION_H_\n\n" +
              "".join(joined(path, read(path)) for path in closure.public) +
              "#endif  // STOWAGE_AMALGAMATION_H_\n")
    rooms = [*LEVELS[level].get("rooms", []), "install"]
    beside = {path: text for path, text in closure.sources.items()
              if path.split("/")[1] in rooms}
    source = top + closure.source_of(
        {path: text for path, text in closure.sources.items()
         if path not in beside})
    out.mkdir(parents=True, exist_ok=True)
    (out / "stowage.h").write_text(header)
    (out / "stowage.cc").write_text(source)
    if beside:
        (out / "stowage_c.cc").write_text(top + closure.source_of(beside))
        (out / "in_place.c").write_text(top + joined_c())
    return (f"{out}/stowage.h {header.count(chr(10))} lines of "
            f"{len(closure.public)} headers, stowage.cc "
            f"{source.count(chr(10))} lines of {len(closure.internal)} headers "
            f"and {len(closure.sources)} sources")


def main():
    parser = argparse.ArgumentParser(
        description="Writes OUT/stowage.h and OUT/stowage.cc.")
    parser.add_argument("level", choices=LEVELS)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    print(write(arguments.level, arguments.out))


if __name__ == "__main__":
    sys.exit(main())
