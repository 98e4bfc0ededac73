// SPDX-License-Identifier: Apache-2.0
// Generates any number of random usage records, of the kinds with which
// planners for many records are measured. For records that resemble those of
// networks, use networks.h.
#ifndef STOWAGE_BENCH_INTERVALS_H_
#define STOWAGE_BENCH_INTERVALS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/random.h"
#include "stowage/profile.h"

namespace stowage::bench {

enum class IntervalKind {
  kUniform,  // sizes of at most a million bytes, lifetimes up to 200 tasks
  // Sizes are 64 to 127 times a power of two, and each power is half as likely
  // as the one below. Lifetimes are up to 1,500 tasks.
  kHeavyTailed,
  // Sizes are those of kHeavyTailed. Lifetimes are up to 30 tasks, but about
  // one record in a hundred can live for up to a quarter of all tasks.
  kLongLived,
  kSorted,  // like kHeavyTailed, in execution order
};

struct IntervalKindInfo {
  IntervalKind kind;
  const char* name;
};

inline constexpr std::array<IntervalKindInfo, 4> kIntervalKinds = {{
    {IntervalKind::kUniform, "uniform"},
    {IntervalKind::kHeavyTailed, "heavy-tailed"},
    {IntervalKind::kLongLived, "long-lived"},
    {IntervalKind::kSorted, "sorted"},
}};

// Returns `count` records with random first tasks below `count`. A seed gives
// the same records on every machine.
inline std::vector<ByteRecord> IntervalRecords(IntervalKind kind, size_t count,
                                               uint64_t seed) {
  Random random(seed);
  std::vector<ByteRecord> records;
  records.reserve(count);
  const auto lifetime = [&]() -> uint64_t {
    if (kind == IntervalKind::kUniform) return random.Below(200);
    if (kind != IntervalKind::kLongLived) return random.Below(1500);
    return random.Below(random.Below(100) == 0 ? count / 4 + 1 : 30);
  };
  const auto size = [&]() -> uint64_t {
    if (kind == IntervalKind::kUniform) return 1 + random.Below(1000000);
    uint64_t scale = 1;
    while (scale < (1 << 20) && random.Below(2) == 0) scale *= 2;
    return scale * (64 + random.Below(64));
  };
  for (size_t i = 0; i < count; ++i) {
    const auto first = static_cast<TaskId>(random.Below(count));
    const auto last = first + static_cast<TaskId>(lifetime());
    records.push_back({static_cast<size_t>(size()), first, last});
  }
  if (kind == IntervalKind::kSorted) {
    std::stable_sort(records.begin(), records.end(),
                     [](const ByteRecord& a, const ByteRecord& b) {
                       return a.first_task < b.first_task;
                     });
  }
  return records;
}

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_INTERVALS_H_
