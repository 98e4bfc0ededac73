// SPDX-License-Identifier: Apache-2.0
#include "src/plan/kept_groups.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "stowage/base/status.h"
#include "stowage/error_payload.h"

namespace stowage {
namespace {

// A group of the solution, and the group of the problem that it is a part of.
struct KeptGroup {
  uint32_t number = 0;
  size_t first = 0;    // the first record
  uint32_t group = 0;  // the group in the problem
};

Status NotAPart(size_t first, size_t record) {
  return WithRecords(
      InvalidArgumentError(StrCat(
          "records ", first, " and ", record,
          ": a group of the solution; expected a part of one group of the "
          "problem, with the same distances")),
      {first, record});
}

}  // namespace

Status KeepGroups(const std::vector<RecordPlace>& places, ProblemSpec* spec) {
  std::vector<RecordPlace>& asked = spec->constraints.places;
  if (!places.empty() && places.size() != spec->records.size()) {
    return InvalidArgumentError(
        StrCat(places.size(), " places of a solution; expected ",
               spec->records.size(), ", one for each record, or none"));
  }
  flat_hash_map<uint32_t, KeptGroup> groups;
  std::vector<std::string> names;
  std::vector<RecordPlace> decided = asked;
  for (RecordPlace& place : decided) {
    place.group = kNoGroup;
    place.at = 0;
  }
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].group == kNoGroup) continue;
    if (asked.empty() || asked[i].group == kNoGroup) return NotAPart(i, i);
    const auto number = static_cast<uint32_t>(groups.size());
    const auto [it, is_new] = groups.try_emplace(
        places[i].group, KeptGroup{number, i, asked[i].group});
    const KeptGroup& kept = it->second;
    // Differences may wrap around, but equal distances still have equal
    // differences.
    if (asked[i].group != kept.group ||
        places[i].at - places[kept.first].at !=
            asked[i].at - asked[kept.first].at) {
      return NotAPart(kept.first, i);
    }
    decided[i].group = kept.number;
    decided[i].at = places[i].at;
    if (is_new && kept.group < spec->labels.groups.size()) {
      names.resize(kept.number);
      names.push_back(spec->labels.groups[kept.group]);
    }
  }
  asked = std::move(decided);
  spec->labels.groups = std::move(names);
  return OkStatus();
}

}  // namespace stowage
