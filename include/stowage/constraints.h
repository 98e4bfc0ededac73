// SPDX-License-Identifier: Apache-2.0
// Constraints are requirements for a plan beyond sizes, lifetimes and
// alignments. They are part of a ProblemSpec (problem.h). Prescribed offsets
// are not constraints; they are set in ProblemSpec::fixed_offsets.
//
// All constraints reduce to four primitives. The DOMAIN of a record is the set
// of its possible places: it results from its alignment, fixed offset, range
// and pools. A GROUP is a set of records at fixed distances from each other (a
// rigid group). The CONFLICT RELATION consists of the pairs of records that may
// not share a byte: it results from intervals or a partial order of tasks, and
// from pairs that are apart or are never live together. OBSTACLES are holes in
// the memory. Groups express views, slices, inputs of a concatenation, and
// results that are computed in place:
//
//   spec.records = {{64, 0, 3}, {16, 4, 5}, {48, 4, 6}};   // whole, two views
//   spec.constraints.places = {{0, nullopt, 0, 0},
//                              {0, nullopt, 0, 0},
//                              {0, nullopt, 0, 16}};
//
// Every plan satisfies the OBLIGATIONS: ranges, groups, holes, apart, pools and
// the order. A plan may use the PERMISSIONS or not: `never`, `same_or_apart`,
// and sharing bytes inside a group. PREFERENCES have a cost, and plans are
// compared by cost before total size.
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

// The group of a record that is in no group.
constexpr uint32_t kNoGroup = std::numeric_limits<uint32_t>::max();

// The permitted places of one record, in bytes.
struct RecordPlace {
  size_t min = 0;  // the lowest offset of the first byte of the record
  // The highest permitted end of the record, which is one past its last byte.
  optional<size_t> max;
  // The number of the group, and the distance in bytes from the start of the
  // group to the record. The planner chooses the start, which must not be below
  // byte 0. All records of a group are in one pool and never conflict with each
  // other. Group numbers need not be dense.
  uint32_t group = kNoGroup;
  size_t at = 0;
};

// Bytes [begin, end) of the memory that are forbidden to every record that is
// live at some task in [first_task, last_task]. If the tasks have a partial
// order, the bytes are forbidden to all records. The bytes of a hole do not
// count in the total.
struct Hole {
  size_t begin = 0;
  size_t end = 0;         // is one past the last byte, and is above `begin`
  TaskId first_task = 0;  // inclusive
  TaskId last_task = 0;   // inclusive
  uint32_t pool = 0;
};

// A memory that is separate from all other pools of the problem.
struct MemoryPool {
  std::string name;
  optional<size_t> capacity;  // is in bytes
};

// A pool that a record may use, and the cost of using it.
struct PoolChoice {
  uint32_t pool = 0;
  uint64_t cost = 0;
};

// Two records that should preferably not share a byte. `cost` is added once if
// they share any byte, even if their lifetimes do not overlap. The costs of
// several preferences for the same two records, in either order, are summed:
// Problem::Create merges these preferences.
struct ApartPreference {
  size_t first = 0;
  size_t second = 0;
  uint64_t cost = 0;
};

// Two records of equal size that may have the same place although they
// conflict, because some task makes one a copy of the other. If they do not
// have the same place, they must be apart: they never share only some of their
// bytes, unless they are also a pair of `never`.
struct SharedPlace {
  size_t first = 0;
  size_t second = 0;
  // The number of bytes that need not be copied if both records have the same
  // place. Among plans of equal cost and size, Solve prefers the plan that
  // copies fewer bytes. If several pairs join the same two groups, their
  // numbers are summed.
  uint64_t copied = 0;
};

// The constraints of a problem. A list with one entry for every record is
// either empty or in the order of the records. All other lists refer to records
// by index.
struct Constraints {
  std::vector<RecordPlace> places;  // has an entry for every record
  // The word for the groups of `places` in messages. It is the name of groups
  // in the input, such as "gaps" in a CSV file.
  std::string group_word = "groups";
  std::vector<Hole> holes;
  // Sets of records. No two records of a set may share a byte, even if their
  // lifetimes do not overlap. The same set must not be listed twice.
  std::vector<std::vector<size_t>> apart;
  // Pairs of records that may share bytes although they conflict, because at
  // most one of the two is live in any run. An example is a pair of records in
  // different branches of a condition. Pairs that are also in `apart` must not
  // share bytes.
  std::vector<std::pair<size_t, size_t>> never;
  std::vector<ApartPreference> prefer_apart;
  // Pairs of records that may either have the same place or be apart. Solve
  // chooses for each pair (Solution::places). If the two records of a pair have
  // the same place, their groups become one group. Any two records of this
  // group that conflict and share a byte must also be listed here as a pair.
  // Each pair must be listed only once.
  std::vector<SharedPlace> same_or_apart;
  // The pools. If the list is empty, there is a single memory without a name,
  // and its capacity is that of the problem.
  std::vector<MemoryPool> pools;
  // For every record, the pools that it may use. An empty entry permits every
  // pool at no cost.
  std::vector<std::vector<PoolChoice>> choices;
  // A partial order of the tasks, which replaces the intervals: two records
  // conflict unless every user of one record strictly precedes every user of
  // the other. The interval of each record must then extend from its first user
  // to its last.
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
