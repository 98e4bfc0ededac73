// SPDX-License-Identifier: Apache-2.0
#include "tests/house/include_table.h"

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace stowage::house {
namespace {

// Returns the words in backquotes in a cell of the table.
std::vector<std::string> QuotedIn(absl::string_view cell) {
  std::vector<std::string> quoted;
  const std::vector<absl::string_view> pieces = absl::StrSplit(cell, '`');
  for (size_t i = 1; i < pieces.size(); i += 2) quoted.emplace_back(pieces[i]);
  return quoted;
}

std::set<std::string> SetIn(absl::string_view cell) {
  const std::vector<std::string> quoted = QuotedIn(cell);
  return {quoted.begin(), quoted.end()};
}

bool IsOutside(absl::string_view path) {
  const std::vector<absl::string_view> folders = {"tests/", "fuzz/", "bench/",
                                                  "data/", "docs/"};
  return absl::c_any_of(folders, [&](absl::string_view folder) {
    return absl::StartsWith(path, folder);
  });
}

bool IsTestLibrary(absl::string_view name) {
  return name == "gtest" || name == "gmock" || name == "benchmark";
}

// Returns the name of the row that describes `room`, or "" if there is none.
std::string RowOf(const Rooms& rooms, const std::string& room) {
  if (rooms.count(room) > 0) return room;
  const std::string any = absl::StrCat(room.substr(0, room.find('/')), "/*");
  return rooms.count(any) > 0 ? any : "";
}

// Returns an error message if a file of `room` must not include this header of
// another project, or "" if the include is allowed. If a library is restricted
// to some rooms, the rows of those rooms name it. All rooms may use the
// standard library and the headers of the system. `base` and all rooms outside
// the core may use Abseil.
std::string LibraryOffence(const Rooms& rooms, absl::string_view path,
                           const std::string& room, absl::string_view include) {
  const std::string name(include.substr(1, include.size() - 2));
  std::string library = name.substr(0, name.find('/'));
  if (absl::EndsWith(library, ".h")) library.resize(library.size() - 2);
  if (room == "outside") return "";
  if (library == "absl") {
    if (room == "base" || !IsCore(rooms, room)) return "";
    return absl::StrCat(path, ": ", include, "; expected a header of base");
  }
  bool is_known = IsTestLibrary(library);
  for (const auto& [other, row] : rooms) {
    if (row.libraries.count(library) == 0) continue;
    if (other == RowOf(rooms, room)) return "";
    is_known = true;
  }
  if (is_known) return absl::StrCat(path, ": ", library, " is not for ", room);
  if (absl::StartsWith(include, "<")) return "";
  return absl::StrCat(path, ": ", include, " is no path from a root");
}

}  // namespace

bool IsCore(const Rooms& rooms, const std::string& room) {
  constexpr int kPlanFloor = 6;
  const auto row = rooms.find(RowOf(rooms, room));
  if (row == rooms.end()) return false;
  return row->second.floor <= kPlanFloor || room == "io" || room == "kit" ||
         room == "proof" || room == "c" || room == "c_testing";
}

Rooms ParseRooms(absl::string_view document) {
  Rooms rooms;
  const size_t heading = document.find("\n## The rooms\n");
  if (heading == absl::string_view::npos) {
    std::cerr << "no heading 'The rooms'\n";
    std::abort();
  }
  document.remove_prefix(heading + 1);
  document = document.substr(0, document.find("\n## ", 1));
  for (const absl::string_view line : absl::StrSplit(document, '\n')) {
    const std::vector<absl::string_view> cells = absl::StrSplit(line, '|');
    int floor = 0;
    if (cells.size() != 8 || !absl::SimpleAtoi(cells[1], &floor)) continue;
    Room room;
    room.floor = floor;
    room.headers = SetIn(cells[4]);
    room.uses = SetIn(cells[5]);
    room.uses_public_headers =
        absl::StartsWith(cells[5], " public headers of `");
    room.libraries = SetIn(cells[6]);
    for (const std::string& name : QuotedIn(cells[2])) rooms[name] = room;
  }
  return rooms;
}

std::vector<std::string> TableOffences(const Rooms& rooms) {
  std::vector<std::string> offences;
  for (const auto& [name, room] : rooms) {
    for (const std::string& used : room.uses) {
      const auto other = rooms.find(RowOf(rooms, used));
      const bool is_strategy = absl::StartsWith(used, "strategies/");
      if (other == rooms.end()) {
        offences.push_back(absl::StrCat(name, " uses ", used, ", no room"));
      } else if (other->second.floor > room.floor ||
                 (other->second.floor == room.floor && !is_strategy)) {
        offences.push_back(absl::StrCat(name, " uses ", used, ", not below"));
      }
    }
  }
  return offences;
}

std::vector<std::string> IncludesOf(absl::string_view content) {
  std::vector<std::string> includes;
  for (absl::string_view line : absl::StrSplit(content, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "#")) continue;
    line = absl::StripLeadingAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "include")) continue;
    line = absl::StripLeadingAsciiWhitespace(line);
    const size_t end = line.find_first_of("\">", 1);
    if (end != absl::string_view::npos) {
      includes.emplace_back(line.substr(0, end + 1));
    }
  }
  return includes;
}

std::string RoomOf(const Rooms& rooms, absl::string_view path) {
  if (IsOutside(path)) return "outside";
  const std::vector<std::string> steps = absl::StrSplit(path, '/');
  if (absl::StartsWith(path, "include/stowage/")) {
    const absl::string_view header = path.substr(strlen("include/stowage/"));
    const std::string stem(header.substr(0, header.find('.')));
    for (const auto& [name, room] : rooms) {
      if (room.headers.count(stem) > 0) return name;
    }
    return steps.size() > 3 && rooms.count(steps[2]) > 0 ? steps[2] : "";
  }
  std::string room;
  if (steps[0] == "strategies" || absl::StartsWith(path, "src/delegates/")) {
    const size_t depth = steps[0] == "src" ? 2 : 1;
    if (steps.size() < depth + 2) return "";
    room = absl::StrCat(steps[depth - 1], "/", steps[depth]);
  } else if (steps[0] == "src" && steps.size() > 2) {
    room = steps[1];
  }
  return RowOf(rooms, room).empty() ? "" : room;
}

std::string ProjectFileOf(const Rooms& rooms, absl::string_view include) {
  if (!absl::ConsumePrefix(&include, "\"")) return "";
  absl::ConsumeSuffix(&include, "\"");
  if (absl::StartsWith(include, "stowage/")) {
    return absl::StrCat("include/", include);
  }
  if (absl::StartsWith(include, "src/") || IsOutside(include)) {
    return std::string(include);
  }
  // A strategy includes the header of another strategy as "naive/naive.h".
  const std::vector<std::string> steps = absl::StrSplit(include, '/');
  if (steps.size() < 2 || steps[0] == "absl" || IsTestLibrary(steps[0]) ||
      absl::c_any_of(rooms, [&](const auto& room) {
        return room.second.libraries.count(steps[0]) > 0;
      })) {
    return "";
  }
  return absl::StrCat("strategies/", include);
}

std::string IncludeOffence(const Rooms& rooms, absl::string_view path,
                           absl::string_view include) {
  const std::string room = RoomOf(rooms, path);
  if (room.empty()) return absl::StrCat(path, ": it belongs to no room");
  const std::string file = ProjectFileOf(rooms, include);
  if (file.empty()) return LibraryOffence(rooms, path, room, include);
  const std::string included = RoomOf(rooms, file);
  if (room == "outside") return "";
  const Room& row = rooms.at(RowOf(rooms, room));
  const bool is_installed = absl::StartsWith(path, "include/");
  const bool wants_public =
      is_installed || (row.uses_public_headers && room != included);
  const bool is_allowed = room == included || row.uses.count(included) > 0;
  if (is_allowed && (!wants_public || absl::StartsWith(file, "include/"))) {
    return "";
  }
  return absl::StrCat(path, ": ", room, " may not include ", include,
                      included.empty() ? "" : absl::StrCat(" of ", included));
}

}  // namespace stowage::house
