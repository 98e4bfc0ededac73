// SPDX-License-Identifier: Apache-2.0
// Reads from docs/hacking.md which room of the house may include which other
// room, and checks single includes.
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
  std::set<std::string> libraries;  // beginnings of their includes
};

// The rooms by name. "strategies/*" stands for every strategy that has no row,
// and "delegates/*" for every delegate.
using Rooms = std::map<std::string, Room>;

// Reads the table under the heading "The rooms" of a document. Ends the test
// program if there is none.
Rooms ParseRooms(absl::string_view document);

// Returns what is wrong with the table itself, a line for each mistake: a row
// that uses no room, or a room that is not below it. Empty if nothing is wrong.
std::vector<std::string> TableOffences(const Rooms& rooms);

// Returns the includes of a source as written: "stowage/verify.h", <vector>.
std::vector<std::string> IncludesOf(absl::string_view content);

// Returns the room of a file: "verify", "strategies/naive", ...; "outside" for
// tests and the like, which may include everything; empty if the file belongs
// to no room.
std::string RoomOf(const Rooms& rooms, absl::string_view path);

// Returns the file of the project that an include names; empty for libraries.
std::string ProjectFileOf(const Rooms& rooms, absl::string_view include);

// Returns what is wrong if `path` includes `include`; empty if nothing is.
std::string IncludeOffence(const Rooms& rooms, absl::string_view path,
                           absl::string_view include);

}  // namespace stowage::house

#endif  // STOWAGE_TESTS_HOUSE_INCLUDE_TABLE_H_
