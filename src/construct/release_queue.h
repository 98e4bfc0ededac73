// SPDX-License-Identifier: Apache-2.0
// Stores the shared objects that are in use, ordered by the task after which
// they become free.
#ifndef STOWAGE_SRC_CONSTRUCT_RELEASE_QUEUE_H_
#define STOWAGE_SRC_CONSTRUCT_RELEASE_QUEUE_H_

#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "stowage/usage_record.h"

namespace stowage {

class ReleaseQueue {
 public:
  // Marks object `id` as in use up to and including `last_task`. O(log n).
  void Add(TaskId last_task, size_t id) { queue_.emplace(last_task, id); }

  // Removes the objects that are free at `task`, and calls release(id) for each
  // of them, ordered by last task and then by id. An object is still in use at
  // its last task.
  template <typename Release>
  void ReleaseBefore(TaskId task, Release release) {
    while (!queue_.empty() && queue_.top().first < task) {
      const size_t id = queue_.top().second;
      queue_.pop();
      release(id);
    }
  }

 private:
  using Entry = std::pair<TaskId, size_t>;  // a last task and an object
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_RELEASE_QUEUE_H_
