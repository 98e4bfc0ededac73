// SPDX-License-Identifier: Apache-2.0
#include "src/model/check_places.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "src/base/str_cat.h"
#include "src/model/record_errors.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/constraints.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

optional<size_t> FixedOffsetIn(const ProblemSpec& spec, size_t i) {
  return spec.fixed_offsets.empty() ? nullopt : spec.fixed_offsets[i];
}

Status CheckRange(const ProblemSpec& spec, size_t i) {
  const RecordPlace& place = spec.constraints.places[i];
  const size_t size = spec.records[i].tensor_size;
  const size_t end = place.min + size;
  if (place.max && *place.max < end) {
    return InvalidRecords(
        {i}, StrCat("bytes [", place.min, ", ", *place.max,
                    ") have no room for its size ", size,
                    "; expected its range to end at ", end, " or above"));
  }
  const optional<size_t> fixed = FixedOffsetIn(spec, i);
  if (!fixed || (*fixed >= place.min &&
                 *fixed <= place.max.value_or(*fixed + size) - size)) {
    return OkStatus();
  }
  return InvalidRecords(
      {i}, StrCat("fixed offset ", *fixed, " is outside its range; expected ",
                  place.max ? StrCat("an offset from ", place.min, " to ",
                                     *place.max - size)
                            : StrCat(place.min, " or above")));
}

// Checks one group, given its records in rising order.
class GroupCheck {
 public:
  GroupCheck(const ProblemSpec& spec, Span<const size_t> members)
      : spec_(spec), members_(members) {}

  Status Run() const {
    if (Status s = CheckFixed(); !s.ok()) return s;
    return CheckResidues();
  }

 private:
  size_t At(size_t i) const { return spec_.constraints.places[i].at; }

  // Checks that all members with fixed offsets imply the same start of the
  // group.
  Status CheckFixed() const {
    optional<size_t> anchor;
    for (const size_t i : members_) {
      const optional<size_t> fixed = FixedOffsetIn(spec_, i);
      if (!fixed) continue;
      if (*fixed < At(i)) {
        return InvalidRecords(
            {i}, StrCat("fixed offset ", *fixed, " is below its displacement ",
                        At(i),
                        " in its group; expected an offset from there "
                        "on"));
      }
      if (!anchor) anchor = i;
      const size_t start = *FixedOffsetIn(spec_, *anchor) - At(*anchor);
      if (*fixed - At(i) == start) continue;
      return InvalidRecords(
          {*anchor, i},
          StrCat("fixed offsets ", *FixedOffsetIn(spec_, *anchor), " and ",
                 *fixed, " give their group two starts; expected ", start,
                 " for both, as for the first, not ", *fixed - At(i)));
    }
    return OkStatus();
  }

  // Checks that the alignments of the members, which are powers of two, are
  // consistent. The member with the largest alignment determines the offsets at
  // which the group may start, and all other members must be aligned at these
  // offsets.
  Status CheckResidues() const {
    const Alignments alignments = AlignmentsOf(spec_);
    size_t widest = members_.front();
    for (const size_t i : members_) {
      if (alignments.Of(i) > alignments.Of(widest)) widest = i;
    }
    for (const size_t i : members_) {
      // The difference may wrap around, which does no harm because every
      // alignment divides 2^64.
      if ((At(i) - At(widest)) % alignments.Of(i) == 0) continue;
      return InvalidRecords(
          {std::min(i, widest), std::max(i, widest)},
          StrCat("no start of their group aligns both; expected "
                 "displacements ",
                 At(std::min(i, widest)), " and ", At(std::max(i, widest)),
                 " that differ by a multiple of ", alignments.Of(i)));
    }
    return OkStatus();
  }

  const ProblemSpec& spec_;
  Span<const size_t> members_;
};

// Returns the records that are in groups, group by group. The records of each
// group are in rising order.
std::vector<size_t> RecordsByGroup(const std::vector<RecordPlace>& places) {
  std::vector<size_t> members;
  uint32_t groups = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].group == kNoGroup) continue;
    members.push_back(i);
    groups = std::max(groups, places[i].group + 1);
  }
  if (groups / 4 > places.size()) {
    std::stable_sort(members.begin(), members.end(), [&](size_t a, size_t b) {
      return places[a].group < places[b].group;
    });
    return members;
  }
  // Groups are usually numbered from 0 without large gaps, so counting the
  // members of each group is the fastest way to sort.
  std::vector<size_t> ends(groups + size_t{1});
  for (const size_t i : members) ++ends[places[i].group + size_t{1}];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<size_t> sorted(members.size());
  for (const size_t i : members) sorted[ends[places[i].group]++] = i;
  return sorted;
}

// Calls `visit` with the members of each group until it returns an error.
// Returns that error, or OK if there is none.
template <typename Visit>
Status VisitGroups(const std::vector<RecordPlace>& places, const Visit& visit) {
  const std::vector<size_t> members = RecordsByGroup(places);
  for (size_t begin = 0, end = 0; begin < members.size(); begin = end) {
    while (end < members.size() &&
           places[members[end]].group == places[members[begin]].group) {
      ++end;
    }
    if (Status s = visit(MakeConstSpan(members).subspan(begin, end - begin));
        !s.ok()) {
      return s;
    }
  }
  return OkStatus();
}

// Adds the extent of a group to `*sum`. The extent is the highest end of a
// member, counted from the start of the group.
Status AddExtent(const ProblemSpec& spec, Span<const size_t> members,
                 size_t* sum) {
  size_t highest = members.front();
  size_t extent = 0;
  for (const size_t i : members) {
    const size_t at = spec.constraints.places[i].at;
    const size_t size = spec.records[i].tensor_size;
    const optional<size_t> end = CheckedAdd(at, size);
    if (!end) {
      return OutOfRangeRecord(
          i, StrCat("displacement ", at, " and its size ", size,
                    " exceed 2^64 - 1; expected an end below 2^64"));
    }
    if (*end <= extent) continue;
    highest = i;
    extent = *end;
  }
  const optional<size_t> next = CheckedAdd(*sum, extent);
  if (!next) {
    return OutOfRangeRecord(
        highest, StrCat("displacement ", spec.constraints.places[highest].at,
                        " makes the sum of sizes and groups overflow 64 bits; "
                        "expected a sum below 2^64"));
  }
  *sum = *next;
  return OkStatus();
}

}  // namespace

Status CheckPlaces(const ProblemSpec& spec) {
  const std::vector<RecordPlace>& places = spec.constraints.places;
  for (size_t i = 0; i < places.size(); ++i) {
    if (Status s = CheckRange(spec, i); !s.ok()) return s;
  }
  return VisitGroups(places, [&](Span<const size_t> members) {
    return GroupCheck(spec, members).Run();
  });
}

Status CheckSums(const ProblemSpec& spec, size_t padded_sum) {
  const std::vector<RecordPlace>& places = spec.constraints.places;
  size_t sum = padded_sum;
  const auto add_extent = [&](Span<const size_t> members) {
    return AddExtent(spec, members, &sum);
  };
  if (Status s = VisitGroups(places, add_extent); !s.ok()) return s;
  for (size_t i = 0; i < spec.records.size(); ++i) {
    const size_t min = places.empty() ? 0 : places[i].min;
    const optional<size_t> fixed = FixedOffsetIn(spec, i);
    if (CheckedAdd(fixed.value_or(min), sum)) continue;
    return SumAboveOverflows(i, fixed ? "fixed offset " : "the least offset ",
                             fixed.value_or(min));
  }
  for (size_t h = 0; h < spec.constraints.holes.size(); ++h) {
    const size_t end = spec.constraints.holes[h].end;
    if (CheckedAdd(end, sum)) continue;
    return OutOfRangeError(StrCat(
        "hole ", h, ": its end ", end,
        " and the sum of the sizes above it exceed 2^64 - 1; expected a sum "
        "below 2^64"));
  }
  return OkStatus();
}

}  // namespace stowage
