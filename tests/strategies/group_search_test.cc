// SPDX-License-Identifier: Apache-2.0
// Compares the search under constraints with an exhaustive search, which tries
// every start of every rigid group.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

// Generates small problems that combine most kinds of constraints.
class Drawing {
 public:
  explicit Drawing(uint32_t seed) : random_(seed) {}

  ProblemSpec Sample() {
    ProblemSpec spec;
    const size_t count = 2 + Below(3);
    const bool has_groups = Below(2) == 0;
    const bool has_places = Below(2) == 0;
    for (size_t i = 0; i < count; ++i) {
      const auto first = static_cast<TaskId>(Below(4));
      spec.records.emplace_back(Below(8) == 0 ? 0 : 1 + Below(5), first,
                                first + static_cast<TaskId>(Below(3)));
      spec.alignments.push_back(Below(3) == 0 ? size_t{1} << Below(3) : 1);
      RecordPlace place;
      if (has_groups && Below(3) > 0) {
        place.group = static_cast<uint32_t>(Below(2));
        place.at = Below(5);
      }
      if (has_places && Below(4) == 0) place.min = Below(6);
      if (has_places && Below(4) == 0) {
        place.max = place.min + spec.records[i].tensor_size + Below(8);
      }
      spec.constraints.places.push_back(place);
      spec.fixed_offsets.emplace_back();
      if (has_places && Below(8) == 0) spec.fixed_offsets[i] = 4 * Below(3);
    }
    AddHoles(&spec);
    AddPairs(&spec);
    if (Below(3) == 0) spec.capacity = 2 + Below(12);
    return spec;
  }

 private:
  size_t Below(size_t limit) { return random_() % limit; }

  void AddHoles(ProblemSpec* spec) {
    for (size_t k = Below(3); k > 0; --k) {
      const size_t begin = Below(8);
      const auto first = static_cast<TaskId>(Below(4));
      spec->constraints.holes.push_back({begin, begin + 1 + Below(3), first,
                                         first + static_cast<TaskId>(Below(3)),
                                         0});
    }
  }

  void AddPairs(ProblemSpec* spec) {
    for (size_t a = 0; a < spec->records.size(); ++a) {
      for (size_t b = a + 1; b < spec->records.size(); ++b) {
        const size_t kind = Below(12);
        if (kind == 0) spec->constraints.apart.push_back({a, b});
        if (kind == 1 || kind == 2) spec->constraints.never.emplace_back(a, b);
        if (kind == 3) {
          spec->constraints.prefer_apart.push_back({a, b, 1 + Below(5)});
        }
      }
    }
  }

  std::mt19937 random_;
};

// Searches exhaustively: tries every start of every rigid group.
class EveryStart {
 public:
  EveryStart(const ProblemSpec& spec, const Problem& problem)
      : spec_(spec), problem_(problem) {
    const std::vector<RecordPlace>& places = spec.constraints.places;
    for (size_t i = 0; i < spec.records.size(); ++i) {
      group_of_.push_back(groups_);
      for (size_t j = 0; j < i; ++j) {
        if (places[i].group != kNoGroup && places[j].group == places[i].group) {
          group_of_.back() = group_of_[j];
        }
      }
      if (group_of_.back() == groups_) ++groups_;
      max_ +=
          spec.records[i].tensor_size + places[i].at + spec.alignments[i] - 1;
      highest_ =
          std::max({highest_, places[i].min, spec.fixed_offsets[i].value_or(0),
                    places[i].max.value_or(0)});
    }
    for (const Hole& hole : spec.constraints.holes) {
      highest_ = std::max(highest_, hole.end);
    }
    plan_.offsets.resize(spec.records.size());
    starts_.resize(groups_);
  }

  // Returns the lowest cost and the smallest total size among the plans of that
  // cost, or nothing if there is no plan.
  absl::optional<std::pair<uint64_t, size_t>> Find() {
    max_ = spec_.capacity.value_or(max_ + highest_);
    Try(0);
    return best_;
  }

 private:
  void Try(size_t group) {
    if (group == groups_) {
      CheckStarts();
      return;
    }
    for (size_t start = 0; start <= max_; ++start) {
      starts_[group] = start;
      bool fits = true;
      for (size_t i = 0; i < group_of_.size(); ++i) {
        if (group_of_[i] != group) continue;
        Lay(i);
        fits = fits && IsInPlace(i);
        for (size_t j = 0; fits && j < group_of_.size(); ++j) {
          fits = group_of_[j] >= group || ArePairSafe(i, j);
        }
      }
      if (fits) Try(group + 1);
    }
  }

  void Lay(size_t i) {
    const RecordPlace& place = spec_.constraints.places[i];
    plan_.offsets[i] =
        starts_[group_of_[i]] + (place.group == kNoGroup ? 0 : place.at);
  }

  size_t EndOf(size_t i) const {
    return plan_.offsets[i] + spec_.records[i].tensor_size;
  }

  bool IsInPlace(size_t i) const {
    const RecordPlace& place = spec_.constraints.places[i];
    const ByteRecord& record = spec_.records[i];
    const size_t offset = plan_.offsets[i];
    if (EndOf(i) > max_ || offset % spec_.alignments[i] != 0 ||
        offset < place.min || (place.max && EndOf(i) > *place.max) ||
        offset != spec_.fixed_offsets[i].value_or(offset)) {
      return false;
    }
    return record.tensor_size == 0 ||
           std::none_of(spec_.constraints.holes.begin(),
                        spec_.constraints.holes.end(), [&](const Hole& hole) {
                          return offset < hole.end && hole.begin < EndOf(i) &&
                                 record.first_task <= hole.last_task &&
                                 hole.first_task <= record.last_task;
                        });
  }

  bool Share(size_t i, size_t j) const {
    return spec_.records[i].tensor_size > 0 &&
           spec_.records[j].tensor_size > 0 && plan_.offsets[i] < EndOf(j) &&
           plan_.offsets[j] < EndOf(i);
  }

  bool ArePairSafe(size_t i, size_t j) const {
    if (!Share(i, j)) return true;
    for (const auto& set : spec_.constraints.apart) {
      if (set == std::vector<size_t>{std::min(i, j), std::max(i, j)}) {
        return false;
      }
    }
    for (const auto& [a, b] : spec_.constraints.never) {
      if (std::min(i, j) == a && std::max(i, j) == b) return true;
    }
    return spec_.records[i].last_task < spec_.records[j].first_task ||
           spec_.records[j].last_task < spec_.records[i].first_task;
  }

  void CheckStarts() {
    std::pair<uint64_t, size_t> found = {0, 0};
    for (const ApartPreference& wish : spec_.constraints.prefer_apart) {
      if (Share(wish.first, wish.second)) found.first += wish.cost;
    }
    for (size_t i = 0; i < group_of_.size(); ++i) {
      found.second = std::max(found.second, EndOf(i));
    }
    if (best_ && found >= *best_) return;
    // The verifier, which shares no code with this search, must accept the
    // plan.
    plan_.total_size = found.second;
    EXPECT_FALSE(FindViolation(problem_, plan_));
    best_ = found;
  }

  const ProblemSpec& spec_;
  const Problem& problem_;
  std::vector<size_t> group_of_;
  size_t groups_ = 0;
  size_t max_ = 0;
  size_t highest_ = 0;
  std::vector<size_t> starts_;
  OffsetsAssignment plan_;
  absl::optional<std::pair<uint64_t, size_t>> best_;
};

TEST(GroupSearch, FindsWhatEveryStartOfEveryGroupFinds) {
  size_t feasible = 0;
  size_t infeasible = 0;
  for (uint32_t seed = 1; seed <= 2500; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const ProblemSpec spec = Drawing(seed).Sample();
    const auto problem = Problem::Create(spec);
    if (!problem.ok()) continue;  // the spec contradicts itself
    EveryStart every(spec, *problem);
    const auto truth = every.Find();
    SolveOptions options;
    options.node_budget = 1000000;
    const auto solution = Solve(*problem, "optimal", options);
    ASSERT_TRUE(solution.ok()) << solution.status();
    if (!truth) {
      ++infeasible;
      EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
      continue;
    }
    ++feasible;
    EXPECT_LE(LowerBoundOf(*problem).bytes, truth->second);
    EXPECT_EQ(solution->status, SolutionStatus::kOptimal) << solution->reason;
    EXPECT_EQ(solution->cost, truth->first);
    EXPECT_EQ(solution->cost_bound, truth->first);
    EXPECT_EQ(solution->total_size, truth->second);
    EXPECT_FALSE(FindViolation(*problem, *solution->offsets()));
  }
  EXPECT_GT(feasible, 1000);
  EXPECT_GT(infeasible, 50);
}

}  // namespace
}  // namespace stowage
