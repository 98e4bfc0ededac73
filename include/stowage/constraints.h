// SPDX-License-Identifier: Apache-2.0
// What a plan must honour beyond sizes, lifetimes and alignments: memory as it
// really is. A ProblemSpec (problem.h) holds Constraints; offsets that are
// given are its `fixed_offsets`.
//
// Everything reduces to four primitives. A DOMAIN says where a record may lie:
// its alignment, fixed offset, range and pools. A GROUP is records that move as
// one body. The CONFLICT RELATION says which records may share no byte: by
// their intervals or by a partial order of tasks, with pairs that are apart or
// never live together. OBSTACLES are holes in the memory. So views, slices,
// inputs of a concatenation and results in place are groups:
//
//   spec.records = {{64, 0, 3}, {16, 4, 5}, {48, 4, 6}};   // whole, two views
//   spec.constraints.places = {{0, absl::nullopt, 0, 0},
//                              {0, absl::nullopt, 0, 0},
//                              {0, absl::nullopt, 0, 16}};
//
// OBLIGATIONS are honoured by every plan: ranges, groups, holes, apart, pools,
// the order. PERMISSIONS may be left unused: `never`, and to share inside a
// group. PREFERENCES have a cost, which comes before the total size.
//
// docs/constraints.md has a picture of each.
#ifndef STOWAGE_CONSTRAINTS_H_
#define STOWAGE_CONSTRAINTS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage {

// The group of a record that is in none.
constexpr uint32_t kNoGroup = std::numeric_limits<uint32_t>::max();

// Where one record may lie, in bytes.
struct RecordPlace {
  size_t min = 0;              // of its first byte
  absl::optional<size_t> max;  // one past its last byte, at most
  // All records of one group lie `at` bytes from one common start, which is at
  // least 0, and in one pool. They never conflict with each other. Any numbers.
  uint32_t group = kNoGroup;
  size_t at = 0;
};

// Bytes [begin, end) that nothing live in a task of [first_task, last_task]
// may touch; with a partial order, at no time. They do not count in the total.
struct Hole {
  size_t begin = 0;
  size_t end = 0;         // one past; above begin
  TaskId first_task = 0;  // inclusive
  TaskId last_task = 0;   // inclusive
  uint32_t pool = 0;
};

// A memory of its own.
struct MemoryPool {
  std::string name;
  absl::optional<size_t> capacity;  // bytes
};

// A pool that a record may use, and what that costs.
struct PoolChoice {
  uint32_t pool = 0;
  uint64_t cost = 0;
};

// Two records that would rather not share a byte: `cost` is paid once if they
// share any, whatever their lifetimes.
struct ApartPreference {
  size_t first = 0;
  size_t second = 0;
  uint64_t cost = 0;
};

// Lists with an entry for every record are in the order of the records, or
// empty. Records are called by their index.
struct Constraints {
  std::vector<RecordPlace> places;  // an entry for every record
  std::vector<Hole> holes;
  // Sets of records no two of which may share a byte, whatever their lifetimes;
  // none twice.
  std::vector<std::vector<size_t>> apart;
  // Pairs that may share bytes although they conflict, since only one of the
  // two is ever live: the branches of a condition. `apart` is stronger.
  std::vector<std::pair<size_t, size_t>> never;
  std::vector<ApartPreference> prefer_apart;
  // Memories; none stands for one without a name and with the capacity of the
  // problem.
  std::vector<MemoryPool> pools;
  // The pools that a record may use: an entry for every record. An empty one is
  // any pool at no cost.
  std::vector<std::vector<PoolChoice>> choices;
  // In place of the intervals, which are then the hull of the users: two
  // records conflict unless every user of one strictly precedes every user of
  // the other.
  absl::optional<TaskOrder> order;
  UserLists users;  // an entry for every record, if there is an order

  bool empty() const {
    return places.empty() && holes.empty() && apart.empty() && never.empty() &&
           prefer_apart.empty() && pools.empty() && choices.empty() && !order;
  }
};

}  // namespace stowage

#endif  // STOWAGE_CONSTRAINTS_H_
