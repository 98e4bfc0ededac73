// SPDX-License-Identifier: Apache-2.0
// Provides observers that record accesses to tensors and the times of
// operators. To check accesses, use checks.h.
//
//   Recorder recorder;
//   Profiler profiler;
//   options.observers = {&recorder, &profiler};
//
// List the profiler last, so that its times exclude the other observers.
#ifndef STOWAGE_HARNESS_RECORDER_H_
#define STOWAGE_HARNESS_RECORDER_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "stowage/harness/observer.h"

namespace stowage::harness {

// Records the tensors that operators access, in execution order. A variable of
// an operator counts as read and written.
class Recorder : public ExecutionObserver {
 public:
  struct Event {
    size_t subgraph = 0;
    size_t invocation = 0;
    size_t node = 0;    // the operator
    size_t tensor = 0;  // an index in the subgraph, or higher for a temporary
    bool is_write = false;
    // The time from the creation of the recorder to the start of the operator
    // (for a read) or to its end (for a write).
    absl::Duration time;
  };

  Recorder();

  absl::Status BeforeOperator(const Execution& at) override;
  absl::Status AfterOperator(const Execution& at) override;

  const std::vector<Event>& events() const { return events_; }

 private:
  absl::Duration start_;  // a time of a monotonic clock
  std::vector<Event> events_;
};

// Measures the times of operators. The time of an operator that calls a
// subgraph includes the time of the subgraph.
class Profiler : public ExecutionObserver {
 public:
  struct Entry {
    size_t subgraph = 0;
    size_t node = 0;   // the task
    int id = 0;        // the id of the node in the execution plan
    size_t step = 0;   // the step in a transparent partition
    std::string name;  // the type of the operator, such as "CONV_2D"
    size_t runs = 0;
    absl::Duration total;
    absl::Duration shortest;
  };
  struct TypeEntry {
    std::string name;
    size_t operators = 0;
    size_t runs = 0;
    absl::Duration total;
  };

  absl::Status BeforeOperator(const Execution& at) override;
  absl::Status AfterOperator(const Execution& at) override;

  // Returns the times by subgraph and node.
  std::vector<Entry> Operators() const;
  // Returns the times by type of operator, the longest first. Equal times are
  // sorted by name.
  std::vector<TypeEntry> Types() const;

 private:
  // The time at which each node started, by subgraph and node, on a monotonic
  // clock.
  std::map<std::pair<size_t, size_t>, absl::Duration> begun_;
  std::map<std::pair<size_t, size_t>, Entry> entries_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_RECORDER_H_
