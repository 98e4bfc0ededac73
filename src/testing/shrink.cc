// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/shrink.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "src/core/minimize.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/instance.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

bool IsSorted(const ByteRecords& records) {
  return std::is_sorted(records.begin(), records.end());
}

class Shrinker {
 public:
  Shrinker(Instance instance, const StillFailsFn& still_fails, size_t max_calls)
      : best_(std::move(instance)),
        still_fails_(still_fails),
        calls_left_(max_calls),
        stays_sorted_(IsSorted(best_.records)) {}

  Instance Run() && {
    do {
      changed_ = false;
      DropAlignments();
      DropRecords();
      CloseGaps();
      ShiftTasks();
      ShrinkTasks();
      ShrinkSizes();
      ShrinkAlignments();
    } while (changed_ && calls_left_ > 0);
    return std::move(best_);
  }

 private:
  // Keeps the candidate if it still fails.
  bool Try(Instance candidate) {
    if (stays_sorted_ && !IsSorted(candidate.records)) return false;
    if (calls_left_ == 0) return false;
    --calls_left_;
    if (!still_fails_(candidate.records, candidate.alignment())) return false;
    best_ = std::move(candidate);
    changed_ = true;
    return true;
  }

  void DropAlignments() {
    if (best_.alignments.empty()) return;
    Instance candidate = best_;
    candidate.alignments.clear();
    Try(std::move(candidate));
  }

  void DropRecords() {
    const Instance all = best_;
    if (all.records.empty() || Try(Part(all, {}))) return;
    std::vector<size_t> indices(all.records.size());
    std::iota(indices.begin(), indices.end(), 0);
    // Whatever it returns, `best_` is the smallest so far.
    Minimize(std::move(indices),
             [&](const std::vector<size_t>& kept) -> absl::StatusOr<bool> {
               if (calls_left_ == 0) return absl::CancelledError("no calls");
               return Try(Part(all, kept));
             })
        .IgnoreError();
  }

  static Instance Part(const Instance& all, const std::vector<size_t>& kept) {
    Instance part;
    for (const size_t i : kept) {
      part.records.push_back(all.records[i]);
      if (!all.alignments.empty()) part.alignments.push_back(all.alignments[i]);
    }
    return part;
  }

  // Numbers the tasks at which something begins or ends from 0: the same
  // conflicts, with the earliest tasks that have them.
  void CloseGaps() {
    std::vector<TaskId> tasks;
    for (const ByteRecord& record : best_.records) {
      tasks.push_back(record.first_task);
      tasks.push_back(record.last_task);
    }
    std::sort(tasks.begin(), tasks.end());
    tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
    if (tasks.empty() || tasks.back() == tasks.size() - 1) return;
    const auto rank = [&](TaskId task) {
      return static_cast<TaskId>(
          std::lower_bound(tasks.begin(), tasks.end(), task) - tasks.begin());
    };
    Instance candidate = best_;
    for (ByteRecord& record : candidate.records) {
      record.first_task = rank(record.first_task);
      record.last_task = rank(record.last_task);
    }
    Try(std::move(candidate));
  }

  // The smallest number from `least` to `value` for which `with(number)` still
  // fails, as far as halving finds it.
  template <typename With>
  void Lower(size_t value, size_t least, With with) {
    if (value <= least || Try(with(least))) return;
    size_t step = (value - least) / 2;
    while (step > 0 && calls_left_ > 0) {
      if (value - step > least && Try(with(value - step))) {
        value -= step;
        step = std::min(step, (value - least) / 2);
      } else {
        step /= 2;
      }
    }
  }

  TaskId FirstTask() const {
    TaskId first = std::numeric_limits<TaskId>::max();
    for (const ByteRecord& record : best_.records) {
      first = std::min(first, record.first_task);
    }
    return first;
  }

  // All together: what depends on the distance of tasks cannot spare a gap.
  void ShiftTasks() {
    if (best_.records.empty()) return;
    Lower(FirstTask(), 0, [&](TaskId first) {
      const TaskId earlier = FirstTask() - first;
      Instance candidate = best_;
      for (ByteRecord& record : candidate.records) {
        record.first_task -= earlier;
        record.last_task -= earlier;
      }
      return candidate;
    });
  }

  // First the end of each interval, then the whole of it.
  void ShrinkTasks() {
    for (size_t i = 0; i < best_.records.size(); ++i) {
      Lower(best_.records[i].last_task, best_.records[i].first_task,
            [&](TaskId last) {
              Instance candidate = best_;
              candidate.records[i].last_task = last;
              return candidate;
            });
      Lower(best_.records[i].first_task, 0, [&](TaskId first) {
        Instance candidate = best_;
        ByteRecord& record = candidate.records[i];
        record.last_task -= record.first_task - first;
        record.first_task = first;
        return candidate;
      });
    }
  }

  void ShrinkSizes() {
    for (size_t i = 0; i < best_.records.size(); ++i) {
      Lower(best_.records[i].tensor_size, 1, [&](size_t size) {
        Instance candidate = best_;
        candidate.records[i].tensor_size = size;
        return candidate;
      });
    }
  }

  void ShrinkAlignments() {
    for (size_t i = 0; i < best_.alignments.size(); ++i) {
      for (size_t alignment = 1; alignment < best_.alignments[i];
           alignment *= 2) {
        Instance candidate = best_;
        candidate.alignments[i] = alignment;
        if (Try(std::move(candidate))) break;
      }
    }
  }

  Instance best_;
  const StillFailsFn& still_fails_;
  size_t calls_left_;
  bool stays_sorted_;
  bool changed_ = false;
};

}  // namespace

Instance ShrinkRecords(absl::Span<const ByteRecord> records,
                       const Alignments& alignments,
                       const StillFailsFn& still_fails, size_t max_calls) {
  return Shrinker(MakeInstance(records, alignments), still_fails, max_calls)
      .Run();
}

}  // namespace stowage::testing
