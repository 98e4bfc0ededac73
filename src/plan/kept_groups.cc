// SPDX-License-Identifier: Apache-2.0
#include "src/plan/kept_groups.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/unions.h"
#include "src/plan/group_attempts.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/error_payload.h"

namespace stowage {
namespace {

Status NotPermitted(size_t first, size_t record, string_view expected) {
  return WithRecords(InvalidArgumentError(StrCat(
                         "records ", first, " and ", record,
                         ": a group of the solution; expected ", expected)),
                     {first, record});
}

// Checks that every group of `places` is a part of one group of `asked`, with
// the same distances between its members.
Status CheckParts(const Places& asked, const Places& places) {
  constexpr char kExpected[] =
      "a part of one group of the problem, with the same distances";
  flat_hash_map<uint32_t, size_t> first_of;  // by group of `places`
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].group == kNoGroup) continue;
    if (asked.empty() || asked[i].group == kNoGroup) {
      return NotPermitted(i, i, kExpected);
    }
    const size_t first = first_of.try_emplace(places[i].group, i).first->second;
    // The unsigned differences may wrap around, but equal distances still yield
    // equal differences.
    if (asked[i].group != asked[first].group ||
        places[i].at - places[first].at != asked[i].at - asked[first].at) {
      return NotPermitted(first, i, kExpected);
    }
  }
  return OkStatus();
}

// Checks that every group of `asked` is a part of one group of `places`, and
// that the distances between its members are the same in both groups.
Status CheckWhole(const Places& asked, const Places& places) {
  flat_hash_map<uint32_t, size_t> first_of;  // by group of `asked`
  for (size_t i = 0; i < asked.size(); ++i) {
    if (asked[i].group == kNoGroup) continue;
    const size_t first = first_of.try_emplace(asked[i].group, i).first->second;
    if (first == i) continue;
    if (places.empty() || places[i].group == kNoGroup ||
        places[i].group != places[first].group ||
        places[i].at - places[first].at != asked[i].at - asked[first].at) {
      return NotPermitted(
          first, i, "all of a group of the problem, with the same distances");
    }
  }
  return OkStatus();
}

// Divides the groups of `places` into single records and parts. All members of
// a part belong to one group of `asked`, and have the same distances in both
// groups.
Places PartsOf(const Places& asked, const Places& places) {
  std::map<std::tuple<uint32_t, uint32_t, size_t>, uint32_t> numbers;
  Places parts = places;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].group == kNoGroup) continue;
    const uint32_t group = asked.empty() ? kNoGroup : asked[i].group;
    const auto next = static_cast<uint32_t>(numbers.size());
    const size_t shift = group == kNoGroup ? i : places[i].at - asked[i].at;
    parts[i].group = numbers.try_emplace({places[i].group, group, shift}, next)
                         .first->second;
  }
  return parts;
}

// Checks that the same_or_apart pairs permit the groups of `places`.
Status CheckUnions(const Problem& problem, const Places& places) {
  const Constraints& constraints = *problem.constraints();
  if (!problem.groups_are_optional()) {
    if (Status s = CheckWhole(constraints.places, places); !s.ok()) return s;
  }
  const rigid::Relation relation(problem);
  Unions unions(problem, relation, PartsOf(constraints.places, places));
  for (const SharedPlace& pair : constraints.same_or_apart) {
    if (places.empty() || places[pair.first].group == kNoGroup ||
        places[pair.first].group != places[pair.second].group ||
        places[pair.first].at != places[pair.second].at) {
      continue;
    }
    if (unions.Unite(pair)) continue;
    return NotPermitted(pair.first, pair.second,
                        "no records that conflict and share bytes without "
                        "being a pair in one place");
  }
  flat_hash_map<uint32_t, size_t> first_of;  // by group of `places`
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].group == kNoGroup) continue;
    const size_t first = first_of.try_emplace(places[i].group, i).first->second;
    if (unions.AreInOneUnit({first, i})) continue;
    return NotPermitted(first, i, "records that pairs in one place connect");
  }
  return OkStatus();
}

// Sets the groups of the spec to those of `places`.
void TakeGroups(const Places& places, ProblemSpec* spec) {
  Places& asked = spec->constraints.places;
  flat_hash_map<uint32_t, uint32_t> numbers;
  std::vector<std::string> names;
  Places decided = asked;
  if (!places.empty()) decided.resize(places.size());
  for (RecordPlace& place : decided) {
    place.group = kNoGroup;
    place.at = 0;
  }
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].group == kNoGroup) continue;
    const auto next = static_cast<uint32_t>(numbers.size());
    const uint32_t number =
        numbers.try_emplace(places[i].group, next).first->second;
    decided[i].group = number;
    decided[i].at = places[i].at;
    const uint32_t group = asked.empty() ? kNoGroup : asked[i].group;
    if (group >= spec->labels.groups.size()) continue;
    if (names.size() <= number) names.resize(number + 1);
    if (names[number].empty()) names[number] = spec->labels.groups[group];
  }
  asked = std::move(decided);
  spec->labels.groups = std::move(names);
}

// Calls RaiseLeastOffsets for the groups of `asked` that `places` does not
// keep. A kept group of one record may be too high for the record's `max`. The
// problem then has no plan, but a least offset above `max` would be an error.
void RaiseUnkept(const Places& places, Places* asked) {
  Places raised = *asked;
  RaiseLeastOffsets(&raised);
  for (size_t i = 0; i < raised.size(); ++i) {
    if (places.empty() || places[i].group == kNoGroup) (*asked)[i] = raised[i];
  }
}

bool HasPairs(const Problem& problem) {
  return problem.constraints() != nullptr &&
         !problem.constraints()->same_or_apart.empty();
}

}  // namespace

StatusOr<ProblemSpec> KeepGroups(const Problem& problem, const Places& places) {
  ProblemSpec spec = problem.ToSpec();
  if (!places.empty() && places.size() != spec.records.size()) {
    return InvalidArgumentError(
        StrCat(places.size(), " places of a solution; expected ",
               spec.records.size(), ", one for each record, or none"));
  }
  const Status checked = HasPairs(problem)
                             ? CheckUnions(problem, places)
                             : CheckParts(spec.constraints.places, places);
  if (!checked.ok()) return checked;
  if (!spec.groups_are_optional) RaiseUnkept(places, &spec.constraints.places);
  TakeGroups(places, &spec);
  spec.groups_are_optional = false;
  spec.constraints.same_or_apart.clear();
  return spec;
}

std::vector<RecordPlace> PlacesOfPlan(const Problem& problem,
                                      const OffsetsAssignment& plan) {
  const Constraints& constraints = *problem.constraints();
  const rigid::Relation relation(problem);
  Unions unions(problem, relation, constraints.places);
  const auto pool_of = [&](size_t i) {
    return plan.pools.empty() ? 0 : plan.pools[i];
  };
  for (const SharedPlace& pair : constraints.same_or_apart) {
    if (plan.offsets[pair.first] == plan.offsets[pair.second] &&
        pool_of(pair.first) == pool_of(pair.second) &&
        relation.ConflictUngrouped(static_cast<uint32_t>(pair.first),
                                   static_cast<uint32_t>(pair.second))) {
      unions.Unite(pair);
    }
  }
  return Tidied(unions.Places());
}

}  // namespace stowage
