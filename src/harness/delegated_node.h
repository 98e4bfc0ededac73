// SPDX-License-Identifier: Apache-2.0
// Describes a node that a delegate runs in place of other nodes of the graph.
#ifndef STOWAGE_SRC_HARNESS_DELEGATED_NODE_H_
#define STOWAGE_SRC_HARNESS_DELEGATED_NODE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "stowage/harness/delegate.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Memory in the arena that a delegate uses during steps [first_step,
// last_step].
struct Workspace {
  size_t bytes = 0;
  size_t alignment = 1;
  size_t first_step = 0;
  size_t last_step = 0;
  size_t tensor = 0;  // the temporary that has these bytes, once it exists
};

struct DelegatedNode {
  Delegate* delegate = nullptr;
  DelegateInfo info;
  DelegatePartition partition;
  // The replaced nodes of the graph, including DEQUANTIZE nodes that are hidden
  // from the kernel.
  std::vector<int> replaced;
  // True if a replaced node has side effects.
  bool has_side_effects = false;
  OperatorSpec spec;  // describes the whole partition
  std::vector<PartitionStep> steps;
  std::vector<OperatorSpec> step_specs;  // describes each step
  std::vector<Workspace> workspaces;
  std::unique_ptr<DelegateKernel> kernel;

  // Returns the number of tasks of the node, which is at least 1.
  size_t task_count() const { return steps.empty() ? 1 : steps.size(); }
  const OperatorSpec& SpecOf(size_t step) const {
    return steps.empty() ? spec : step_specs[step];
  }
};

// Checks that the steps of the node together perform the whole partition.
// Error: InvalidArgument, with the name of the step in the message.
absl::Status CheckSteps(const DelegatedNode& node, const DelegateGraph& graph);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_DELEGATED_NODE_H_
