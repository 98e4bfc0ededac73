// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/shrink.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "src/kit/transforms.h"
#include "src/model/keep_records.h"
#include "stowage/base/minimize.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

bool IsSorted(const ByteRecords& records) {
  return std::is_sorted(records.begin(), records.end(), BeginsBefore());
}

// The intervals of a problem, numbered with those of its records first,
// followed by those of its holes.
class Intervals {
 public:
  explicit Intervals(ProblemSpec* spec) : spec_(*spec) {}

  size_t size() const {
    return spec_.records.size() + spec_.constraints.holes.size();
  }
  TaskId& first(size_t i) const {
    return i < spec_.records.size() ? spec_.records[i].first_task
                                    : HoleOf(i).first_task;
  }
  TaskId& last(size_t i) const {
    return i < spec_.records.size() ? spec_.records[i].last_task
                                    : HoleOf(i).last_task;
  }

 private:
  Hole& HoleOf(size_t i) const {
    return spec_.constraints.holes[i - spec_.records.size()];
  }

  ProblemSpec& spec_;
};

class Shrinker {
 public:
  Shrinker(ProblemSpec spec, const StillFailsFn& still_fails, size_t max_calls)
      : best_(std::move(spec)),
        still_fails_(still_fails),
        calls_left_(max_calls),
        has_constraints_(HasConstraints(best_)),
        stays_sorted_(IsSorted(best_.records)) {}

  ShrunkSpec Run() && {
    do {
      changed_ = false;
      DropAlignments();
      DropRecords();
      if (has_constraints_) DropConstraints();
      if (best_.constraints.order) {
        ShrinkOrder();
      } else {
        CloseGaps();
        ShiftTasks();
      }
      ShrinkTasks();
      ShrinkSizes();
      ShrinkAlignments();
      if (has_constraints_) ShrinkConstraints();
    } while (changed_ && !is_cut_off_);
    return {std::move(best_), !is_cut_off_};
  }

 private:
  // Keeps the candidate and returns true if the planner still fails on it. If
  // the original problem has constraints, the candidate must also have
  // constraints, and they must be consistent.
  bool Try(ProblemSpec candidate) {
    if (stays_sorted_ && !IsSorted(candidate.records)) return false;
    if (has_constraints_ &&
        (!HasConstraints(candidate) || !Problem::Create(candidate).ok())) {
      return false;
    }
    is_cut_off_ = is_cut_off_ || calls_left_ == 0;
    if (is_cut_off_) return false;
    --calls_left_;
    if (!still_fails_(candidate)) return false;
    best_ = std::move(candidate);
    changed_ = true;
    return true;
  }

  // Calls change(&candidate) on a copy of the problem, and tries the candidate
  // unless `change` returns false.
  template <typename ChangeFn>
  bool TryChanged(const ChangeFn& change) {
    ProblemSpec candidate = best_;
    return change(&candidate) && Try(std::move(candidate));
  }

  // Tries change(&candidate, i) for each record i.
  template <typename ChangeFn>
  void TryEach(const ChangeFn& change) {
    for (size_t i = 0; i < best_.records.size(); ++i) {
      TryChanged([&](ProblemSpec* in) { return change(in, i); });
    }
  }

  void DropAlignments() {
    if (best_.alignments.empty()) return;
    ProblemSpec candidate = best_;
    candidate.alignments.clear();
    Try(std::move(candidate));
  }

  void DropRecords() {
    const ProblemSpec all = best_;
    if (all.records.empty() || Try(KeepRecords(all, {}))) return;
    std::vector<size_t> indices(all.records.size());
    std::iota(indices.begin(), indices.end(), 0);
    // If no calls are left, `best_` is the smallest problem found so far.
    Minimize(std::move(indices),
             [&](const std::vector<size_t>& kept) -> StatusOr<bool> {
               if (is_cut_off_) return CancelledError("no calls");
               return Try(KeepRecords(all, kept));
             })
        .IgnoreError();
  }

  // Numbers the tasks at which something begins or ends consecutively, starting
  // at 0. This preserves the conflicts and makes the task numbers as small as
  // possible.
  void CloseGaps() {
    const Intervals best(&best_);
    std::vector<TaskId> tasks;
    for (size_t i = 0; i < best.size(); ++i) {
      tasks.push_back(best.first(i));
      tasks.push_back(best.last(i));
    }
    std::sort(tasks.begin(), tasks.end());
    tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
    if (tasks.empty() || tasks.back() == tasks.size() - 1) return;
    const auto rank = [&](TaskId task) {
      return static_cast<TaskId>(
          std::lower_bound(tasks.begin(), tasks.end(), task) - tasks.begin());
    };
    ProblemSpec candidate = best_;
    const Intervals made(&candidate);
    for (size_t i = 0; i < made.size(); ++i) {
      made.first(i) = rank(made.first(i));
      made.last(i) = rank(made.last(i));
    }
    Try(std::move(candidate));
  }

  // Searches for the smallest number in [least, value] for which the planner
  // still fails on the problem with(number). Tries `least` first, and then
  // lowers `value` by steps that are halved after each failed attempt.
  template <typename With>
  void Lower(size_t value, size_t least, With with) {
    if (value <= least || Try(with(least))) return;
    size_t step = (value - least) / 2;
    while (step > 0 && !is_cut_off_) {
      if (value - step > least && Try(with(value - step))) {
        value -= step;
        step = std::min(step, (value - least) / 2);
      } else {
        step /= 2;
      }
    }
  }

  // Applies Lower to the number of the problem to which part(&spec) points.
  // Does nothing if `part` returns null.
  template <typename PartFn>
  void LowerPart(size_t least, const PartFn& part) {
    const size_t* const number = part(&best_);
    if (number == nullptr) return;
    Lower(*number, least, [&](size_t smaller) {
      ProblemSpec candidate = best_;
      *part(&candidate) = smaller;
      return candidate;
    });
  }

  TaskId FirstTask() {
    const Intervals best(&best_);
    TaskId first = std::numeric_limits<TaskId>::max();
    for (size_t i = 0; i < best.size(); ++i) {
      first = std::min(first, best.first(i));
    }
    return first;
  }

  // Moves all tasks earlier by the same distance. This may succeed where
  // CloseGaps does not, because the failure may depend on the distances between
  // tasks.
  void ShiftTasks() {
    if (Intervals(&best_).size() == 0) return;
    Lower(FirstTask(), 0, [&](TaskId first) {
      const TaskId earlier = FirstTask() - first;
      ProblemSpec candidate = best_;
      const Intervals made(&candidate);
      for (size_t i = 0; i < made.size(); ++i) {
        made.first(i) -= earlier;
        made.last(i) -= earlier;
      }
      return candidate;
    });
  }

  // Tries to end each interval at an earlier task, and then to move the whole
  // interval to earlier tasks. If the problem has an order, leaves the
  // intervals of records alone, because the tasks that use the records
  // determine them.
  void ShrinkTasks() {
    const size_t begin = best_.constraints.order ? best_.records.size() : 0;
    for (size_t i = begin; i < Intervals(&best_).size(); ++i) {
      const Intervals best(&best_);
      LowerPart(best.first(i),
                [i](ProblemSpec* in) { return &Intervals(in).last(i); });
      Lower(best.first(i), 0, [&](TaskId first) {
        ProblemSpec candidate = best_;
        const Intervals made(&candidate);
        made.last(i) -= made.first(i) - first;
        made.first(i) = first;
        return candidate;
      });
    }
  }

  void ShrinkSizes() {
    for (size_t i = 0; i < best_.records.size(); ++i) {
      LowerPart(1,
                [i](ProblemSpec* in) { return &in->records[i].tensor_size; });
    }
  }

  void ShrinkAlignments() {
    for (size_t i = 0; i < best_.alignments.size(); ++i) {
      for (size_t alignment = 1; alignment < best_.alignments[i];
           alignment *= 2) {
        ProblemSpec candidate = best_;
        candidate.alignments[i] = alignment;
        if (Try(std::move(candidate))) break;
      }
    }
  }

  template <typename T>
  void DropFrom(std::vector<T> Constraints::*list) {
    for (size_t i = (best_.constraints.*list).size(); i-- > 0;) {
      ProblemSpec candidate = best_;
      auto& entries = candidate.constraints.*list;
      entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
      Try(std::move(candidate));
    }
  }

  void DropConstraints() {
    DropFrom(&Constraints::holes);
    DropFrom(&Constraints::apart);
    DropFrom(&Constraints::never);
    DropFrom(&Constraints::prefer_apart);
    DropFrom(&Constraints::same_or_apart);
    TryEach([](ProblemSpec* in, size_t i) {
      if (in->fixed_offsets.empty() || !in->fixed_offsets[i]) return false;
      in->fixed_offsets[i].reset();
      return true;
    });
    TryEach([](ProblemSpec* in, size_t i) {
      if (in->constraints.choices.empty()) return false;
      return !std::exchange(in->constraints.choices[i], {}).empty();
    });
    for (size_t p = 0; p < best_.constraints.pools.size(); ++p) {
      TryChanged([p](ProblemSpec* in) {
        return std::exchange(in->constraints.pools[p].capacity, nullopt)
            .has_value();
      });
    }
    DropPlaces();
  }

  void DropPlaces() {
    if (best_.constraints.places.empty()) return;
    TryEach([](ProblemSpec* in, size_t i) {
      return std::exchange(in->constraints.places[i].min, 0) > 0;
    });
    TryEach([](ProblemSpec* in, size_t i) {
      return std::exchange(in->constraints.places[i].max, nullopt).has_value();
    });
    TryEach([](ProblemSpec* in, size_t i) {
      RecordPlace& place = in->constraints.places[i];
      place.at = 0;
      return std::exchange(place.group, kNoGroup) != kNoGroup;
    });
  }

  // Removes the order. If the planner then no longer fails, removes tasks that
  // no record uses, and then users and edges one at a time.
  void ShrinkOrder() {
    const bool is_dropped = TryChanged([](ProblemSpec* in) {
      in->constraints.order.reset();
      in->constraints.users = UserLists();
      return true;
    });
    if (is_dropped) return;
    ProblemSpec used = WithUsedTasksAlone(best_);
    const size_t tasks = best_.constraints.order->tasks();
    if (used.constraints.order->tasks() < tasks) Try(std::move(used));
    for (size_t i = 0; i < best_.records.size(); ++i) {
      for (size_t k = best_.constraints.users[i].size(); k-- > 0;) {
        if (best_.constraints.users[i].size() == 1) break;
        Try(WithoutUser(best_, i, k));
      }
    }
    for (size_t e = best_.constraints.order->edges().size(); e-- > 0;) {
      TryChanged([e](ProblemSpec* in) { return DropEdge(e, in); });
    }
  }

  void ShrinkConstraints() {
    for (size_t i = 0; i < best_.records.size(); ++i) {
      LowerPart(0, [i](ProblemSpec* in) -> size_t* {
        auto& fixed = in->fixed_offsets;
        return fixed.empty() || !fixed[i] ? nullptr : &*fixed[i];
      });
      if (best_.constraints.places.empty()) continue;
      LowerPart(
          0, [i](ProblemSpec* in) { return &in->constraints.places[i].min; });
      LowerPart(0,
                [i](ProblemSpec* in) { return &in->constraints.places[i].at; });
    }
    for (size_t p = 0; p < best_.constraints.pools.size(); ++p) {
      LowerPart(1, [p](ProblemSpec* in) -> size_t* {
        auto& capacity = in->constraints.pools[p].capacity;
        return capacity ? &*capacity : nullptr;
      });
    }
    for (size_t h = 0; h < best_.constraints.holes.size(); ++h) {
      LowerPart(best_.constraints.holes[h].begin + 1,
                [h](ProblemSpec* in) { return &in->constraints.holes[h].end; });
      Lower(best_.constraints.holes[h].begin, 0, [&](size_t begin) {
        ProblemSpec candidate = best_;
        Hole& hole = candidate.constraints.holes[h];
        hole.end -= hole.begin - begin;
        hole.begin = begin;
        return candidate;
      });
    }
  }

  ProblemSpec best_;
  const StillFailsFn& still_fails_;
  size_t calls_left_;
  bool has_constraints_;
  bool stays_sorted_;
  bool changed_ = false;
  bool is_cut_off_ = false;  // says whether calls ran out while one was needed
};

}  // namespace

ShrunkSpec Shrink(ProblemSpec spec, const StillFailsFn& still_fails,
                  size_t max_calls) {
  return Shrinker(std::move(spec), still_fails, max_calls).Run();
}

}  // namespace stowage::testing
