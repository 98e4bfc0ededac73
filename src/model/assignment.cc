// SPDX-License-Identifier: Apache-2.0
#include "stowage/assignment.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/base/str_cat.h"
#include "src/model/record_errors.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"

namespace stowage {

StatusOr<size_t> TotalSize(const ObjectsAssignment<size_t>& assignment) {
  size_t total = 0;
  for (size_t id = 0; id < assignment.object_sizes.size(); ++id) {
    const optional<size_t> next =
        CheckedAdd(total, assignment.object_sizes[id]);
    if (!next) {
      return OutOfRangeError(
          StrCat("object ", id,
                 ": its size makes the total overflow 64 bits; expected "
                 "a total below 2^64"));
    }
    total = *next;
  }
  return total;
}

StatusOr<OffsetsAssignment> ObjectsToOffsets(
    const ObjectsAssignment<size_t>& assignment, const Alignments& alignments) {
  const std::vector<size_t>& ids = assignment.object_ids;
  const std::vector<size_t>& sizes = assignment.object_sizes;
  if (Status status = alignments.Check(ids.size()); !status.ok()) {
    return status;
  }
  std::vector<size_t> object_alignments(sizes.size(), 1);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= sizes.size()) {
      return InvalidRecords(
          {i}, StrCat("it has object ", ids[i], "; expected an object below ",
                      sizes.size()));
    }
    object_alignments[ids[i]] =
        std::max(object_alignments[ids[i]], alignments.Of(i));
  }
  OffsetsAssignment result;
  std::vector<size_t> starts(sizes.size());
  for (size_t id = 0; id < sizes.size(); ++id) {
    const optional<size_t> start =
        CheckedAlignUp(result.total_size, object_alignments[id]);
    const optional<size_t> end =
        start ? CheckedAdd(*start, sizes[id]) : nullopt;
    if (!end) {
      return OutOfRangeError(
          StrCat("object ", id,
                 ": its end overflows 64 bits; expected an end below 2^64"));
    }
    starts[id] = *start;
    result.total_size = *end;
  }
  result.offsets.reserve(ids.size());
  for (const size_t id : ids) result.offsets.push_back(starts[id]);
  return result;
}

}  // namespace stowage
