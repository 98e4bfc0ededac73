// SPDX-License-Identifier: Apache-2.0
#include "stowage/views/trace_events.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/views/trace_event_writer.h"
#include "src/views/trace_lanes.h"
#include "src/views/web_text.h"
#include "stowage/base/text.h"
#include "stowage/explain/plan_view.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"
#include "stowage/write_text.h"

namespace stowage::views {
namespace {

constexpr uint64_t kTaskNanoseconds = 1000;
// The latest time that may occur, because viewers store times as signed 64-bit
// integers.
constexpr uint64_t kLastNanosecond = std::numeric_limits<int64_t>::max();
constexpr size_t kPieceBytes = size_t{1} << 20;

// Computes the time at which each task begins.
class TaskClock {
 public:
  // Error: OutOfRange if the tasks before `task_count` would end after
  // kLastNanosecond.
  static absl::StatusOr<TaskClock> Create(
      const std::vector<uint64_t>& task_nanoseconds, TaskId task_count) {
    TaskClock clock;
    clock.begins_.push_back(0);
    for (const uint64_t time : task_nanoseconds) {
      const uint64_t taken = std::max<uint64_t>(time, 1);
      if (taken > kLastNanosecond - clock.begins_.back()) {
        return EndsTooLate();
      }
      clock.begins_.push_back(clock.begins_.back() + taken);
    }
    const TaskId measured = task_nanoseconds.size();
    if (task_count > measured &&
        task_count - measured >
            (kLastNanosecond - clock.begins_.back()) / kTaskNanoseconds) {
      return EndsTooLate();
    }
    return clock;
  }

  uint64_t Begin(TaskId task) const {
    const TaskId measured = begins_.size() - 1;
    if (task <= measured) return begins_[task];
    return begins_.back() + (task - measured) * kTaskNanoseconds;
  }

  size_t measured_tasks() const { return begins_.size() - 1; }

 private:
  static absl::Status EndsTooLate() {
    return absl::OutOfRangeError(
        "trace events: the last task ends after 2^63 - 1 ns; expected fewer "
        "tasks or shorter times");
  }

  std::vector<uint64_t> begins_;
};

// Returns the text unchanged if it is valid UTF-8. Otherwise makes the invalid
// bytes visible.
std::string EventText(const std::string& text) {
  return IsUtf8(text) ? text : VisibleText(text);
}

class PlanEvents {
 public:
  PlanEvents(const PlanView& plan, const TaskClock& clock,
             TraceEventWriter* writer, const WriteText& write)
      : plan_(plan), clock_(clock), writer_(writer), write_(write) {}

  absl::Status Write(size_t lanes) {
    writer_->AddProcess(VisibleText(plan_.caption.title), &out_);
    absl::Status s = WriteCounters();
    if (s.ok()) s = WriteOperators();
    if (!s.ok()) return s;
    const TraceLanes laid_out = LanesOf(plan_, lanes);
    WriteNotes(laid_out.hidden);
    for (const TraceLaneGroup& group : laid_out.groups) {
      writer_->AddGroup(VisibleText(group.name), &out_);
      for (const TraceLane& lane : group.lanes) {
        if (s = WriteLane(lane); !s.ok()) return s;
      }
    }
    return write_(out_);
  }

 private:
  absl::Status Flush() {
    if (out_.size() < kPieceBytes) return absl::OkStatus();
    absl::Status s = write_(out_);
    out_.clear();
    return s;
  }

  absl::Status WriteCounters() {
    const auto counters =
        writer_->AddCounters("arena", {"live", "unused"}, &out_);
    for (const TaskBreadth& step : plan_.profile) {
      const uint64_t time = clock_.Begin(step.task);
      // In an unsafe plan, more bytes may be live than the arena holds. No byte
      // of the arena counts as unused in this case.
      const size_t used = std::min(step.breadth, plan_.total_size);
      writer_->AddBytes(counters, time, {step.breadth, plan_.total_size - used},
                        &out_);
      if (absl::Status s = Flush(); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status WriteOperators() {
    const std::vector<std::string>& names = plan_.problem.labels.operators;
    // The times cover the tasks of all plans. Skips the tasks that this plan
    // does not have.
    const size_t measured = static_cast<size_t>(
        std::min<TaskId>(clock_.measured_tasks(), plan_.task_count));
    const size_t count = std::max(names.size(), measured);
    if (count == 0) return absl::OkStatus();
    const auto track = writer_->AddTrack("operators", &out_);
    for (size_t task = 0; task < count; ++task) {
      const std::string name = task < names.size() && !names[task].empty()
                                   ? VisibleText(names[task])
                                   : absl::StrCat("task ", task);
      writer_->AddSlice(
          track,
          {name, clock_.Begin(task), clock_.Begin(task + 1), {{"task", task}}},
          &out_);
      if (absl::Status s = Flush(); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  void WriteNotes(const std::vector<size_t>& hidden) {
    const uint64_t end = clock_.Begin(plan_.task_count);
    if (plan_.violation) {
      const auto track = writer_->AddTrack("unsafe", &out_);
      writer_->AddSlice(track, {VisibleText(plan_.violation_text), 0, end},
                        &out_);
    }
    if (hidden.empty()) return;
    absl::optional<size_t> bytes = 0;
    for (const size_t i : hidden) {
      if (bytes) {
        bytes = CheckedAdd(*bytes, plan_.problem.records[i].tensor_size);
      }
    }
    const std::string text =
        absl::StrCat("not shown: ", hidden.size(), " tensors, ",
                     bytes ? absl::StrCat(*bytes) : "at least 2^64", " bytes");
    const auto track = writer_->AddTrack("not shown", &out_);
    writer_->AddSlice(track, {text, 0, end}, &out_);
  }

  absl::Status WriteLane(const TraceLane& lane) {
    const auto track = writer_->AddTrack(VisibleText(lane.name), &out_);
    for (const size_t i : lane.records) {
      writer_->AddSlice(track, TensorSlice(i), &out_);
      if (absl::Status s = Flush(); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  EventSlice TensorSlice(size_t i) const {
    const ProblemSpec& problem = plan_.problem;
    const TensorUsageRecord<size_t>& record = problem.records[i];
    const std::string id =
        i < problem.names.size() ? problem.names[i] : absl::StrCat(i);
    EventSlice slice = {VisibleText(id), clock_.Begin(record.first_task),
                        clock_.Begin(record.last_task + 1)};
    std::vector<EventArg>& args = slice.args;
    args.push_back({"id", absl::nullopt, EventText(id)});
    args.push_back({"bytes", record.tensor_size});
    if (plan_.kind == PlanKind::kObjects) {
      args.push_back({"object", plan_.plan.objects[i]});
    } else {
      args.push_back({"offset", plan_.plan.offsets[i]});
    }
    args.push_back({"first_task", record.first_task});
    args.push_back({"last_task", record.last_task});
    if (i >= problem.labels.tensors.size()) return slice;
    const TensorInfo& tensor = problem.labels.tensors[i];
    if (!tensor.name.empty()) slice.name = VisibleText(tensor.name);
    const std::pair<const char*, const std::string*> texts[] = {
        {"name", &tensor.name},
        {"type", &tensor.type},
        {"shape", &tensor.shape}};
    for (const auto& [key, text] : texts) {
      if (text->empty()) continue;
      args.push_back({key, absl::nullopt, EventText(*text)});
    }
    return slice;
  }

  const PlanView& plan_;
  const TaskClock& clock_;
  TraceEventWriter* const writer_;
  const WriteText& write_;
  std::string out_;
};

// Returns the number of tasks to show: one plus the last task that any plan
// shows.
TaskId ShownTasks(absl::Span<const PlanView> plans) {
  TaskId count = 0;
  for (const PlanView& plan : plans) {
    count = std::max(
        {count, plan.task_count, TaskId{plan.problem.labels.operators.size()}});
  }
  return count;
}

}  // namespace

absl::StatusOr<TraceEventFormat> TraceEventFormatOf(absl::string_view path) {
  if (absl::EndsWith(path, ".json")) return TraceEventFormat::kJson;
  if (absl::EndsWith(path, ".pftrace") ||
      absl::EndsWith(path, ".perfetto-trace")) {
    return TraceEventFormat::kPerfetto;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", path,
                   "'; expected a name that ends in .json, .pftrace "
                   "or .perfetto-trace"));
}

absl::Status WriteTraceEvents(absl::Span<const PlanView> plans,
                              TraceEventFormat format,
                              const TraceEventOptions& options,
                              const WriteText& write) {
  if (plans.empty()) {
    return absl::InvalidArgumentError(
        "trace events: no plan; expected at least one");
  }
  if (options.lanes == 0) {
    return absl::InvalidArgumentError(
        "trace events: 0 lanes; expected at least 1");
  }
  const absl::StatusOr<TaskClock> clock =
      TaskClock::Create(options.task_nanoseconds, ShownTasks(plans));
  if (!clock.ok()) return clock.status();
  const std::unique_ptr<TraceEventWriter> writer =
      format == TraceEventFormat::kJson ? JsonEventWriter()
                                        : PerfettoEventWriter();
  std::string edge;
  writer->Begin(&edge);
  if (absl::Status s = write(edge); !s.ok()) return s;
  for (const PlanView& plan : plans) {
    absl::Status s =
        PlanEvents(plan, *clock, writer.get(), write).Write(options.lanes);
    if (!s.ok()) return s;
  }
  edge.clear();
  writer->End(&edge);
  return write(edge);
}

absl::StatusOr<std::string> FormatTraceEvents(
    absl::Span<const PlanView> plans, TraceEventFormat format,
    const TraceEventOptions& options) {
  std::string events;
  const absl::Status s =
      WriteTraceEvents(plans, format, options, [&](absl::string_view piece) {
        absl::StrAppend(&events, piece);
        return absl::OkStatus();
      });
  if (!s.ok()) return s;
  return events;
}

}  // namespace stowage::views
