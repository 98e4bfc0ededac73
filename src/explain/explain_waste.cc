// SPDX-License-Identifier: Apache-2.0
#include "src/explain/explain_waste.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/explain/coverage.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_view.h"
#include "stowage/usage_record.h"

namespace stowage::views {
namespace {

// The begin or the end of a record. A record begins at its first task and ends
// at the task after its last task. Records without bytes have no events.
struct LifeEvent {
  TaskId task;
  bool begins;
  size_t record;
};

std::vector<LifeEvent> EventsOf(const PlanView& view) {
  std::vector<LifeEvent> events;
  for (size_t i = 0; i < view.problem.records.size(); ++i) {
    const ByteRecord& record = view.problem.records[i];
    if (record.tensor_size == 0) continue;
    events.push_back({record.first_task, true, i});
    events.push_back({record.last_task + 1, false, i});
  }
  std::sort(events.begin(), events.end(),
            [](const LifeEvent& a, const LifeEvent& b) {
              return std::tie(a.task, a.begins, a.record) <
                     std::tie(b.task, b.begins, b.record);
            });
  return events;
}

size_t MeanOf(absl::uint128 sum, size_t tasks) {
  return tasks == 0 ? 0 : static_cast<size_t>(sum / tasks);
}

// Tracks how many bytes of one band are held and how many are free, task by
// task.
class BandState {
 public:
  BandState(size_t size, std::vector<size_t> ends)
      : size_(size), coverage_(std::move(ends)), top_(size) {}

  void Change(const LifeEvent& event, size_t begin, size_t size) {
    free_sum_ += absl::uint128(size_ - held_) * (event.task - since_);
    since_ = event.task;
    if (event.begins) {
      coverage_.Add(begin, begin + size);
    } else {
      coverage_.Remove(begin, begin + size);
    }
    held_ = coverage_.held();
    // In an unsafe plan, records may reach beyond the end of the band. The
    // subtrahend is therefore limited to the size of the band, so the
    // difference is never negative.
    top_ = size_ - std::min(size_, coverage_.highest());
    max_held_ = std::max(max_held_, held_);
  }

  size_t held() const { return held_; }
  size_t top() const { return top_; }
  size_t inside() const { return size_ - held_ - top_; }
  size_t free() const { return size_ - held_; }
  size_t max_held() const { return max_held_; }
  size_t mean_free(TaskId end) const {
    return MeanOf(free_sum_ + absl::uint128(size_ - held_) * (end - since_),
                  end);
  }

 private:
  size_t size_;
  Coverage coverage_;
  size_t held_ = 0;
  size_t top_;
  size_t max_held_ = 0;
  TaskId since_ = 0;
  absl::uint128 free_sum_ = 0;
};

std::vector<BandState> StatesOf(const PlanView& view,
                                const std::vector<size_t>& bands) {
  std::vector<std::vector<size_t>> ends(std::max<size_t>(view.bands.size(), 1));
  for (size_t i = 0; i < bands.size(); ++i) {
    const size_t size = view.problem.records[i].tensor_size;
    if (size == 0) continue;
    const size_t begin =
        view.offsets[i] - (view.bands.empty() ? 0 : view.bands[bands[i]].begin);
    ends[bands[i]].push_back(begin);
    ends[bands[i]].push_back(begin + size);
  }
  std::vector<BandState> states;
  states.reserve(ends.size());
  for (size_t b = 0; b < ends.size(); ++b) {
    states.emplace_back(
        view.bands.empty() ? view.total_size : view.bands[b].size,
        std::move(ends[b]));
  }
  return states;
}

void AddTask(const TaskWaste& now, std::vector<TaskWaste>* tasks) {
  if (!tasks->empty() && tasks->back().task == now.task) tasks->pop_back();
  const bool is_new = tasks->empty() || tasks->back().held != now.held ||
                      tasks->back().inside != now.inside ||
                      tasks->back().top != now.top;
  if (is_new) tasks->push_back(now);
}

void FillSums(const PlanView& view, PlanWaste* waste) {
  if (!waste->tasks.empty() && waste->tasks.back().task >= view.task_count) {
    waste->tasks.pop_back();
  }
  for (size_t k = 0; k < waste->tasks.size(); ++k) {
    const TaskWaste& at = waste->tasks[k];
    const TaskId end = k + 1 < waste->tasks.size() ? waste->tasks[k + 1].task
                                                   : view.task_count;
    waste->inside_sum += absl::uint128(at.inside) * (end - at.task);
    waste->top_sum += absl::uint128(at.top) * (end - at.task);
    if (at.inside > waste->tasks[waste->worst].inside) waste->worst = k;
    const bool has_peak = !view.peak_tasks.empty() &&
                          at.task <= view.peak_tasks.front() &&
                          view.peak_tasks.front() < end;
    if (!has_peak) continue;
    waste->inside_at_peak = at.inside;
    waste->top_at_peak = at.top;
  }
  waste->inside_mean = MeanOf(waste->inside_sum, view.task_count);
  waste->top_mean = MeanOf(waste->top_sum, view.task_count);
}

}  // namespace

std::vector<size_t> BandsOf(const PlanView& view) {
  std::vector<size_t> bands;
  if (view.bands.empty()) {
    bands.resize(view.problem.records.size());
    return bands;
  }
  if (view.kind == PlanKind::kOffsets) {
    bands.assign(view.plan.chosen_pools.begin(), view.plan.chosen_pools.end());
    return bands;
  }
  // A band without bytes may begin at the same offset as the next band. A
  // record with bytes is in the last band that begins at or below the offset of
  // the record.
  for (const size_t offset : view.offsets) {
    const auto above = std::upper_bound(
        view.bands.begin(), view.bands.end(), offset,
        [](size_t byte, const Band& band) { return byte < band.begin; });
    bands.push_back(static_cast<size_t>(above - view.bands.begin()) - 1);
  }
  return bands;
}

PlanWaste WasteOf(const PlanView& view, const std::vector<size_t>& bands) {
  PlanWaste waste;
  waste.bands.resize(view.bands.size());
  std::vector<BandState> states = StatesOf(view, bands);
  const TaskId peak = view.peak_tasks.empty() ? 0 : view.peak_tasks.front();
  if (view.task_count > 0) waste.tasks.push_back({0, 0, 0, view.total_size});
  TaskWaste now = {0, 0, 0, view.total_size};
  const auto fill_peak = [&] {
    for (size_t b = 0; b < waste.bands.size(); ++b) {
      waste.bands[b].free_at_peak = states[b].free();
    }
  };
  bool is_past_peak = false;
  for (const LifeEvent& event : EventsOf(view)) {
    if (event.task > peak && !std::exchange(is_past_peak, event.task > peak)) {
      fill_peak();
    }
    const size_t b = bands[event.record];
    BandState& state = states[b];
    now.held -= state.held();
    now.inside -= state.inside();
    now.top -= state.top();
    state.Change(event,
                 view.offsets[event.record] -
                     (view.bands.empty() ? 0 : view.bands[b].begin),
                 view.problem.records[event.record].tensor_size);
    now.held += state.held();
    now.inside += state.inside();
    now.top += state.top();
    now.task = event.task;
    AddTask(now, &waste.tasks);
  }
  if (!is_past_peak) fill_peak();
  for (size_t b = 0; b < waste.bands.size(); ++b) {
    waste.bands[b].max_held = states[b].max_held();
    waste.bands[b].mean_free = states[b].mean_free(view.task_count);
  }
  for (const size_t b : bands) {
    if (b < waste.bands.size()) ++waste.bands[b].records;
  }
  FillSums(view, &waste);
  return waste;
}

}  // namespace stowage::views
