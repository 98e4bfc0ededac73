// SPDX-License-Identifier: Apache-2.0
// Orders in which planners that place one record at a time may take them.
#ifndef STOWAGE_CORE_PLACING_ORDER_H_
#define STOWAGE_CORE_PLACING_ORDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "src/core/interval_ranks.h"
#include "stowage/profile.h"

namespace stowage {

// What speaks for placing a record early: more of it.
enum class PlacingKey {
  kCongestion,  // the breadth of the broadest step of its interval
  kLifetime,    // steps
  kArea,        // bytes times steps
  kSize,        // bytes
  kEarliness,   // how early it begins
  kLateness,    // how late it ends
};

// What an order of these keys is called: "congestion-area-lifetime".
std::string NameOf(absl::Span<const PlacingKey> keys);

// Answers by record, computed once and sorted by as often as needed.
class PlacingOrders {
 public:
  // The records and ranks must outlive the object. O(n + steps log n).
  PlacingOrders(absl::Span<const ByteRecord> records,
                const IntervalRanks& ranks);

  // All records by decreasing keys, the first key first, ties by index.
  // O(n log n).
  std::vector<uint32_t> By(absl::Span<const PlacingKey> keys) const;

  // The step with most bytes live, the first on ties; 0 without records.
  uint32_t peak() const { return peak_; }

  // Sorts some of the records like By.
  void Sort(absl::Span<const PlacingKey> keys,
            std::vector<uint32_t>* records) const;

 private:
  int Compare(PlacingKey key, uint32_t a, uint32_t b) const;

  absl::Span<const ByteRecord> records_;
  const IntervalRanks& ranks_;
  std::vector<size_t> congestion_;
  uint32_t peak_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_CORE_PLACING_ORDER_H_
