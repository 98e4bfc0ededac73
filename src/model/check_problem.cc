// SPDX-License-Identifier: Apache-2.0
#include "src/model/check_problem.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/model/check_constraints.h"
#include "src/model/check_places.h"
#include "src/model/record_errors.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/free_order.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

using Records = absl::Span<const ByteRecord>;
using FixedOffsets = absl::Span<const absl::optional<size_t>>;

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

// Sets `sum` to the sum of all padded sizes, or returns an error if it does not
// fit 64 bits. A plan that places each record at offset 0 or on top of others
// stays below that sum, so that strategies need no further checks.
absl::Status CheckPaddedSum(Records records, const Alignments& alignments,
                            size_t* sum) {
  *sum = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const absl::optional<size_t> padded =
        CheckedAdd(records[i].tensor_size, alignments.Of(i) - 1);
    const absl::optional<size_t> next =
        padded ? CheckedAdd(*sum, *padded) : absl::nullopt;
    if (!next) {
      return OutOfRangeRecord(
          i, absl::StrCat("its size ", records[i].tensor_size,
                          " with alignment ", alignments.Of(i),
                          " makes the sum of sizes overflow 64 bits; expected "
                          "a sum below 2^64"));
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
  return InvalidRecords(
      misaligned,
      absl::StrCat(
          "fixed offset ", *fixed[first],
          misaligned.size() > 1 ? absl::StrCat(" of record ", first) : "",
          " is not aligned; expected a multiple of its alignment ",
          alignments.Of(first)));
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

// Returns an error if a problem of shared objects has fixed offsets or
// constraints, which no strategy of this library supports.
absl::Status CheckKind(const ProblemSpec& spec) {
  std::vector<size_t> fixed;
  for (size_t i = 0; i < spec.fixed_offsets.size(); ++i) {
    if (spec.fixed_offsets[i]) fixed.push_back(i);
  }
  if (!fixed.empty() && spec.kind == PlanKind::kObjects) {
    return WithRecords(
        absl::UnimplementedError(
            "fixed offsets: shared objects have none; expected kind offsets"),
        fixed);
  }
  if (!spec.constraints.empty() && spec.kind == PlanKind::kObjects) {
    return absl::UnimplementedError(
        "constraints: shared objects have none; expected kind offsets");
  }
  return absl::OkStatus();
}

bool IsThereAllTheTime(const Hole& hole) {
  return hole.first_task == 0 &&
         hole.last_task == std::numeric_limits<TaskId>::max();
}

// Checks that the problem requests nothing that cannot be combined with its
// free order.
absl::Status CheckWithFreeOrder(const ProblemSpec& spec) {
  const Constraints& constraints = spec.constraints;
  const auto refuse = [](absl::string_view what, absl::string_view expected) {
    return absl::UnimplementedError(absl::StrCat(
        "free order: ", what, " do not go with it; expected ", expected));
  };
  if (spec.kind == PlanKind::kObjects) {
    return refuse("shared objects", "offsets");
  }
  if (spec.reallocation_graph) {
    return refuse("reallocation graphs", "none");
  }
  if (constraints.order) {
    return refuse("partial orders and streams", "edges of the free order");
  }
  if (!constraints.pools.empty() || !constraints.choices.empty()) {
    return refuse("pools", "one memory");
  }
  if (!constraints.prefer_apart.empty()) {
    return refuse("preferences", R"("apart", or an order that is given)");
  }
  if (spec.groups_are_optional) {
    return refuse("optional groups", "groups that are kept, or none");
  }
  if (!std::all_of(constraints.holes.begin(), constraints.holes.end(),
                   IsThereAllTheTime)) {
    return refuse("holes of some tasks", "holes without lower and upper");
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
  if (absl::Status s = CheckFixedAlignments(alignments, spec.fixed_offsets);
      !s.ok()) {
    return s;
  }
  if (absl::Status s = CheckSums(spec, padded_sum); !s.ok()) return s;
  return CheckConstraints(spec);
}

}  // namespace

Alignments AlignmentsOf(const ProblemSpec& spec) {
  if (spec.alignments.empty()) return spec.alignment;
  return Alignments(spec.alignments);
}

absl::Status CheckProblem(const ProblemSpec& spec) {
  if (spec.free_order) {
    if (absl::Status s = CheckWithFreeOrder(spec); !s.ok()) return s;
    if (absl::Status s = CheckFreeOrder(*spec.free_order, spec.records.size());
        !s.ok()) {
      return s;
    }
  }
  if (absl::Status s = CheckKind(spec); !s.ok()) return s;
  if (absl::Status s = CheckUsageRecords(spec.records); !s.ok()) return s;
  const size_t count = spec.records.size();
  const Alignments alignments = AlignmentsOf(spec);
  if (absl::Status s = alignments.Check(count); !s.ok()) return s;
  for (const auto& [what, entries] :
       {std::pair("fixed offsets", spec.fixed_offsets.size()),
        std::pair("names", spec.names.size()),
        std::pair("places", spec.constraints.places.size()),
        std::pair("choices of pools", spec.constraints.choices.size())}) {
    if (absl::Status s = CheckCount(what, entries, count); !s.ok()) return s;
  }
  if (absl::Status s = CheckPlaceFirst(spec.place_first, count); !s.ok()) {
    return s;
  }
  if (absl::Status s = CheckBytes(spec, alignments); !s.ok()) return s;
  if (!spec.reallocation_graph) return absl::OkStatus();
  return CheckReallocationGraph(*spec.reallocation_graph, count);
}

}  // namespace stowage
