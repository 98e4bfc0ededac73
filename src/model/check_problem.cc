// SPDX-License-Identifier: Apache-2.0
#include "src/model/check_problem.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/model/constraint_support.h"
#include "src/model/record_errors.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/error_payload.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

using Records = Span<const ByteRecord>;
using FixedOffsets = Span<const optional<size_t>>;

Status CheckCount(string_view what, size_t count, size_t records) {
  if (count == 0 || count == records) return OkStatus();
  return InvalidArgumentError(StrCat(what, ": ", count, " given; expected ",
                                     records, ", one for each record"));
}

Status CheckReallocationGraph(const UsageGraph& graph, size_t records) {
  if (graph.size() != records) {
    return InvalidArgumentError(StrCat("reallocation graph: it has ",
                                       graph.size(), " entries; expected ",
                                       records, ", one for each record"));
  }
  for (size_t x = 0; x < graph.size(); ++x) {
    for (const size_t y : graph[x]) {
      if (y < records) continue;
      return WithRecords(InvalidArgumentError(StrCat(
                             "reallocation graph: entry ", x, " lists record ",
                             y, "; expected an index below ", records)),
                         {x});
    }
  }
  return OkStatus();
}

// Sets `*sum` to the sum of all padded sizes, or returns an error if it does
// not fit in 64 bits. If each record is placed at offset 0 or directly above
// other records, no end exceeds this sum, so strategies that place records in
// this way need no further checks.
Status CheckPaddedSum(Records records, const Alignments& alignments,
                      size_t* sum) {
  *sum = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const optional<size_t> padded =
        CheckedAdd(records[i].tensor_size, alignments.Of(i) - 1);
    const optional<size_t> next = padded ? CheckedAdd(*sum, *padded) : nullopt;
    if (!next) {
      return OutOfRangeRecord(
          i, StrCat("its size ", records[i].tensor_size, " with alignment ",
                    alignments.Of(i),
                    " makes the sum of sizes overflow 64 bits; expected "
                    "a sum below 2^64"));
    }
    *sum = *next;
  }
  return OkStatus();
}

Status CheckFixedAlignments(const Alignments& alignments, FixedOffsets fixed) {
  std::vector<size_t> misaligned;
  for (size_t i = 0; i < fixed.size(); ++i) {
    if (fixed[i] && *fixed[i] % alignments.Of(i) != 0) misaligned.push_back(i);
  }
  if (misaligned.empty()) return OkStatus();
  const size_t first = misaligned.front();
  return InvalidRecords(
      misaligned,
      StrCat("fixed offset ", *fixed[first],
             misaligned.size() > 1 ? StrCat(" of record ", first) : "",
             " is not aligned; expected a multiple of its alignment ",
             alignments.Of(first)));
}

Status CheckPlaceFirst(Span<const size_t> listed, size_t records) {
  std::vector<bool> is_listed(records, false);
  for (const size_t i : listed) {
    if (i >= records) {
      return InvalidArgumentError(StrCat("records to place first: record ", i,
                                         " is listed; expected an index below ",
                                         records));
    }
    if (is_listed[i]) {
      return WithRecords(InvalidArgumentError(StrCat(
                             "records to place first: record ", i,
                             " is listed twice; expected each once at most")),
                         {i});
    }
    is_listed[i] = true;
  }
  return OkStatus();
}

// Returns an error if a problem of shared objects has fixed offsets or
// constraints, which no strategy of this library supports.
Status CheckKind(const ProblemSpec& spec) {
  std::vector<size_t> fixed;
  for (size_t i = 0; i < spec.fixed_offsets.size(); ++i) {
    if (spec.fixed_offsets[i]) fixed.push_back(i);
  }
  if (!fixed.empty() && spec.kind == PlanKind::kObjects) {
    return WithRecords(
        UnimplementedError(
            "fixed offsets: shared objects have none; expected kind offsets"),
        fixed);
  }
  if (!spec.constraints.empty() && spec.kind == PlanKind::kObjects) {
    return UnimplementedError(
        "constraints: shared objects have none; expected kind offsets");
  }
  return OkStatus();
}

// Checks that no offset or end can overflow, even if all other records are
// above a fixed record. If there are constraints, CheckSums (check_places.h) is
// used instead.
Status CheckFixedSums(FixedOffsets fixed, size_t padded_sum) {
  for (size_t i = 0; i < fixed.size(); ++i) {
    if (!fixed[i] || CheckedAdd(*fixed[i], padded_sum)) continue;
    return SumAboveOverflows(i, "fixed offset ", *fixed[i]);
  }
  return OkStatus();
}

bool HasConstraints(const ProblemSpec& spec) {
  return !spec.constraints.empty() || !spec.constraints.users.empty();
}

// Returns an error if the spec needs features that this program lacks because
// stowage::constraints is not linked.
Status CheckIsLinked(const ProblemSpec& spec) {
  if (LinkedConstraints() != nullptr) return OkStatus();
  const string_view what = spec.free_order            ? "free order"
                           : HasConstraints(spec)     ? "constraints"
                           : spec.groups_are_optional ? "optional groups"
                                                      : "";
  if (what.empty()) return OkStatus();
  return UnimplementedError(StrCat(what,
                                   ": not linked into this program; expected "
                                   "stowage::constraints among its libraries"));
}

Status CheckBytes(const ProblemSpec& spec, const Alignments& alignments) {
  const Records records = spec.records;
  if (spec.kind != PlanKind::kOffsets) return OkStatus();
  size_t padded_sum = 0;
  if (Status s = CheckPaddedSum(records, alignments, &padded_sum); !s.ok()) {
    return s;
  }
  if (Status s = CheckFixedAlignments(alignments, spec.fixed_offsets);
      !s.ok()) {
    return s;
  }
  return HasConstraints(spec) ? LinkedConstraints()->check(spec, padded_sum)
                              : CheckFixedSums(spec.fixed_offsets, padded_sum);
}

}  // namespace

Alignments AlignmentsOf(const ProblemSpec& spec) {
  if (spec.alignments.empty()) return spec.alignment;
  return Alignments(spec.alignments);
}

Status CheckProblem(const ProblemSpec& spec) {
  if (Status s = CheckIsLinked(spec); !s.ok()) return s;
  if (spec.free_order) {
    if (Status s = LinkedConstraints()->check_free_order(spec); !s.ok()) {
      return s;
    }
  }
  if (Status s = CheckKind(spec); !s.ok()) return s;
  if (Status s = CheckUsageRecords(spec.records); !s.ok()) return s;
  const size_t count = spec.records.size();
  const Alignments alignments = AlignmentsOf(spec);
  if (Status s = alignments.Check(count); !s.ok()) return s;
  for (const auto& [what, entries] :
       {std::pair("fixed offsets", spec.fixed_offsets.size()),
        std::pair("names", spec.names.size()),
        std::pair("places", spec.constraints.places.size()),
        std::pair("choices of pools", spec.constraints.choices.size())}) {
    if (Status s = CheckCount(what, entries, count); !s.ok()) return s;
  }
  if (Status s = CheckPlaceFirst(spec.place_first, count); !s.ok()) {
    return s;
  }
  if (Status s = CheckBytes(spec, alignments); !s.ok()) return s;
  if (!spec.reallocation_graph) return OkStatus();
  return CheckReallocationGraph(*spec.reallocation_graph, count);
}

}  // namespace stowage
