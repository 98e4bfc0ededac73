// SPDX-License-Identifier: Apache-2.0
// Constraints say what a plan must honour beyond sizes, lifetimes and
// alignments. A ProblemSpec (problem.h) holds them. Prescribed offsets are not
// constraints: they go into ProblemSpec::fixed_offsets.
//
// All constraints reduce to four primitives. A DOMAIN says where a record may
// lie: its alignment, fixed offset, range and pools. A GROUP is a set of
// records that lie at fixed distances from each other (a rigid group). The
// CONFLICT RELATION says which records may not share a byte: it follows from
// the intervals or from a partial order of tasks, and from pairs that are apart
// or never live together. OBSTACLES are holes in the memory. Views, slices,
// inputs of a concatenation, and results that are computed in place are all
// expressed as groups:
//
//   spec.records = {{64, 0, 3}, {16, 4, 5}, {48, 4, 6}};   // whole, two views
//   spec.constraints.places = {{0, nullopt, 0, 0},
//                              {0, nullopt, 0, 0},
//                              {0, nullopt, 0, 16}};
//
// OBLIGATIONS are honoured by every plan: ranges, groups, holes, apart, pools
// and the order. PERMISSIONS may be left unused: `never`, `same_or_apart`, and
// sharing bytes inside a group. PREFERENCES have a cost, which is compared
// before the total size.
//
// A program that creates a problem with constraints must link the library
// stowage::constraints, which is a part of stowage::core. docs/constraints.md
// has a picture of each constraint.
#ifndef STOWAGE_CONSTRAINTS_H_
#define STOWAGE_CONSTRAINTS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage {

// Marks a record that is in no group.
constexpr uint32_t kNoGroup = std::numeric_limits<uint32_t>::max();

// Says where one record may lie, in bytes.
struct RecordPlace {
  size_t min = 0;  // the lowest offset of the first byte of the record
  // The highest end that the record may have. The end is one past the last
  // byte.
  optional<size_t> max;
  // Each record of a group lies `at` bytes above the start of the group. The
  // planner chooses the start, which must not be below byte 0. All records of a
  // group lie in one pool and never conflict with each other. Group numbers
  // need not be dense.
  uint32_t group = kNoGroup;
  size_t at = 0;
};

// A hole forbids bytes [begin, end) of the memory to all records that are live
// at a task of [first_task, last_task]. If the tasks have a partial order, no
// record may ever use these bytes. The bytes of a hole do not count in the
// total.
struct Hole {
  size_t begin = 0;
  size_t end = 0;         // is one past the last byte, and is above `begin`
  TaskId first_task = 0;  // inclusive
  TaskId last_task = 0;   // inclusive
  uint32_t pool = 0;
};

// A pool: a memory that is separate from the other pools of the problem.
struct MemoryPool {
  std::string name;
  optional<size_t> capacity;  // is in bytes
};

// A pool that a record may use, and the cost of using it.
struct PoolChoice {
  uint32_t pool = 0;
  uint64_t cost = 0;
};

// Two records that should preferably not share a byte: `cost` is paid once if
// they share any byte, whatever their lifetimes. The costs of several
// preferences for the same two records, in either order, add up:
// Problem::Create merges these preferences.
struct ApartPreference {
  size_t first = 0;
  size_t second = 0;
  uint64_t cost = 0;
};

// Two records of equal size that may lie in one place although they conflict,
// because some task makes one record a copy of the other. If they do not lie in
// one place, they must be apart: they never share only some of their bytes.
struct SharedPlace {
  size_t first = 0;
  size_t second = 0;
  // The number of bytes that need not be copied if both records lie in one
  // place. Among plans of equal cost and size, Solve prefers the plan that
  // copies fewer bytes. If several pairs join the same two groups, their
  // numbers add up.
  uint64_t copied = 0;
};

// The constraints of a problem. Some lists have one entry for every record, in
// the order of the records; such a list may also be empty. All other lists
// refer to records by index.
struct Constraints {
  std::vector<RecordPlace> places;  // has an entry for every record
  // The word that messages use for the groups of `places`. It is the name that
  // groups have in the input, such as "gaps" in a CSV file.
  std::string group_word = "groups";
  std::vector<Hole> holes;
  // Sets of records. No two records of a set may share a byte, whatever their
  // lifetimes are. The same set must not be listed twice.
  std::vector<std::vector<size_t>> apart;
  // Pairs of records that may share bytes although they conflict, because at
  // most one of the two is live in any run. For example, they may belong to
  // different branches of a condition. Pairs that are also in `apart` must not
  // share bytes.
  std::vector<std::pair<size_t, size_t>> never;
  std::vector<ApartPreference> prefer_apart;
  // Pairs that may lie in one place or apart, each listed once. Solve chooses
  // for each pair (Solution::places). If a pair lies in one place, the groups
  // of its two records become one group. Any two records of this group that
  // conflict and share a byte must also be listed here as a pair.
  std::vector<SharedPlace> same_or_apart;
  // The pools. If the list is empty, there is one memory, which has no name and
  // has the capacity of the problem.
  std::vector<MemoryPool> pools;
  // The pools that each record may use, with an entry for every record. An
  // empty entry allows any pool at no cost.
  std::vector<std::vector<PoolChoice>> choices;
  // A partial order of the tasks, which replaces the intervals: two records
  // conflict unless every user of one strictly precedes every user of the
  // other. The interval of a record must then be the bounding interval of its
  // users.
  optional<TaskOrder> order;
  UserLists users;  // has an entry for every record, if there is an order

  bool empty() const {
    return places.empty() && holes.empty() && apart.empty() && never.empty() &&
           prefer_apart.empty() && same_or_apart.empty() && pools.empty() &&
           choices.empty() && !order;
  }
};

}  // namespace stowage

#endif  // STOWAGE_CONSTRAINTS_H_
