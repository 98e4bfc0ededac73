// SPDX-License-Identifier: Apache-2.0
#include "stowage/group_choice.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

using Clock = std::chrono::steady_clock;
using Places = std::vector<RecordPlace>;

bool SaysNothing(const RecordPlace& place) {
  return place.group == kNoGroup && place.min == 0 && !place.max;
}

// Removes groups of one record, and numbers the others from 0.
Places Tidied(Places places) {
  std::map<uint32_t, size_t> members;
  for (const RecordPlace& place : places) ++members[place.group];
  std::map<uint32_t, uint32_t> numbers;
  for (RecordPlace& place : places) {
    if (place.group == kNoGroup || members[place.group] < 2) {
      place.group = kNoGroup;
      place.at = 0;
      continue;
    }
    const auto next = static_cast<uint32_t>(numbers.size());
    place.group = numbers.try_emplace(place.group, next).first->second;
  }
  if (std::all_of(places.begin(), places.end(), SaysNothing)) places.clear();
  return places;
}

// Returns the places with one group dissolved, or with all groups dissolved if
// no group is given.
Places Dissolved(Places places, absl::optional<uint32_t> group) {
  for (RecordPlace& place : places) {
    if (group && place.group != *group) continue;
    place.group = kNoGroup;
    place.at = 0;
  }
  return places;
}

struct BytesAtTask {
  size_t bytes = 0;
  TaskId task = 0;
};

// The maximum number of steps through members of groups that a bound may cost.
constexpr size_t kMostSteps = size_t{1} << 24;

// Counts the bytes that the live records need together. Bytes that records of a
// group share are counted once. Every record takes whole units, except for the
// record that ends highest. Since it is not known which record that is, the one
// that leaves most of its last unit unused is assumed.
class LiveUnion {
 public:
  // Requires that no sum of sizes, rounded up to `unit`, overflows.
  LiveUnion(absl::Span<const TensorUsageRecord<size_t>> records,
            const Places& places, size_t unit)
      : records_(records), places_(places), unit_(unit) {}

  void Add(size_t record) { Change(record, true); }
  void Remove(size_t record) { Change(record, false); }
  size_t bytes() const {
    return tails_.empty() ? 0 : bytes_ - *tails_.rbegin();
  }
  size_t steps() const { return steps_; }

 private:
  struct Group {
    std::multiset<std::pair<size_t, size_t>> ranges;
    size_t bytes = 0;
  };

  void Change(size_t record, bool adds) {
    const size_t requested = records_[record].tensor_size;
    const size_t size = AlignUp(requested, unit_);
    if (adds) {
      tails_.insert(size - requested);
    } else {
      tails_.erase(tails_.find(size - requested));
    }
    if (places_[record].group == kNoGroup) {
      bytes_ = adds ? bytes_ + size : bytes_ - size;
      return;
    }
    Group& group = groups_[places_[record].group];
    const size_t at = places_[record].at;
    if (adds) {
      group.ranges.emplace(at, at + size);
    } else {
      group.ranges.erase(group.ranges.find({at, at + size}));
    }
    bytes_ -= group.bytes;
    group.bytes = 0;
    size_t end = 0;
    for (const auto& [begin, range_end] : group.ranges) {
      ++steps_;
      if (range_end <= end) continue;
      group.bytes += range_end - std::max(begin, end);
      end = range_end;
    }
    bytes_ += group.bytes;
  }

  absl::Span<const TensorUsageRecord<size_t>> records_;
  const Places& places_;
  const size_t unit_;
  std::map<uint32_t, Group> groups_;
  // the bytes that each live record leaves unused in its last unit
  std::multiset<size_t> tails_;
  size_t bytes_ = 0;  // in whole units
  size_t steps_ = 0;
};

// Returns the largest number of live bytes and the first task that has it. For
// large groups it may return less. Requires a place for every record, and that
// no sum of sizes in whole units overflows.
BytesAtTask LiveBytes(absl::Span<const TensorUsageRecord<size_t>> records,
                      const Places& places, size_t unit) {
  std::vector<size_t> by_begin(records.size());
  std::iota(by_begin.begin(), by_begin.end(), 0);
  std::vector<size_t> by_end = by_begin;
  std::sort(by_begin.begin(), by_begin.end(), [&](size_t a, size_t b) {
    return records[a].first_task < records[b].first_task;
  });
  std::sort(by_end.begin(), by_end.end(), [&](size_t a, size_t b) {
    return records[a].last_task < records[b].last_task;
  });
  LiveUnion live(records, places, unit);
  BytesAtTask most;
  size_t ended = 0;
  for (size_t i = 0; i < by_begin.size() && live.steps() < kMostSteps; ++i) {
    const TaskId task = records[by_begin[i]].first_task;
    while (records[by_end[ended]].last_task < task) {
      live.Remove(by_end[ended++]);
    }
    live.Add(by_begin[i]);
    if (live.bytes() > most.bytes) most = {live.bytes(), task};
  }
  return most;
}

// Returns the largest unit that divides every offset, or 1 if a sum of sizes in
// such units might overflow.
size_t UnitOf(const Problem& problem) {
  size_t unit = std::numeric_limits<size_t>::max();
  for (size_t i = 0; i < problem.size(); ++i) {
    unit = std::min(unit, problem.alignments().Of(i));
  }
  const absl::optional<size_t> padding = CheckedMultiply(problem.size(), unit);
  const bool fits = padding && CheckedAdd(NaiveSize(problem), *padding);
  return fits ? unit : 1;
}

class GroupChooser {
 public:
  GroupChooser(ProblemSpec spec, absl::string_view strategy,
               SolveOptions options)
      : spec_(std::move(spec)),
        strategy_(strategy),
        options_(std::move(options)) {}

  absl::StatusOr<GroupChoice> Choose();

 private:
  // Divides the groups for which `splits` returns true: the members that occupy
  // the same bytes become a separate group.
  Places Split(const Places& places,
               const std::function<bool(uint32_t group)>& splits) const;
  // Divides a group in this way or, if all members occupy the same bytes,
  // dissolves it.
  Places Loosened(const Places& places, uint32_t group) const;
  std::vector<uint32_t> LargestFirst(const Places& places) const;

  // Solves with these places and keeps the plan if it is smaller than the best
  // one. Returns whether it is.
  absl::StatusOr<bool> Try(const Places& places);
  absl::Duration TimeLeft() const;
  SolveOptions OptionsLeft() const;
  size_t LeastBytes(const Problem& problem) const;
  void FindBound(const Problem& problem);
  bool IsBetter(const Solution& solution) const;
  bool IsDone() const;
  GroupChoice Finished();

  ProblemSpec spec_;
  const absl::string_view strategy_;
  const SolveOptions options_;
  const Clock::time_point begin_ = Clock::now();
  // A lower bound in bytes that holds for any choice of groups.
  absl::optional<LowerBound> bound_;
  size_t least_ = 0;  // a lower bound that also counts the cost of alignment
  absl::optional<Solution> best_;
  Places best_places_;
  absl::Status refusal_;  // the first error
  absl::Duration time_;
  uint64_t nodes_ = 0;
  size_t problems_ = 0;
};

absl::StatusOr<GroupChoice> GroupChooser::Choose() {
  const Places all = Tidied(spec_.constraints.places);
  const Places even = Tidied(Split(all, [](uint32_t) { return true; }));
  absl::StatusOr<bool> found = Try(all);
  if (!found.ok()) return found.status();
  if (all.empty() && best_) {
    return GroupChoice{*std::move(best_), {}, problems_, least_};
  }
  // A strategy without support for groups may still plan groups whose members
  // occupy the same bytes, because these are lowered to one record
  // (lower_problem.h).
  Places kept = best_ ? all : even;
  if (!best_) found = Try(even);
  for (const uint32_t group : LargestFirst(kept)) {
    if (!found.ok() || IsDone()) break;
    Places fewer = Loosened(kept, group);
    found = Try(fewer);
    if (found.ok() && *found) kept = std::move(fewer);
  }
  if (found.ok() && !IsDone()) found = Try(even);
  if (found.ok() && !IsDone()) found = Try(Dissolved(even, absl::nullopt));
  if (!found.ok()) return found.status();
  if (!best_) return refusal_;
  return Finished();
}

Places GroupChooser::Split(
    const Places& places,
    const std::function<bool(uint32_t group)>& splits) const {
  // The keys are group, displacement and size of the bytes.
  std::map<std::tuple<uint32_t, size_t, size_t>, uint32_t> numbers;
  uint32_t next = 0;
  for (const RecordPlace& place : places) {
    if (place.group != kNoGroup) next = std::max(next, place.group + 1);
  }
  Places result = places;
  for (size_t i = 0; i < places.size(); ++i) {
    const RecordPlace& place = places[i];
    if (place.group == kNoGroup || !splits(place.group)) continue;
    const auto [number, is_new] = numbers.try_emplace(
        {place.group, place.at, spec_.records[i].tensor_size}, next);
    if (is_new) ++next;
    result[i].group = number->second;
    result[i].at = 0;
  }
  return result;
}

Places GroupChooser::Loosened(const Places& places, uint32_t group) const {
  const RecordPlace* first = nullptr;
  size_t size = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].group != group) continue;
    if (first == nullptr) {
      first = &places[i];
      size = spec_.records[i].tensor_size;
    } else if (places[i].at != first->at ||
               spec_.records[i].tensor_size != size) {
      return Split(places, [&](uint32_t other) { return other == group; });
    }
  }
  return Dissolved(places, group);
}

std::vector<uint32_t> GroupChooser::LargestFirst(const Places& places) const {
  std::vector<size_t> extents;
  for (size_t i = 0; i < places.size(); ++i) {
    const RecordPlace& place = places[i];
    if (place.group == kNoGroup) continue;
    if (place.group >= extents.size()) extents.resize(place.group + 1);
    // Problem::Create has checked that this does not overflow.
    extents[place.group] =
        std::max(extents[place.group], place.at + spec_.records[i].tensor_size);
  }
  std::vector<uint32_t> groups(extents.size());
  std::iota(groups.begin(), groups.end(), 0);
  std::stable_sort(groups.begin(), groups.end(), [&](uint32_t a, uint32_t b) {
    return extents[a] > extents[b];
  });
  groups.resize(std::min(groups.size(), kMostGroupsLoosened));
  return groups;
}

absl::StatusOr<bool> GroupChooser::Try(const Places& places) {
  ProblemSpec spec = spec_;
  spec.constraints.places = Tidied(places);
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  if (!bound_) FindBound(*problem);
  const SolveOptions options = OptionsLeft();
  ++problems_;
  absl::StatusOr<Solution> solution = Solve(*problem, strategy_, options);
  if (solution.ok()) nodes_ += solution->nodes;
  if (absl::IsUnimplemented(solution.status()) ||
      absl::IsResourceExhausted(solution.status())) {
    if (refusal_.ok()) refusal_ = solution.status();
    return false;
  }
  if (!solution.ok()) return solution.status();
  time_ += solution->time;
  if (!IsBetter(*solution)) return false;
  best_ = *std::move(solution);
  best_places_ = Tidied(places);
  return true;
}

// Sets the bounds that hold for any choice of groups. A bound that follows from
// the extent of a group is not one of these, since it holds only if this group
// is kept. The bytes that are live at a task, and those of a single record, are
// needed for any choice of groups.
void GroupChooser::FindBound(const Problem& problem) {
  bound_ = LowerBoundOf(problem);
  least_ = LeastBytes(problem);
  if (TaskOf(bound_->proof)) return;
  LowerBound of_all = {0, {BoundProof::Kind::kLargestRecord}};
  for (const TensorUsageRecord<size_t>& record : spec_.records) {
    of_all.bytes = std::max(of_all.bytes, record.tensor_size);
  }
  const Constraints& c = spec_.constraints;
  if (!c.places.empty() && c.never.empty() && !c.order) {
    const BytesAtTask live = LiveBytes(spec_.records, c.places, 1);
    if (live.bytes > of_all.bytes) {
      of_all = {live.bytes, {BoundProof::Kind::kBytesLive, live.task}};
    }
  }
  if (of_all.bytes < bound_->bytes) bound_ = std::move(of_all);
}

// Offsets are aligned, so the bytes that are live at a task take whole units.
size_t GroupChooser::LeastBytes(const Problem& problem) const {
  const Constraints& c = spec_.constraints;
  if (c.places.empty() || !c.never.empty() || c.order || !c.pools.empty()) {
    return 0;
  }
  return LiveBytes(spec_.records, c.places, UnitOf(problem)).bytes;
}

absl::Duration GroupChooser::TimeLeft() const {
  const absl::Duration spent = absl::FromChrono(Clock::now() - begin_);
  return std::max(absl::ZeroDuration(), options_.time_limit - spent);
}

// The first attempt gets half of the limits, and each later one half of the
// limits that remain.
SolveOptions GroupChooser::OptionsLeft() const {
  SolveOptions options = options_;
  options.time_limit = TimeLeft() / 2;
  if (options.node_budget) {
    *options.node_budget -= std::min(*options.node_budget, nodes_);
    *options.node_budget /= 2;
  }
  if (problems_ > 0) options.progress = nullptr;
  if (options.progress != nullptr) {
    options.progress = [this](const SearchProgress& progress) {
      SearchProgress of_all = progress;
      of_all.lower_bound = std::min(of_all.lower_bound, bound_->bytes);
      options_.progress(of_all);
    };
  }
  return options;
}

bool GroupChooser::IsBetter(const Solution& solution) const {
  if (!best_) return true;
  if (!solution.has_plan() || !best_->has_plan()) {
    return solution.has_plan() && !best_->has_plan();
  }
  return std::make_pair(solution.cost, solution.total_size) <
         std::make_pair(best_->cost, best_->total_size);
}

bool GroupChooser::IsDone() const {
  if (options_.cancelled != nullptr && *options_.cancelled) return true;
  if (!best_) return false;
  if (TimeLeft() == absl::ZeroDuration()) return true;
  if (!best_->has_plan()) {
    return spec_.capacity && bound_->bytes > *spec_.capacity;
  }
  if (options_.decide && spec_.capacity &&
      best_->total_size <= *spec_.capacity) {
    return true;
  }
  return best_->cost == 0 &&
         best_->total_size <= std::max(bound_->bytes, least_);
}

GroupChoice GroupChooser::Finished() {
  Solution& solution = *best_;
  solution.time = time_;
  solution.nodes = nodes_;
  const bool is_of_all = solution.lower_bound <= bound_->bytes;
  if (!is_of_all) {
    solution.lower_bound = bound_->bytes;
    solution.bound_proof = bound_->proof;
    solution.search_proof = SearchProof();
  }
  solution.cost_bound = 0;
  if (solution.has_plan() && solution.status == SolutionStatus::kOptimal &&
      (solution.cost > 0 || solution.total_size > solution.lower_bound)) {
    solution.status = SolutionStatus::kFeasible;
    solution.reason.clear();
  }
  if (!solution.has_plan() && solution.status == SolutionStatus::kInfeasible &&
      (!spec_.capacity || bound_->bytes <= *spec_.capacity)) {
    solution.DropPlan(SolutionStatus::kTimeLimit);
    solution.conflict.clear();
    solution.conflict_is_irreducible = false;
    solution.conflict_rests.clear();
    solution.reason = absl::StrCat(
        "no plan", spec_.capacity ? " within " : "",
        spec_.capacity ? absl::StrCat(*spec_.capacity, " bytes") : "",
        " was found for any choice of groups, nor a proof that there is none");
  }
  return {std::move(solution), std::move(best_places_), problems_,
          std::max(bound_->bytes, least_)};
}

}  // namespace

absl::StatusOr<GroupChoice> ChooseGroups(ProblemSpec spec,
                                         absl::string_view strategy,
                                         const SolveOptions& options) {
  return GroupChooser(std::move(spec), strategy, options).Choose();
}

}  // namespace stowage
