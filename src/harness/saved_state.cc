// SPDX-License-Identifier: Apache-2.0
#include "src/harness/saved_state.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "src/harness/resources.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

std::vector<size_t> StateTensors(const SubgraphSpec& spec) {
  std::vector<size_t> tensors;
  for (size_t t = 0; t < spec.tensors.size(); ++t) {
    if (spec.tensors[t].is_variable || absl::c_linear_search(spec.inputs, t)) {
      tensors.push_back(t);
    }
  }
  return tensors;
}

SavedState::SavedState(const SharedState& shared, const RunningGraph& graph)
    : resources_(shared.resources.Save()),
      was_invoked_once_(shared.was_invoked_once) {
  for (const size_t t : StateTensors(graph.spec())) {
    const Tensor& tensor = graph.tensors()[t];
    if (tensor.data == nullptr || tensor.is_constant()) continue;
    const auto* const data = tensor.as<uint8_t>();
    tensors_[t].assign(data, data + tensor.bytes);
  }
}

absl::Status SavedState::Restore(SharedState* shared,
                                 RunningGraph* graph) const {
  for (const auto& [t, bytes] : tensors_) {
    Tensor& tensor = graph->tensors()[t];
    if (tensor.data == nullptr || tensor.bytes != bytes.size()) continue;
    // Memory provided by the caller may be read-only, so it is written only if
    // its contents have changed.
    if (bytes.empty() ||
        std::memcmp(tensor.data, bytes.data(), bytes.size()) == 0) {
      continue;
    }
    std::memcpy(tensor.data, bytes.data(), bytes.size());
  }
  shared->was_invoked_once = was_invoked_once_;
  return shared->resources.Restore(resources_);
}

}  // namespace stowage::harness
