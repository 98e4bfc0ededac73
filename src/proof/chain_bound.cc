// SPDX-License-Identifier: Apache-2.0
#include "src/proof/chain_bound.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/tensor_size.h"

namespace stowage::certificate {
namespace {

// The maximum product of the number of weights and the number of sizes for
// which a bound is checked. A check at this limit takes a few seconds.
constexpr uint64_t kMaxWork = uint64_t{1} << 30;

// A listed record, and the values that the sweep computes for the record.
struct WeightedRecord {
  ByteRecord record;
  size_t weight = 0;
  // The weight of the heaviest chain that ends before this record begins.
  size_t before = 0;
};

// The first or the last task of a listed record. Among the events of one task,
// first tasks precede last tasks, because records that share a task conflict.
struct Event {
  TaskId task = 0;
  bool is_end = false;
  size_t entry = 0;
};

Status Refuted(string_view why) { return InvalidArgumentError(why); }

StatusOr<std::vector<WeightedRecord>> ReadEntries(
    Span<const ByteRecord> records, const ChainWeights& weights) {
  if (weights.scale == 0) return Refuted("the scale of the weights is 0");
  std::vector<WeightedRecord> entries;
  entries.reserve(weights.records.size());
  for (size_t k = 0; k < weights.records.size(); ++k) {
    if (weights.weights[k] == 0) return Refuted("a weight is 0");
    entries.push_back({records[weights.records[k]], weights.weights[k]});
  }
  return entries;
}

std::vector<Event> EventsOf(const std::vector<WeightedRecord>& entries) {
  std::vector<Event> events;
  events.reserve(2 * entries.size());
  for (size_t k = 0; k < entries.size(); ++k) {
    events.push_back({entries[k].record.first_task, false, k});
    events.push_back({entries[k].record.last_task, true, k});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.task, a.is_end, a.entry) <
           std::tie(b.task, b.is_end, b.entry);
  });
  return events;
}

// Returns the weight of the heaviest chain of records of at most `size` bytes,
// or nothing if the weight overflows.
optional<size_t> HeaviestChain(const std::vector<Event>& events, size_t size,
                               std::vector<WeightedRecord>* entries) {
  // The weight of the heaviest chain of records that have ended.
  size_t heaviest = 0;
  for (const Event& event : events) {
    WeightedRecord& entry = (*entries)[event.entry];
    if (entry.record.tensor_size > size) continue;
    if (!event.is_end) {
      entry.before = heaviest;
      continue;
    }
    const optional<size_t> weight = CheckedAdd(entry.before, entry.weight);
    if (!weight) return nullopt;
    heaviest = std::max(heaviest, *weight);
  }
  return heaviest;
}

// Returns the distinct sizes of the listed records in rising order.
std::vector<size_t> SizesOf(const std::vector<WeightedRecord>& entries) {
  std::vector<size_t> sizes;
  sizes.reserve(entries.size());
  for (const WeightedRecord& entry : entries) {
    sizes.push_back(entry.record.tensor_size);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

Status CheckChains(const std::vector<size_t>& sizes, size_t scale,
                   std::vector<WeightedRecord>* entries) {
  const std::vector<Event> events = EventsOf(*entries);
  for (const size_t size : sizes) {
    const optional<size_t> max = CheckedMultiply(size, scale);
    const optional<size_t> heaviest = HeaviestChain(events, size, entries);
    if (!max || !heaviest) {
      return Refuted(StrCat("the weights of the tensors of at most ", size,
                            " bytes overflow 64 bits"));
    }
    if (*heaviest > *max) {
      return Refuted(StrCat("a chain of tensors of at most ", size,
                            " bytes weighs ", *heaviest, ", more than ", *max,
                            ", the size times the scale"));
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<size_t> BoundOfChainWeights(Span<const ByteRecord> records,
                                     const ChainWeights& weights) {
  StatusOr<std::vector<WeightedRecord>> entries = ReadEntries(records, weights);
  if (!entries.ok()) return entries.status();
  size_t sum = 0;
  for (const WeightedRecord& entry : *entries) {
    const optional<size_t> next = CheckedAdd(sum, entry.weight);
    if (!next) return Refuted("the sum of the weights overflows 64 bits");
    sum = *next;
  }
  const std::vector<size_t> sizes = SizesOf(*entries);
  if (uint64_t{entries->size()} * sizes.size() > kMaxWork) {
    return ResourceExhaustedError("too many weights to check");
  }
  if (Status s = CheckChains(sizes, weights.scale, &*entries); !s.ok()) {
    return s;
  }
  if (sum == 0) return 0;
  // Every total of listed sizes is a multiple of the divisor. The product of
  // the divisor and the scale does not overflow, because the product of a size
  // and the scale does not. The result does not overflow either, because it is
  // at most the sum of the listed sizes, which is also a multiple of the
  // divisor and fits in 64 bits.
  const size_t divisor =
      std::accumulate(sizes.begin(), sizes.end(), size_t{0},
                      [](size_t a, size_t b) { return std::gcd(a, b); });
  return ((sum - 1) / (weights.scale * divisor) + 1) * divisor;
}

}  // namespace stowage::certificate
