// SPDX-License-Identifier: Apache-2.0
#include "src/harness/partial_sharing.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/tensor_size.h"

namespace stowage::harness {

absl::StatusOr<OffsetsAssignment> LayOutApart(
    const ArenaRecords& records,
    absl::Span<const absl::optional<size_t>> offsets, const KeptSharing& kept,
    size_t alignment) {
  const auto offset_of = [&](size_t record) {
    const size_t t = records.tensors[record];
    return t < offsets.size() ? offsets[t] : absl::nullopt;
  };
  // The records of each group. A record without a group forms its own group.
  std::map<std::pair<bool, size_t>, std::vector<size_t>> groups;
  for (size_t i = 0; i < records.tensors.size(); ++i) {
    const auto found = kept.group_of.find(records.tensors[i]);
    const bool is_alone = found == kept.group_of.end() || !offset_of(i);
    groups[{is_alone, is_alone ? i : found->second}].push_back(i);
  }
  OffsetsAssignment result;
  result.offsets.resize(records.tensors.size());
  absl::optional<size_t> begin = 0;
  for (const auto& [key, members] : groups) {
    size_t lowest = std::numeric_limits<size_t>::max();
    for (const size_t i : members) {
      lowest = std::min(lowest, offset_of(i).value_or(0));
    }
    size_t end = *begin;
    for (const size_t i : members) {
      const absl::optional<size_t> offset =
          CheckedAdd(*begin, offset_of(i).value_or(0) - lowest);
      const absl::optional<size_t> member_end =
          offset ? CheckedAdd(*offset, records.records[i].tensor_size)
                 : absl::nullopt;
      if (!member_end) {
        return absl::OutOfRangeError(
            absl::StrCat("tensor ", records.tensors[i],
                         ": its end without sharing overflows 64 bits"));
      }
      result.offsets[i] = *offset;
      end = std::max(end, *member_end);
    }
    result.total_size = end;
    begin = CheckedAlignUp(end, alignment);
    if (!begin) {
      return absl::OutOfRangeError("arena: its size overflows 64 bits");
    }
  }
  return result;
}

}  // namespace stowage::harness
