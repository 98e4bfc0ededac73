// SPDX-License-Identifier: Apache-2.0
// Replays, step by step and in integers, the proof that records have no shared
// objects within a capacity. The replay is independent of the search that found
// the proof, and does not trust the log, which BoundOfObjectsLog
// (objects_log.h) reads. For offsets, use SearchReplay (search_replay.h).
//
// Suppose that there is a plan within the capacity. Keep only the records of
// the proof in this plan, and shrink each object to the size of the largest of
// these records that it serves. Then the size of every object is the size of a
// record; this size is the *class* of the object. Every object serves a
// *chain*, that is, one or more records that do not conflict with each other.
//
// A node of the proof consists of known facts about that plan: for each record,
// the range of classes of its object; and for each class, the minimum and the
// maximum number of objects of this class or larger. A node is refuted by one
// of these steps:
//
//   - Split divides one of these ranges in two; each half is then refuted.
//   - Refute uses a scale D, a weight p for each record, a price l for each
//     lower limit and a price h for each upper limit on a number of objects.
//     All of them are nonnegative integers. For each class, consider the
//     heaviest chain of the records that may have this class. Take its weight,
//     add the prices l and subtract the prices h of all limits that count the
//     class. The result must be at most D times the size of the class. Summing
//     over all objects of the plan then gives
//
//         sum p + sum l * lower limit - sum h * upper limit <= D * total.
//
//     The node is refuted if no total within the capacity satisfies this.
#ifndef STOWAGE_SRC_PROOF_OBJECTS_REPLAY_H_
#define STOWAGE_SRC_PROOF_OBJECTS_REPLAY_H_

#include <cstddef>
#include <vector>

#include "src/base/int128.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/profile.h"

namespace stowage::certificate {

class ObjectsReplay {
 public:
  // The half of a split node that is refuted first.
  enum class First { kLower, kUpper };

  // Starts a proof that the records in `listed` have no shared objects of
  // `capacity` bytes in total. `listed` has distinct indices of `records`.
  // Requires fewer than 2^32 listed records, each with at least one byte. O(n
  // log n).
  ObjectsReplay(Span<const ByteRecord> records, Span<const size_t> listed,
                size_t capacity);

  ObjectsReplay(const ObjectsReplay&) = delete;
  ObjectsReplay& operator=(const ObjectsReplay&) = delete;

  // The following functions are the steps of the proof; each step applies to
  // the open node. A record is identified by its position in `listed`, and a
  // class by its size. Errors: InvalidArgument, with a message that does not
  // name its subject, if there is no such record or class, if the node does not
  // allow the step, or if the claim of the step does not follow. A step that
  // returns an error changes nothing.

  // Splits the range of the number of objects of at least `size` bytes. The
  // number is at most `count` in the lower half, and greater in the upper half.
  // `first` is the half that is refuted first. Requires that each half is
  // smaller than the range, and that fewer than 2^16 splits are open.
  // O(classes).
  Status SplitCount(size_t size, size_t count, First first);
  // Splits the range of classes of the object of a record. In the half that is
  // refuted first, the object has at least `size` bytes; in the second half, it
  // has fewer. The requirements of SplitCount apply. O(classes).
  Status SplitRecord(size_t record, size_t size);
  // Sets the weight of a record for all following nodes. All weights are
  // initially 0. O(1).
  Status SetWeight(size_t record, size_t weight);
  // Set the price of the lower or the upper limit on the number of objects of
  // at least `size` bytes, for this node only. O(log n).
  Status SetPriceOfLeast(size_t size, size_t price);
  Status SetPriceOfMost(size_t size, size_t price);
  // Refutes the node with the weights and prices, and opens the next half that
  // remains to be refuted. O(n * classes).
  Status Refute(size_t scale);

  // Returns whether the root is refuted. If it is, no further step is allowed.
  bool IsProved() const { return is_proved_; }

 private:
  // The known range of a number: least <= number <= max.
  struct Range {
    size_t least = 0;
    size_t max = 0;
  };

  // A split of the range of a record or of a count.
  struct Split {
    Range* range = nullptr;
    // The last number of the lower half of the range. The upper half begins
    // with the next number.
    size_t at = 0;
    Range before;
    // True if the open half is the upper half.
    bool is_upper = false;
    // True if the first half has already been refuted.
    bool is_last = false;
  };

  // The first or the last task of a record. Among the events of one task, first
  // tasks precede last tasks, because records that share a task conflict.
  struct Event {
    TaskId task = 0;
    bool is_end = false;
    size_t record = 0;
  };

  struct Price {
    size_t of_least = 0;
    size_t of_most = 0;
  };

  optional<size_t> ClassOf(size_t size) const;
  Status CheckOpen() const;
  Status CheckRecord(size_t record) const;
  Status SetPrice(size_t size, size_t Price::*which, size_t price);
  Status Open(Range* range, size_t at, First first);
  void EnterHalf();
  optional<size_t> HeaviestChain(size_t k);
  Status CheckClasses(size_t scale);
  int128 SumOfWeights() const;
  void Close();

  // The sizes of the classes, in rising order.
  std::vector<size_t> sizes_;
  // The first and last tasks of the listed records, sorted.
  std::vector<Event> events_;
  // For each record, the classes that its object may have.
  std::vector<Range> record_ranges_;
  // For each class, the number of objects of this class or larger.
  std::vector<Range> count_ranges_;
  // The weight of each listed record.
  std::vector<size_t> weights_;
  // For each record, the weight of the heaviest chain that ends before the
  // record begins. Scratch memory of HeaviestChain.
  std::vector<size_t> before_;
  // The prices of each class at the open node.
  std::vector<Price> prices_;
  // The largest total of a plan within the capacity: a multiple of the greatest
  // common divisor of all sizes.
  size_t largest_total_ = 0;
  // The splits from the root to the open node.
  std::vector<Split> splits_;
  bool is_proved_ = false;
};

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_OBJECTS_REPLAY_H_
