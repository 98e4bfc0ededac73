// SPDX-License-Identifier: Apache-2.0
#include "src/harness/partial_sharing.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/harness/arena_planner.h"

namespace stowage::harness {
namespace {

constexpr size_t kAlignment = 16;
using Offsets = std::vector<absl::optional<size_t>>;

RC_GTEST_PROP(LayOutApart, KeepsGroupsAndParts, ()) {
  const auto count = *rc::gen::inRange<size_t>(1, 12);
  ArenaRecords records;
  Offsets offsets;
  KeptSharing kept;
  for (size_t t = 0; t < count; ++t) {
    records.tensors.push_back(t);
    records.records.emplace_back(*rc::gen::inRange<size_t>(1, 100), t, t);
    offsets.emplace_back(*rc::gen::inRange<size_t>(0, 10) * kAlignment);
    const auto group = *rc::gen::inRange<size_t>(0, 4);
    if (group > 0) kept.group_of[t] = group;
    if (*rc::gen::inRange(0, 8) == 0) offsets.back() = absl::nullopt;
  }
  const auto plan = LayOutApart(records, offsets, kept, kAlignment);
  RC_ASSERT(plan.ok());
  const auto group_of = [&](size_t t) {
    const auto found = kept.group_of.find(t);
    return found == kept.group_of.end() || !offsets[t] ? 100 + t
                                                       : found->second;
  };
  for (size_t a = 0; a < count; ++a) {
    const size_t end = plan->offsets[a] + records.records[a].tensor_size;
    RC_ASSERT(plan->offsets[a] % kAlignment == 0);
    RC_ASSERT(end <= plan->total_size);
    for (size_t b = 0; b < count; ++b) {
      if (a == b) continue;
      if (group_of(a) == group_of(b)) {
        RC_ASSERT(plan->offsets[a] - *offsets[a] ==
                  plan->offsets[b] - *offsets[b]);
      } else {
        RC_ASSERT(end <= plan->offsets[b] ||
                  plan->offsets[b] + records.records[b].tensor_size <=
                      plan->offsets[a]);
      }
    }
  }
}

TEST(LayOutApart, RefusesWhatPassesTheLastByte) {
  ArenaRecords records;
  records.tensors = {0, 1};
  records.records = {{std::numeric_limits<size_t>::max() - 100, 0, 0},
                     {200, 0, 0}};
  EXPECT_TRUE(
      absl::IsOutOfRange(LayOutApart(records, {}, {}, kAlignment).status()));
}

}  // namespace
}  // namespace stowage::harness
