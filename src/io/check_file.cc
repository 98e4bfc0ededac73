// SPDX-License-Identifier: Apache-2.0
#include "src/io/check_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/base/ascii.h"
#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

Status CheckLists(const ProblemSpec& problem, const FilePlan& plan) {
  const size_t count = problem.records.size();
  if (problem.names.size() != count) {
    return InvalidArgumentError(StrCat(problem.names.size(),
                                       " ids; expected one for each of the ",
                                       count, " records"));
  }
  const Constraints& constraints = problem.constraints;
  const std::pair<size_t, string_view> lists[] = {
      {problem.alignments.size(), "alignment"},
      {problem.fixed_offsets.size(), "fixed"},
      {plan.offsets.size(), "offset"},
      {plan.objects.size(), "object"},
      {plan.chosen_pools.size(), "chosen_pool"},
      {problem.labels.tensors.size(), "name"},
      {constraints.places.size(), "places"},
      {constraints.choices.size(), "choices"},
      {constraints.users.size(), "users"}};
  for (const auto& [size, column] : lists) {
    if (size == 0 || size == count) continue;
    return InvalidArgumentError(StrCat(size, " entries in the column ", column,
                                       "; expected none or ", count));
  }
  if (!plan.offsets.empty() && !plan.objects.empty()) {
    return InvalidArgumentError(
        "both offsets and objects; expected one of them");
  }
  if (!plan.chosen_pools.empty() && plan.offsets.empty()) {
    return InvalidArgumentError("chosen pools without offsets; expected both");
  }
  return OkStatus();
}

// Returns Unimplemented if the problem has a feature that no file can express.
Status CheckExpressible(const ProblemSpec& problem) {
  string_view what;
  if (problem.reallocation_graph) what = "a reallocation graph";
  if (problem.groups_are_optional) what = "optional groups";
  if (what.empty()) return OkStatus();
  return UnimplementedError(
      StrCat("problem: files cannot hold ", what, "; expected none"));
}

Status CheckRecord(const ProblemSpec& problem, size_t i) {
  const TensorUsageRecord<size_t>& record = problem.records[i];
  if (record.first_task > record.last_task) {
    return RecordError(i, StrCat("its first task ", record.first_task,
                                 " is after its last task ", record.last_task,
                                 "; expected the first not after the last"));
  }
  if (record.last_task == std::numeric_limits<size_t>::max()) {
    return WithRecords(
        OutOfRangeError(
            StrCat("record ", i, ": its last task is ", record.last_task,
                   ", and files store the task after it; expected less")),
        {i});
  }
  if (!problem.alignments.empty() && !IsValidAlignment(problem.alignments[i])) {
    return RecordError(i, StrCat("its alignment is ", problem.alignments[i],
                                 "; expected a power of two"));
  }
  return OkStatus();
}

Status CheckConsumers(const ProblemSpec& problem, size_t i) {
  const std::vector<size_t>& tasks = problem.labels.tensors[i].consumers;
  const auto found =
      std::adjacent_find(tasks.begin(), tasks.end(), std::greater_equal<>());
  if (found == tasks.end()) return OkStatus();
  return RecordError(i, StrCat("consumers: task ", found[1], " after task ",
                               found[0], "; expected rising tasks, each once"));
}

bool IsText(string_view text) {
  return !text.empty() && IsUtf8(text) && !StrContains(text, '\0');
}

Status CheckId(const ProblemSpec& problem, size_t i,
               flat_hash_set<string_view>* seen) {
  const std::string& id = problem.names[i];
  if (id.empty()) {
    return RecordError(i, "its id is empty; expected a unique id");
  }
  if (!IsText(id)) {
    return RecordError(i, StrCat("its id ", Quoted(id),
                                 " is not a name; expected UTF-8 text"));
  }
  if (!seen->insert(id).second) {
    return RecordError(i, StrCat("its id ", Quoted(id),
                                 " is that of another; expected a unique id"));
  }
  return OkStatus();
}

// Checks that the names of groups are unique, because files identify groups
// only by their names.
Status CheckGroups(const ProblemSpec& problem) {
  flat_hash_map<std::string, uint32_t> numbers;
  for (size_t i = 0; i < problem.constraints.places.size(); ++i) {
    const RecordPlace& place = problem.constraints.places[i];
    if (place.group == kNoGroup) {
      if (place.at == 0) continue;
      return RecordError(
          i, StrCat("at is ", place.at, " without a group; expected 0"));
    }
    const std::string name = GroupName(problem, place.group);
    if (!IsText(name)) {
      return RecordError(i, StrCat("its group ", Quoted(name),
                                   " is not a name; expected text"));
    }
    const auto found = numbers.try_emplace(name, place.group).first;
    if (found->second == place.group) continue;
    return RecordError(i, StrCat("its group ", Quoted(name),
                                 " is called as another; expected "
                                 "unique names"));
  }
  return OkStatus();
}

Status CheckPools(const ProblemSpec& problem, const FilePlan& plan) {
  const std::vector<MemoryPool>& pools = problem.constraints.pools;
  flat_hash_set<string_view> names;
  for (size_t p = 0; p < pools.size(); ++p) {
    if (!IsText(pools[p].name) || !names.insert(pools[p].name).second) {
      return InvalidArgumentError(StrCat("pool ", p, " is called ",
                                         Quoted(pools[p].name),
                                         "; expected a unique name"));
    }
  }
  const auto unknown = [&](size_t i, size_t pool) {
    return RecordError(i, StrCat("pool ", pool, " is unknown; expected ",
                                 pools.size(), " pools"));
  };
  for (size_t i = 0; i < problem.constraints.choices.size(); ++i) {
    for (const PoolChoice& choice : problem.constraints.choices[i]) {
      if (choice.pool >= pools.size()) return unknown(i, choice.pool);
    }
  }
  for (size_t i = 0; i < plan.chosen_pools.size(); ++i) {
    if (plan.chosen_pools[i] < pools.size()) continue;
    return unknown(i, plan.chosen_pools[i]);
  }
  for (const Hole& hole : problem.constraints.holes) {
    if (hole.pool == 0 || hole.pool < pools.size()) continue;
    return InvalidArgumentError(StrCat("a hole is in pool ", hole.pool,
                                       "; expected ", pools.size(), " pools"));
  }
  return OkStatus();
}

// Checks that lists which refer to records contain only valid indices.
Status CheckIndices(const ProblemSpec& problem) {
  const size_t count = problem.records.size();
  optional<size_t> beyond;  // the highest index without a record
  const auto check = [&](size_t i) {
    if (i >= count) beyond = std::max(beyond.value_or(i), i);
  };
  for (const std::vector<size_t>& set : problem.constraints.apart) {
    for (const size_t i : set) check(i);
  }
  for (const auto& [first, second] : problem.constraints.never) {
    check(first);
    check(second);
  }
  for (const ApartPreference& pair : problem.constraints.prefer_apart) {
    check(pair.first);
    check(pair.second);
  }
  for (const SharedPlace& pair : problem.constraints.same_or_apart) {
    check(pair.first);
    check(pair.second);
  }
  if (!beyond) return OkStatus();
  return InvalidArgumentError(StrCat(
      "record ", *beyond, " is listed; expected an index below ", count));
}

}  // namespace

Status RecordError(size_t record, string_view message) {
  return WithRecords(
      InvalidArgumentError(StrCat("record ", record, ": ", message)), {record});
}

Status CheckFile(const ProblemFile& file) {
  const ProblemSpec& problem = file.problem;
  const FilePlan& plan = file.plan;
  if (Status status = CheckLists(problem, plan); !status.ok()) {
    return status;
  }
  if (Status s = CheckExpressible(problem); !s.ok()) return s;
  flat_hash_set<string_view> ids;
  ids.reserve(problem.records.size());
  for (size_t i = 0; i < problem.records.size(); ++i) {
    Status status = CheckRecord(problem, i);
    if (status.ok()) status = CheckId(problem, i, &ids);
    if (status.ok() && !problem.labels.tensors.empty()) {
      status = CheckConsumers(problem, i);
    }
    if (!status.ok()) return status;
  }
  if (Status status = CheckGroups(problem); !status.ok()) return status;
  if (Status status = CheckPools(problem, plan); !status.ok()) {
    return status;
  }
  return CheckIndices(problem);
}

std::string GroupName(const ProblemSpec& problem, uint32_t group) {
  return group < problem.labels.groups.size() ? problem.labels.groups[group]
                                              : StrCat(group);
}

}  // namespace stowage
