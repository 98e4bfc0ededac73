// SPDX-License-Identifier: Apache-2.0
#include "src/model/check_constraints.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "src/model/check_pairs.h"
#include "src/model/check_places.h"
#include "src/model/find_repeated.h"
#include "src/model/record_errors.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/free_order.h"
#include "stowage/task_order.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

Status CheckUsersOf(const ProblemSpec& spec, size_t i) {
  const Span<const TaskId> users = spec.constraints.users[i];
  const size_t tasks = spec.constraints.order->tasks();
  if (users.empty()) {
    return InvalidRecords({i}, "no task uses it; expected at least one");
  }
  const auto [first, last] = std::minmax_element(users.begin(), users.end());
  if (*last >= tasks) {
    return InvalidRecords(
        {i}, StrCat("user ", *last,
                    " is not in the order; expected a task below ", tasks));
  }
  const ByteRecord& record = spec.records[i];
  if (record.first_task == *first && record.last_task == *last) {
    return OkStatus();
  }
  return InvalidRecords(
      {i}, StrCat("tasks ", record.first_task, " to ", record.last_task,
                  " are not those from the first user to the last; expected ",
                  *first, " to ", *last));
}

Status CheckOrder(const ProblemSpec& spec) {
  const UserLists& users = spec.constraints.users;
  if (!spec.constraints.order) {
    if (users.empty()) return OkStatus();
    return InvalidArgumentError(
        "users: given without an order of tasks; expected both or neither");
  }
  if (users.size() != spec.records.size()) {
    return InvalidArgumentError(
        StrCat("users: ", users.size(), " lists given; expected ",
               spec.records.size(), ", one for each record"));
  }
  for (size_t i = 0; i < spec.records.size(); ++i) {
    if (Status s = CheckUsersOf(spec, i); !s.ok()) return s;
  }
  return OkStatus();
}

Status CheckHoles(const Constraints& constraints) {
  const std::vector<Hole>& holes = constraints.holes;
  const size_t pools = std::max<size_t>(1, constraints.pools.size());
  const auto error = [](size_t h, string_view what) {
    return InvalidArgumentError(StrCat("hole ", h, ": ", what));
  };
  for (size_t h = 0; h < holes.size(); ++h) {
    const Hole& hole = holes[h];
    if (hole.begin >= hole.end) {
      return error(h,
                   StrCat("bytes [", hole.begin, ", ", hole.end,
                          ") are empty; expected an end above ", hole.begin));
    }
    if (hole.first_task > hole.last_task) {
      return error(h, StrCat("its first task ", hole.first_task,
                             " is after its last task ", hole.last_task,
                             "; expected the first not after the last"));
    }
    if (hole.pool >= pools) {
      return error(h, StrCat("it is in pool ", hole.pool,
                             "; expected an index below ", pools));
    }
  }
  const auto repeated = FindRepeated(holes.size(), [&](size_t h) {
    const Hole& hole = holes[h];
    return std::tie(hole.pool, hole.begin, hole.end, hole.first_task,
                    hole.last_task);
  });
  if (!repeated) return OkStatus();
  return error(repeated->second,
               StrCat("it is the same as hole ", repeated->first,
                      "; expected each once at most"));
}

Status CheckPools(const ProblemSpec& spec) {
  const std::vector<MemoryPool>& pools = spec.constraints.pools;
  if (!pools.empty() && spec.capacity) {
    return InvalidArgumentError(StrCat(
        "capacity: ", *spec.capacity,
        " is given for all pools together; expected a capacity of each pool"));
  }
  if (pools.size() > std::numeric_limits<uint32_t>::max()) {
    return InvalidArgumentError(
        StrCat("pools: ", pools.size(), " given; expected fewer than 2^32"));
  }
  const auto repeated = FindRepeated(
      pools.size(), [&](size_t p) { return string_view(pools[p].name); });
  if (!repeated) return OkStatus();
  return InvalidArgumentError(StrCat(
      "pool ", repeated->second, ": its name '", pools[repeated->second].name,
      "' is that of pool ", repeated->first, "; expected a name of its own"));
}

Status CheckChoices(const Constraints& constraints) {
  const size_t pools = constraints.pools.size();
  const size_t none = constraints.choices.size();
  std::vector<size_t> chosen_by(pools, none);
  for (size_t i = 0; i < constraints.choices.size(); ++i) {
    for (const PoolChoice& choice : constraints.choices[i]) {
      if (choice.pool >= pools) {
        return InvalidRecords({i}, StrCat("it may use pool ", choice.pool,
                                          "; expected an index below ", pools));
      }
      if (chosen_by[choice.pool] == i) {
        return InvalidRecords({i},
                              StrCat("it lists pool ", choice.pool,
                                     " twice; expected each once at most"));
      }
      chosen_by[choice.pool] = i;
    }
  }
  return OkStatus();
}

// Checks that the sum of the highest cost of each record and the costs of all
// preferences fits in 64 bits. No plan costs more than this sum.
Status CheckCosts(const Constraints& constraints) {
  size_t sum = 0;
  for (size_t i = 0; i < constraints.choices.size(); ++i) {
    uint64_t max = 0;
    for (const PoolChoice& choice : constraints.choices[i]) {
      max = std::max(max, choice.cost);
    }
    const optional<size_t> next = CheckedAdd(sum, max);
    if (!next) {
      return OutOfRangeRecord(
          i, StrCat("cost ", max,
                    " makes the sum of costs overflow 64 bits; expected "
                    "a sum below 2^64"));
    }
    sum = *next;
  }
  for (size_t p = 0; p < constraints.prefer_apart.size(); ++p) {
    const ApartPreference& preference = constraints.prefer_apart[p];
    const optional<size_t> next = CheckedAdd(sum, preference.cost);
    if (!next) {
      return WithRecords(
          OutOfRangeError(StrCat(
              "preference ", p, ": cost ", preference.cost,
              " makes the sum of costs overflow 64 bits; expected a sum below "
              "2^64")),
          {preference.first, preference.second});
    }
    sum = *next;
  }
  return OkStatus();
}

// Returns an error if two records of an apart set are in the same group and
// share bytes because of their places in the group.
Status CheckGroupsApart(const ProblemSpec& spec, std::vector<size_t> set) {
  const std::vector<RecordPlace>& places = spec.constraints.places;
  if (places.empty()) return OkStatus();
  set.erase(std::remove_if(set.begin(), set.end(),
                           [&](size_t i) {
                             return places[i].group == kNoGroup ||
                                    spec.records[i].tensor_size == 0;
                           }),
            set.end());
  std::sort(set.begin(), set.end(), [&](size_t a, size_t b) {
    return std::tie(places[a].group, places[a].at, a) <
           std::tie(places[b].group, places[b].at, b);
  });
  for (size_t k = 1; k < set.size(); ++k) {
    const size_t a = set[k - 1];
    const size_t b = set[k];
    if (places[a].group != places[b].group ||
        places[b].at - places[a].at >= spec.records[a].tensor_size) {
      continue;
    }
    return InvalidRecords({std::min(a, b), std::max(a, b)},
                          "they are apart, but overlap in their group; "
                          "expected displacements that keep them apart");
  }
  return OkStatus();
}

// Returns an error if a set has the same members as an earlier set, in any
// order.
Status CheckSetsDiffer(std::vector<std::vector<size_t>> sets) {
  for (std::vector<size_t>& set : sets) std::sort(set.begin(), set.end());
  const auto repeated = FindRepeated(
      sets.size(), [&](size_t s) { return MakeConstSpan(sets[s]); });
  if (!repeated) return OkStatus();
  return WithRecords(
      InvalidArgumentError(StrCat("apart set ", repeated->second,
                                  ": it is the same as set ", repeated->first,
                                  "; expected each once at most")),
      sets[repeated->second]);
}

Status CheckApart(const ProblemSpec& spec) {
  const std::vector<std::vector<size_t>>& sets = spec.constraints.apart;
  std::vector<size_t> listed_in(spec.records.size(), sets.size());
  for (size_t s = 0; s < sets.size(); ++s) {
    for (const size_t i : sets[s]) {
      if (Status status = CheckIndex("apart set", s, i, spec.records.size());
          !status.ok()) {
        return status;
      }
      if (listed_in[i] == s) {
        return InvalidRecords({i}, StrCat("apart set ", s,
                                          " lists it twice; expected "
                                          "each once at most"));
      }
      listed_in[i] = s;
    }
    if (Status status = CheckGroupsApart(spec, sets[s]); !status.ok()) {
      return status;
    }
  }
  return CheckSetsDiffer(sets);
}

bool IsThereAllTheTime(const Hole& hole) {
  return hole.first_task == 0 &&
         hole.last_task == std::numeric_limits<TaskId>::max();
}

// Returns an error if the problem uses a feature that cannot be combined with
// its free order.
Status CheckCombination(const ProblemSpec& spec) {
  const Constraints& constraints = spec.constraints;
  const auto refuse = [](string_view what, string_view expected) {
    return UnimplementedError(StrCat("free order: ", what,
                                     " cannot be combined with it; expected ",
                                     expected));
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
  if (!constraints.same_or_apart.empty()) {
    return refuse("pairs that may lie in one place",
                  "groups, or an order that is given");
  }
  if (spec.groups_are_optional) {
    return refuse("optional groups", "groups that are kept, or none");
  }
  if (!std::all_of(constraints.holes.begin(), constraints.holes.end(),
                   IsThereAllTheTime)) {
    return refuse("holes of some tasks", "holes without lower and upper");
  }
  return OkStatus();
}

}  // namespace

Status CheckWithFreeOrder(const ProblemSpec& spec) {
  if (Status s = CheckCombination(spec); !s.ok()) return s;
  return CheckFreeOrder(*spec.free_order, spec.records.size());
}

Status CheckConstraints(const ProblemSpec& spec, size_t padded_sum) {
  const Constraints& constraints = spec.constraints;
  if (Status s = CheckSums(spec, padded_sum); !s.ok()) return s;
  if (Status s = CheckOrder(spec); !s.ok()) return s;
  if (constraints.empty()) return OkStatus();
  if (Status s = CheckPools(spec); !s.ok()) return s;
  if (Status s = CheckChoices(constraints); !s.ok()) return s;
  if (Status s = CheckHoles(constraints); !s.ok()) return s;
  if (Status s = CheckPlaces(spec); !s.ok()) return s;
  if (Status s = CheckApart(spec); !s.ok()) return s;
  if (Status s = CheckPairs(spec); !s.ok()) return s;
  return CheckCosts(constraints);
}

void AddUpPreferences(std::vector<ApartPreference>* preferences) {
  flat_hash_map<size_t, flat_hash_map<size_t, size_t>> index;
  size_t count = 0;
  for (const ApartPreference& given : *preferences) {
    const auto [first, second] = std::minmax(given.first, given.second);
    const auto [found, is_new] = index[first].emplace(second, count);
    if (is_new) {
      (*preferences)[count++] = given;
    } else {
      (*preferences)[found->second].cost += given.cost;
    }
  }
  preferences->resize(count);
}

}  // namespace stowage
