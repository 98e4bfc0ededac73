// SPDX-License-Identifier: Apache-2.0
#include "tests/strategies/plain_strategies.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

namespace stowage::plain {
namespace {

constexpr size_t kNever = std::numeric_limits<size_t>::max();

// Returns the number of tasks from the end of the earlier record to the start
// of the later record, or kNever if the records conflict.
size_t Gap(const ByteRecord& a, const ByteRecord& b) {
  if (Conflict(a, b)) return kNever;
  return a.last_task < b.first_task ? b.first_task - a.last_task
                                    : a.first_task - b.last_task;
}

std::vector<size_t> BySize(const std::vector<ByteRecord>& records) {
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return records[a].tensor_size > records[b].tensor_size;
  });
  return order;
}

// Sorts tasks by decreasing breadth, and returns the records in the order in
// which these tasks need them. Visits every task up to the last one, so task
// numbers must be small.
std::vector<size_t> ByBreadth(const std::vector<ByteRecord>& records) {
  TaskId last = 0;
  for (const ByteRecord& r : records) last = std::max(last, r.last_task);
  std::vector<TaskBreadth> tasks;
  for (TaskId task = 0; task <= last; ++task) {
    tasks.push_back({task, 0});
    for (const size_t i : TaskProfile(records, task)) {
      tasks.back().breadth += records[i].tensor_size;
    }
  }
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const TaskBreadth& a, const TaskBreadth& b) {
                     return a.breadth > b.breadth;
                   });
  std::vector<size_t> order;
  for (const TaskBreadth& task : tasks) {
    for (const size_t i : TaskProfile(records, task.task)) {
      if (std::find(order.begin(), order.end(), i) == order.end()) {
        order.push_back(i);
      }
    }
  }
  return order;
}

// Inserts the record into `placed`, which is sorted by offset, after the
// records with the same offset.
void InsertByOffset(size_t record, const std::vector<size_t>& offsets,
                    std::vector<size_t>* placed) {
  placed->insert(std::upper_bound(placed->begin(), placed->end(), record,
                                  [&](size_t a, size_t b) {
                                    return offsets[a] < offsets[b];
                                  }),
                 record);
}

OffsetsAssignment BestFit(const std::vector<ByteRecord>& records,
                          const std::vector<size_t>& order, size_t alignment) {
  OffsetsAssignment plan;
  plan.offsets.resize(records.size());
  std::vector<size_t> placed;  // by offset
  for (const size_t i : order) {
    const size_t size = records[i].tensor_size;
    size_t floor = 0;
    size_t tightest = kNever;
    size_t best = 0;
    for (const size_t other : placed) {
      if (!Conflict(records[i], records[other])) continue;
      const size_t offset = plan.offsets[other];
      if (offset >= floor && offset - floor >= size &&
          offset - floor < tightest) {
        tightest = offset - floor;
        best = floor;
      }
      floor = std::max(floor,
                       AlignUp(offset + records[other].tensor_size, alignment));
    }
    plan.offsets[i] = tightest == kNever ? floor : best;
    plan.total_size = std::max(plan.total_size, plan.offsets[i] + size);
    InsertByOffset(i, plan.offsets, &placed);
  }
  return plan;
}

// A record that has to be assigned to an object, and its distance in time to
// each object.
struct Candidate {
  bool assigned = false;
  size_t position = 0;
  size_t best_distance = kNever;
  size_t best_object = 0;
  std::vector<size_t> distance;  // to every object
};

size_t Choose(const std::vector<ByteRecord>& records,
              const std::vector<Candidate>& candidates) {
  size_t chosen = kNever;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    if (c.assigned) continue;
    if (chosen == kNever) {
      chosen = i;
      continue;
    }
    const Candidate& best = candidates[chosen];
    if (c.position != best.position) {
      if (c.position < best.position) chosen = i;
    } else if (c.best_distance != best.best_distance) {
      if (c.best_distance < best.best_distance) chosen = i;
    } else if (records[i].tensor_size > records[chosen].tensor_size) {
      chosen = i;
    }
  }
  return chosen;
}

// Updates the distance of a candidate to `object`, to which a tensor was just
// assigned. `gap` is the gap between the candidate and that tensor.
void Update(size_t gap, size_t object, bool is_new, Candidate* candidate) {
  if (is_new) {
    candidate->distance.push_back(gap);
  } else {
    size_t& distance = candidate->distance[object];
    if (distance == kNever) return;
    if (gap != kNever) {
      distance = std::min(distance, gap);
    } else {
      distance = kNever;
      if (candidate->best_distance != kNever &&
          candidate->best_object == object) {
        const auto nearest = std::min_element(candidate->distance.begin(),
                                              candidate->distance.end());
        candidate->best_distance = *nearest;
        candidate->best_object =
            static_cast<size_t>(nearest - candidate->distance.begin());
      }
    }
  }
  if (gap < candidate->best_distance) {
    candidate->best_distance = gap;
    candidate->best_object = object;
  }
}

}  // namespace

ObjectsAssignment<size_t> GreedyBySize(const std::vector<ByteRecord>& records) {
  const std::vector<size_t> maximums = PositionalMaximums(records);
  std::vector<Candidate> candidates(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    candidates[i].position = static_cast<size_t>(std::count_if(
        maximums.begin(), maximums.end(),
        [&](size_t maximum) { return maximum >= records[i].tensor_size; }));
  }
  ObjectsAssignment<size_t> plan;
  plan.object_ids.resize(records.size());
  for (size_t step = 0; step < records.size(); ++step) {
    const size_t i = Choose(records, candidates);
    const size_t size = records[i].tensor_size;
    const bool is_new = candidates[i].best_distance == kNever;
    const size_t object =
        is_new ? plan.object_sizes.size() : candidates[i].best_object;
    if (is_new) plan.object_sizes.push_back(size);
    plan.object_sizes[object] = std::max(plan.object_sizes[object], size);
    plan.object_ids[i] = object;
    candidates[i].assigned = true;
    for (size_t r = 0; r < records.size(); ++r) {
      if (candidates[r].assigned) continue;
      Update(Gap(records[i], records[r]), object, is_new, &candidates[r]);
    }
  }
  return plan;
}

ObjectsAssignment<size_t> GreedyByBreadth(
    const std::vector<ByteRecord>& records) {
  ObjectsAssignment<size_t> plan;
  plan.object_ids.assign(records.size(), kNever);
  for (const size_t i : ByBreadth(records)) {
    const size_t size = records[i].tensor_size;
    size_t best = kNever;
    for (size_t object = 0; object < plan.object_sizes.size(); ++object) {
      bool is_free = true;
      for (size_t r = 0; r < records.size(); ++r) {
        is_free = is_free && !(plan.object_ids[r] == object &&
                               Conflict(records[i], records[r]));
      }
      if (!is_free) continue;
      const size_t candidate = plan.object_sizes[object];
      if (best == kNever ||
          (plan.object_sizes[best] < size
               ? candidate > plan.object_sizes[best]
               : candidate >= size && candidate < plan.object_sizes[best])) {
        best = object;
      }
    }
    if (best == kNever) {
      best = plan.object_sizes.size();
      plan.object_sizes.push_back(size);
    }
    plan.object_sizes[best] = std::max(plan.object_sizes[best], size);
    plan.object_ids[i] = best;
  }
  return plan;
}

OffsetsAssignment GreedyBySizeOffsets(const std::vector<ByteRecord>& records,
                                      size_t alignment) {
  return BestFit(records, BySize(records), alignment);
}

OffsetsAssignment GreedyByBreadthOffsets(const std::vector<ByteRecord>& records,
                                         size_t alignment) {
  return BestFit(records, ByBreadth(records), alignment);
}

OffsetsAssignment ArenaBestFitOffsets(const std::vector<ByteRecord>& records,
                                      size_t alignment) {
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (records[a].tensor_size != records[b].tensor_size) {
      return records[a].tensor_size > records[b].tensor_size;
    }
    return records[a].first_task < records[b].first_task;
  });
  OffsetsAssignment plan;
  plan.offsets.resize(records.size());
  std::vector<size_t> placed;  // by offset
  for (const size_t i : order) {
    const size_t size = records[i].tensor_size;
    if (size == 0) continue;
    size_t end = 0;
    size_t tightest = kNever;
    size_t best = 0;
    for (const size_t other : placed) {
      if (!Conflict(records[i], records[other])) continue;
      const size_t offset = plan.offsets[other];
      const size_t start = AlignUp(end, alignment);
      if (start + size <= offset && offset - start < tightest) {
        tightest = offset - end;
        best = start;
      }
      end = std::max(end, offset + records[other].tensor_size);
    }
    plan.offsets[i] = tightest == kNever ? AlignUp(end, alignment) : best;
    plan.total_size = std::max(plan.total_size, plan.offsets[i] + size);
    InsertByOffset(i, plan.offsets, &placed);
  }
  return plan;
}

}  // namespace stowage::plain
