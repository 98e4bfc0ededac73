// SPDX-License-Identifier: Apache-2.0
// Replays the proof that records have no shared objects within a capacity, step
// by step, in whole numbers. It knows nothing of the search that found the
// proof and trusts nothing of the log; BoundOfObjectsLog (objects_log.h) reads
// one. That records do not fit offsets is for SearchReplay (search_replay.h).
//
// Suppose that a plan is within the capacity. Leave in it the records of the
// proof alone and shrink each object to the largest of these that it serves:
// then every object has the size of a record, its *class*, serves at least one
// and serves a *chain*, records no two of which conflict. A node of the proof
// is what is known of that plan: from which class to which the object of each
// record is, and for each class how many objects there are of it and of larger
// ones, at least and at most. A node is refuted by
//
//   Split   of one of these ranges in two, each refuted in turn.
//   Refute  by weights p of the records, prices l of the lower and h of the
//           upper limits, all whole numbers of at least 0, and a scale D: if in
//           every class the heaviest chain of the records that may have it,
//           with l and without h of all limits that count the class, weighs at
//           most D times its size, then by adding up all objects
//
//             sum p + sum l * lower limit - sum h * upper limit <= D * total.
#ifndef STOWAGE_SRC_CERTIFICATE_OBJECTS_REPLAY_H_
#define STOWAGE_SRC_CERTIFICATE_OBJECTS_REPLAY_H_

#include <cstddef>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/profile.h"

namespace stowage::certificate {

class ObjectsReplay {
 public:
  // Which half of a node that is split is refuted first.
  enum class First { kLower, kUpper };

  // The proof that `listed`, indices of `records` and each once, have no shared
  // objects of `capacity` bytes in all. Requires fewer than 2^32 of them, none
  // without bytes. O(n log n).
  ObjectsReplay(absl::Span<const ByteRecord> records,
                absl::Span<const size_t> listed, size_t capacity);

  ObjectsReplay(const ObjectsReplay&) = delete;
  ObjectsReplay& operator=(const ObjectsReplay&) = delete;

  // The steps, at the node that is open. A record is called by its place in
  // `listed`, a class by its size. Error: InvalidArgument, without a subject,
  // if it is not one, or the node does not allow the step, or what the step
  // claims does not follow; nothing has changed then.

  // There are at most `count` objects of at least `size` bytes, or more. Each
  // half is smaller, and at most 2^16 splits are open. O(classes).
  absl::Status SplitCount(size_t size, size_t count, First first);
  // The object of the record has fewer than `size` bytes, or not; the latter
  // comes first. As SplitCount. O(classes).
  absl::Status SplitRecord(size_t record, size_t size);
  // The weight of a record, at all nodes from here on; at first it is 0. O(1).
  absl::Status SetWeight(size_t record, size_t weight);
  // The price of the lower or upper limit on the number of objects of at least
  // `size` bytes, at this node. O(log n).
  absl::Status SetPriceOfLeast(size_t size, size_t price);
  absl::Status SetPriceOfMost(size_t size, size_t price);
  // The weights and prices refute the node; the next half that is left is open
  // now. O(n * classes).
  absl::Status Refute(size_t scale);

  // Whether the root is refuted: no step can follow.
  bool IsProved() const { return is_proved_; }

 private:
  // What is known of a number: least <= number <= most.
  struct Range {
    size_t least = 0;
    size_t most = 0;
  };

  // Of records as of objects: they are split alike.
  struct Split {
    Range* range = nullptr;
    size_t at = 0;  // the lower half ends with it
    Range before;
    bool is_upper = false;  // the half that is open
    bool is_last = false;   // the other one is refuted
  };

  // Where a record begins or ends. At one task all begin before any ends, since
  // records that touch conflict.
  struct Event {
    TaskId task = 0;
    bool is_end = false;
    size_t record = 0;
  };

  struct Price {
    size_t of_least = 0;
    size_t of_most = 0;
  };

  absl::optional<size_t> ClassOf(size_t size) const;
  absl::Status CheckOpen() const;
  absl::Status CheckRecord(size_t record) const;
  absl::Status SetPrice(size_t size, size_t Price::*which, size_t price);
  absl::Status Open(Range* range, size_t at, First first);
  void EnterHalf();
  absl::optional<size_t> HeaviestChain(size_t k);
  absl::Status CheckClasses(size_t scale);
  absl::int128 SumOfWeights() const;
  void Close();

  std::vector<size_t> sizes_;         // of the classes, rising
  std::vector<Event> events_;         // of the listed records, in order
  std::vector<Range> record_ranges_;  // classes, by record
  std::vector<Range> count_ranges_;   // objects of the class and larger ones
  std::vector<size_t> weights_;       // by record
  std::vector<size_t> before_;        // scratch: the heaviest chain before it
  std::vector<Price> prices_;         // by class, of this node
  size_t largest_total_ = 0;          // of listed sizes, within the capacity
  std::vector<Split> splits_;         // from the root to the open node
  bool is_proved_ = false;
};

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_CERTIFICATE_OBJECTS_REPLAY_H_
