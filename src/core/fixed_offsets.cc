#include "src/core/fixed_offsets.h"

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

absl::Status Refuse(size_t record, size_t offset, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat("record ", record, ": fixed offset ", offset, why));
}

// Whatever is placed lies below the end of some fixed record and all sizes and
// paddings on top of it.
absl::Status CheckEach(absl::Span<const ByteRecord> records,
                       const Alignments& alignments,
                       absl::Span<const absl::optional<size_t>> fixed) {
  size_t padded_sum = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    padded_sum += records[i].tensor_size + (alignments.Of(i) - 1);
  }
  for (size_t i = 0; i < records.size(); ++i) {
    if (!fixed[i]) continue;
    if (*fixed[i] % alignments.Of(i) != 0) {
      return Refuse(
          i, *fixed[i],
          absl::StrCat(" is no multiple of its alignment ", alignments.Of(i)));
    }
    if (!CheckedAdd(*fixed[i], padded_sum)) {
      return absl::OutOfRangeError(
          absl::StrCat("record ", i, ": above its fixed offset ", *fixed[i],
                       " the sum of the sizes passes 2^64 - 1"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckFixedOffsets(
    absl::Span<const ByteRecord> records, const Alignments& alignments,
    absl::Span<const absl::optional<size_t>> fixed_offsets) {
  if (fixed_offsets.empty()) return absl::OkStatus();
  if (fixed_offsets.size() != records.size()) {
    return absl::InvalidArgumentError(absl::StrCat(fixed_offsets.size(),
                                                   " fixed offsets given for ",
                                                   records.size(), " records"));
  }
  if (absl::Status s = CheckEach(records, alignments, fixed_offsets); !s.ok()) {
    return s;
  }
  std::vector<ByteRecord> fixed_records;
  std::vector<std::string> names;
  OffsetsAssignment places;
  places.total_size = std::numeric_limits<size_t>::max();
  for (size_t i = 0; i < records.size(); ++i) {
    if (!fixed_offsets[i]) continue;
    fixed_records.push_back(records[i]);
    names.push_back(absl::StrCat(i));
    places.offsets.push_back(*fixed_offsets[i]);
  }
  if (const auto violation = FindViolation(fixed_records, places)) {
    return absl::InvalidArgumentError(
        absl::StrCat("fixed offsets: ", Describe(*violation, names)));
  }
  return absl::OkStatus();
}

}  // namespace stowage
