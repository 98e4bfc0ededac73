// SPDX-License-Identifier: Apache-2.0
// What the subgraphs of an interpreter share.
#ifndef STOWAGE_SRC_HARNESS_SHARED_STATE_H_
#define STOWAGE_SRC_HARNESS_SHARED_STATE_H_

#include <cstddef>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "src/harness/memory.h"
#include "src/harness/resources.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

struct SharedState {
  SharedState(const Model& m, OperatorResolver r, const InterpreterOptions& o)
      : model(m), resolver(std::move(r)), options(o), budget(o.memory_limit) {}

  const Model& model;
  const OperatorResolver resolver;
  const InterpreterOptions options;
  MemoryBudget budget;
  OwnedResources resources{&budget};
  // See OperatorContext::InvokeOnce.
  std::function<absl::Status(size_t subgraph)> invoke_once;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_SHARED_STATE_H_
