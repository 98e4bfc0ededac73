// SPDX-License-Identifier: Apache-2.0
// Checks that every stacking order of a problem with groups and fixed offsets
// yields a valid plan.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "src/dynamic/dynamic_state.h"
#include "src/dynamic/error_line.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/error_payload.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

std::string QuotedName(const ProblemSpec& problem, size_t record) {
  const std::string name = RecordName(problem, record);
  return record < problem.names.size() ? StrCat("'", name, "'") : name;
}

// Checks that no end exceeds 2^64 - 1 in any order. In the worst case, all
// records are stacked on top of each other from the highest fixed offset on,
// and each group adds its largest distance.
Status CheckSums(const ProblemSpec& problem) {
  flat_hash_map<uint32_t, size_t> distances;
  size_t sum = 0;
  for (const optional<size_t>& fixed : problem.fixed_offsets) {
    sum = std::max(sum, fixed.value_or(0));
  }
  for (size_t i = 0; i < problem.records.size(); ++i) {
    size_t more = 0;
    if (!problem.constraints.places.empty() &&
        problem.constraints.places[i].group != kNoGroup) {
      const RecordPlace& place = problem.constraints.places[i];
      size_t& distance = distances[place.group];
      more = place.at - std::min(distance, place.at);
      distance = std::max(distance, place.at);
    }
    optional<size_t> next = CheckedAdd(sum, more);
    if (next) next = CheckedAdd(*next, problem.records[i].tensor_size);
    if (next) next = CheckedAdd(*next, AlignmentsOf(problem).Of(i));
    if (!next) {
      return WithPlace(OutOfRangeError(StrCat(
                           QuotedName(problem, i),
                           ": with it, the largest sizes, the displacements in "
                           "groups and the highest fixed offset sum to more "
                           "than 2^64 - 1 bytes; expected less")),
                       i);
    }
    sum = *next;
  }
  return OkStatus();
}

// Adds to the error the names of the two records that overlap at the largest
// sizes because of their fixed offsets. An error about a single record already
// contains the name of the record.
Status NameRecords(const ProblemSpec& problem, const Status& status) {
  const std::vector<size_t> records = RecordsOf(status);
  if (records.size() != 2) {
    return records.empty() ? status : WithPlace(status, records[0]);
  }
  const size_t size = problem.records[records[0]].tensor_size;
  return WithPlace(
      InvalidArgumentError(StrCat(
          "fixed offsets of ", QuotedName(problem, records[0]), " and ",
          QuotedName(problem, records[1]), " overlap: the first has ", size,
          " bytes at most; expected no overlap with the largest sizes")),
      records[1]);
}

}  // namespace

bool AreGroupsAligned(const ProblemSpec& problem, size_t alignment) {
  const auto is_aligned = [&](size_t bytes) { return bytes % alignment == 0; };
  const std::vector<RecordPlace>& places = problem.constraints.places;
  const std::vector<optional<size_t>>& fixed = problem.fixed_offsets;
  return std::all_of(places.begin(), places.end(),
                     [&](const RecordPlace& place) {
                       return place.group == kNoGroup || is_aligned(place.at);
                     }) &&
         std::all_of(fixed.begin(), fixed.end(),
                     [&](const optional<size_t>& offset) {
                       return is_aligned(offset.value_or(0));
                     });
}

Status CheckStacks(const ProblemSpec& problem) {
  if (HasNoGroups(problem)) return OkStatus();
  if (Status s = CheckSums(problem); !s.ok()) return s;
  std::vector<size_t> order(problem.records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const StatusOr<StackPlan> stack =
      StackPlan::Create(problem, std::move(order));
  if (!stack.ok()) return NameRecords(problem, stack.status());
  std::vector<size_t> sizes;
  for (const auto& record : problem.records) {
    sizes.push_back(record.tensor_size);
  }
  std::vector<size_t> offsets(sizes.size());
  return NameRecords(problem,
                     stack->Offsets(sizes, MakeSpan(offsets)).status());
}

}  // namespace stowage
