// SPDX-License-Identifier: Apache-2.0
// Which room of the house may include which: the table of docs/hacking.md, and
// the test for one include.
#ifndef STOWAGE_TESTS_HOUSE_INCLUDE_TABLE_H_
#define STOWAGE_TESTS_HOUSE_INCLUDE_TABLE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stowage::house {

// A row of the table.
struct Room {
  int floor = 0;
  // The headers at the top of include/stowage that belong to the room, without
  // ".h". All others are in a folder named after it.
  std::set<std::string> headers;
  std::set<std::string> uses;       // names of rooms
  std::set<std::string> libraries;  // how their includes begin
};

// The rooms by name. "strategies/*" stands for every strategy that has no row,
// and "delegates/*" for every delegate.
using Rooms = std::map<std::string, Room>;

// Reads the table under the heading "The rooms" of a document. Ends the test
// program if there is none.
Rooms ParseRooms(absl::string_view document);

// What is wrong with the table itself, a line for each: a row that uses no
// room, or one that is not below it; empty if nothing is.
std::vector<std::string> TableOffences(const Rooms& rooms);

// What a source includes, as written: "stowage/verify.h", <vector>.
std::vector<std::string> IncludesOf(absl::string_view content);

// The room of a file: "verify", "strategies/naive", ...; "outside" for tests
// and the like, which may include everything; empty for a file that belongs to
// no room.
std::string RoomOf(const Rooms& rooms, absl::string_view path);

// The file of the project that an include names, or nothing for libraries.
std::string ProjectFileOf(const Rooms& rooms, absl::string_view include);

// What is wrong with `path` including `include`; empty if nothing is.
std::string IncludeOffence(const Rooms& rooms, absl::string_view path,
                           absl::string_view include);

}  // namespace stowage::house

#endif  // STOWAGE_TESTS_HOUSE_INCLUDE_TABLE_H_
