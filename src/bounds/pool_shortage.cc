// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/pool_shortage.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/model/record_errors.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

using PoolSet = std::vector<uint32_t>;  // rising

constexpr size_t kMaxSets = 64;
constexpr size_t kMaxNames = 20;

// Returns the names as "a", "a and b" or "a, b and c". If there are more than
// kMaxNames names, lists only the first ones, followed by the number of other
// names.
std::string ListNames(std::vector<std::string> names) {
  std::string last;
  if (names.size() > kMaxNames) {
    last = StrCat(names.size() - kMaxNames, " more");
    names.resize(kMaxNames);
  } else {
    last = std::move(names.back());
    names.pop_back();
  }
  return StrCat(StrJoin(names, ", "), names.empty() ? "" : " and ", last);
}

class ShortageSearch {
 public:
  ShortageSearch(const Problem& problem, const Constraints& constraints)
      : problem_(problem), constraints_(constraints) {}

  optional<Solution> Run() const {
    PoolSet all(constraints_.pools.size());
    std::iota(all.begin(), all.end(), 0);
    std::set<PoolSet> sets = {all};
    for (size_t i = 0; i < problem_.size() && sets.size() < kMaxSets; ++i) {
      if (HasChoices(i)) sets.insert(PoolsOf(i));
    }
    for (const PoolSet& pools : sets) {
      if (auto shortage = FindIn(pools)) return shortage;
    }
    return nullopt;
  }

 private:
  bool HasChoices(size_t i) const {
    return !constraints_.choices.empty() && !constraints_.choices[i].empty();
  }

  PoolSet PoolsOf(size_t i) const {
    PoolSet pools;
    for (const PoolChoice& choice : constraints_.choices[i]) {
      pools.push_back(choice.pool);
    }
    std::sort(pools.begin(), pools.end());
    return pools;
  }

  // Returns the total capacity of the pools, or nullopt if one of the pools has
  // no capacity and is therefore unlimited.
  optional<size_t> CapacityOf(const PoolSet& pools) const {
    optional<size_t> sum = 0;
    for (const uint32_t pool : pools) {
      const optional<size_t> capacity = constraints_.pools[pool].capacity;
      if (sum) sum = capacity ? CheckedAdd(*sum, *capacity) : nullopt;
    }
    return sum;
  }

  // Returns the records that are in no group and may be placed only in `pools`.
  std::vector<size_t> RecordsWithin(const PoolSet& pools) const {
    std::vector<size_t> records;
    for (size_t i = 0; i < problem_.size(); ++i) {
      if (!constraints_.places.empty() &&
          constraints_.places[i].group != kNoGroup) {
        continue;
      }
      const bool is_all = pools.size() == constraints_.pools.size();
      if (!is_all && !HasChoices(i)) continue;
      const PoolSet own = is_all ? pools : PoolsOf(i);
      if (std::includes(pools.begin(), pools.end(), own.begin(), own.end())) {
        records.push_back(i);
      }
    }
    return records;
  }

  optional<Solution> FindIn(const PoolSet& pools) const {
    const optional<size_t> capacity = CapacityOf(pools);
    if (!capacity) return nullopt;
    const std::vector<size_t> within = RecordsWithin(pools);
    std::vector<ByteRecord> records;
    records.reserve(within.size());
    for (const size_t i : within) records.push_back(problem_.records()[i]);
    const TaskBreadth max = MaximumBreadth(records);
    if (max.breadth <= *capacity) return nullopt;
    // The conflict consists of the largest records: as few of them as exceed
    // the capacity.
    std::vector<size_t> conflict = TaskProfile(records, max.task);
    size_t bytes = max.breadth;
    while (bytes - records[conflict.back()].tensor_size > *capacity) {
      bytes -= records[conflict.back()].tensor_size;
      conflict.pop_back();
    }
    for (size_t& i : conflict) i = within[i];
    std::sort(conflict.begin(), conflict.end());
    return Explain(pools, max.task, bytes, *capacity, std::move(conflict));
  }

  Solution Explain(const PoolSet& pools, TaskId task, size_t bytes,
                   size_t capacity, std::vector<size_t> conflict) const {
    std::vector<std::string> names;
    for (const uint32_t pool : pools) {
      names.push_back(StrCat("'", constraints_.pools[pool].name, "'"));
    }
    const bool is_one = pools.size() == 1;
    Solution solution;
    solution.status = SolutionStatus::kInfeasible;
    solution.lower_bound = LowerBoundOf(problem_).bytes;
    solution.bound_proof = LowerBoundOf(problem_).proof;
    solution.conflict_is_irreducible = is_one && AreFree(conflict);
    solution.reason = StrCat(
        NamesOfRecords(problem_, conflict), " are live at task ", task,
        " and may lie in ", is_one ? "pool " : "pools ",
        ListNames(std::move(names)), " alone: ", bytes, " bytes, more than ",
        is_one ? "its capacity of " : "the capacities of ", capacity);
    solution.conflict = std::move(conflict);
    return solution;
  }

  // Returns whether sizes and the capacity alone determine where these records
  // fit.
  bool AreFree(Span<const size_t> records) const {
    return constraints_.places.empty() && constraints_.holes.empty() &&
           std::all_of(records.begin(), records.end(), [&](size_t i) {
             return problem_.alignments().Of(i) == 1 &&
                    !problem_.fixed_offset(i);
           });
  }

  const Problem& problem_;
  const Constraints& constraints_;
};

}  // namespace

optional<Solution> FindPoolShortage(const Problem& problem) {
  const Constraints* const constraints = problem.constraints();
  if (constraints == nullptr || constraints->pools.empty() ||
      !constraints->never.empty() || constraints->order) {
    return nullopt;
  }
  return ShortageSearch(problem, *constraints).Run();
}

std::string NamesOfRecords(const Problem& problem, Span<const size_t> records) {
  if (problem.names().empty()) return ListRecords(records);
  std::vector<std::string> names;
  for (const size_t i : records) {
    names.push_back(StrCat("'", problem.names()[i], "'"));
  }
  return ListNames(std::move(names));
}

}  // namespace stowage
