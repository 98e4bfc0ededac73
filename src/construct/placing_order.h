// SPDX-License-Identifier: Apache-2.0
// Computes orders for planners that place one record at a time. To place
// records faster, in an order that results in the same plan, use LocalOrder
// (local_order.h).
#ifndef STOWAGE_SRC_CONSTRUCT_PLACING_ORDER_H_
#define STOWAGE_SRC_CONSTRUCT_PLACING_ORDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/profile.h"

namespace stowage {

// A sort key of records. Records with a larger value are placed earlier.
enum class PlacingKey {
  kCongestion,    // compares the highest breadths of the steps of records
  kBroadestStep,  // compares how early the first broadest steps are
  kLifetime,      // compares numbers of steps
  kArea,          // compares bytes times steps
  kSize,          // compares bytes
  kEarliness,     // compares how early records begin
  kLateness,      // compares how late records end
};

// A short list of keys, which must be created at compile time. A static list
// that is created at run time needs a lock. If the process were forked while
// another thread creates the list, the new process would wait for this lock
// forever.
struct FewKeys {
  size_t count;
  std::array<PlacingKey, 3> keys;  // the first `count` are used

  Span<const PlacingKey> span() const {
    return MakeSpan(keys).subspan(0, count);
  }
};

// Returns the name of the order by these keys, such as
// "congestion-area-lifetime".
std::string NameOf(Span<const PlacingKey> keys);

// Computes the values of all keys once, and sorts by them any number of times.
class PlacingOrders {
 public:
  // The records and ranks must outlive the object. Once the signal is set, no
  // further order is returned. O(n log steps).
  PlacingOrders(Span<const ByteRecord> records, const IntervalRanks& ranks,
                const StopSignal& stop = StopSignal());

  // Returns all records by decreasing value of the first key. Ties are broken
  // by the next keys, and finally by index. Returns nullopt if the signal is
  // set before the sort is complete. O(n log n).
  optional<std::vector<uint32_t>> By(Span<const PlacingKey> keys) const;

  // Returns the step at which the most bytes are live, or the earliest one if
  // there are several. Returns 0 if there are no records.
  uint32_t peak() const { return peak_; }

  // Returns the number of bytes that are live at each step.
  const std::vector<size_t>& breadths() const { return breadths_; }

  // Sorts some of the records as By does. Returns false, and leaves the list
  // unchanged, if the signal is set before the sort is complete.
  bool Sort(Span<const PlacingKey> keys, std::vector<uint32_t>* records) const;

 private:
  // Returns a number that decreases as the value of the key increases. For
  // kArea, returns only the lower 64 bits of that number.
  uint64_t NumberOf(PlacingKey key, uint32_t record) const;
  size_t CongestionOf(uint32_t record) const {
    return breadths_[broadest_[record]];
  }

  Span<const ByteRecord> records_;
  const IntervalRanks& ranks_;
  StopSignal stop_;
  std::vector<size_t> breadths_;    // is indexed by step
  std::vector<uint32_t> broadest_;  // the first broadest step of each record
  uint32_t peak_ = 0;
};

// Returns all records by decreasing size, and by index if the sizes are equal,
// without computing the other keys. Returns nullopt if the signal is set before
// the sort is complete. O(n).
optional<std::vector<uint32_t>> LargestFirst(Span<const ByteRecord> records,
                                             const StopSignal& stop);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_PLACING_ORDER_H_
