// SPDX-License-Identifier: Apache-2.0
#include "src/core/check_problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "absl/types/variant.h"
#include "stowage/error_payload.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

using Records = absl::Span<const ByteRecord>;
using FixedOffsets = absl::Span<const absl::optional<size_t>>;

// Pairs of fixed records to look at for those that overlap, once two do.
constexpr uint64_t kMostLooks = uint64_t{1} << 24;

// "record 3", "records 3 and 5", "records 1, 3 and 5".
std::string ListRecords(absl::Span<const size_t> records) {
  if (records.size() == 1) return absl::StrCat("record ", records[0]);
  return absl::StrCat("records ",
                      absl::StrJoin(records.first(records.size() - 1), ", "),
                      " and ", records.back());
}

absl::Status CheckCount(absl::string_view what, size_t count, size_t records) {
  if (count == 0 || count == records) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": ", count,
                                                 " given; expected ", records,
                                                 ", one for each record"));
}

absl::Status CheckReallocationGraph(const UsageGraph& graph, size_t records) {
  if (graph.size() != records) {
    return absl::InvalidArgumentError(
        absl::StrCat("reallocation graph: it has ", graph.size(),
                     " entries; expected ", records, ", one for each record"));
  }
  for (size_t x = 0; x < graph.size(); ++x) {
    for (const size_t y : graph[x]) {
      if (y < records) continue;
      return WithRecords(absl::InvalidArgumentError(absl::StrCat(
                             "reallocation graph: entry ", x, " lists record ",
                             y, "; expected an index below ", records)),
                         {x});
    }
  }
  return absl::OkStatus();
}

// Any plan that only ever places a record on the floor or on others' ends
// stays below the sum of sizes and paddings, so strategies need no checks of
// their own once that sum, above the highest fixed offset, is known to fit.
absl::Status CheckPaddedSum(Records records, const Alignments& alignments,
                            size_t* sum) {
  *sum = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const absl::optional<size_t> padded =
        CheckedAdd(records[i].tensor_size, alignments.Of(i) - 1);
    const absl::optional<size_t> next =
        padded ? CheckedAdd(*sum, *padded) : absl::nullopt;
    if (!next) {
      return WithRecords(
          absl::OutOfRangeError(
              absl::StrCat("record ", i, ": its size ", records[i].tensor_size,
                           " with alignment ", alignments.Of(i),
                           " makes the sum of sizes overflow 64 bits; expected "
                           "a sum below 2^64")),
          {i});
    }
    *sum = *next;
  }
  return absl::OkStatus();
}

absl::Status CheckFixedAlignments(const Alignments& alignments,
                                  FixedOffsets fixed) {
  std::vector<size_t> misaligned;
  for (size_t i = 0; i < fixed.size(); ++i) {
    if (fixed[i] && *fixed[i] % alignments.Of(i) != 0) misaligned.push_back(i);
  }
  if (misaligned.empty()) return absl::OkStatus();
  const size_t first = misaligned.front();
  return WithRecords(
      absl::InvalidArgumentError(absl::StrCat(
          ListRecords(misaligned), ": fixed offset ", *fixed[first],
          misaligned.size() > 1 ? absl::StrCat(" of record ", first) : "",
          " is not aligned; expected a multiple of its alignment ",
          alignments.Of(first))),
      misaligned);
}

absl::Status CheckFixedSums(size_t padded_sum, FixedOffsets fixed) {
  for (size_t i = 0; i < fixed.size(); ++i) {
    if (!fixed[i] || CheckedAdd(*fixed[i], padded_sum)) continue;
    return WithRecords(
        absl::OutOfRangeError(
            absl::StrCat("record ", i, ": fixed offset ", *fixed[i],
                         " and the sum of the sizes above it exceed 2^64 - 1; "
                         "expected a sum below 2^64")),
        {i});
  }
  return absl::OkStatus();
}

// The fixed records that overlap another, in rising order: `indices` are those
// with an offset.
std::vector<size_t> FindOverlapping(Records records, FixedOffsets fixed,
                                    std::vector<size_t> indices) {
  std::sort(indices.begin(), indices.end(), [&](size_t a, size_t b) {
    return *fixed[a] != *fixed[b] ? *fixed[a] < *fixed[b] : a < b;
  });
  std::vector<bool> overlaps(records.size(), false);
  uint64_t looks = 0;
  for (size_t k = 0; k < indices.size(); ++k) {
    const ByteRecord& a = records[indices[k]];
    const size_t end = *fixed[indices[k]] + a.tensor_size;
    for (size_t m = k + 1; m < indices.size() && ++looks <= kMostLooks; ++m) {
      if (*fixed[indices[m]] >= end) break;
      const ByteRecord& b = records[indices[m]];
      if (b.tensor_size == 0 || a.last_task < b.first_task ||
          b.last_task < a.first_task) {
        continue;
      }
      overlaps[indices[k]] = true;
      overlaps[indices[m]] = true;
    }
  }
  std::vector<size_t> found;
  for (size_t i = 0; i < records.size(); ++i) {
    if (overlaps[i]) found.push_back(i);
  }
  return found;
}

// "fixed offsets 0 and 16", or which records have them where more are listed.
std::string ListFixedOffsets(FixedOffsets fixed, size_t a, size_t b,
                             bool with_records) {
  if (!with_records) {
    return absl::StrCat("fixed offsets ", *fixed[a], " and ", *fixed[b]);
  }
  return absl::StrCat("fixed offset ", *fixed[a], " of record ", a, " and ",
                      *fixed[b], " of record ", b);
}

// The fixed records as a plan of their own, judged by the verifier.
absl::Status CheckFixedOverlaps(Records records, FixedOffsets fixed) {
  std::vector<size_t> indices;
  std::vector<ByteRecord> fixed_records;
  OffsetsAssignment places;
  places.total_size = std::numeric_limits<size_t>::max();
  for (size_t i = 0; i < records.size(); ++i) {
    if (!fixed[i]) continue;
    indices.push_back(i);
    fixed_records.push_back(records[i]);
    places.offsets.push_back(*fixed[i]);
  }
  const auto violation = FindViolation(fixed_records, places);
  if (!violation) return absl::OkStatus();
  const auto [a, b] = std::minmax(indices[violation->first_tensor],
                                  indices[violation->second_tensor]);
  std::vector<size_t> involved = FindOverlapping(records, fixed, indices);
  for (const size_t i : {a, b}) {
    const auto place = std::lower_bound(involved.begin(), involved.end(), i);
    if (place == involved.end() || *place != i) involved.insert(place, i);
  }
  return WithRecords(
      absl::InvalidArgumentError(absl::StrCat(
          ListRecords(involved), ": ",
          ListFixedOffsets(fixed, a, b, involved.size() > 2),
          " overlap in bytes [", violation->begin, ", ", violation->end,
          ") at task ", violation->task, "; expected bytes apart")),
      involved);
}

absl::Status CheckFixedOffsets(Records records, const Alignments& alignments,
                               size_t padded_sum, FixedOffsets fixed) {
  if (absl::Status s = CheckFixedAlignments(alignments, fixed); !s.ok()) {
    return s;
  }
  if (absl::Status s = CheckFixedSums(padded_sum, fixed); !s.ok()) return s;
  return CheckFixedOverlaps(records, fixed);
}

absl::Status CheckPlaceFirst(absl::Span<const size_t> listed, size_t records) {
  std::vector<bool> is_listed(records, false);
  for (const size_t i : listed) {
    if (i >= records) {
      return absl::InvalidArgumentError(
          absl::StrCat("records to place first: record ", i,
                       " is listed; expected an index below ", records));
    }
    if (is_listed[i]) {
      return WithRecords(absl::InvalidArgumentError(absl::StrCat(
                             "records to place first: record ", i,
                             " is listed twice; expected each once at most")),
                         {i});
    }
    is_listed[i] = true;
  }
  return absl::OkStatus();
}

// What nothing in this library can do, whatever the strategy.
absl::Status CheckKind(const ProblemSpec& spec, bool is_bytes) {
  if (!is_bytes && spec.kind == PlanKind::kOffsets) {
    return absl::UnimplementedError(
        "problem: extents and shapes have no offsets; expected kind objects, "
        "or sizes in bytes");
  }
  if (!is_bytes && spec.reallocation_graph) {
    return absl::UnimplementedError(
        "reallocation graph: not supported for extents and shapes; expected "
        "sizes in bytes");
  }
  const bool is_fixed =
      std::any_of(spec.fixed_offsets.begin(), spec.fixed_offsets.end(),
                  [](const auto& offset) { return offset.has_value(); });
  if (is_fixed && spec.kind == PlanKind::kObjects) {
    return absl::UnimplementedError(
        "fixed offsets: shared objects have none; expected kind offsets");
  }
  return absl::OkStatus();
}

absl::Status CheckBytes(const ProblemSpec& spec, const Alignments& alignments) {
  const Records records = spec.records;
  if (spec.kind != PlanKind::kOffsets) return absl::OkStatus();
  size_t padded_sum = 0;
  if (absl::Status s = CheckPaddedSum(records, alignments, &padded_sum);
      !s.ok()) {
    return s;
  }
  if (spec.fixed_offsets.empty()) return absl::OkStatus();
  return CheckFixedOffsets(records, alignments, padded_sum, spec.fixed_offsets);
}

}  // namespace

Alignments AlignmentsOf(const ProblemSpec& spec) {
  if (spec.alignments.empty()) return spec.alignment;
  return absl::MakeConstSpan(spec.alignments);
}

absl::Status CheckProblem(const ProblemSpec& spec) {
  const bool is_bytes =
      absl::holds_alternative<std::vector<ByteRecord>>(spec.extents);
  if (absl::Status s = CheckKind(spec, is_bytes); !s.ok()) return s;
  absl::Status checked =
      is_bytes ? CheckUsageRecords(spec.records)
               : absl::visit(
                     [](const auto& records) {
                       return CheckUsageRecords(absl::MakeConstSpan(records));
                     },
                     spec.extents);
  if (!checked.ok()) return checked;
  const size_t extents = absl::visit(
      [](const auto& records) { return records.size(); }, spec.extents);
  if (extents > 0 && (is_bytes || !spec.records.empty())) {
    return absl::InvalidArgumentError(
        "problem: it has both records and extents; expected either sizes in "
        "bytes or others");
  }
  const size_t count = is_bytes ? spec.records.size() : extents;
  const Alignments alignments = AlignmentsOf(spec);
  if (absl::Status s = alignments.Check(count); !s.ok()) return s;
  for (const auto& [what, entries] :
       {std::pair("fixed offsets", spec.fixed_offsets.size()),
        std::pair("names", spec.names.size())}) {
    if (absl::Status s = CheckCount(what, entries, count); !s.ok()) return s;
  }
  if (absl::Status s = CheckPlaceFirst(spec.place_first, count); !s.ok()) {
    return s;
  }
  if (is_bytes) {
    if (absl::Status s = CheckBytes(spec, alignments); !s.ok()) return s;
  }
  if (!spec.reallocation_graph) return absl::OkStatus();
  return CheckReallocationGraph(*spec.reallocation_graph, count);
}

}  // namespace stowage
