// SPDX-License-Identifier: Apache-2.0
// Reads the table of rooms in docs/hacking.md, and checks includes against it.
// A room is a folder of sources with its own target. For each room, the table
// lists the rooms that it may include.
#ifndef STOWAGE_TESTS_HOUSE_INCLUDE_TABLE_H_
#define STOWAGE_TESTS_HOUSE_INCLUDE_TABLE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stowage::house {

// Holds a row of the table, which describes one room.
struct Room {
  int floor = 0;
  // The headers of the room that are directly in include/stowage, such as
  // "verify", or in the folder of another room, such as "testing/families". All
  // other public headers of the room are in the folder with the room's name.
  std::set<std::string> headers;
  std::set<std::string> uses;  // the rooms that this one may include
  // If true, the room may include only the public headers of the rooms in
  // `uses`.
  bool uses_public_headers = false;
  std::set<std::string> libraries;  // first parts of their include paths
};

// Maps the name of each room to its row. The row "strategies/*" applies to all
// strategies without their own row, and "delegates/*" applies to all delegates.
using Rooms = std::map<std::string, Room>;

// Returns the table under the heading "The rooms" of a document. Aborts if
// there is no such heading.
Rooms ParseRooms(absl::string_view document);

// Returns the mistakes in the table itself, one line for each. A row is wrong
// if it uses a name that is not a room, or a room that is not below its own
// room. As an exception, strategies may also be used by rooms on the same
// floor.
std::vector<std::string> TableOffences(const Rooms& rooms);

// Returns whether a room can also be built without Abseil. These are the rooms
// up to the floor of `plan`, and `io`, `kit`, `proof`, `c` and `c_testing`.
// Among them, only `base` may use names of Abseil.
bool IsCore(const Rooms& rooms, const std::string& room);

// Returns the includes of a source exactly as written, such as
// "stowage/verify.h" (with its quotes) and <vector>.
std::vector<std::string> IncludesOf(absl::string_view content);

// Returns the room of a file, such as "verify" or "strategies/naive". Returns
// "outside" for files that may include everything, such as tests, and "" for
// files in no room.
std::string RoomOf(const Rooms& rooms, absl::string_view path);

// Returns the file of the project that `include` names, or "" if `include`
// names a header of a library.
std::string ProjectFileOf(const Rooms& rooms, absl::string_view include);

// Returns an error message if `path` must not include `include`, or "" if the
// include is allowed. Public headers may include only public headers.
std::string IncludeOffence(const Rooms& rooms, absl::string_view path,
                           absl::string_view include);

}  // namespace stowage::house

#endif  // STOWAGE_TESTS_HOUSE_INCLUDE_TABLE_H_
