// SPDX-License-Identifier: Apache-2.0
// Saves the state at the start of an invocation, so that the invocation can be
// repeated if it fails. The state consists of the contents of the inputs and
// variables of a graph, and the resources.
#ifndef STOWAGE_SRC_HARNESS_SAVED_STATE_H_
#define STOWAGE_SRC_HARNESS_SAVED_STATE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/resources.h"
#include "src/harness/running_graph.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Returns the inputs and variables of the graph, which SavedState saves. Their
// contents must be readable at that time (buffered_tensors.h).
std::vector<size_t> StateTensors(const SubgraphSpec& spec);

class SavedState {
 public:
  SavedState(const SharedState& shared, const RunningGraph& graph);

  // Restores the saved state, except for tensors that have no memory now or
  // have changed their size since. Error: ResourceExhausted if the memory limit
  // is exceeded.
  absl::Status Restore(SharedState* shared, RunningGraph* graph) const;

 private:
  std::map<size_t, std::vector<uint8_t>> tensors_;
  std::vector<OwnedResources::Saved> resources_;
  std::vector<bool> was_invoked_once_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_SAVED_STATE_H_
